"""What a report says of its judge: one line on the first page, a table behind it."""

from dataclasses import replace

import pytest

from monitor.domain.measured import Fitted, FlaggedFigures, MeasuredFigures, PeopleFigures
from monitor.domain.score import Interval, Rate
from monitor.domain.trust import (
    CorrectedMeasure,
    Figure,
    JudgeTrust,
    PanelAgreement,
    PanelLabels,
)
from monitor.report.page import render_report
from monitor.report.trust import corrected_text, judge_line, trust_section
from tests.unit.report.synthetic_report import report

RATE = Rate(60, 80, {"judge_unclear": 20})


def known_figures():
    """Made-up figures of a judge."""
    people = tuple(
        PeopleFigures(f"set_{n}", "0" * 64, 2_000, fitted, "own", 0.7, 1_000, 780, 0.5, 0.5, {})
        for n, fitted in enumerate(Fitted)
    )
    suite = (
        FlaggedFigures("blind", "number", True, 400, 364, 300),
        FlaggedFigures("blind", "same", False, 200, 12, 3),
        FlaggedFigures("open", "number", True, 400, 400, 400),
    )
    return MeasuredFigures("j@1", "2026-11-30", people[0], people, suite)


def known_labels(both=45):
    """45 pairs that people and the judge decided, or fewer.

    Full or not: 20 both full, 2 and 1 only by people and by the judge, 22 neither, so 42 of 45
    agree. By chance (22 * 21 + 23 * 24) / 45^2 = 0.5007 would, kappa (0.9333 - 0.5007) / 0.4993
    = 0.87.
    """
    agreement = PanelAgreement(
        45, 38, Figure(38 / 45, Interval(0.7, 0.93)), Figure(0.6, None), Figure(None, None),
        ((20, 2, 0, 0), (1, 10, 4, 0), (0, 0, 6, 0), (0, 0, 0, 2)),
    )  # fmt: skip
    return PanelLabels(52, 2, 1, 4, both, agreement if both >= 30 else None)


def corrected(**fields):
    made = CorrectedMeasure(
        "openai", "claim_citation_precision", RATE, Interval(0.68, 0.81), 45, 110, 0.71,
        Interval(0.6, 0.8), 0.5,
    )  # fmt: skip
    return replace(made, **fields)


def section(**fields):
    view = report(engines=("openai", "perplexity"))
    return trust_section(replace(view, trust=JudgeTrust("j@1", None, None, **fields)))


def test_the_first_page_names_the_judge_and_what_is_known_of_it():
    whole = JudgeTrust("j@1", known_figures(), known_labels())
    assert judge_line(whole) == (
        "Judge: j@1; fully supported or not, it agrees with people on 78 % of 1,000 labelled "
        "claims it decided (set 0), kappa 0.50; notices 91 % of 400 changed claims; "
        "here: fully supported or not, on 93 % of 45 labelled pairs, kappa 0.87"
    )
    few = replace(whole, measured=None, here=known_labels(12))
    assert judge_line(few) == "Judge: j@1; here: 12 of 30 labels"
    assert judge_line(JudgeTrust("j@1", None, None)) == (
        "Judge: j@1; nobody measured yet how far it agrees with people"
    )


def test_a_report_of_a_judge_that_nobody_told_says_nothing_of_it():
    assert trust_section(report()) is None
    assert 'id="judge"' not in render_report(report())


def test_rows_tell_counts_shares_and_whether_figures_flatter():
    view = replace(report(), trust=JudgeTrust("j@1", known_figures(), known_labels()))
    rows = trust_section(view).rows
    assert [(row.counts, row.share) for row in rows] == [
        ("780 of 1,000", "78 %"), ("780 of 1,000", "78 %"), ("780 of 1,000", "78 %"),
        ("364 of 400", "91 %"), ("3 of 200", "1.5 %"), ("400 of 400", "100 %"), ("42 of 45", "93 %"), ("38 of 45", "84 % (70-93)"),
    ]  # fmt: skip
    assert "flatters" in rows[1].against
    assert "did not see them" in rows[2].against
    assert "1,000 decided; kappa 0.50" in rows[0].against
    assert "4 left open; kappa 0.87" in rows[-2].against
    assert "4 left open; kappa 0.60" in rows[-1].against


def test_a_corrected_rate_stands_beside_the_judges_own():
    (row,) = section(corrected=(corrected(),)).corrected
    assert (row.measure, row.judged, row.corrected) == (
        "Claim citation precision", "60 of 80 (75 %, 68-81)", "71 %, 60-80 by 45 labels of 110 pairs",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("labelled", "said"), [(12, "12 of 30 labels needed"), (40, "not measured")]
)
def test_without_a_corrected_rate_it_is_said_why(labelled, said):
    bare = corrected(labelled=labelled, value=None, interval=None, weight=None)
    assert corrected_text(bare) == said
    assert section(corrected=(bare,)).corrected == ()


def test_the_page_shows_it_all_and_why_labels_correct_nothing():
    trust = JudgeTrust(
        "j@1", known_figures(), known_labels(), (corrected(),), ("draw D1: draw <anew>",)
    )
    view = replace(report(engines=("openai", "perplexity")), trust=trust)
    page = render_report(view).replace("\u00a0", " ")
    first = page[: page.index('id="changes"')]
    assert "Judge: j@1; fully supported or not, it agrees with people on 78 %" in first
    assert 'href="#judge"' in first
    told = page[page.index('id="judge"') : page.index('<section id="gaps">')]
    for words in ("38 of 45", "60 of 80 (75 %, 68-81)", "71 %, 60-80", "draw &lt;anew&gt;"):
        assert words in told
