"""Footnotes of an export of several turns, `[^turn_n]`; every text here is synthetic."""

from monitor.claims.markers import Marker, markers
from monitor.domain.engine import Citation, Outcome, Reading, Role, Span, SpanKind

TEXT = "Oaks are old.[^2_1][^2_9] Elms are not."


def test_a_footnote_without_definition_is_a_mark_that_leads_nowhere():
    span = Span(13, 19, SpanKind.MARKER)
    oak = Citation("https://oak.example/", None, Role.DISPLAYED, 1, (span,))
    found = markers(Reading(Outcome.ANSWERED, text=TEXT, citations=(oak,)))
    assert found == (Marker(13, 19, (0,)), Marker(19, 25, (), unmapped=1))
    assert (TEXT[13:19], TEXT[19:25]) == ("[^2_1]", "[^2_9]")
