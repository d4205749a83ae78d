"""The measures of the support matrix on matrices small enough to count by hand; all made up."""

from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.assessment import Policy
from monitor.domain.claim import StatementKind, Support, Verdict
from monitor.domain.engine import Outcome
from monitor.domain.page import FetchStatus
from monitor.domain.score import MATRIX_MEASURES, Rate, Undefined, UndefinedReason
from monitor.engines import ENGINES
from monitor.scoring import MEASURES
from monitor.scoring.covers import EXACT_COLUMNS, smallest_cover
from monitor.scoring.support_matrix import (
    Cell,
    SupportMatrix,
    cited_support,
    source_necessity,
    support_matrix,
    thoroughness,
    uncited_sources,
    unsupported_statements,
)
from monitor.scoring.tally import tally
from tests.assessed import AGAINST, FULL, NO, PARTIAL, UNCLEAR, capture, page, statement

NO_BASELINE = Undefined(UndefinedReason.NO_BASELINE)
KINDS = {"s": Cell.SUPPORTS, ".": Cell.NOT, "?": Cell.UNKNOWN}


def matrix(*rows, **fields):
    """Rows as text: a cell is s (supports), . (does not) or ? (unknown), then * where cited."""
    cells = [[(KINDS[part[0]], part.endswith("*")) for part in row.split()] for row in rows]
    support = tuple(tuple(kind for kind, _ in row) for row in cells)
    cited = tuple(tuple(mark for _, mark in row) for row in cells)
    base = {
        "reasons": tuple(
            tuple("judge_unclear" if kind is Cell.UNKNOWN else "" for kind in row)
            for row in support
        ),
        "in_text": tuple(map(any, zip(*cited, strict=True))),
    }
    return SupportMatrix(support, cited, **(base | fields))


# Four statements, four pages: the seed's example, with what the pages say beside it.
#            p1  p2  p3  p4
SEED = matrix("s*  .   .   .",
              ".   s*  .*  .",
              ".   s   .   .*",
              ".   .   .   .")  # fmt: skip


def test_the_seed_s_example_by_hand():
    # Cited cells: (1,1) yes, (2,2) yes, (2,3) no, (3,4) no: 2 of 4.
    assert cited_support(SEED) == Rate(2, 4)
    # Supporting cells: (1,1) cited, (2,2) cited, (3,2) not cited: 2 of 3.
    assert thoroughness(SEED) == Rate(2, 3)
    # Statement 4 has no supporting page; statement 3 has one that it does not cite: 1 of 4.
    assert unsupported_statements(SEED) == Rate(1, 4)
    # Each page is cited somewhere: 0 of 4.
    assert uncited_sources(SEED) == Rate(0, 4)
    # Pages 1 and 2 support statements 1, 2 and 3, and neither alone does: 2 of 4.
    assert source_necessity(SEED) == Rate(2, 4)


def test_a_listed_page_that_nothing_cites_by_hand():
    #                   p1  p2  p3
    one = matrix("s*  s   .",
                 "s*  .   .")  # fmt: skip
    assert cited_support(one) == Rate(2, 2)
    assert thoroughness(one) == Rate(2, 3)
    assert uncited_sources(one) == Rate(2, 3)
    # Page 1 alone supports both.
    assert source_necessity(one) == Rate(1, 3)
    assert unsupported_statements(one) == Rate(0, 2)


def test_unknown_cells_open_the_bounds_by_hand():
    #             p1  p2  p3
    one = matrix("s*  ?   .",
                 ".*  ?*  .",
                 ".   .   .")  # fmt: skip
    # Cited: yes, no, unknown.
    assert cited_support(one) == Rate(1, 2, {"judge_unclear": 1})
    # Supporting: (1,1) cited; two cells may be supporting ones as well.
    assert thoroughness(one) == Rate(1, 1, {"judge_unclear": 2})
    # Statement 1 is supported, 2 hangs on page 2, 3 is not supported.
    assert unsupported_statements(one) == Rate(1, 2, {"judge_unclear": 1})
    # Page 1 is needed or page 2 in its place; statement 2 may need page 2 beside page 1.
    # At least 1, at most 2 of 3 pages.
    found = source_necessity(one)
    assert found == Rate(1, 2, {"judge_unclear": 1})
    assert (found.bounds.low, found.bounds.high) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_a_page_nobody_can_read_may_support_everything_or_nothing():
    #             p1  p2  p3
    one = matrix("s   .   ?",
                 ".   s   ?")  # fmt: skip
    # Page 3 may stand for both, or for neither: 1 to 2 of 3 pages.
    assert source_necessity(one) == Rate(1, 2, {"judge_unclear": 1})
    assert unsupported_statements(one) == Rate(0, 2)


