"""A judge as a run has it: its version, who splits claims for it, and whether it may be asked."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from monitor.claims import CLAIMS_VERSION
from monitor.domain.claim import Judge, NotAssessable, Question, Support, Verdict
from monitor.judge.erring import Errors


class Splitter(Protocol):
    """Splits statements into claims; one that is paid."""

    @property
    def version(self) -> str:
        """Name and version."""
        ...

    @property
    def held(self) -> str | None:
        """Which cap ended its calls, in words; None while none did."""
        ...

    def split(self, statements: Sequence[str]) -> Iterator[tuple[tuple[str, int, int], ...] | None]:
        """(claim, start, end) of each statement, in order; None where rules are to split it."""
        ...


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """The judge that a run is judged by from its beginning to its end."""

    name: str
    version: str
    splitting: str | None = None
    """Version of the model that splits statements; None where rules do."""


@dataclass(slots=True)
class RunJudge:
    """A judge that knows what it may do; without one to ask, what is not stored stays pending."""

    version: str
    """Name and version, for example embedded@1."""
    judge: Judge | None
    """None for a door that only shows: nobody is asked."""
    splitting: str | None = None
    """Version of the model that splits statements; None where rules do."""
    splitter: Splitter | None = None
    """None where nobody may be asked, or rules split."""
    estimate: Callable[[Question], int] | None = None
    """What a question would cost at most, in millionths of a USD, where somebody counts it."""
    likely: Callable[[Question], int] | None = None
    """What a question would cost by a guess at common lengths, likewise."""
    guessed_price: str = ""
    """That the price is a guess, and what to do about it; empty where it is none."""
    split_estimate: Callable[[str], int] | None = None
    """What splitting a statement would cost at most, likewise."""
    stop: Callable[[str], None] = lambda _: None
    """Ends all further calls, for a reason."""
    spent: Callable[[], int] | None = None
    """Millionths of a USD that calls took through this value; None where none are paid for."""
    replays: Callable[[], int] = lambda: 0
    """Verdicts that were read from stored replies: no call was made for them now."""
    errors: Errors = field(default_factory=Errors)
    """Verdicts given through this value that are errors."""
    _ended: str | None = None
    """Which cap ended calls first: a judge itself tells only of those asked last."""

    def verdict(self, claim: str, evidence: tuple[str, ...]) -> Verdict:
        """A verdict; pending where nobody is asked."""
        return self._pending() if self.judge is None else self.judge.verdict(claim, evidence)

    def verdicts(self, asked: Iterable[Question]) -> Iterator[Verdict]:
        """A verdict for each question, in order."""
        if self.judge is None:
            yield from (self._pending() for _ in asked)
            return
        for verdict in self.errors.noted(self.judge, asked):
            self._ended = self._ended or self.judge.held
            yield verdict

    @property
    def held(self) -> str | None:
        """Which cap ended calls, in words; None while none did."""
        for one in (self.judge, self.splitter):
            self._ended = self._ended or (None if one is None else one.held)
        return self._ended

    def _pending(self) -> Verdict:
        reasons = (NotAssessable.PENDING.value,)
        return Verdict(Support.NOT_ASSESSABLE, reasons, judge=self.version)


def is_asked(judge: Judge) -> bool:
    """Whether a judge gives verdicts that are not stored yet."""
    return not isinstance(judge, RunJudge) or judge.judge is not None


def claims_version(splitting: str | None) -> str:
    """Version of claims that rules found, or a model of this version on top of them."""
    return f"{CLAIMS_VERSION}+{splitting}" if splitting else CLAIMS_VERSION


def splitting_of(judge: Judge) -> str | None:
    """Version of the model that splits the claims that a judge is asked of; None for rules."""
    return judge.splitting if isinstance(judge, RunJudge) else None


def splitter_of(judge: Judge) -> Splitter | None:
    """The model that splits statements, where it may be asked."""
    return judge.splitter if isinstance(judge, RunJudge) else None
