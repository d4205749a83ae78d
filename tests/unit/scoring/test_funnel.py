"""Standing of sources and the stages of a funnel, against counts made by hand."""

from datetime import UTC, date, datetime

import pytest

from monitor.domain.baseline import BaselineClaim, ClaimCategory, Match, PromptBaseline
from monitor.domain.eligibility import (
    Because,
    Crawler,
    Directive,
    PageFacts,
    Place,
    RobotsState,
    Ruling,
    SourceCheck,
    Standing,
    Stood,
)
from monitor.domain.page import FetchStatus
from monitor.domain.score import Undefined, UndefinedReason
from monitor.domain.source import Grade
from monitor.scoring.funnel import (
    Retrieval,
    barring,
    eligibility,
    log_recall,
    selection,
    standing,
    wanted_sources,
)
from tests.assessed import page, source

AT = datetime(2026, 11, 1, tzinfo=UTC)
URL = "https://oak.example/a"


def crawler(token, **fields):
    return Crawler(token, "V", "finds pages", "https://v.example", date(2026, 11, 1), **fields)


SEARCH = crawler("SearchBot", engines=("e",), javascript=False)
RUNNER = crawler("RunBot", engines=("e",), javascript=True)
TOKEN = crawler("Token", engines=("e",), requests=False)


def ruling(token, allowed=True, because=Because.NO_RULE):
    return Ruling(token, allowed, because, URL)


def check(status=FetchStatus.OK, *, rulings=None, **facts):
    kept = rulings if rulings is not None else [ruling(t) for t in ("SearchBot", "RunBot", "Token")]
    read = status in {FetchStatus.OK, FetchStatus.NO_TEXT, FetchStatus.PAYWALLED}
    return SourceCheck(
        URL, URL, AT, "us/1", status, 200, (URL,), None, RobotsState.READ, tuple(kept),
        PageFacts(**{"words": 100, **facts}) if read else None,
    )  # fmt: skip


def told(name, agent="*", value=None):
    return {"directives": (Directive(agent, name, value, Place.META),)}


def stood(one, *crawlers):
    found = standing(one, crawlers or (SEARCH,))
    return found.standing.value, found.reasons


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (check(), ("eligible", ())),
        (None, ("not_assessable", ("not_checked",))),
        (check(**told("noindex")), ("not_eligible", ("noindex",))),
        (check(**told("none", "searchbot")), ("not_eligible", ("noindex",))),
        (check(**told("noindex", "otherbot")), ("eligible", ())),
        (check(**told("nosnippet")), ("not_eligible", ("nosnippet",))),
        (check(**told("max-snippet", value="0")), ("not_eligible", ("nosnippet",))),
        (check(**told("max-snippet", value="20")), ("eligible", ())),
        (check(**told("max-snippet", value="-1")), ("eligible", ())),
        (check(**told("noai")), ("eligible", ())),
        (check(**told("noarchive")), ("eligible", ())),
        (check(nosnippet_share=0.99), ("eligible", ())),
        (check(nosnippet_share=1.0), ("not_eligible", ("nosnippet",))),
        (check(canonical="https://oak.example/b"), ("not_eligible", ("canonical_elsewhere",))),
        (check(sent_share=0.49, rendered_words=101), ("not_eligible", ("needs_scripts",))),
        (check(sent_share=0.5, rendered_words=101), ("eligible", ())),
        # A wall that scripts put in the place of the text: it was there before.
        (check(sent_share=0.1, rendered_words=100), ("eligible", ())),
        (check(paywall_hints=("class=paywall",)), ("eligible", ())),
        (check(FetchStatus.NOT_FOUND), ("not_eligible", ("not_found",))),
        (check(FetchStatus.PAYWALLED), ("not_eligible", ("paywalled",))),
        # What only we know of ourselves says nothing of the crawler.
        (check(FetchStatus.BLOCKED_BY_SITE), ("not_assessable", ("blocked_by_site",))),
        (check(FetchStatus.ROBOTS), ("not_assessable", ("robots",))),
        (check(FetchStatus.TIMEOUT_TOTAL), ("not_assessable", ("timeout_total",))),
        (check(FetchStatus.UNSUPPORTED_TYPE), ("not_assessable", ("unsupported_type",))),
        (check(FetchStatus.NO_TEXT, words=0), ("not_assessable", ("no_text",))),
        (check(FetchStatus.NO_TEXT, words=0, rendered_words=50, sent_share=0.0),
         ("not_eligible", ("needs_scripts",))),
    ],
)  # fmt: skip
def test_what_makes_a_source_eligible(one, expected):
    assert stood(one) == expected


@pytest.mark.parametrize(
    ("because", "expected"),
    [
        (Because.RULE, ("not_eligible", ("robots",))),
        (Because.SERVER_ERROR, ("not_eligible", ("robots_server_error",))),
        (Because.RATE_LIMITED, ("not_assessable", ("robots_rate_limited",))),
        (Because.UNREACHABLE, ("not_assessable", ("robots_unreachable",))),
    ],
)
def test_a_shut_robots_file_bars_where_it_is_the_sites_word(because, expected):
    shut = [ruling("SearchBot", allowed=False, because=because)]
    assert stood(check(rulings=shut)) == expected