def test_the_commonest_reason_stands_for_a_statement_whatever_the_order_of_pages():
    cells = matrix("? ? ?", reasons=(("paywalled", "robots", "robots"),))
    assert unsupported_statements(cells) == Rate(0, 0, {"robots": 1})
    turned = replace(cells, reasons=(("robots", "paywalled", "robots"),))
    assert unsupported_statements(turned) == Rate(0, 0, {"robots": 1})


def test_without_a_visible_page_all_is_unsupported_and_the_rest_undefined():
    one = SupportMatrix(((), ()), ((), ()), ((), ()), ())
    undefined = Undefined(UndefinedReason.NO_VISIBLE)
    assert unsupported_statements(one) == Rate(2, 2)
    assert {
        measure(one) for measure in (cited_support, thoroughness, uncited_sources, source_necessity)
    } == {undefined}


def test_where_no_page_is_tied_to_the_text_only_support_is_known():
    one = matrix("s .", ". ?", tied=False)
    assert cited_support(one) == Rate(0, 0, {"unmapped": 2})
    assert thoroughness(one) == Rate(0, 0, {"unmapped": 1, "judge_unclear": 1})
    assert uncited_sources(one) == Rate(0, 0, {"unmapped": 2})
    assert unsupported_statements(one) == Rate(0, 1, {"judge_unclear": 1})


def test_a_surface_without_a_list_tells_of_no_uncited_source():
    assert uncited_sources(replace(SEED, lists_sources=False)) == Undefined(
        UndefinedReason.NOT_EXPOSED
    )


def test_a_page_in_the_list_alone_is_uncited_where_a_surface_lists_its_sources():
    listed = (page("a.org/1"), page("b.org/1", span=False))
    cells = {(0, 0): FULL, (0, 1): NO}
    one = capture(listed, (statement(0, (0,), FULL),), matrix=cells, lists_sources=True)
    assert uncited_sources(support_matrix(one)) == Rate(1, 2)


def test_surfaces_that_list_sources_are_those_whose_payloads_have_a_list():
    assert {name for name, engine in ENGINES.items() if engine.lists_sources} == {
        "chatgpt_web", "gemini_app", "google_ai_mode", "google_ai_mode_dataforseo",
        "google_ai_mode_web", "google_ai_overview", "google_ai_overview_dataforseo",
        "google_ai_overview_web", "perplexity_web", "sandbox_chat",
    }  # fmt: skip


PAGES = (page("a.org/1"), page("b.org/1"), page("c.org/1", status=FetchStatus.PAYWALLED))
SAID = (
    statement(0, (0,), FULL),
    statement(1, (), kind=StatementKind.HEADING),
    statement(2, (1, 2), PARTIAL),
    statement(3),
)
VERDICTS = {
    (0, 0): FULL, (0, 1): PARTIAL, (2, 0): AGAINST, (2, 1): PARTIAL, (3, 0): FULL, (3, 1): UNCLEAR,
}  # fmt: skip


def test_a_capture_becomes_a_matrix_of_its_counted_statements():
    made = support_matrix(capture(PAGES, SAID, matrix=VERDICTS))
    assert made.support == (
        (Cell.SUPPORTS, Cell.NOT, Cell.UNKNOWN),
        (Cell.NOT, Cell.NOT, Cell.UNKNOWN),
        (Cell.SUPPORTS, Cell.UNKNOWN, Cell.UNKNOWN),
    )
    assert made.cited == ((True, False, False), (False, True, True), (False, False, False))
    assert made.reasons[0] == ("", "", "paywalled")
    assert made.reasons[2] == ("", "judge_unclear", "paywalled")
    # Partial is no support: cited cells are full, partial and unreadable.
    assert cited_support(made) == Rate(1, 2, {"paywalled": 1})


def test_a_verdict_that_nobody_gave_is_pending():
    made = support_matrix(capture(PAGES[:1], SAID[:1], matrix={}))
    assert made.reasons == (("pending",),)


def test_without_the_matrix_its_measures_are_undefined_and_all_others_are_as_with_it():
    plain = tally(capture(PAGES, SAID), NO_BASELINE, Policy()).measures
    held = tally(capture(PAGES, SAID, matrix=VERDICTS), NO_BASELINE, Policy()).measures
    reasons = {plain[name] for name in MATRIX_MEASURES}
    assert reasons == {Undefined(UndefinedReason.NOT_JUDGED)}
    assert {n: m for n, m in plain.items() if n not in MATRIX_MEASURES} == {
        n: m for n, m in held.items() if n not in MATRIX_MEASURES
    }
    assert held["matrix_unsupported_statements"] == Rate(0, 2, {"paywalled": 1})


def test_an_answer_that_is_none_has_no_matrix():
    told = tally(capture(outcome=Outcome.TRUNCATED), NO_BASELINE, Policy()).measures
    assert {told[name] for name in MATRIX_MEASURES} == {Undefined(UndefinedReason.NO_ANSWERED)}


def test_the_names_that_are_never_compared_are_those_of_the_section():
    section = {name for name, one in MEASURES.items() if one.section == "matrix"}
    assert section == MATRIX_MEASURES


