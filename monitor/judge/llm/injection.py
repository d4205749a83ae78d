"""Text that speaks to a judge instead of its readers, found by rule.

A page may be written to be judged: orders to a language model, a verdict in the form a judge
gives, marks that pretend to end the page, words hidden from people. What is found here is flagged
and never accepted as a quote. The rule cannot find every such text, and it also finds pages that
write about them; both are why the flag alone changes no label.
"""

import re
from functools import lru_cache

_VERBS = r"\b(?:mark|rate|label|grade|judge|score|classify|return|answer|output|respond|reply)\b"
_ORDERS = (
    (
        r"\b(?:ignore|disregard|forget|override|bypass|do not follow)\b[^.!?\n]{0,20}"
        r"\b(?:previous|prior|above|earlier|preceding|foregoing|all|any|your|system)\b"
        r"[^.!?\n]{0,20}\b(?:instructions?|prompts?|rules|guidelines|directions)\b"
    ),
    r"\b(?:new|updated|real|actual|hidden|system) (?:instructions?|prompts?)\s{0,3}[:=]",
    (
        r"\byou are (?:now (?:an? |the )?(?:\w{1,20} )?(?:assistant|chatbot)|(?:now |actually )?"
        r"(?:an? |the )?(?:\w{1,20} )?(?:judge|grader|evaluator|language model|llm|ai))\b"
    ),
    (
        r"\b(?:ai|llm|language model|automated|machine)s?[ -](?:\w{1,20} )?"
        r"(?:judges?|graders?|evaluators?|assistants?|agents?|models?)\b[^.!?\n]{0,30}"
        r"\b(?:must|should|shall|please|need to|have to|are to)\b[^.!?\n]{0,20}" + _VERBS
    ),
    (
        _VERBS + r"[^.!?\n]{0,40}\b(?:claims?|statements?|verdict|label|everything|all)\b"
        r"[^.!?\n]{0,30}\b(?:as|with|is|to)\b[^.!?\n]{0,20}"
        r"\b(?:full(?:y)?|supported|true|correct|verified)\b"
    ),
    (
        r"\b(?:the|this|that|every|all) (?:claims?|statements?) (?:is|are) (?:therefore |thus )?"
        r"(?:fully supported|(?:\w{1,20} )?(?:supported|verified|confirmed) by (?:the|this) "
        r"(?:evidence|page|document|source|text|passage))\b"
    ),
    r"\bignorier\w{0,9}\b[^.!?\n]{0,40}\b(?:anweisung\w{0,9}|instruktion\w{0,9})\b",
    r"\bignore[zr]\b[^.!?\n]{0,40}\b(?:instructions|consignes)\b",
    r"\bignor[ae]\b[^.!?\n]{0,40}\binstrucciones\b",
)
_FORMS = (
    (
        r"[\"']?\b(?:label|verdict|support)\b[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
        r"(?:full(?:y)?|partial|supported|unsupported|contradicted|unclear)\b"
    ),
    r"[\"']?\bscore\b[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:1(?:\.0{1,9})?|0?\.9\d{0,9})\b",
    r"<\|[a-z_]{2,20}\|>",
    r"\[/?INST\]|<</?SYS>>",
    r"</?(?:system|assistant|user|instructions?|evidence|claim|document)\b[^>\n]{0,60}>",
    r"(?m:^[ \t]{0,9}(?:#{1,6}[ \t]{0,3})?(?:system|assistant)[ \t]{0,3}:)",
    r"<<<\s{0,3}/?\s{0,3}(?:end|evidence|claim|begin)",
    r"\b(?:end|begin) of (?:the )?(?:evidence|claim|document)\b",
    r"\bEVIDENCE \d{1,4} [0-9a-f]{8}|\bCLAIM [0-9a-f]{8}",
)
_SPOKEN = re.compile("|".join((*_ORDERS, *_FORMS)), re.IGNORECASE)
_UNSEEN = "\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_HIDDEN = re.compile(f"[{_UNSEEN}]{{6,}}|[\U000e0020-\U000e007f]{{8,}}")
_ONE_UNSEEN = re.compile(f"[{_UNSEEN}\U000e0000-\U000e007f]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|[\n\r。！？]")
_REACH = 600
"""Code points on either side of a find in which its sentence is looked for."""
_MOST = 50
"""Finds of one text after which the rest adds nothing."""


@lru_cache(maxsize=64)
def suspicious(text: str) -> tuple[tuple[int, int], ...]:
    """Ranges of the sentences of a text that speak to a judge or hide words; none for most."""
    seen, places = _visible(text)
    found = [
        (places[match.start()], places[match.end() - 1] + 1)
        for match, _ in zip(_SPOKEN.finditer(seen), range(_MOST), strict=False)
        if match.end() > match.start()
    ]
    found += [one.span() for one, _ in zip(_HIDDEN.finditer(text), range(_MOST), strict=False)]
    return tuple(sorted({_sentence(text, start, end) for start, end in found}))


def _visible(text: str) -> tuple[str, range | list[int]]:
    """A text without invisible characters, and where each of the rest stands."""
    if not _ONE_UNSEEN.search(text):
        return text, range(len(text))
    places = [place for place, one in enumerate(text) if not _ONE_UNSEEN.match(one)]
    return "".join(text[place] for place in places), places


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The sentence or line around a find."""
    first = max(0, start - _REACH)
    before = [one.end() for one in _SENTENCE_END.finditer(text, first, start)]
    after = _SENTENCE_END.search(text, end, min(len(text), end + _REACH))
    return before[-1] if before else first, after.start() if after else min(len(text), end + _REACH)


def touches(span: tuple[int, int], others: tuple[tuple[int, int], ...]) -> bool:
    """Whether a range shares any character with one of others."""
    return any(span[0] < end and start < span[1] for start, end in others)