def test_a_rule_against_the_crawler_stands_where_we_were_kept_out_too():
    shut = [ruling("SearchBot", allowed=False, because=Because.RULE)]
    assert stood(check(FetchStatus.ROBOTS, rulings=shut)) == ("not_eligible", ("robots",))


def test_a_crawler_that_runs_scripts_needs_no_text_as_sent():
    scripted = check(FetchStatus.NO_TEXT, words=0, rendered_words=50, sent_share=0.0)
    assert stood(scripted, RUNNER) == ("eligible", ())


def test_every_deciding_crawler_must_be_let_in():
    shut = [ruling("RunBot"), ruling("Token", allowed=False, because=Because.RULE)]
    assert stood(check(rulings=shut), RUNNER, TOKEN) == ("not_eligible", ("robots",))
    # A token reads no page itself, so a page cannot speak to it.
    assert stood(check(**told("noindex", "token")), RUNNER, TOKEN) == ("eligible", ())


def test_a_check_of_before_a_crawler_was_listed_says_nothing_of_it():
    assert stood(check(rulings=[])) == ("not_assessable", ("not_checked",))


def test_all_reasons_are_told_and_a_doubt_hides_no_bar():
    one = check(
        rulings=[ruling("SearchBot", allowed=False, because=Because.RULE)],
        canonical="https://oak.example/b",
        **told("noindex"),
    )
    assert stood(one) == ("not_eligible", ("robots", "noindex", "canonical_elsewhere"))


GOOD = Stood(Standing.ELIGIBLE)


def bad(*reasons):
    return Stood(Standing.NOT_ELIGIBLE, reasons)


def open_(*reasons):
    return Stood(Standing.NOT_ASSESSABLE, reasons)


def test_eligibility_counts_each_source_once():
    found = [GOOD, GOOD, bad("robots", "noindex"), open_("family_item"), open_("robots", "x")]
    rate = eligibility(found)
    # Two of three assessed; two open, each under its first reason: bounds 2/5 to 4/5.
    assert (rate.hits, rate.total) == (2, 3)
    assert rate.not_assessable == {"family_item": 1, "robots": 1}
    assert (rate.bounds.low, rate.bounds.high) == (0.4, 0.8)
    assert barring(found) == {"noindex": 1, "robots": 1}


def test_what_nobody_looked_at_is_undefined_and_never_nothing():
    assert eligibility([open_("not_checked")] * 3) == Undefined(UndefinedReason.NOT_CHECKED)
    assert eligibility([]) == Undefined(UndefinedReason.NOT_CHECKED)
    partly = eligibility([open_("not_checked"), GOOD])
    assert (partly.hits, partly.total, partly.not_assessable) == (1, 1, {"not_checked": 1})
    assert eligibility([open_("family_item")]).value is None


A, B, C = (f"{name}.example/x" for name in "abc")
BASELINE = PromptBaseline(
    "p1",
    (
        source(A, Grade.REQUIRED), source(B, Grade.REQUIRED), source(C, Grade.OPTIONAL),
        source("d.example", Grade.REQUIRED, match=Match.FAMILY),
        source("e.example/x", Grade.OUT_OF_SCOPE),
    ),
    (BaselineClaim("c1", "x", ClaimCategory.CORE_FACT),),
)  # fmt: skip


def searched(*keys, visible=()):
    return Retrieval(tuple(page(key) for key in keys), frozenset(visible))


def test_sources_that_nobody_wants_seen_are_not_looked_at():
    assert [one.grade for one in wanted_sources(BASELINE)] == [
        Grade.REQUIRED, Grade.REQUIRED, Grade.OPTIONAL, Grade.REQUIRED,
    ]  # fmt: skip


def test_a_log_is_recalled_search_by_search():
    first = searched(A, C, "d.example/any")
    second = searched("f.example/x")
    # Three required: two of them in the first search, none in the second.
    rate = log_recall([(first, BASELINE), (second, BASELINE)])
    assert (rate.hits, rate.total) == (2, 6)
    assert log_recall([]) == Undefined(UndefinedReason.NOT_EXPOSED)
    assert log_recall([(first, PromptBaseline("p1", (), ()))]).reason is UndefinedReason.NO_REQUIRED


def test_selection_is_of_eligible_pages_that_were_searched():
    searches = [searched(A, B, C, visible=[A, C]), searched(B, visible=[A])]
    # Eligible are A and B: A and B searched and A shown, then B searched and not shown.
    rate = selection(searches, {A, B})
    assert (rate.hits, rate.total) == (1, 3)
    assert selection([], {A}) == Undefined(UndefinedReason.NOT_EXPOSED)
    assert selection(searches, set()).value is None
