"""Judges that are only looked at: for their version, and for what they would cost at most."""

import random

import httpx

from monitor.capture.clock import SystemClock
from monitor.config.settings import Settings
from monitor.errors import BudgetError, LostBytesError, StoreError
from monitor.judge.llm import LlmJudge, LlmSplitter, Means, llm_judge, llm_splitter
from monitor.pipeline.judges_at_hand import PAID
from monitor.pipeline.run_judge import JudgeChoice, RunJudge


def priced_judge(settings: Settings, choice: JudgeChoice) -> RunJudge:
    """A judge that nobody asks, and that knows what its verdicts would cost at most."""
    if choice.name not in PAID and choice.splitting is None:
        return RunJudge(choice.version, None, estimate=lambda _: 0)
    judge, splitter = unasked_model(settings)
    return RunJudge(
        choice.version,
        None,
        choice.splitting,
        estimate=judge.estimate if choice.name in PAID else lambda _: 0,
        likely=judge.likely if choice.name in PAID else lambda _: 0,
        guessed_price=judge.guessed_price,
        split_estimate=splitter.estimate if choice.splitting else None,
    )


def unasked_model(settings: Settings) -> tuple[LlmJudge, LlmSplitter]:
    """The language model for what is known of it without asking: its version, its estimates."""
    none = NoMeans()
    with httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(503))) as nobody:
        means = Means(none, none, SystemClock(), nobody, random.random)
        part, key = settings.judge.llm, "nobody is asked"
        return llm_judge(part, means, key=key), llm_splitter(part, means, key=key)


class NoMeans:
    """Ledger and artifacts of somebody who may not spend and keeps nothing."""

    def reserve(self, micros: int) -> int:
        """Nothing is to be had here."""
        raise BudgetError(f"no call is made here (about {micros} millionths of a USD)")

    def settle(self, reservation: int, micros: int) -> None:
        """Nothing was reserved."""

    def ready(self) -> None:
        """Nothing will be kept."""

    def put(self, content: bytes, *, lasting: bool = False) -> str:
        """Nothing is kept."""
        raise StoreError(f"nothing is kept here ({len(content)} bytes, lasting: {lasting})")

    def get(self, sha256: str) -> bytes:
        """Nothing was kept."""
        raise LostBytesError(f"nothing is kept here, {sha256} neither")

    def point(self, name: str, sha256: str) -> None:
        """Nothing is kept."""

    def names(self, prefix: str) -> tuple[str, ...]:  # noqa: ARG002 - the shape of Artifacts
        """Nothing was kept."""
        return ()

    def target(self, name: str) -> str:
        """Nothing was kept."""
        raise LostBytesError(f"nothing is kept here, {name} neither")
