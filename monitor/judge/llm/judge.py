"""A judge that asks a language model."""

import time
from collections.abc import Callable, Iterable, Iterator

import httpx

from monitor.config.judging import LlmPart
from monitor.domain.claim import Question, Verdict
from monitor.domain.ports import Artifacts, Clock, JudgeLedger
from monitor.judge.llm.prices import TokenPrice


class LlmJudge:
    """Verdicts by a language model."""

    version: str

    def verdict(self, claim: str, evidence: tuple[str, ...]) -> Verdict:
        """Judge one claim against all evidence texts read together."""
        raise NotImplementedError

    def verdicts(self, asked: Iterable[Question]) -> Iterator[Verdict]:
        """A verdict for each question, in order."""
        raise NotImplementedError

    @property
    def held(self) -> str | None:
        """Which cap ended the judge's calls, in words; None while none did."""
        raise NotImplementedError

    def estimate(self, question: Question) -> int:
        """What a question would cost at most without retries, in millionths of a USD."""
        raise NotImplementedError


def llm_judge(
    part: LlmPart,
    *,
    key: str | None,
    price: TokenPrice | None,
    ledger: JudgeLedger,
    artifacts: Artifacts,
    clock: Clock,
    client: httpx.Client,
    jitter: Callable[[], float],
    sleep: Callable[[float], None] = time.sleep,
) -> LlmJudge:
    """The judge of these settings."""
    raise NotImplementedError
