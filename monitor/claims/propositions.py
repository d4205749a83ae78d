"""Claims of a statement: clauses that could stand alone, each with its range in the prose.

A clause with several predicates makes a claim of each, with the subject they share; where a word
before them could reach over both (`if`, `says`, `either`, `no`), it is kept whole.
"""

import re
from itertools import islice

_JOINT = re.compile(
    r"(?:;\s+(?:and\s+|but\s+|however,\s+)?|,\s+(?:and|but|while|whereas|although|yet)\s+"
    r"|(?<!\s)\s+[—–]\s+|；)",
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

_AUXILIARY = (
    r"(?:is|are|was|were|has|have|had|can|cannot|could|may|might|must|will|would|should|does|did|do"
    r"|costs|offers|provides|requires|includes|contains|became|began|won|rose|fell|grew|remains)\b"
)
_FIRST_VERB = re.compile(r" (?=" + _AUXILIARY + ")")
_FIRST_PAST = re.compile(r" (?=\w{2,}ed\b(?! by\b))")
_SHARED = re.compile(
    r"(?:,\s+(?:and\s+|but\s+)?|(?<!\s)\s+(?:and|but)\s+)(?=(?:also\s+)?" + _AUXILIARY + ")"
)
_OVER_BOTH = re.compile(
    r"\b(?:that|which|who|whose|whom|when|where|if|whether|because|although|though|while|since|unless"
    r"|how|what|why|than|either|neither|nor|both|only|says?|said|claims?|argues?|reports?|reported"
    r"|believes?|thinks?|states?|stated)\b|[\"“”()]",
    re.IGNORECASE,
)
"""Words whose reach over one predicate or over both only a reader can tell."""
_NO_SUBJECT = re.compile(
    r"(?:in|on|at|by|for|from|with|during|after|before|under|as|to|there|here|no|none|nobody|nothing"
    r"|few|hardly|is|are|was|were|has|have|can|could|may|must|will|would|should|do|does|did)\b",
    re.IGNORECASE,
)
_LONGEST_SUBJECT = 8
"""Words of a subject that is repeated."""
_MOST_JOINTS = 200
"""Places to split at, beyond which a statement is no sentence of anybody and stays whole."""
_WIDEST_SUBJECT = 160
"""Code points in which such a subject must end."""


def propositions(words: str) -> tuple[tuple[str, int, int], ...]:
    """Claims of one statement: the text of each, and the range of the words that are its own."""
    return tuple(claim for bounds in clauses(words) for claim in _predicates(words, bounds))


def _predicates(words: str, bounds: tuple[int, int]) -> list[tuple[str, int, int]]:
    """A clause cut before each predicate but the first, the shared subject put in front."""
    start, end = bounds
    clause = words[start:end]
    joints = list(_SHARED.finditer(clause))
    listed = any(joint[0].strip() == "," for joint in joints)
    subject = _subject(clause[: joints[0].start()], listed=listed) if joints else ""
    if not subject or _OVER_BOTH.search(clause):
        return [(clause, start, end)]
    found = [(clause[: joints[0].start()], start, start + joints[0].start())]
    for place, joint in enumerate(joints, 1):
        last = joints[place].start() if place < len(joints) else len(clause)
        told = f"{subject} {clause[joint.end() : last]}"
        found.append((told, start + joint.end(), start + last))
    return found


def _subject(front: str, *, listed: bool) -> str:
    """Words before the first verb of a clause; empty where they are no plain subject.

    Before a bare comma a form in -ed proves nothing: `the drug approved in 2019, is`.
    """
    front = front[:_WIDEST_SUBJECT]
    verb = _FIRST_VERB.search(front)
    if verb is None and not listed:
        ahead = (one for one in _FIRST_PAST.finditer(front) if _ends_subject(front[: one.start()]))
        verb = next(ahead, None)
    subject = front[: verb.start()] if verb else ""
    plain = subject and "," not in subject and not _NO_SUBJECT.match(subject)
    return subject if plain and len(subject.split()) <= _LONGEST_SUBJECT else ""


def _ends_subject(words: str) -> bool:
    """Whether words could be a whole subject: no bare article, and no adverb at the end."""
    last = words.rpartition(" ")[2].lower()
    return last not in {"the", "a", "an", "its", "their", "his", "her"} and not last.endswith("ly")


def clauses(words: str) -> tuple[tuple[int, int], ...]:
    """Ranges of the full clauses of one statement; one range when nothing can be split safely."""
    joints = tuple(islice(_JOINT.finditer(words), _MOST_JOINTS + 1))
    if len(joints) > _MOST_JOINTS:
        return ((0, len(words)),)
    cuts: list[tuple[int, int]] = []
    start = 0
    for joint in joints:
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
