"""Texts that nobody writes and anybody may send: they are read in time that grows with them."""

import time

from monitor.claims import statements
from monitor.claims.propositions import propositions
from monitor.domain.engine import Citation, Outcome, Reading, Role, Span, SpanKind


def test_blanks_between_clauses_take_no_time():
    words = "The tea is hot{} \u2014 the coffee is cold{} and is black."
    plain = [claim for claim, _, _ in propositions(words.format("", ""))]
    blank = " " * 50_000
    began = time.monotonic()
    found = [" ".join(claim.split()) for claim, _, _ in propositions(words.format(blank, blank))]
    assert time.monotonic() - began < 5
    assert found == plain == ["The tea is hot", "the coffee is cold", "the coffee is black."]


def test_very_many_markers_of_one_source_take_no_time():
    text = "Tea is hot " + "[1]" * 60_000 + "."
    spans = tuple(Span(11 + 3 * n, 14 + 3 * n, SpanKind.MARKER) for n in range(60_000))
    cited = Citation(
        url="https://tea.example", title=None, role=Role.DISPLAYED, marks=len(spans), spans=spans
    )
    began = time.monotonic()
    (one,) = statements(Reading(Outcome.ANSWERED, text=text, citations=(cited,)))
    assert one.citations == (0,)
    assert time.monotonic() - began < 20
