"""Verdicts for one evaluation: found in the checkpoint, else asked of the judge and kept there."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from monitor.domain.claim import NotAssessable, Question, Support, Verdict
from monitor.pipeline.evaluation.asking import Asking, T
from monitor.pipeline.evaluation.checkpoint import Checkpoint, key_of
from monitor.pipeline.run_judge import RunJudge

PASSING = frozenset({NotAssessable.JUDGE_ERROR.value, NotAssessable.PENDING.value})
"""Reasons that say nothing about the claim: such a verdict is asked for again another time."""


@dataclass(frozen=True, slots=True)
class Used:
    """What verdicts took that nothing before in this file had asked for."""

    verdicts: int = 0
    input_tokens: int | None = 0
    """None where a verdict's vendor did not say."""
    output_tokens: int | None = 0
    micros: int = 0

    def __add__(self, other: "Used") -> "Used":
        """Both together."""
        return Used(
            self.verdicts + other.verdicts,
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            self.micros + other.micros,
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


class Book:
    """Each question is asked once, whatever asks it; counts what is asked now."""

    def __init__(self, judge: RunJudge, checkpoint: Checkpoint) -> None:
        self.judge = judge
        self._kept = checkpoint
        self._temporary: dict[bytes, Verdict] = {}
        self._at_hand: dict[bytes, Verdict] = {}
        self._charged: set[bytes] = set()
        self.asked = 0
        """Verdicts that were not kept."""
        self.micros = 0
        """What they cost, in millionths of a USD."""

    def run(self, work: Asking[T]) -> T:
        """Answer all rounds of some work and return its product.

        Its verdicts stay at hand until `forget`.
        """
        try:
            questions = next(work)
            while True:
                questions = work.send(self._answers(questions))
        except StopIteration as end:
            product: T = end.value
            return product

    def forget(self) -> None:
        """Let go of the verdicts at hand; they are read from the disk where wanted again."""
        self._at_hand.clear()

    def charge(self, questions: Iterable[Question]) -> Used:
        """What those questions took that were not charged before; in file order."""
        used = Used()
        for one in dict.fromkeys(questions):
            key = key_of(one, self.judge.version)
            if key not in self._charged:
                self._charged.add(key)
                used += _used(self._find(key) or Verdict(Support.NOT_ASSESSABLE))
        return used

    def known(self, asked: Question) -> bool:
        """Whether a verdict is kept, so that it will not be asked for."""
        return key_of(asked, self.judge.version) in self._kept

    def _answers(self, questions: Sequence[Question]) -> tuple[Verdict, ...]:
        keys = [key_of(one, self.judge.version) for one in questions]
        new = {k: q for k, q in zip(keys, questions, strict=True) if self._find(k) is None}
        for key, verdict in zip(new, self.judge.verdicts(list(new.values())), strict=True):
            self._keep(key, verdict)
        return tuple(self._at_hand[key] for key in keys)

    def _find(self, key: bytes) -> Verdict | None:
        found = self._at_hand.get(key) or self._temporary.get(key) or self._kept.get(key)
        if found is not None:
            self._at_hand[key] = found
        return found

    def _keep(self, key: bytes, verdict: Verdict) -> None:
        self.asked += verdict.reason not in PASSING
        self.micros += verdict.cost_micros
        self._at_hand[key] = verdict
        if verdict.reason in PASSING:
            self._temporary[key] = verdict
        else:
            self._kept.add(key, verdict)


def failure_of(verdicts: Iterable[Verdict]) -> str | None:
    """Why the judge gave no verdict on some part, in words; None where it gave all."""
    for one in verdicts:
        if one.reason in PASSING:
            error = one.reason == NotAssessable.JUDGE_ERROR.value
            told = "the judge gave no verdict" if error else "the judge's calls had ended"
            detail = f": {one.reasons[1]}" if len(one.reasons) > 1 else ""
            return f"{told} ({one.reason}{detail})"
    return None


def _used(verdict: Verdict) -> Used:
    """Tokens and money of one verdict; a judge that asks no language model takes no tokens."""
    given, usage = int(verdict.reason not in PASSING), verdict.usage
    if usage is None:
        return Used(given, 0, 0, verdict.cost_micros)
    return Used(given, usage.input_tokens, usage.output_tokens, verdict.cost_micros)