def test_a_copy_of_a_page_is_a_column_of_its_own():
    # Both pages hold one text; either is enough, so one of two is needed.
    pages = (page("a.org/1", group="g"), page("b.org/1", group="g"))
    made = support_matrix(capture(pages, (SAID[0],), matrix={(0, 0): FULL, (0, 1): FULL}))
    assert source_necessity(made) == Rate(1, 2)


def brute(rows):
    """Size of the smallest set of columns that meets every row, by trying them all."""
    rows = [row for row in rows if row]
    bits = [1 << n for n in range(max(rows, default=0).bit_length())]
    return next(
        size
        for size in range(len(bits) + 1)
        if any(all(row & sum(chosen) for row in rows) for chosen in combinations(bits, size))
    )


@given(st.lists(st.integers(0, 255), max_size=12))
def test_a_cover_is_as_small_as_trying_all_sets_finds(rows):
    least = brute(rows)
    assert smallest_cover(rows) == (least, least)


def test_beyond_the_exact_size_both_ends_are_told():
    # 25 columns and a row for each pair: all columns but one are needed, 24.
    rows = [1 << a | 1 << b for a, b in combinations(range(EXACT_COLUMNS + 5), 2)]
    found = smallest_cover(rows)
    # Greedy takes 24. The 12 pairs that share no column are the better floor: H(24) = 3.776 gives
    # 24 / 3.776 = 6.4, so 7.
    assert found == (12, 24)
    size = EXACT_COLUMNS + 5
    wide = SupportMatrix(
        tuple(
            tuple(Cell.SUPPORTS if row >> n & 1 else Cell.NOT for n in range(size)) for row in rows
        ),
        ((False,) * size,) * len(rows),
        (("",) * size,) * len(rows),
        (True,) * size,
    )
    assert source_necessity(wide) == Rate(12, 13, {"not_exact": 12})


def test_twenty_columns_are_searched_in_full():
    # Five groups of four columns, each group with all its pairs: three of four a group, 15.
    rows = [
        1 << (4 * group + a) | 1 << (4 * group + b)
        for group in range(5)
        for a, b in combinations(range(4), 2)
    ]
    assert smallest_cover(rows) == (15, 15)


cells = st.sampled_from(tuple(Cell))
shapes = st.tuples(st.integers(1, 6), st.integers(1, 6))


@st.composite
def matrices(draw, kinds=cells):
    rows, columns = draw(shapes)
    row = st.tuples(*[st.tuples(kinds, st.booleans())] * columns)
    made = draw(st.tuples(*[row] * rows))
    why = st.sampled_from(["paywalled", "robots"])
    support = tuple(tuple(kind for kind, _ in one) for one in made)
    return SupportMatrix(
        support,
        tuple(tuple(mark for _, mark in one) for one in made),
        tuple(tuple(draw(why) if c is Cell.UNKNOWN else "" for c in one) for one in support),
        tuple(any(one[n][1] for one in made) for n in range(columns)),
    )


READ = (cited_support, thoroughness, unsupported_statements, uncited_sources, source_necessity)


@settings(max_examples=60)
@given(matrices(), st.randoms(use_true_random=False))
def test_the_order_of_statements_and_pages_changes_nothing(one, chance):
    rows, columns = list(range(len(one.support))), list(range(len(one.in_text)))
    chance.shuffle(rows)
    chance.shuffle(columns)

    def turned(part):
        return tuple(tuple(part[r][c] for c in columns) for r in rows)

    other = SupportMatrix(
        turned(one.support), turned(one.cited), turned(one.reasons),
        tuple(one.in_text[c] for c in columns),
    )  # fmt: skip
    assert [measure(one) for measure in READ] == [measure(other) for measure in READ]


@settings(max_examples=60)
@given(matrices(), st.randoms(use_true_random=False))
def test_bounds_hold_whatever_the_unknown_cells_turn_out_to_be(one, chance):
    known = (Cell.SUPPORTS, Cell.NOT)
    known_rows = tuple(
        tuple(chance.choice(known) if cell is Cell.UNKNOWN else cell for cell in row)
        for row in one.support
    )
    empty = tuple(("",) * len(one.in_text) for _ in one.support)
    settled = replace(one, support=known_rows, reasons=empty)
    for measure in READ:
        bounds, value = measure(one).bounds, measure(settled).value
        assert value is None or bounds.low - 1e-9 <= value <= bounds.high + 1e-9


def test_a_label_that_is_given_later_narrows_and_never_moves_out():
    unknown = capture(PAGES[:2], SAID[:1], matrix={(0, 0): UNCLEAR, (0, 1): NO})
    given_now = capture(PAGES[:2], SAID[:1], matrix={(0, 0): Verdict(Support.FULL), (0, 1): NO})
    assert cited_support(support_matrix(unknown)).bounds.high == 1
    assert cited_support(support_matrix(given_now)) == Rate(1, 1)
