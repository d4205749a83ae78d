"""What a claim says beyond its evidence: marked in its words, and told in plain ones."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from monitor.domain.claim import Gap, GapKind, Support, Votes
from monitor.report.words import short

SHOWN = 12
"""Gaps of one claim that are told; how many more there are is said."""

_QUOTED = 120
"""Characters of one quote in a line."""

_KINDS: Mapping[GapKind, str] = MappingProxyType(
    {
        GapKind.MISSING: "not borne out",
        GapKind.NAME: "name",
        GapKind.NUMBER: "number",
        GapKind.UNIT: "unit",
        GapKind.DATE: "date",
        GapKind.NEGATION: "denied on one side alone",
        GapKind.OPPOSITE: "opposites",
        GapKind.DIRECTION: "comparison turned round",
        GapKind.HEDGE_LOST: "caution lost",
        GapKind.SCOPE_WIDENED: "made wider",
    }
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a claim's text; beyond its evidence or not."""

    text: str
    beyond: bool = False


@dataclass(frozen=True, slots=True)
class Sides:
    """Who says the claim and what it is held against, as a sentence names them."""

    claim: str = "the answer"
    evidence: str = "the page"


ANSWER_BY_PAGE = Sides()
ANSWER_BY_BASELINE = Sides(evidence="the baseline")
BASELINE_BY_ANSWER = Sides("the baseline", "the answer")
BASELINE_BY_PAGE = Sides("the baseline")


def pieces(text: str, gaps: Sequence[Gap]) -> tuple[Piece, ...]:
    """A claim's text cut where its gaps begin and end; together they are the text.

    A gap where the claim lacks a word is a piece of its own, a caret. One that lies outside the
    text, or runs backwards, marks nothing; those that overlap are one piece.
    """
    made: list[Piece] = []
    at = 0
    for start, end in _spans(len(text), gaps):
        made += [Piece(text[at:start])] if start > at else []
        made.append(Piece(text[start:end] if end > start else "‸", beyond=True))
        at = end
    made += [Piece(text[at:])] if at < len(text) else []
    return tuple(made)


def _spans(length: int, gaps: Sequence[Gap]) -> list[tuple[int, int]]:
    """Places of the gaps within the text, joined where they overlap."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted({(g.start, g.end) for g in gaps if 0 <= g.start <= g.end <= length}):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        elif not joined or (start, end) != (joined[-1][1], joined[-1][1]):
            joined.append((start, end))
    return joined


def telling(text: str, gaps: Sequence[Gap], support: Support | None) -> tuple[Gap, ...]:
    """The gaps that tell a reader something: all, or all but single words that are missing.

    Where nothing is supported, or more than half of a claim's words are gaps, a list of its words
    says no more than one sentence would.
    """
    if support is Support.UNSUPPORTED or _covers_most(text, gaps):
        return tuple(gap for gap in gaps if gap.kind is not GapKind.MISSING)
    return tuple(gaps)


def _covers_most(text: str, gaps: Sequence[Gap]) -> bool:
    """Whether more than half of a text's words touch a gap."""
    spans = _spans(len(text), gaps)
    words = [one.span() for one in re.finditer(r"\w+", text)]
    touched = sum(any(a < end and start < b for start, end in spans) for a, b in words)
    return 2 * touched > len(words)


def told_gaps(
    text: str, gaps: Sequence[Gap], support: Support | None, sides: Sides = ANSWER_BY_PAGE
) -> tuple[str, ...]:
    """The gaps of a claim in lines; one sentence where all that could be said is single words."""
    kept = telling(text, gaps, support)
    if kept or not gaps:
        return gap_lines(kept, sides)
    much = "nothing" if support is Support.UNSUPPORTED else "little"
    return (f"{sides.evidence} says {much} of it",)


def gap_lines(gaps: Sequence[Gap], sides: Sides = ANSWER_BY_PAGE) -> tuple[str, ...]:
    """Each gap in a line, none twice: its kind, what is claimed, what the evidence has instead."""
    lines = tuple(dict.fromkeys(_line(gap, sides) for gap in gaps))
    more = len(lines) - SHOWN
    return (*lines[:SHOWN], f"and {more} more") if more > 0 else lines


def _line(gap: Gap, sides: Sides) -> str:
    """One gap in words."""
    kind, claimed, source = _KINDS[gap.kind], _quoted(gap.claimed), _quoted(gap.source)
    if claimed and source:
        return f"{kind}: {sides.claim} says {claimed}, {sides.evidence} says {source}"
    if claimed:
        return f"{kind}: {sides.claim} says {claimed}, {sides.evidence} does not"
    if source:
        return f"{kind}: {sides.evidence} says {source}, {sides.claim} leaves it out"
    return f"{kind}: the judge names no words"


def _quoted(words: str | None) -> str:
    """Words in quotes, cut where they are very long; empty for none."""
    squeezed = " ".join((words or "").split())
    return f"“{short(squeezed, _QUOTED)}”" if squeezed else ""


def votes_words(votes: Votes | None) -> str:
    """How many votes agree, as `2 of 3 votes`; empty where a judge does not vote."""
    return "" if votes is None else f"{votes.agreeing} of {votes.total} votes"
