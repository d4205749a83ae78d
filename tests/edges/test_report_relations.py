"""Engines against what engines of their kind cite: alone there is no recall, together there is."""

from dataclasses import replace

import pytest

from monitor.domain.baseline import BaselineClaim, BaselineSource, ClaimCategory, Match
from monitor.domain.engine import Access
from monitor.domain.source import Grade
from monitor.pipeline.relations import bounded_recalls, shared_sources
from monitor.pipeline.tallying import score_run
from tests.stored import WordJudge, answer, keep_answers, keep_baseline, planned

OAK = "https://oak.example/growth"


@pytest.fixture
def bench(any_bench):
    return any_bench


@pytest.fixture
def scored(bench):
    """A run of one engine that cites a required source."""
    run = planned(bench)
    keep_answers(bench, run, answer("Oaks grow slowly [1].", ("[1]", OAK)))
    source = BaselineSource(bench.identify(OAK).page_key, Match.PAGE, Grade.REQUIRED)
    keep_baseline(bench, [source], [BaselineClaim("c1", "Oaks grow.", ClaimCategory.CORE_FACT)])
    return score_run(bench, run, WordJudge())


def beside(scored, other, access=Access.API, **changed):
    """The same with the capture of another engine, reached in some way."""
    reached = {**scored.access, other.engine: access}
    return replace(scored, assessed=(*scored.assessed, other), access=reached, **changed)


def test_an_engine_alone_of_its_kind_has_no_recall(scored):
    (alone,) = bounded_recalls(scored)
    assert (alone.is_alone, alone.bounds) == (True, None)


def test_two_engines_of_a_kind_share_their_pool(scored):
    (one,) = scored.assessed
    other = replace(one, engine="anthropic", pages=())
    first, second = bounded_recalls(beside(scored, other))
    # the pool is the one page that openai cites: 1 of 1 and 0 of 1
    assert (first.engine, first.bounds.low, first.bounds.high) == ("anthropic", 0, 0)
    assert (second.engine, second.bounds.low, second.bounds.high) == ("openai", 1, 1)


def test_a_browser_surface_is_not_held_against_an_api(scored):
    (one,) = scored.assessed
    other = replace(one, engine="sandbox_chat")
    recalls = bounded_recalls(beside(scored, other, Access.BROWSER))
    assert [b.is_alone for b in recalls] == [True, True]


def test_a_copied_text_names_the_pages_and_publishers_it_looks_like(scored):
    # One text on two sites, each cited by another engine: two publishers, one piece of evidence.
    (one,) = scored.assessed
    (page,) = one.pages
    copy = replace(page, page_key="elm.example/copy", family="elm.example", group=page.page_key)
    other = replace(one, engine="anthropic", capture_id=one.capture_id + 1, pages=(copy,))
    tallies = {**scored.tallies, other.capture_id: scored.tallies[one.capture_id]}
    shared = shared_sources(beside(scored, other, tallies=tallies))
    (text,) = [s for s in shared if s.kind == "evidence group"]
    assert text.engines == ("anthropic", "openai")
    assert text.copies == ("elm.example/copy", page.page_key)
    assert text.publishers == ("elm.example", "oak.example")
    # A page seen in a browser, or handed in, is no second engine of that kind.
    seen = beside(scored, other, Access.IMPORT, tallies=tallies)
    assert [s for s in shared_sources(seen) if s.kind == "evidence group"] == []
