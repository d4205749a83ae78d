"""Judges of support: does the cited text bear out what an answer claims?"""

from collections.abc import Callable, Mapping

from monitor.domain.claim import Judge
from monitor.errors import JudgeError
from monitor.judge.embedded import EmbeddedJudge, embedded_judge, meaning_judge
from monitor.judge.rows import judge_rows

JUDGES: Mapping[str, Callable[[], Judge]] = {
    "embedded": embedded_judge,
    "embedded_embed": meaning_judge,
}
"""Judges by the name a person writes in the settings."""


def make_judge(name: str) -> Judge:
    """The judge of that name; JudgeError lists the names there are."""
    if name not in JUDGES:
        raise JudgeError(f"no judge is called {name!r}; expected one of: {', '.join(JUDGES)}")
    return JUDGES[name]()


__all__ = ["JUDGES", "EmbeddedJudge", "judge_rows", "make_judge"]
