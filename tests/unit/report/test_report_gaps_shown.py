"""What a claim says beyond its page: marked, told in words, escaped, whatever a judge wrote."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.claim import Gap, GapKind, Support, Votes
from monitor.report.claim_gaps import SHOWN, gap_lines, pieces, votes_words
from monitor.report.evidence import capture_cards
from monitor.report.page import render_report
from monitor.report.view import ByBaselineView, ClaimView
from tests.unit.report.synthetic_report import report, with_capture

TEXT = "It stops at 45 km/h."
NUMBER = Gap(GapKind.NUMBER, 12, 14, "45", "54")
HEDGE = Gap(GapKind.HEDGE_LOST, 2, 2, "", "may")
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def view():
    return report(prompt_count=3, engines=("openai",), repeats=1, compared=False)


def shown(view, **changes):
    """The report whose first capture has one statement with these changes."""
    first = replace(
        view.captures[0].statements[0],
        **{"text": TEXT, "support": Support.PARTIAL, "reasons": (), "claims": ()} | changes,
    )
    changed = with_capture(view, statements=(first,), judges=("words@1",))
    return render_report(changed), capture_cards(changed)[0].statements[0]


def marked(text, gaps):
    return [part.text for part in pieces(text, gaps) if part.beyond]


def test_the_part_that_goes_beyond_is_marked_and_told_with_what_the_page_has(view):
    html, _ = shown(view, gaps=(NUMBER,))
    assert 'It stops at <u class="gap">45</u> km/h.' in html
    assert "number: the answer says “45”, the page says “54”" in html
    assert "judged by words@1" in html


@pytest.mark.parametrize(
    ("gap", "said"),
    [
        (HEDGE, "caution lost: the page says “may”, the answer leaves it out"),
        (
            Gap(GapKind.MISSING, 3, 8, "stops"),
            "not borne out: the answer says “stops”, the page does not",
        ),
        (Gap(GapKind.SCOPE_WIDENED, 0, 0, ""), "made wider: the judge names no words"),
        (
            Gap(GapKind.DIRECTION, 0, 2, "more", "less"),
            "comparison turned round: the answer says “more”, the page says “less”",
        ),
    ],
)
def test_each_kind_is_told_in_plain_words(gap, said):
    assert gap_lines((gap,)) == (said,)


def test_every_kind_has_words():
    assert all(gap_lines((Gap(kind, 0, 1, "a", "b"),)) for kind in GapKind)


def test_a_word_that_the_claim_lacks_is_a_mark_where_it_would_stand():
    assert [part.text for part in pieces(TEXT, (HEDGE,))] == ["It", "‸", " stops at 45 km/h."]


@pytest.mark.parametrize(("start", "end"), [(-1, 3), (15, 99), (9, 4), (99, 99)])
def test_a_place_outside_the_claim_marks_nothing_and_is_told_all_the_same(view, start, end):
    html, line = shown(view, gaps=(Gap(GapKind.NAME, start, end, "Voltara", "Velmora"),))
    assert marked(TEXT, line.view.gaps) == []
    assert "name: the answer says “Voltara”, the page says “Velmora”" in html


def test_gaps_that_overlap_are_one_mark():
    gaps = (Gap(GapKind.UNIT, 12, 19, "45 km/h"), NUMBER, Gap(GapKind.MISSING, 14, 17, " km"))
    assert marked(TEXT, gaps) == ["45 km/h"]


places = st.integers(-3, 30)
gap = st.builds(
    Gap, st.sampled_from(GapKind), places, places, st.text(max_size=9), st.none() | st.text()
)


@given(st.text(max_size=25), st.lists(gap, max_size=8))
def test_no_place_that_a_judge_names_loses_or_adds_a_letter(text, gaps):
    assert "".join(p.text for p in pieces(text, gaps) if p.text != "‸") == text.replace("‸", "")
    gap_lines(gaps)


def test_hostile_words_in_a_gap_are_text(view):
    text = f"It is {SCRIPT}"
    gaps = (Gap(GapKind.NAME, 6, len(text), SCRIPT, "\u202e<img src=x onerror=y>"),)
    claims = (ClaimView(text, Support.PARTIAL, (), gaps), ClaimView(SCRIPT, Support.FULL))
    for html, _ in (shown(view, text=text, gaps=gaps), shown(view, text=text, claims=claims)):
        assert SCRIPT not in html
        assert "<img src=x" not in html
        assert "\u202e" not in html
        assert '<u class="gap">&lt;script&gt;alert(1)&lt;/script&gt;</u>' in html


def test_a_judge_that_finds_very_many_gaps_is_cut_short():
    many = [Gap(GapKind.NAME, 0, 1, f"name {n}") for n in range(SHOWN + 7)]
    lines = gap_lines(many)
    assert len(lines) == SHOWN + 1
    assert lines[-1] == "and 7 more"
    assert len(gap_lines((Gap(GapKind.NAME, 0, 1, "a" * 9_000),))[0]) < 200


def test_a_statement_of_several_claims_shows_the_one_that_fails(view):
    claims = (
        ClaimView("Motor assistance must stop.", Support.FULL),
        ClaimView(TEXT, Support.CONTRADICTED, ("number 45 against 54",), (NUMBER,), Votes(2, 3)),
    )
    html, line = shown(view, claims=claims, gaps=(NUMBER,))
    assert [one.word for one in line.claims] == ["supported", "contradicted"]
    assert [one.gaps for one in line.claims] == [(), gap_lines((NUMBER,))]
    # The claim says it; the statement does not say it once more, nor do the judge's reasons.
    assert (line.gaps, line.claims[1].why) == ((), "")
    listed = re.search(r'<ul class="claims">.*?</ul></li></ul>', html)[0]
    assert '<u class="gap">45</u>' in listed
    assert "2 of 3 votes" in listed


def test_votes_stand_beside_the_verdict_of_a_judge_that_votes(view):
    html, _ = shown(view, votes=Votes(2, 3))
    assert "2 of 3 votes" in html
    assert votes_words(None) == ""


def test_pages_read_alone_stand_beside_what_they_support_together(view):
    html, line = shown(
        view, support=Support.FULL, alone=((1, Support.FULL), (2, Support.UNSUPPORTED))
    )
    assert line.alone == ((1, "full", "supported"), (2, "unsupported", "not supported"))
    assert "Each page alone:" in html


def test_a_page_that_supports_and_is_not_cited_is_named_where_the_matrix_knows(view):
    html, _ = shown(view, elsewhere=(2,))
    assert "Supported as well by pages it does not cite:" in html


def test_an_uncited_claim_shows_where_it_leaves_the_baseline(view):
    lines = (ByBaselineView(TEXT, Support.CONTRADICTED, ("number 45 against 54",), (NUMBER,)),)
    html, line = shown(view, support=None, by_baseline=lines)
    assert line.by_baseline[0].gaps == (
        "number: the answer says “45”, the baseline says “54”",
    )  # fmt: skip
    assert '<u class="gap">45</u>' in html


def test_a_claim_of_the_baseline_says_what_answer_and_page_have_instead(view):
    claim = replace(
        view.captures[0].claims[0], stated=Support.PARTIAL, stated_gaps=(HEDGE,),
        evidence=Support.CONTRADICTED, evidence_gaps=(NUMBER,), evidence_page=1,
    )  # fmt: skip
    html = render_report(with_capture(view, claims=(claim,)))
    assert "caution lost: the answer says “may”, the baseline leaves it out" in html
    assert "number: the baseline says “45”, the page says “54”" in html


def words_missing(text, *words):
    """A gap for each of these words that is missing from the evidence."""
    found = [re.search(word, text) for word in words]
    return tuple(Gap(GapKind.MISSING, *one.span(), one[0]) for one in found)


FILLER = "This depends on a few details."


def test_a_claim_of_which_nothing_is_there_is_told_in_one_sentence(view):
    gaps = words_missing(FILLER, "depends", "few", "details")
    claim = ByBaselineView(FILLER, Support.UNSUPPORTED, ("not in evidence: few",), gaps)
    html, line = shown(view, support=None, by_baseline=(claim,))
    assert line.by_baseline[0].gaps == ("the baseline says nothing of it",)
    assert (line.by_baseline[0].text, line.by_baseline[0].why) == ((), "")
    assert "the answer says “few”" not in html
    html, line = shown(view, text=FILLER, support=Support.UNSUPPORTED, gaps=gaps)
    assert line.gaps == ("the page says nothing of it",)
    assert '<u class="gap">few</u>' not in html


def test_words_are_told_one_by_one_up_to_half_of_a_claim(view):
    # Six words: three gaps are half of them, four are more.
    half = words_missing(FILLER, "depends", "few", "details")
    _, line = shown(view, text=FILLER, gaps=half)
    assert line.gaps == gap_lines(half)
    _, line = shown(view, text=FILLER, gaps=(*half, *words_missing(FILLER, "This")))
    assert line.gaps == ("the page says little of it",)


def test_a_number_is_told_even_where_nothing_is_supported(view):
    gaps = (*words_missing(TEXT, "stops"), NUMBER)
    html, line = shown(view, support=Support.UNSUPPORTED, gaps=gaps)
    assert line.gaps == gap_lines((NUMBER,))
    assert 'It stops at <u class="gap">45</u>' in html
