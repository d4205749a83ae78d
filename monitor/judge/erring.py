"""Questions that a judge gave no usable verdict on in one command: how many, why, what then."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from monitor.domain.claim import Judge, NotAssessable, Question, Verdict

Estimate = Callable[[Question], int]
"""What a question costs at most, in millionths of a USD."""


@dataclass(slots=True)
class Errors:
    """Questions whose verdict is an error of the judge, each counted once."""

    estimate: Estimate | None = None
    """None where nobody knows what asking anew would cost."""
    _found: dict[int, tuple[tuple[str, ...], int]] = field(default_factory=dict)
    """Hash of a question -> reasons of its verdict, and the price of asking anew."""

    def note(self, asked: Question, verdict: Verdict) -> None:
        """Count a verdict where it is an error; a sound one takes an error of before back."""
        key = hash(asked)
        if verdict.reason != NotAssessable.JUDGE_ERROR.value:
            self._found.pop(key, None)
            return
        price = self.estimate(asked) if self.estimate is not None else 0
        self._found[key] = (verdict.reasons[1:], price)

    @property
    def count(self) -> int:
        """Questions without a usable verdict."""
        return len(self._found)

    def shown(self, anew: str) -> str | None:
        """How many there are, the commonest reason, and the way to ask anew; None without any.

        `anew` is what to type.
        """
        if not self._found:
            return None
        told = Counter(_words(reasons) for reasons, _ in self._found.values())
        ((reason, _),) = told.most_common(1)
        micros = sum(price for _, price in self._found.values())
        price = "" if self.estimate is None else f" for {micros / 1e6:.4f} USD at most"
        verdicts = "1 verdict is" if self.count == 1 else f"{self.count} verdicts are"
        named = f", {'because of' if self.count == 1 else 'most often'} {reason}" if reason else ""
        return f"{verdicts} judge_error{named}; {anew} asks anew{price}"

    def noted(self, judge: Judge, asked: Iterable[Question]) -> Iterator[Verdict]:
        """The verdicts of a judge, in order, each noted on its way."""
        waiting: deque[Question] = deque()

        def taken() -> Iterator[Question]:
            for one in asked:
                waiting.append(one)
                yield one

        for verdict in judge.verdicts(taken()):
            self.note(waiting.popleft(), verdict)
            yield verdict


def _words(reasons: tuple[str, ...]) -> str:
    """The reason of an error, with the mismatch that it names."""
    word, *mismatch = reasons or ("",)
    return f"{word} ({mismatch[0]})" if mismatch else word
