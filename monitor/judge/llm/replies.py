"""What a model said, checked: a label of the closed set, a score, a quote that stands there.

Nothing here guesses. A reply that does not say one label in the form that was asked for is a fault,
and so is one whose quote the evidence does not have.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monitor.domain.claim import Gap, GapKind
from monitor.judge.llm.evidence import Dossier
from monitor.judge.llm.forms import (
    Fault,
    misformed,
    mismatched,
    plain,
    read_lines,
    read_object,
)
from monitor.judge.llm.interface import Rung
from monitor.judge.llm.quoting import find_words

LABELS = ("full", "partial", "unsupported", "contradicted", "unclear")
QUOTED = frozenset({"full", "partial", "contradicted"})
"""Labels that rest on a quote."""
_MOST_GAPS = 8

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "why": {"type": "string"},
        "quote": {"type": "string"},
        "unsupported": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "part": {"type": "string"},
                    "kind": {"type": "string", "enum": [kind.value for kind in GapKind]},
                    "evidence_says": {"type": "string"},
                },
                "required": ["part", "kind", "evidence_says"],
                "additionalProperties": False,
            },
        },
        "score": {"type": "number"},
        "label": {"type": "string", "enum": list(LABELS)},
    },
    "required": ["why", "quote", "unsupported", "score", "label"],
    "additionalProperties": False,
}
"""Form of a judge's reply; what is asked of its values is checked here, not by the schema."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """One usable reply of a judge."""

    label: str
    score: float | None
    why: str = ""
    evidence: int | None = None
    span: tuple[int, int] | None = None
    """Range of the quote in the evidence text that `evidence` names."""
    gaps: tuple[Gap, ...] = ()


def read_opinion(text: str, rung: Rung, about: Dossier) -> Opinion | Fault:
    """The opinion that a reply holds, or what is wrong with it."""
    said = read_lines(text) if rung is Rung.TEXT else read_object(text)
    if isinstance(said, Fault) and rung is Rung.TEXT:
        # Some models answer by an object whatever they are asked for.
        spoken = read_object(text)
        said = said if isinstance(spoken, Fault) else spoken
    if isinstance(said, Fault):
        return said
    label = str(said.get("label", "")).strip().strip("*_.`\"'").lower()
    if label not in LABELS:
        known = ", ".join(LABELS)
        return misformed(
            f"its label is none of {known}", mismatched("label", said.get("label"), known)
        )
    score = said.get("score")
    if not _is_share(score) and not (score is None and rung is Rung.TEXT):
        mismatch = mismatched("score", score, "a number from 0 to 1")
        return Fault("invalid_reply", "its score is no number from 0 to 1", mismatch=mismatch)
    quote = said.get("quote")
    placed = None
    if label in QUOTED:
        words = quote if isinstance(quote, str) else ""
        placed = about.place(words)
        if placed is None:
            return _unquoted(words, about)
    gaps = _gaps(said.get("unsupported"), about)
    if label == "full" and gaps:
        mismatch = f"unsupported: got {len(gaps)} parts; expected none beside label full"
        says = "it says full and lists parts that are not borne out"
        return Fault("invalid_reply", says, mismatch=mismatch)
    where, span = placed or (None, None)
    number = float(score) if score is not None else None
    return Opinion(label, number, plain(said.get("why")), where, span, gaps)


def _unquoted(words: str, about: Dossier) -> Fault:
    """The fault of a quote that cannot be accepted."""
    if about.is_suspect(words):
        says = "its quote is text that speaks to a judge, which supports nothing"
        return Fault("quote_suspect", says)
    says = "its quote does not stand in the evidence letter for letter"
    mismatch = mismatched("quote", words, "words of the evidence, letter for letter")
    return Fault("quote_not_found", says, mismatch=mismatch)


def _is_share(value: Any) -> bool:
    sound = isinstance(value, int | float) and not isinstance(value, bool)
    return sound and 0 <= value <= 1


def _gaps(value: Any, about: Dossier) -> tuple[Gap, ...]:
    """Parts that a model named and the claim really has, in text order; the rest is dropped."""
    found: dict[tuple[int, int], Gap] = {}
    for one in (value if isinstance(value, list) else [])[:_MOST_GAPS]:
        part = one.get("part") if isinstance(one, Mapping) else None
        span = find_words(part, about.claim) if isinstance(part, str) else None
        if span is None or one.get("kind") not in tuple(GapKind):
            continue
        kind = GapKind(one["kind"])
        source = None if kind is GapKind.MISSING else _source(one.get("evidence_says"), about)
        found.setdefault(span, Gap(kind, *span, about.claim[span[0] : span[1]], source))
    return tuple(found[span] for span in sorted(found))


def _source(words: Any, about: Dossier) -> str | None:
    """What the evidence has in place of a part, where it really has those words."""
    if not isinstance(words, str):
        return None
    for text in about.evidence:
        if span := find_words(words, text):
            return text[span[0] : span[1]]
    return None
