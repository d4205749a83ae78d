"""The reason for a kind, in words a reader can check against the statement."""

import pytest

from monitor.claims.kinds import kind_reason
from monitor.domain.claim import StatementKind


@pytest.mark.parametrize(
    ("kind", "words", "reason"),
    [
        ("summary", "In summary, it is safe.", 'sums up what was said ("In summary")'),
        ("summary", "Overall, it depends on taste.", 'sums up what was said ("Overall")'),
        ("transition", "Common side effects include:", "only introduces what follows"),
        ("transition", "I can look up more.", 'leads over to something else ("I can")'),
        ("opinion", "I think it is nicer.", 'is the opinion of the speaker ("I think")'),
        ("advice", "You should drink more.", 'tells the reader what to do ("You should")'),
        ("question", "Shall we go on?", "is a question"),
        ("heading", "Side effects", "is a heading"),
        ("claim", "Rome is old.", "states a fact that a reader may ask the source of"),
    ],
)
def test_a_kind_is_explained_by_the_words_that_tell(kind, words, reason):
    assert kind_reason(StatementKind(kind), words) == reason


def test_every_kind_has_a_reason_whatever_the_words():
    assert all(kind_reason(kind, "") for kind in StatementKind)
