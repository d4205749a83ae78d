"""What a robots.txt lets a crawler fetch (RFC 9309, 2022).

Groups are merged per product token, the longest rule wins, allow wins a tie, `*` and a final `$`
are wildcards. The standard library's parser is not used: it takes the first rule that fits and
reads wildcards as letters, so `Disallow: /*?` would forbid nothing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from monitor.domain.eligibility import Because, RobotsState, Ruling

_TOKEN = re.compile(r"[A-Za-z_-]+")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")


_LINE_END = re.compile(r"\r\n|\r|\n")
_LONGEST_QUOTE = 200


@dataclass(frozen=True, slots=True)
class Rule:
    """One line of a group: a path pattern and whether it allows."""

    allow: bool
    pattern: str
    line: int = 0
    """From 1; 0 for a rule that no file holds."""
    written: str = ""
    """The line as it stands in the file, cut to 200 characters."""


Block = list[Rule]
"""Rules that stand under one list of crawlers; shared by all of them."""

_NO_RULE = Rule(allow=True, pattern="")


@dataclass(frozen=True, slots=True)
class Robots:
    """Rules by lower-case product token; `*` stands for all crawlers not named."""

    groups: Mapping[str, tuple[Block, ...]] = field(default_factory=lambda: MappingProxyType({}))
    state: RobotsState = RobotsState.READ
    is_cut: bool = False
    """Whether the file is longer than what is read of it."""

    def allows(self, user_agent: str, target: str) -> bool:
        """Whether a crawler may fetch a path with query; /robots.txt always may be."""
        return target == "/robots.txt" or self._best(user_agent, target).allow

    def ruling(self, user_agent: str, target: str, *, url: str) -> Ruling:
        """What decides for a crawler and a path with query; `url` is quoted in it."""
        if self.state is not RobotsState.READ:
            allowed = self.state is RobotsState.ABSENT
            return Ruling(user_agent, allowed, Because(self.state.value), url)
        group = self.group_of(user_agent)
        best = self._best(user_agent, target)
        if target == "/robots.txt" or not best.line:
            return Ruling(user_agent, allowed=True, because=Because.NO_RULE, url=url, group=group)
        return Ruling(user_agent, best.allow, Because.RULE, url, group, best.written, best.line)

    def group_of(self, user_agent: str) -> str | None:
        """Token of the group that applies to a crawler: its own, `*`, or None."""
        token = product_token(user_agent)
        return next((one for one in (token, "*") if one and one in self.groups), None)

    def rules(self, user_agent: str) -> Iterator[Rule]:
        """Rules of the group that names the crawler, else of `*`, else none."""
        group = self.group_of(user_agent)
        for block in self.groups[group] if group is not None else ():
            yield from block

    def _best(self, user_agent: str, target: str) -> Rule:
        """The longest rule that fits, allow before disallow; one that allows where none does."""
        path = _plain_path(target)
        best = _NO_RULE
        for rule in self.rules(user_agent):
            longer = len(rule.pattern) > len(best.pattern)
            tie = len(rule.pattern) == len(best.pattern) and rule.allow and not best.allow
            if (longer or tie) and _fits(rule.pattern, path):
                best = rule
        return best


ALLOW_ALL = Robots()
"""No robots.txt was read, and none forbids anything."""

_EVERYTHING = MappingProxyType({"*": ([Rule(allow=False, pattern="/")],)})
DISALLOW_ALL = Robots(_EVERYTHING, RobotsState.SERVER_ERROR)
ABSENT = Robots(state=RobotsState.ABSENT)
RATE_LIMITED = Robots(_EVERYTHING, RobotsState.RATE_LIMITED)
UNREACHABLE = Robots(_EVERYTHING, RobotsState.UNREACHABLE)


def product_token(user_agent: str) -> str:
    """Lower-case product token of a user agent: `Example-Bot/1.0 (+url)` gives `example-bot`."""
    match = _TOKEN.match(user_agent.strip())
    return match[0].lower() if match else ""


def parse_robots(text: str, *, is_cut: bool = False) -> Robots:
    """Groups of a robots.txt; lines that are no rule are passed over.

    Of a text that was cut the last line is passed over too: half a rule is another rule.
    """
    groups: dict[str, list[Block]] = {}
    block: Block = []
    collecting = False
    lines = _LINE_END.split(text.removeprefix("\ufeff"))
    for number, line in enumerate(lines[:-1] if is_cut else lines, start=1):
        key, colon, value = line.partition("#")[0].partition(":")
        key, value = key.strip().lower(), value.strip()
        if not colon:
            continue
        if key == "user-agent":
            block = block if collecting else []
            collecting = True
            agent = "*" if value.startswith("*") else product_token(value)
            blocks = groups.setdefault(agent, [])
            if not (blocks and blocks[-1] is block):
                blocks.append(block)
        elif key in {"allow", "disallow"}:
            collecting = False
            if value:
                written = line.strip()[:_LONGEST_QUOTE]
                block.append(Rule(key == "allow", _plain_path(value), number, written))
    kept = {agent: tuple(blocks) for agent, blocks in groups.items()}
    return Robots(MappingProxyType(kept), is_cut=is_cut)


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
