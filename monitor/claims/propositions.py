"""Claims of a statement: clauses that could stand alone, each with its range in the prose."""

import re

_JOINT = re.compile(
    r"(?:;\s+(?:and\s+|but\s+|however,\s+)?|,\s+(?:and|but|while|whereas|although|yet)\s+"
    r"|\s+[—–]\s+|；)",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:it|they|he|she|we|you|this|these|those|that|there|the|a|an|its|their|his|her|our|most|some|all|many|no"
    r"|both|each|every|another|other|such|about|around|nearly|only|\d[\d,.]*%?|[A-Z][\w'’-]+)\b",
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|could|may|might|must|will|would|should"
    r"|includes?|causes?|remains?|costs?|offers?|provides?|requires?|began|became|won|rose|fell|grew|found)\b"
)
_PAST = re.compile(r"[^,;]{2,40} \w{2,}ed\b(?! by\b)")
"""A regular past tense behind a short subject; `opened by` would be half of a longer clause."""
_PRONOUN = re.compile(r"(?:it|they|he|she|we|you|there) (?!and\b|or\b|who\b)\w", re.IGNORECASE)
"""What follows such a word is its verb."""
_RELATIVE = re.compile(r"(?:who|which|that|whose|where|when)\b", re.IGNORECASE)
_REACH = 8
"""Words within which a clause of its own must show its verb."""
_LEAST = 3
"""Fewest words of a clause."""


def clauses(words: str) -> tuple[tuple[int, int], ...]:
    """Ranges of the full clauses of one statement; one range when nothing can be split safely."""
    cuts: list[tuple[int, int]] = []
    start = 0
    for joint in _JOINT.finditer(words):
        if _stands(words[start : joint.start()]) and _stands(words[joint.end() :]):
            cuts.append((start, joint.start()))
            start = joint.end()
    cuts.append((start, len(words)))
    return tuple(cuts)


def _stands(clause: str) -> bool:
    """Whether a clause has a subject in front and a finite verb soon after."""
    pieces = clause.split()
    if len(pieces) < _LEAST or _RELATIVE.match(clause) or clause.count("(") != clause.count(")"):
        return False
    front = " ".join(pieces[1:_REACH])
    told = _FINITE.search(front) or _PAST.match(clause) or _PRONOUN.match(clause)
    return bool(told and _SUBJECT.match(_upper_first(clause)))


def _upper_first(clause: str) -> str:
    """The clause with a listed first word lowered, so that `The` and `the` count alike."""
    first = clause.split(" ", 1)[0]
    return clause if not _SUBJECT.match(first.lower()) else clause[0].lower() + clause[1:]
