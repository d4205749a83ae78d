"""Which required sources one answer cites: the parts of required-source recall."""

from monitor.domain.engine import Retrieval
from monitor.domain.score import Rate
from monitor.domain.source import Grade
from monitor.scoring.sources import required_source_recall, required_sources
from tests.assessed import baseline, capture, page, source

WANTED = baseline([source("a.example"), source("b.example"), source("c.example", Grade.OPTIONAL)])


def test_each_required_source_is_cited_or_not():
    got = capture([page("a.example/x", family="a.example")])
    assert required_sources(got, WANTED) == {"a.example": Rate(1, 1), "b.example": Rate(0, 1)}


def test_an_unresolved_citation_may_be_the_missing_one():
    got = capture([page("a.example/x", family="a.example"), page("?", family=None)])
    assert required_sources(got, WANTED) == {
        "a.example": Rate(1, 1),
        "b.example": Rate(0, 0, {"unresolved": 1}),
    }


def test_citing_nothing_is_a_miss_only_after_a_search():
    assert required_sources(capture(), WANTED)["a.example"] == Rate(0, 1)
    silent = capture(retrieval=Retrieval.UNKNOWN)
    assert required_sources(silent, WANTED)["a.example"] == Rate(0, 0, {"no_citations": 1})


def test_the_parts_add_up_to_required_source_recall():
    got = capture([page("a.example/x", family="a.example")])
    parts = required_sources(got, WANTED).values()
    assert sum(parts, Rate(0, 0)) == required_source_recall(got, WANTED)
