"""What a model said, checked: a label of the closed set, a score, a quote that stands there.

Nothing here guesses. A reply that does not say one label in the form that was asked for is a fault,
and so is one whose quote the evidence does not have.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monitor.domain.claim import Gap, GapKind
from monitor.judge.llm.evidence import Dossier
from monitor.judge.llm.providers import Rung
from monitor.judge.llm.quoting import find_words

LABELS = ("full", "partial", "unsupported", "contradicted", "unclear")
QUOTED = frozenset({"full", "partial", "contradicted"})
"""Labels that rest on a quote."""
_MOST_GAPS = 8
_LONGEST_WHY = 300
_LINE = re.compile(
    r"^[\s*_#>-]*(WHY|QUOTE|PART|SCORE|LABEL)[*_]*\s*[:=][*_]*\s*(.*)$", re.IGNORECASE
)
_UNPRINTED = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]+")

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
class Fault:
    """Why a reply cannot be used."""

    word: str
    """For the verdict's reasons, such as `quote_not_found`."""
    says: str
    """For the model that is asked to mend it."""
    of_form: bool = False
    """Whether the reply's form is wrong, as where an endpoint passes over the schema."""


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
        return _misformed(f"its label is none of {', '.join(LABELS)}")
    score = said.get("score")
    if not _is_share(score) and not (score is None and rung is Rung.TEXT):
        return Fault("invalid_reply", "its score is no number from 0 to 1")
    quote = said.get("quote")
    placed = None
    if label in QUOTED:
        words = quote if isinstance(quote, str) else ""
        placed = about.place(words)
        if placed is None:
            return _unquoted(words, about)
    gaps = _gaps(said.get("unsupported"), about)
    if label == "full" and gaps:
        return Fault("invalid_reply", "it says full and lists parts that are not borne out")
    where, span = placed or (None, None)
    number = float(score) if score is not None else None
    return Opinion(label, number, plain(said.get("why")), where, span, gaps)


def _unquoted(words: str, about: Dossier) -> Fault:
    """The fault of a quote that cannot be accepted."""
    if about.is_suspect(words):
        says = "its quote is text that speaks to a judge, which supports nothing"
        return Fault("quote_suspect", says)
    return Fault("quote_not_found", "its quote does not stand in the evidence letter for letter")


def _misformed(says: str) -> Fault:
    return Fault("invalid_reply", says, of_form=True)


def _is_share(value: Any) -> bool:
    sound = isinstance(value, int | float) and not isinstance(value, bool)
    return sound and 0 <= value <= 1


def plain(value: Any, longest: int = _LONGEST_WHY) -> str:
    """A model's words on one line, without control characters, cut to size."""
    words = _UNPRINTED.sub(" ", value) if isinstance(value, str) else ""
    return " ".join(words.split())[:longest]


def _gaps(value: Any, about: Dossier) -> tuple[Gap, ...]:
    """Parts that a model named and the claim really has, in text order; the rest is dropped."""
    found: dict[tuple[int, int], Gap] = {}
    for one in (value if isinstance(value, list) else [])[:_MOST_GAPS]:
        part = one.get("part") if isinstance(one, Mapping) else None
        span = find_words(part, about.claim) if isinstance(part, str) else None
        if span is None or one.get("kind") not in set(GapKind):
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


def read_object(text: str) -> Mapping[str, Any] | Fault:
    """The one JSON object of a reply; prose and fences around it do no harm."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        return _misformed("it holds no JSON object")
    try:
        found = json.loads(
            text[start : end + 1], object_pairs_hook=_distinct, parse_constant=_no_number
        )
    except (ValueError, RecursionError):
        return _misformed("it is not one valid JSON object")
    return found if isinstance(found, Mapping) else _misformed("it is no JSON object")


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a field occurs twice")
    return dict(pairs)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def read_lines(text: str) -> Mapping[str, Any] | Fault:
    """The fields of a reply in lines; the label counts only on the last one."""
    found: dict[str, Any] = {}
    parts: list[str] = []
    lines = [line for line in text.splitlines() if line.strip()]
    name = ""
    for line in lines:
        match = _LINE.match(line)
        name, said = (match[1].lower(), match[2]) if match else (name, line.strip())
        if match and name == "part":
            parts.append(said)
        elif match:
            found[name] = said
        elif name in {"why", "quote"}:
            found[name] = f"{found[name]} {said}"
    last = _LINE.match(lines[-1]) if lines else None
    if last is None or last[1].lower() != "label":
        return _misformed("its last line is not LABEL: and a label")
    found["unsupported"] = [_part(one) for one in parts]
    if "score" in found:
        found["score"] = _number(found["score"])
    return found


def _part(line: str) -> Mapping[str, str]:
    """Kind, words of the claim and of the evidence, as a line has them between bars."""
    kind, part, said = ([one.strip() for one in line.split("|")] + ["", "", ""])[:3]
    return {"kind": kind.lower(), "part": part, "evidence_says": said}


def _number(text: str) -> float:
    try:
        return float(text.strip().strip("*_ "))
    except ValueError:
        return -1.0
