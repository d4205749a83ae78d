"""Statements and the citations behind them; every answer here is synthetic."""

import re

import pytest

from monitor.claims import statements
from monitor.domain.claim import StatementKind
from monitor.domain.engine import Citation, Outcome, Reading, Role, Span, SpanKind


def marked(text, *, sources=4, pattern=r"\[(\d{1,3})\](?!\()"):
    """A reading whose single-number markers point at source 1, 2, ... in list order."""
    spans = {number: [] for number in range(1, sources + 1)}
    for found in re.finditer(pattern, text):
        if int(found[1]) in spans:
            spans[int(found[1])].append(Span(*found.span(), SpanKind.MARKER))
    return reading(text, *spans.values())


def reading(text, *spans, role=Role.DISPLAYED):
    cited = tuple(
        Citation(f"https://s{n}.example/", None, role, len(some), tuple(some))
        for n, some in enumerate(spans, 1)
    )
    return Reading(Outcome.ANSWERED, text=text, citations=cited)


def over(text, part, kind=SpanKind.MARKER):
    start = text.index(part)
    return Span(start, start + len(part), kind)


def told(answer):
    return [(one.text, one.citations) for one in statements(answer)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Ann is 40 [1]. Bob is 50 [2].", [("Ann is 40.", (0,)), ("Bob is 50.", (1,))]),
        ("Ann is 40.[1] Bob is 50.[2]", [("Ann is 40.", (0,)), ("Bob is 50.", (1,))]),
        ("Ann is 40. [1] Bob is 50. [2][3]", [("Ann is 40.", (0,)), ("Bob is 50.", (1, 2))]),
        ("Ann is 40 [1][1][2].", [("Ann is 40.", (0, 1))]),
        ("Ann is 40 [1] and Bob 50 [2].", [("Ann is 40 and Bob 50.", (0, 1))]),
        ("Ann is 40.\n[1]\nBob is 50.", [("Ann is 40.", (0,)), ("Bob is 50.", ())]),
        ("- Ann is 40 [1]\n- Bob is 50 [2]", [("Ann is 40", (0,)), ("Bob is 50", (1,))]),
        ("**Ann** is _40_ `x` [1].", [("Ann is 40 x.", (0,))]),
        ("安今年四十岁[1]。鲍勃五十岁[2]。", [("安今年四十岁。", (0,)), ("鲍勃五十岁。", (1,))]),
        ("```\nx = a[1]\n```\nAnn is 40 [2].", [("Ann is 40.", (1,))]),
        ("Ann is 40 [1].\n\n[1]: https://s1.example/", [("Ann is 40.", (0,))]),
        ("Ann lives\nin Rome [1].", [("Ann lives in Rome.", (0,))]),
    ],
)
def test_a_marker_belongs_to_the_text_before_it(text, wanted):
    assert told(marked(text)) == wanted


def test_a_group_has_all_its_citations_by_its_spans():
    text = "Ann is 40 [1, 2]. Bob is 50 [3-4]."
    spans = [
        [over(text, "[1, 2]")],
        [over(text, "[1, 2]")],
        [over(text, "[3-4]")],
        [over(text, "[3-4]")],
    ]
    assert told(reading(text, *spans)) == [("Ann is 40.", (0, 1)), ("Bob is 50.", (2, 3))]


def test_a_range_without_spans_is_read_by_what_its_numbers_mean_elsewhere():
    answer = marked("A stone [1]. B stone [2]. C stone [3]. All are stones [1-3].")
    assert statements(answer)[-1].citations == (0, 1, 2)


@pytest.mark.parametrize(
    ("text", "unmapped"),
    [
        ("Ann is 40 [1][9].", 1),
        ("Ann is 40 [7, 9].", 2),
        ("Ann is 40 【9†source】.", 1),
        ("Ann was born in [1984].", 0),
        ("Ann is 40 [sic].", 0),
        ("The flat has 40 m² of floor.", 0),
    ],
)
def test_markers_without_a_citation_are_counted(text, unmapped):
    assert sum(one.unmapped for one in statements(marked(text))) == unmapped


def test_superscripts_are_markers_behind_words_and_stay_behind_units():
    text = "Ann is tall.¹ The flat has 40 m²."
    answer = reading(text, [over(text, "¹")])
    assert told(answer) == [("Ann is tall.", (0,)), ("The flat has 40 m².", ())]


def test_a_lenticular_marker_is_removed_and_attached():
    text = "Ann is 40.【1†source】 Bob is 50."
    assert told(reading(text, [over(text, "【1†source】")])) == [
        ("Ann is 40.", (0,)),
        ("Bob is 50.", ()),
    ]


def test_a_round_link_behind_the_stop_belongs_to_the_sentence_before():
    link = "([a.example](https://a.example/x_(y)?utm_source=z))"
    text = f"Ann is 40. {link} Bob is 50."
    assert told(reading(text, [over(text, link)])) == [("Ann is 40.", (0,)), ("Bob is 50.", ())]


def test_a_boxed_link_is_a_marker():
    text = "**Ann is 40.**[[1]](https://a.example/) Bob is 50."
    assert told(reading(text, [over(text, "[[1]](https://a.example/)")]))[0] == ("Ann is 40.", (0,))


