"""What a robots.txt lets a crawler fetch (RFC 9309, 2022).

Groups are merged per product token, the longest rule wins, allow wins a tie, `*` and a final `$`
are wildcards. The standard library's parser is not used: it takes the first rule that fits and
reads wildcards as letters, so `Disallow: /*?` would forbid nothing.
"""

import re
from dataclasses import dataclass

_TOKEN = re.compile(r"[A-Za-z_-]+")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a group: a path pattern and whether it allows."""

    allow: bool
    pattern: str


@dataclass(frozen=True, slots=True)
class Robots:
    """Rules by lower-case product token; `*` stands for all crawlers not named."""

    groups: tuple[tuple[str, tuple[Rule, ...]], ...] = ()

    def allows(self, user_agent: str, target: str) -> bool:
        """Whether a crawler may fetch a path with query; /robots.txt always may be."""
        if target == "/robots.txt":
            return True
        path = _plain_path(target)
        best = Rule(allow=True, pattern="")
        for rule in self.rules(user_agent):
            longer = len(rule.pattern) > len(best.pattern)
            tie = len(rule.pattern) == len(best.pattern) and rule.allow
            if (longer or tie) and _fits(rule.pattern, path):
                best = rule
        return best.allow

    def rules(self, user_agent: str) -> tuple[Rule, ...]:
        """Rules of the group that names the crawler, else of `*`, else none."""
        groups = dict(self.groups)
        return groups.get(product_token(user_agent), groups.get("*", ()))


ALLOW_ALL = Robots()
DISALLOW_ALL = Robots((("*", (Rule(allow=False, pattern="/"),)),))


def product_token(user_agent: str) -> str:
    """Lower-case product token of a user agent: `Example-Bot/1.0 (+url)` gives `example-bot`."""
    match = _TOKEN.match(user_agent.strip())
    return match[0].lower() if match else ""


def parse_robots(text: str) -> Robots:
    """Groups of a robots.txt; lines that are no rule are passed over."""
    groups: dict[str, list[Rule]] = {}
    agents: list[str] = []
    collecting = False
    for line in text.lstrip("\ufeff").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "user-agent":
            agents = agents if collecting else []
            collecting = True
            agents.append("*" if value.startswith("*") else product_token(value))
            groups.setdefault(agents[-1], [])
        elif key in {"allow", "disallow"}:
            collecting = False
            if value:
                rule = Rule(key == "allow", _plain_path(value))
                for agent in dict.fromkeys(agents):
                    groups[agent].append(rule)
    return Robots(tuple((agent, tuple(rules)) for agent, rules in groups.items()))


def _plain_path(path: str) -> str:
    """Path with unreserved escapes decoded, others in upper case, non-ASCII escaped."""
    ascii_only = "".join(
        char if char.isascii() else "".join(f"%{byte:02X}" for byte in _utf8(char)) for char in path
    )
    return _ESCAPE.sub(_plain_escape, ascii_only)


def _utf8(char: str) -> bytes:
    return char.encode("utf-8", "replace")


def _plain_escape(match: re.Match[str]) -> str:
    char = chr(int(match[0][1:], 16))
    return char if _UNRESERVED.fullmatch(char) else match[0].upper()


def _fits(pattern: str, path: str) -> bool:
    """Whether a pattern matches from the start of a path; linear, so no pattern can stall it."""
    anchored = pattern.endswith("$")
    first, *rest = (pattern[:-1] if anchored else pattern).split("*")
    if not path.startswith(first):
        return False
    if not rest:
        return not anchored or path == first
    at = len(first)
    for part in rest[:-1]:
        found = path.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    last = rest[-1]
    if anchored:
        return len(path) - len(last) >= at and path.endswith(last)
    return path.find(last, at) >= 0
