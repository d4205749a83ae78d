"""How an answer ended, and the outcome that its ending and its text stand for together."""

import re
from enum import StrEnum

from monitor.domain.engine import Outcome

_DECLINE = re.compile(
    r"(?:I['’]m (?:very |really )?sorry,? but |I am sorry,? but |Sorry, (?:but )?)?"
    r"I (?:can['’]?t|cannot|can not|am unable to|['’]m unable to|am not able to)"
    r" (?:assist|help|comply)(?: you)?(?: with (?:that|this))?(?: request)?[.!]?\s*\Z",
    re.IGNORECASE,
)


class Ending(StrEnum):
    """How the vendor says an answer ended."""

    DONE = "done"
    CUT = "cut"
    FILTERED = "filtered"
    UNFINISHED = "unfinished"


def is_decline(text: str) -> bool:
    """Whether a whole answer is a stock refusal and nothing else."""
    return bool(_DECLINE.match(text.strip()))


def conclude(
    ending: Ending, text: str, *, refused: bool = False, cited: bool = False
) -> tuple[Outcome, str | None]:
    """Outcome and reason: text decides first, then a refusal, then how it ended."""
    if text.strip():
        if ending is not Ending.DONE:
            return Outcome.TRUNCATED, None
        if is_decline(text) and not cited:
            return Outcome.NO_ANSWER, "declined"
        return Outcome.ANSWERED, None
    if refused or ending is Ending.FILTERED:
        return Outcome.NO_ANSWER, "declined"
    if ending is Ending.UNFINISHED:
        return Outcome.TIMEOUT, None
    return Outcome.ERROR, "empty"
