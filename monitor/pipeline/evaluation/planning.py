"""What an evaluation would ask of a judge, without asking anything."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from monitor.domain.claim import Question, Support, Verdict
from monitor.pipeline.evaluation.asking import Asking, T
from monitor.pipeline.evaluation.checkpoint import Checkpoint, key_of
from monitor.pipeline.evaluation.inputs import Source
from monitor.pipeline.evaluation.making import CHECKPOINT

Price = Callable[[Question], int | None]
Guess = Callable[[Question], int]

_YES, _NO = Verdict(Support.FULL), Verdict(Support.UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class Planned:
    """Bounds of what is left to ask: what later rounds want depends on the verdicts."""

    rows: int
    kept: int
    """Verdicts that are kept from before and will be used."""
    least: int
    """Verdicts to be asked for where no statement has enough with all it cites."""
    most: int
    least_micros: int | None
    """Estimated price in millionths of a USD; None where nobody knows it."""
    most_micros: int | None
    likely_micros: tuple[int, int] | None = None
    """Price by a guess at common lengths, of the least and the most; None where nobody guesses."""


class _Guess:
    """Answers questions by what is kept, else with a guess; counts them."""

    def __init__(self, version: str, kept: Checkpoint | None, *, curious: bool) -> None:
        self._version = version
        self._kept = kept
        self._curious = curious
        self._seen: set[bytes] = set()
        self.new: list[int | None] = []
        """Price of each verdict that is not kept."""
        self.likely = 0
        """Price of all of them by a guess."""
        self.found = 0

    def run(self, work: Asking[T], price: Price, likely: Guess | None) -> None:
        """All rounds of some work. A curious guess says yes first and no to what follows."""
        verdict = _YES if self._curious else _NO
        try:
            questions = next(work)
            while True:
                answers = tuple(self._answer(one, verdict, price, likely) for one in questions)
                questions = work.send(answers)
                verdict = _NO
        except StopIteration:
            return

    def _answer(
        self, asked: Question, guess: Verdict, price: Price, likely: Guess | None
    ) -> Verdict:
        key = key_of(asked, self._version)
        kept = None if self._kept is None else self._kept.get(key)
        if key not in self._seen:
            self._seen.add(key)
            if kept is None:
                self.new.append(price(asked))
                self.likely += likely(asked) if likely else 0
            else:
                self.found += 1
        return kept or guess

    @property
    def micros(self) -> int | None:
        """Price of all that is new; None where one has none."""
        known = [one for one in self.new if one is not None]
        return sum(known) if len(known) == len(self.new) else None


def plan(
    source: Source, folder: Path, version: str, price: Price, *, likely: Guess | None = None
) -> Planned:
    """Bounds of the verdicts that are left to give, and of their price."""
    path = folder / CHECKPOINT
    kept = Checkpoint(path) if path.is_file() else None
    try:
        few, many = (_Guess(version, kept, curious=curious) for curious in (False, True))
        rows = 0
        for guess in (few, many):
            rows = 0
            for work in source.works():
                rows += 1
                guess.run(work, price, likely)
    finally:
        if kept is not None:
            kept.close()
    return Planned(
        rows,
        many.found,
        len(few.new),
        len(many.new),
        few.micros,
        many.micros,
        (few.likely, many.likely) if likely else None,
    )
