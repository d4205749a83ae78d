"""Shapes of answers; every answer here is synthetic."""

import pytest

from monitor.claims import answer_format
from monitor.domain.claim import AnswerFormat
from monitor.domain.engine import Outcome, Reading


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("Ann is 40. Bob is 50.", AnswerFormat.PROSE),
        ("Reasons:\n- one\n- two\n- three", AnswerFormat.LIST),
        ("Long intro.\n\nMore text.\n\nEven more.\n\n- only one", AnswerFormat.PROSE),
        ("| A | B |\n|---|---|\n| x | 1 |\n| y | 2 |", AnswerFormat.TABLE),
        ("| A | B | C |\n|---|---|---|\n| x | 1 | 2 |\n| y | 2 | 3 |", AnswerFormat.COMPARISON),
        ("## Tea vs. coffee\nTea has less caffeine.", AnswerFormat.COMPARISON),
        (
            "Tea is mild, whereas coffee is strong.\n\nUnlike tea, it is brown.",
            AnswerFormat.COMPARISON,
        ),
    ],
)
def test_the_shape_follows_the_blocks(text, shape):
    assert answer_format(Reading(Outcome.ANSWERED, text=text)) is shape
