"""ALCE citation recall and precision, digit by digit as the benchmark's own script counts them.

Gao, Yen, Yu and Chen (2023), "Enabling large language models to generate text with citations".
Quirks are kept on purpose: one reference out of range spoils its statement and adds nothing to
the precision denominator, the range check comes before the limit, duplicates stay, reference -1
(written `[0]`) is the last document, and an uncited answer has precision 0.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

Entails = Callable[[tuple[int, ...], str], bool]
"""Do these documents (zero-based, in order, repeats kept), read together, entail the claim?"""


@dataclass(frozen=True, slots=True)
class AlceAnswer:
    """Counts of one answer; no statements means that ALCE skips it."""

    statements: int = 0
    supported: int = 0
    citations: int = 0
    precise: int = 0
    multiple: int = 0
    """Statements with more than one citation."""
    multiple_supported: int = 0
    overcited: int = 0
    """Irrelevant citations of supported statements; can exceed their number."""

    @property
    def recall(self) -> float | None:
        """Supported statements / statements; None for a skipped answer."""
        return self.supported / self.statements if self.statements else None

    @property
    def precision(self) -> float | None:
        """Precise citations / citations, 0 without citations; None for a skipped answer."""
        if not self.statements:
            return None
        return self.precise / self.citations if self.citations else 0.0

    def __add__(self, other: "AlceAnswer") -> "AlceAnswer":
        """Pool counts of statements or answers."""
        return AlceAnswer(
            self.statements + other.statements,
            self.supported + other.supported,
            self.citations + other.citations,
            self.precise + other.precise,
            self.multiple + other.multiple,
            self.multiple_supported + other.multiple_supported,
            self.overcited + other.overcited,
        )


@dataclass(frozen=True, slots=True)
class AlceCorpus:
    """Means over answers with equal weight, in percent as ALCE prints them."""

    recall: float | None
    """None where every answer was skipped: the script prints NaN there."""
    precision: float | None
    answers: int
    skipped: int


def alce_answer(
    statements: Sequence[tuple[str, tuple[int, ...]]],
    docs: int,
    entails: Entails,
    at_most: int | None = 3,
) -> AlceAnswer:
    """Counts of one answer; asks `entails` exactly when and in the order ALCE does.

    `statements` are (claim without markers, zero-based references), `docs` how many documents
    the answer could cite, `at_most` how many references of a statement are read.
    """

    def ask(refs: tuple[int, ...], claim: str) -> bool:
        return entails(tuple(ref % docs for ref in refs), claim)

    counts = AlceAnswer()
    for claim, refs in statements:
        if all(-docs <= ref < docs for ref in refs):
            counts += _statement(claim, refs[:at_most], ask)
        else:
            counts += AlceAnswer(statements=1, multiple=int(len(refs) > 1))
    return counts


def _statement(claim: str, refs: tuple[int, ...], ask: Entails) -> AlceAnswer:
    """Counts of one statement whose references are all in range."""
    if not refs:
        return AlceAnswer(statements=1)
    supported = ask(refs, claim)
    count, several = len(refs), int(len(refs) > 1)
    if not supported or not several:
        return AlceAnswer(1, int(supported), count, int(supported), several)
    precise = sum(_is_precise(claim, refs, index, ask) for index in range(count))
    return AlceAnswer(1, 1, count, precise, 1, 1, count - precise)


def _is_precise(claim: str, refs: tuple[int, ...], index: int, ask: Entails) -> bool:
    """Whether a citation entails alone, or the others fail without one occurrence of it."""
    if ask((refs[index],), claim):
        return True
    first = refs.index(refs[index])
    return not ask(refs[:first] + refs[first + 1 :], claim)


def alce_corpus(answers: Iterable[AlceAnswer]) -> AlceCorpus:
    """Macro means over the answers that have statements, times 100."""
    known = tuple(answers)
    recalls = [a.recall for a in known if a.recall is not None]
    precisions = [a.precision for a in known if a.precision is not None]
    skipped = len(known) - len(recalls)
    if not recalls:
        return AlceCorpus(None, None, 0, skipped)
    count = len(recalls)
    return AlceCorpus(100 * sum(recalls) / count, 100 * sum(precisions) / count, count, skipped)
