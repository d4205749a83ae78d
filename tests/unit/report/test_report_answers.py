"""An answer on the page: passages of baseline claims, uncited claims, and how much is shown."""

import re
from dataclasses import replace

import pytest

from monitor.domain.claim import Support
from monitor.report.claim_gaps import Piece
from monitor.report.evidence import STATEMENTS_SHOWN, capture_cards
from monitor.report.page import render_report
from monitor.report.view import ByBaselineView, QuoteView
from tests.unit.report.synthetic_report import PASSAGE, QUOTE, report, with_capture


@pytest.fixture(scope="module")
def view():
    return report(prompt_count=3, engines=("openai",), repeats=1, compared=False)


def quote(page):
    start = PASSAGE.index(QUOTE)
    return QuoteView(page, PASSAGE, start, start + len(QUOTE))


def claim_with(view, **changes):
    """The view whose first capture has one baseline claim with these changes."""
    return with_capture(view, claims=(replace(view.captures[0].claims[0], **changes),))


def test_a_baseline_claim_shows_its_passages_from_answer_and_page(view):
    html = render_report(
        claim_with(
            view, evidence=Support.FULL, evidence_page=2,
            evidence_quote=quote(2), stated_quote=quote(None),
        )
    )  # fmt: skip
    folded = re.search(r"<details><summary>passages</summary>.*?</details>", html)[0]
    assert folded.count(f"<mark>{QUOTE}</mark>") == 2
    assert "from the answer" in folded
    assert "from page" in folded


def test_a_claim_that_was_not_found_shows_no_passage_of_a_page(view):
    changed = claim_with(
        view, evidence=Support.UNSUPPORTED, evidence_page=2, evidence_quote=quote(2)
    )
    assert capture_cards(changed)[0].claims[0].passages == ()


def test_an_uncited_claim_says_what_the_baseline_says_of_it(view):
    lines = (
        ByBaselineView("It stops.", Support.CONTRADICTED, ("number 25 against 27",)),
        ByBaselineView("It is red.", Support.UNSUPPORTED, ("not in evidence: red",)),
    )
    statement = replace(view.captures[0].statements[0], support=None, by_baseline=lines)
    first, second = (
        capture_cards(with_capture(view, statements=(statement,)))[0].statements[0].by_baseline
    )
    assert (first.text, first.word) == ((Piece("It stops."),), "contradicts the baseline")
    assert first.why == "the answer says 25, the baseline says 27"
    assert (second.word, second.why) == ("not in the baseline", "missing there: red")


def test_an_answer_of_very_many_statements_is_cut_and_says_so(view):
    many = tuple(replace(view.captures[0].statements[0], text=f"Said {n}.") for n in range(1000))
    html = render_report(with_capture(view, statements=many))
    assert f"First {STATEMENTS_SHOWN} of 1000 statements" in html
    assert f"Said {STATEMENTS_SHOWN - 1}." in html
    assert f"Said {STATEMENTS_SHOWN}." not in html
