"""What to do next: every step leads to a place that names its subject."""

import re
from dataclasses import replace

import pytest
from markupsafe import escape

from monitor.domain.source import Grade
from monitor.report.evidence import STATEMENTS_SHOWN
from monitor.report.findings import findings, headline, side_text
from monitor.report.page import render_report
from monitor.report.places import statement_href
from monitor.report.steps import next_steps
from tests.unit.report.synthetic_report import report


@pytest.fixture(scope="module")
def view():
    return report(prompt_count=6, engines=("openai", "perplexity"), repeats=1, compared=False)


def step(view, start):
    return next(s for s in next_steps(view) if s.text.startswith(start))


def with_searches(view, found):
    """The view whose engines tell that their searches found every baseline source, or none."""
    return replace(
        view,
        captures=tuple(
            replace(c, sources=tuple(replace(s, retrieved=found) for s in c.sources))
            for c in view.captures
        ),
    )


def test_a_missed_source_lists_exactly_the_answers_that_leave_it_out(view):
    missing = {
        f"#capture-{c.id}"
        for c in view.captures
        for s in c.sources
        if s.grade is Grade.REQUIRED and not s.cited
    }
    places = step(view, "Find out why transport").places
    assert {href for place in places for _, href in place.links} == missing
    assert all(place.text.startswith("prompt-0") for place in places)


def test_a_source_that_some_answers_cite_is_left_out_of_the_others_and_not_called_uncited(view):
    required = [s for c in view.captures for s in c.sources if s.grade is Grade.REQUIRED]
    of_it = [s for s in required if s.key.startswith("transport")]
    missing = sum(not s.cited for s in of_it)
    assert 0 < missing < len(of_it)
    told = step(view, "Find out why transport").text
    assert f"is left out of {missing} of {len(of_it)} answers" in told
    assert "is not cited" not in told


def test_the_step_after_the_run_s_own_health_is_about_the_headline():
    compared = report(prompt_count=20, engines=("openai", "perplexity"))
    told = step(compared, "Open the answers behind it")
    assert told.text.endswith(headline(compared))
    assert told.href == findings(compared)[0].href
    # voltara.example fell: what rose most on the same engine stands beside it, with its counts.
    comparison = next(e.comparison for e in compared.engines if e.name == "perplexity")
    rival = max(comparison.families, key=lambda c: c.difference)
    assert told.because.startswith(
        f"moved most the other way: {rival.name} {side_text(rival.before)} → "
    )
    assert next_steps(compared)[0].href == "#coverage"
    assert next_steps(compared)[1] == told


def test_a_sentence_of_the_first_page_is_never_cut(view):
    claim = "Electric bicycles " + "with a motor of at most 250 watts " * 6 + "need no licence."
    captures = tuple(
        replace(c, claims=tuple(replace(k, text=claim) for k in c.claims)) for c in view.captures
    )
    long = replace(view, captures=captures)
    html = render_report(long)
    first = html[html.index('<section id="summary"') : html.index('<section id="changes"')]
    ordered = first[first.index('<ol class="steps">') :]
    shown = ordered.count("<li>")
    assert shown >= 1
    for one in next_steps(long)[:shown]:
        assert str(escape(one.text)) in ordered
        assert str(escape(one.because)) in ordered
    assert f"{len(next_steps(long)) - shown} more</a>" in ordered


def test_engines_that_do_not_tell_what_they_searched_leave_the_question_of_reading(view):
    assert step(view, "Find out why transport").text.endswith(": can engines fetch and read it?")


def test_a_source_that_searches_found_is_not_asked_to_be_readable(view):
    told = step(with_searches(view, found=True), "Find out why transport")
    count = len([link for place in told.places for link in place.links])
    assert told.text.endswith(" answers, though searches find it")
    assert f"; found by the search of {count} of {count} answers that tell it" in told.because
    assert told.places[0].links[0][0].endswith("(found, not shown)")


def test_a_source_that_some_searches_found_is_not_said_to_be_found_by_all(view):
    captures = tuple(
        replace(c, sources=tuple(replace(s, retrieved=c.engine == "openai") for s in c.sources))
        for c in view.captures
    )
    told = step(replace(view, captures=captures), "Find out why transport")
    assert told.text.endswith(" answers, though some searches find it")


def test_a_source_that_no_search_found_says_so(view):
    told = step(with_searches(view, found=False), "Find out why transport")
    assert told.text.endswith(": can engines fetch and read it?")
    assert "; in no search of the " in told.because


def test_ungraded_citations_are_listed_with_their_answers(view):
    ungraded = [
        f"#p-{c.id}-{p.number}"
        for c in view.captures
        for p in c.pages
        if p.grade is Grade.UNGRADED and p.family
    ]
    places = step(view, "Grade the sources").places
    assert sorted(href for place in places for _, href in place.links) == sorted(ungraded)


def test_every_step_with_places_leads_to_them_on_the_page(view):
    html = render_report(view)
    steps = [s for s in next_steps(view) if s.places]
    assert len(steps) >= 5
    for one in steps:
        article = re.search(rf'id="{one.anchor}">.*?</article>', html, re.DOTALL)[0]
        assert article.count("<li>") == len(one.places)


def test_a_statement_beyond_those_shown_leads_to_its_answer(view):
    capture = view.captures[0]
    assert statement_href(capture, STATEMENTS_SHOWN) == f"#s-{capture.id}-{STATEMENTS_SHOWN}"
    assert statement_href(capture, STATEMENTS_SHOWN + 1) == f"#capture-{capture.id}"
