"""A judge's reasons in a reader's words, and what a capture says of evidence."""

from dataclasses import replace

import pytest

from monitor.domain.claim import Support
from monitor.domain.score import Bounds, Rate
from monitor.report.evidence import capture_cards
from monitor.report.figures import figure
from monitor.report.numbers import between
from monitor.report.reasons import judged_words
from tests.unit.report.synthetic_report import report


@pytest.fixture(scope="module")
def view():
    return report(prompt_count=2, engines=("openai",), repeats=1, compared=False)


@pytest.mark.parametrize(
    ("reasons", "text"),
    [
        ((), ""),
        (("copied",), "the page says it in these words"),
        (("paywalled",), "behind a paywall"),
        (("number 80 against 62",), "the answer says 80, the page says 62"),
        (
            ("judge_unclear", "not in evidence: size", "not in evidence: than"),
            "the judge is not sure; not on the page: size, than",
        ),
        (
            ("number 9 not in evidence", "number 0 not in evidence", "number 0 not in evidence"),
            "numbers not on the page: 9, 0",
        ),
        (("another {kind} of reason",), "another {kind} of reason"),
        (("not in evidence: {0}",), "not on the page: {0}"),
    ],
)
def test_like_reasons_are_said_once_with_all_they_name(reasons, text):
    assert judged_words(reasons) == text


def claim_line(view, evidence):
    """The first baseline claim of the first capture, with this evidence on page 2."""
    capture = view.captures[0]
    claim = replace(capture.claims[0], evidence=evidence, evidence_page=2)
    cards = capture_cards(replace(view, captures=(replace(capture, claims=(claim,)),)))
    return cards[0].claims[0]


def test_missing_evidence_names_no_page(view):
    line = claim_line(view, Support.UNSUPPORTED)
    assert (line.evidence, line.page) == ("missing", None)


@pytest.mark.parametrize(
    "evidence", [Support.FULL, Support.PARTIAL, Support.CONTRADICTED, Support.NOT_ASSESSABLE]
)
def test_evidence_that_was_found_or_stays_open_names_its_page(view, evidence):
    assert claim_line(view, evidence).page == 2


def test_bounds_that_meet_are_one_number():
    assert between(Bounds(1.0, 1.0)) == "100 %"
    assert between(Bounds(0.07, 0.67)) == "between 7 and 67 %"


def test_bounds_are_left_out_where_nothing_is_open():
    # 68 of 157 with every address resolved: both bounds are the share itself.
    shown = figure(Rate(68, 157), bounds=Bounds(68 / 157, 68 / 157))
    assert shown.assessed == ""
    assert figure(Rate(68, 157), bounds=Bounds(0.41, 0.44)).assessed == "bounds 41-44"


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("number 2 not beside the rest", "the page has 2, but says it of something else"),
        ("number 2 stands elsewhere", "the page has 2, but in another part of its sentence"),
        ("name not beside the rest: Oak", "the page names Oak, but in another sentence"),
    ],
)
def test_what_the_page_says_of_something_else_is_said_plainly(reason, text):
    assert judged_words((reason,)) == text
