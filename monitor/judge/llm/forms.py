"""Forms of a model's reply: one JSON object, or lines with names; and what is wrong with others."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LONGEST_WHY = 300
_LONGEST_SHOWN = 80
"""Code points of a faulty reply that people are shown."""
_LINE = re.compile(
    r"^[\s*_#>-]*(WHY|QUOTE|PART|SCORE|LABEL)[*_]*\s*[:=][*_]*\s*(.*)$", re.IGNORECASE
)
_UNPRINTED = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff\ufeff]+"
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a reply cannot be used."""

    word: str
    """For the verdict's reasons, such as `quote_not_found`."""
    says: str
    """For the model that is asked to mend it."""
    of_form: bool = False
    """Whether the reply's form is wrong, as where an endpoint passes over the schema."""
    mismatch: str = ""
    """The field, what it held and what was expected, for people; empty where nothing came."""


def misformed(says: str, mismatch: str = "") -> Fault:
    """The fault of a reply that has not the form that was asked for."""
    return Fault("invalid_reply", says, of_form=True, mismatch=mismatch)


def mismatched(field: str, got: Any, expected: str) -> str:
    """What a field held and what was expected there, on one line; little of what it held."""
    if isinstance(got, str):
        shown = f"'{plain(got, _LONGEST_SHOWN)}'"
    else:
        plainly = got is None or isinstance(got, int | float)
        shown = f"{got!r:.80}" if plainly else type(got).__name__
    return f"{field}: got {shown}; expected {expected}"


def plain(value: Any, longest: int = _LONGEST_WHY) -> str:
    """A model's words on one line, without control characters and halves of pairs, cut to size."""
    words = _UNPRINTED.sub(" ", value) if isinstance(value, str) else ""
    return " ".join(words.split())[:longest]


def read_object(text: str) -> Mapping[str, Any] | Fault:
    """The one JSON object of a reply; prose and fences around it do no harm."""
    start, end = text.find("{"), text.rfind("}")
    mismatch = mismatched("reply", text, "one JSON object")
    if start < 0 or end < start:
        return misformed("it holds no JSON object", mismatch)
    try:
        found = json.loads(
            text[start : end + 1], object_pairs_hook=_distinct, parse_constant=_no_number
        )
    except (ValueError, RecursionError):
        return misformed("it is not one valid JSON object", mismatch)
    return found if isinstance(found, Mapping) else misformed("it is no JSON object", mismatch)


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a field occurs twice")
    return dict(pairs)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number")


def read_lines(text: str) -> Mapping[str, Any] | Fault:
    """The fields of a reply in lines; the label counts only on the last one."""
    parts: list[str] = []
    spoken: dict[str, list[str]] = {}
    lines = [line for line in text.splitlines() if line.strip()]
    name = ""
    for line in lines:
        match = _LINE.match(line)
        name, said = (match[1].lower(), match[2]) if match else (name, line.strip())
        if match and name == "part":
            parts.append(said)
        elif match:
            spoken[name] = [said]
        elif name in {"why", "quote"}:
            spoken[name].append(said)
    found: dict[str, Any] = {field: " ".join(words) for field, words in spoken.items()}
    last = _LINE.match(lines[-1]) if lines else None
    if last is None or last[1].lower() != "label":
        expected = "lines, the last of them LABEL: and a label"
        return misformed(
            "its last line is not LABEL: and a label", mismatched("reply", text, expected)
        )
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
