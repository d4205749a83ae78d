"""Statements split into claims by a language model."""

import time
from collections.abc import Callable, Iterator, Sequence

import httpx

from monitor.config.judging import LlmPart
from monitor.domain.ports import Artifacts, Clock, JudgeLedger
from monitor.judge.llm.prices import TokenPrice

Parts = tuple[tuple[str, int, int], ...]
"""Claims of one statement: text, start and end in the statement's text."""


class LlmSplitter:
    """Claims of statements by a language model."""

    version: str

    def split(self, statements: Sequence[str]) -> Iterator[Parts | None]:
        """Claims of each statement, in order; None where the rule-based split is to be kept."""
        raise NotImplementedError

    @property
    def held(self) -> str | None:
        """Which cap ended the calls, in words; None while none did."""
        raise NotImplementedError


def llm_splitter(
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
) -> LlmSplitter:
    """The splitter of these settings."""
    raise NotImplementedError
