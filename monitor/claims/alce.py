"""Statements exactly as the ALCE benchmark cuts them (Gao et al. 2023), quirks included.

Only the first line counts; Punkt cuts before `[`, so a marker behind the full stop falls to the
next sentence; only digits right after `[` are a reference, zero-based, and `[0]` is -1,
which the benchmark's list indexing takes as the last document. Nothing here is repaired:
the profile exists to be comparable with published figures.
"""

import re
from dataclasses import dataclass

import punkt

_REFERENCE = re.compile(r"\[\d+")
_END_OF_TURN = "<|im_end|>"


@dataclass(frozen=True, slots=True)
class AlceStatement:
    """One statement: text without references, then zero-based references, repeats kept."""

    claim: str
    refs: tuple[int, ...]


def alce_statements(output: str, question: str, *, qampari: bool) -> tuple[AlceStatement, ...]:
    """Statements of one output; empty where ALCE skips the answer (never in its QAMPARI mode)."""
    line = _first_line(output)
    parts = _qampari_items(line, question) if qampari else punkt.sent_tokenize(line)
    return tuple(AlceStatement(_claim(part), _refs(part)) for part in parts)


def alce_text(output: str) -> str:
    """The first line without references: what ALCE's answer-side measures read."""
    return _bare(_first_line(output))


def _first_line(output: str) -> str:
    return output.strip().split("\n")[0].replace(_END_OF_TURN, "")


def _qampari_items(line: str, question: str) -> list[str]:
    """One statement per comma-separated item behind the question; empty text gives one item."""
    entries = line.rstrip().rstrip(".").rstrip(",").split(",")
    return [f"{question} {entry.strip()}" for entry in entries]


def _refs(part: str) -> tuple[int, ...]:
    return tuple(int(found[1:]) - 1 for found in _REFERENCE.findall(part))


def _claim(part: str) -> str:
    return _bare(part).strip()


def _bare(part: str) -> str:
    """Text without references, as remove_citations does it: `[1, 2].` leaves `, 2.`."""
    bare = re.sub(r"\[\d+", "", re.sub(r" \[\d+", "", part))
    return bare.replace(" |", "").replace("]", "")
