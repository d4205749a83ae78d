"""Texts that nobody writes and anybody may send: they are read in time that grows with them."""

import pytest

from monitor.claims import statements
from monitor.claims.propositions import propositions
from monitor.domain.engine import Citation, Outcome, Reading, Role, Span, SpanKind

pytestmark = pytest.mark.timeout(60)
"""Quadratic time would be many minutes."""


def test_blanks_between_clauses_take_no_time():
    words = "The tea is hot{} \u2014 the coffee is cold{} and is black."
    plain = [claim for claim, _, _ in propositions(words.format("", ""))]
    blank = " " * 200_000
    found = [" ".join(claim.split()) for claim, _, _ in propositions(words.format(blank, blank))]
    assert found == plain == ["The tea is hot", "the coffee is cold", "the coffee is black."]


def test_very_many_markers_of_one_source_take_no_time():
    text = "Tea is hot " + "[1]" * 200_000 + "."
    spans = tuple(Span(11 + 3 * n, 14 + 3 * n, SpanKind.MARKER) for n in range(200_000))
    cited = Citation(
        url="https://tea.example", title=None, role=Role.DISPLAYED, marks=len(spans), spans=spans
    )
    (one,) = statements(Reading(Outcome.ANSWERED, text=text, citations=(cited,)))
    assert one.citations == (0,)


def test_a_statement_of_very_many_joints_stays_whole():
    words = "The tea is hot" + ", and the cup is red" * 20_000
    assert propositions(words) == ((words, 0, len(words)),)
    assert len(propositions("The tea is hot, and the cup is red.")) == 2
