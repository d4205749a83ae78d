"""Which prompt of a panel an answer that was handed in answers; all questions are synthetic."""

import pytest

from monitor.domain.panel import Panel, Prompt
from monitor.pipeline.importing_asked import Questions

TYPED = Prompt("oaks", 'What\'s an "old-growth" oak?', "en-GB")
PANEL = Panel("trees", 1, 1, "en-GB", ("chatgpt_web",), (TYPED,))


@pytest.mark.parametrize(
    "shown",
    [
        'What\'s an "old-growth" oak?',
        "What’s an “old‑growth” oak?",
        "What's an  „old–growth“ oak? ",
        'What\'s\u00a0an\n"old-growth"\u200b oak？',
    ],
)
def test_a_question_is_known_however_its_quotes_dashes_and_spaces_are_written(shown):
    assert Questions.of(PANEL).asked(shown) == (TYPED,)


@pytest.mark.parametrize(
    "shown", ["What's an old-growth oak?", 'what\'s an "old-growth" oak?', None]
)
def test_another_question_is_none_of_the_panel(shown):
    assert Questions.of(PANEL).asked(shown) == ()
