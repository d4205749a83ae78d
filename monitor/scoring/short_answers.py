"""Answer-side measures: does the answer say what it should, whatever it cites?

Exact match of short answers as ASQA counts it (Stelmakh et al., 2022) and list answers as QAMPARI
does (Amouyal et al., 2022), both as ALCE computes them (Gao et al., 2023). Texts are compared in
the normal form of SQuAD (Rajpurkar et al., 2016).
"""

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(a|an|the)\b")
_TOP = 5
"""Answers after which recall-5 is full."""


def normal_form(text: str) -> str:
    """Lower case without ASCII punctuation, English articles and extra whitespace."""
    bare = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLE.sub(" ", bare).split())


@dataclass(frozen=True, slots=True)
class ShortAnswers:
    """How many of the wanted short answers stand in the text."""

    found: int
    wanted: int

    @property
    def exact_match(self) -> float | None:
        """Found / wanted (`str_em`); None where nothing is wanted."""
        return self.found / self.wanted if self.wanted else None

    @property
    def hit(self) -> float | None:
        """1 where all are found, else 0 (`str_hit`); None where nothing is wanted."""
        return float(self.found == self.wanted) if self.wanted else None


def short_answers(wanted: Sequence[Sequence[str]], text: str) -> ShortAnswers:
    """Of each group of spellings that count as one answer: does one stand in the text?"""
    said = normal_form(text)
    found = sum(any(normal_form(one) in said for one in spellings) for spellings in wanted)
    return ShortAnswers(found, len(wanted))


@dataclass(frozen=True, slots=True)
class ListAnswer:
    """A comma-separated answer held against all right ones."""

    given: int
    """Parts that are not empty."""
    right: int
    """Parts that are one of the right answers, repeats counted."""
    found: int
    """Right answers that were given, each once."""
    wanted: int

    @property
    def precision(self) -> float:
        """Right parts / parts; 0 where nothing is given."""
        return self.right / self.given if self.given else 0.0

    @property
    def recall(self) -> float | None:
        """Right answers given / right answers; None where nothing is wanted."""
        return self.found / self.wanted if self.wanted else None

    @property
    def recall_top(self) -> float | None:
        """Recall-5: five right answers are enough, and all of them where there are fewer."""
        return min(_TOP, self.found) / min(_TOP, self.wanted) if self.wanted else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall, 0 where both are 0."""
        return None if self.recall is None else harmonic(self.precision, self.recall)

    @property
    def f1_top(self) -> float | None:
        """Harmonic mean of precision and recall-5, 0 where both are 0."""
        return None if self.recall_top is None else harmonic(self.precision, self.recall_top)


def list_answer(wanted: Sequence[Sequence[str]], text: str) -> ListAnswer:
    """Parts of the text, cut at commas, against groups of spellings that count as one answer."""
    entries = text.rstrip().rstrip(".").rstrip(",").split(",")
    given = [form for entry in entries if (form := normal_form(entry.strip()))]
    groups = [[normal_form(one) for one in spellings] for spellings in wanted]
    right = {form for group in groups for form in group}
    return ListAnswer(
        given=len(given),
        right=sum(form in right for form in given),
        found=sum(any(form in given for form in group) for group in groups),
        wanted=len(groups),
    )


def harmonic(precision: float, recall: float) -> float:
    """Harmonic mean of two shares, 0 where either is 0."""
    if not precision or not recall:
        return 0.0
    return 2 * precision * recall / (precision + recall)
