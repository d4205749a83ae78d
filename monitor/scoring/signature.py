"""The line that stands under every number: the recipe first, the sample after the double bar.

Two numbers may be compared when their recipes agree; what differs in the sample is reported.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from monitor.domain.assessment import AdequacyPolicy, Policy
from monitor.domain.keys import content_key, text_key
from monitor.domain.panel import Risk
from monitor.errors import StoreError


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides a number apart from the answers; keys as the line prints them."""

    panel: str
    """name@version."""
    engine: str
    access: str
    locale: str
    baseline: str
    """name@version, with `-draft` while not frozen; `none` without one."""
    urls: str
    families: str
    """Version of the family map with the hash of user overrides."""
    claims: str
    judge: str
    """name@version."""
    profile: str
    partial: str
    adequate: str
    relevance: str
    request: str
    """Hash of the engine options without the model."""
    parse: str
    pages: str
    scoring: str


NOT_TOLD = "not told"
"""Stands for the served model where no payload names one."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What was measured under a recipe; may differ between compared numbers."""

    window: str
    served: str
    n: str
    answered: str
    """answered/planned."""
    seed: str
    version: str
    labels: str = ""
    """Labelled pairs that correct its judged rates; empty for none, and then not in the line."""


_OPTIONAL = frozenset({"labels"})
"""Keys that a line lacks where they are empty."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Recipe and sample of one number."""

    recipe: Recipe
    sample: Sample

    @property
    def line(self) -> str:
        """The line as printed."""
        return f"{recipe_line(self.recipe)}||{_line(self.sample)}"


RESCORABLE = frozenset(
    {"baseline", "urls", "families", "claims", "profile", "partial", "adequate",
     "relevance", "parse", "pages", "scoring"}
)  # fmt: skip
"""Keys whose difference `compare` removes by scoring both sides anew from stored evidence."""


def _escape(value: str) -> str:
    """A value without bars or line ends; percent signs are escaped so that it reads back."""
    for char in "%|\n\r":
        value = value.replace(char, f"%{ord(char):02X}")
    return value


def _unescape(value: str) -> str:
    """The value that `_escape` wrote."""
    for char in "\r\n|%":
        value = value.replace(f"%{ord(char):02X}", char)
    return value


def _line(part: Recipe | Sample) -> str:
    """`key:value` joined by single bars, in the order of the fields."""
    told = ((f.name, str(getattr(part, f.name))) for f in fields(part))
    return "|".join(
        f"{name}:{_escape(value)}" for name, value in told if value or name not in _OPTIONAL
    )


def recipe_line(recipe: Recipe) -> str:
    """The part of the signature before the double bar."""
    return _line(recipe)


def recipe_hash(recipe: Recipe) -> str:
    """16 hex digits that stand for a recipe."""
    return text_key(recipe_line(recipe))[:16]


def with_labels(line: str, labels: int) -> str:
    """A signature that says how many labelled pairs correct its rates; unchanged where none do."""
    if not labels:
        return line
    told = parse_signature(line)
    return Signature(told.recipe, replace(told.sample, labels=str(labels))).line


def parse_signature(line: str) -> Signature:
    """Signature that a line was printed from; StoreError names what is missing or unknown."""
    recipe, bars, sample = line.strip().partition("||")
    if not bars:
        raise StoreError(
            f"signature {line!r}: no double bar between recipe and sample; "
            "expected panel:...|...||window:...; copy the whole line"
        )
    return Signature(
        Recipe(**_pairs(recipe, {f.name for f in fields(Recipe)})),
        Sample(**_pairs(sample, {f.name for f in fields(Sample)})),
    )


def _pairs(text: str, expected: set[str]) -> dict[str, str]:
    """Keys and values of one part of a line."""
    parts = (part.partition(":") for part in text.split("|"))
    found = {key: _unescape(value) for key, _, value in parts}
    if not expected - _OPTIONAL <= set(found) <= expected:
        missing, unknown = sorted(expected - set(found)), sorted(set(found) - expected)
        raise StoreError(
            f"signature part {text!r}: missing {missing}, unknown {unknown}; "
            "it was written by another version: score both sides anew"
        )
    return found


def recipe_difference(a: Recipe, b: Recipe) -> tuple[str, ...]:
    """Names of the keys in which two recipes differ, in signature order."""
    return tuple(f.name for f in fields(Recipe) if getattr(a, f.name) != getattr(b, f.name))


def blocking_difference(
    a: Recipe, b: Recipe, *, across_engines: bool = False, rejudged: bool = False
) -> tuple[str, ...]:
    """Keys that forbid a comparison because no stored evidence can remove their difference.

    The panel's version may differ (matched prompts only), its name may not. The engine may
    differ only across engines, and then its request is its own. The judge may differ only where
    both sides were judged anew.
    """
    allowed = set(RESCORABLE)
    if a.panel.rpartition("@")[0] == b.panel.rpartition("@")[0]:
        allowed.add("panel")
    if across_engines:
        allowed |= {"engine", "request"}
    if rejudged:
        allowed.add("judge")
    return tuple(key for key in recipe_difference(a, b) if key not in allowed)


def policy_fields(policy: Policy) -> Mapping[str, str]:
    """The recipe's values for profile, partial, adequate and relevance."""
    weights = policy.relevance
    return {
        "profile": policy.profile.value,
        "partial": policy.partial.value,
        "adequate": _adequate(policy),
        "relevance": content_key(
            [weights.topical_fit, weights.authority, weights.freshness, weights.support], 8
        ),
    }


def _adequate(policy: Policy) -> str:
    """The standard class's policy, then the classes that differ: `any,ymyl=graded`."""
    base = policy.adequacy.get(Risk.STANDARD, AdequacyPolicy.ANY)
    others = (
        f"{risk.value}={policy.adequacy.get(risk, AdequacyPolicy.ANY).value}"
        for risk in Risk
        if policy.adequacy.get(risk, AdequacyPolicy.ANY) is not base
    )
    return ",".join((base.value, *others))