def test_a_link_in_the_prose_keeps_its_words():
    text = "The [city council](https://a.example/) voted. See ![x](https://b.example/i.png) there."
    assert [one.text for one in statements(reading(text))] == [
        "The city council voted.",
        "See there.",
    ]


def test_a_link_of_a_displayed_citation_without_span_is_found_by_its_address():
    text = "Ann is 40 [a.example](https://s1.example/)."
    assert told(reading(text, [])) == [("Ann is 40.", (0,))]


def test_a_link_that_the_engine_does_not_show_as_a_source_supports_nothing():
    text = "Ann is 40 [1]."
    assert told(reading(text, [over(text, "[1]")], role=Role.LINK)) == [("Ann is 40.", ())]


def test_a_claim_span_reaches_every_statement_it_covers():
    text = "Ann is 40. Bob is 50. Cy is 60."
    answer = reading(text, [over(text, "Ann is 40. Bob is 50", SpanKind.CLAIM)])
    assert [one.citations for one in statements(answer)] == [(0,), (0,), ()]


def test_a_span_of_a_few_words_reaches_the_statement_that_holds_them():
    text = "Ann is forty years old and lives in Rome. Bob is 50."
    answer = reading(text, [over(text, "forty years", SpanKind.CLAIM)])
    assert [one.citations for one in statements(answer)] == [(0,), ()]


def test_a_block_span_that_only_grazes_a_statement_does_not_reach_it():
    text = "Ann is forty years old. Bob is fifty years old."
    answer = reading(text, [over(text, "Ann is forty years old. Bob", SpanKind.BLOCK)])
    assert [one.citations for one in statements(answer)] == [(0,), ()]


def test_a_table_row_is_one_statement_with_a_claim_for_each_cell():
    answer = marked("| City | Size | Age |\n|---|---|---|\n| Rome | 10 [1] | 20 |")
    row = statements(answer)[1]
    assert (row.text, row.citations) == ("Rome: Size 10; Age 20", (0,))
    assert [claim.text for claim in row.claims] == ["Rome: Size 10", "Rome: Age 20"]


def test_a_short_list_item_is_claimed_with_the_line_that_introduces_it():
    answer = marked("Common side effects include:\n- Muscle pain [1]\n- Headache")
    assert [claim.text for one in statements(answer) for claim in one.claims] == [
        "Common side effects include Muscle pain",
        "Common side effects include Headache",
    ]


def test_full_clauses_are_claims_of_their_own():
    one = statements(marked("Ann is 40 years old, and the house was built in 1990 [1]."))[0]
    assert [claim.text for claim in one.claims] == [
        "Ann is 40 years old",
        "the house was built in 1990.",
    ]


def test_a_list_of_nouns_is_not_cut():
    one = statements(marked("The house has a roof, and a door, and two windows [1]."))[0]
    assert len(one.claims) == 1


def test_offsets_lead_back_into_the_answer():
    text = "Intro.\n\n- **Ann** is 40 [1], and the house is old.\n"
    one = statements(marked(text))[1]
    assert text[one.start : one.end] == "Ann** is 40 [1], and the house is old."
    assert [text[c.start : c.end] for c in one.claims] == ["Ann** is 40", "the house is old."]


def test_claims_are_numbered_through_the_answer():
    answer = marked("# Title\nAnn is 40.\nBob is 50; the house is old.")
    claims = [claim for one in statements(answer) for claim in one.claims]
    assert [(claim.index, claim.statement) for claim in claims] == [(0, 1), (1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("## Side effects", StatementKind.HEADING),
        ("**Side effects**", StatementKind.HEADING),
        ("Local and Municipal Issues", StatementKind.HEADING),
        ("Would you like to know more?", StatementKind.QUESTION),
        ("Here are the main points:", StatementKind.TRANSITION),
        ("Common side effects include:", StatementKind.TRANSITION),
        ("I can look up more.", StatementKind.TRANSITION),
        ("In summary, statins are safe for most.", StatementKind.SUMMARY),
        ("Overall, the choice depends on taste.", StatementKind.SUMMARY),
        ("Overall, sales rose 5% in 2024.", StatementKind.CLAIM),
        ("I think the second one is nicer.", StatementKind.OPINION),
        ("Consult your doctor before stopping.", StatementKind.ADVICE),
        ("You should drink more water.", StatementKind.ADVICE),
        ("Contact lenses are worn on the eye.", StatementKind.CLAIM),
        ("Use of statins is common.", StatementKind.CLAIM),
        ("Statins lower cholesterol.", StatementKind.CLAIM),
        ("1889", StatementKind.CLAIM),
    ],
)
def test_the_kind_says_whether_a_source_may_be_asked_for(line, kind):
    assert statements(marked(line))[0].kind is kind


def test_a_cited_line_without_a_verb_is_a_claim():
    assert statements(marked("Gustave Eiffel [1]"))[0].kind is StatementKind.CLAIM


def test_an_unanswered_reading_has_no_statements():
    assert statements(Reading(Outcome.NO_ANSWER, "declined")) == ()


@pytest.mark.parametrize(
    "noise", ["[" * 50_000, "[x](" * 20_000, "(" * 50_000, "|" * 50_000, "*_" * 25_000]
)
def test_hostile_text_is_read_quickly(noise):
    assert len(statements(marked(f"{noise} end."))) <= 1
