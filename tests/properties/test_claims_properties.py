"""Cutting an answer never fails, and its offsets always lie in the answer."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.claims import answer_format, sentences, statements
from monitor.domain.engine import Citation, Outcome, Reading, Role, Span, SpanKind

PIECES = st.sampled_from(
    [
        "Ann is 40", ".", " ", "\n", "[1]", "[1, 2]", "[2-5]", "**", "- ", "| a | b |\n", "|---|---|\n", "# ",
        "```", "(", ")", "![x](y)", "[w](https://s.example/)", "【1†s】", "¹", "。", "今天", "?", "e.g. ", "\r\n", "_", "<br>", "\\",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=4), min_size=1, max_size=30).map("".join)
KINDS = st.sampled_from(list(SpanKind))


@st.composite
def readings(draw):
    text = draw(TEXTS.filter(lambda text: bool(text.strip())))
    ends = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))
    pairs = draw(st.lists(st.tuples(ends, KINDS), max_size=5))
    cited = tuple(
        Citation(f"https://s{n}.example/", None, Role.DISPLAYED, 1, (Span(min(at), max(at), kind),))
        for n, (at, kind) in enumerate(pairs)
    )
    return Reading(Outcome.ANSWERED, text=text, citations=cited)


@settings(max_examples=150, deadline=None)
@given(readings())
def test_statements_lie_in_the_answer_in_order(reading):
    made = statements(reading)
    assert [one.index for one in made] == list(range(len(made)))
    assert all(0 <= one.start < one.end <= len(reading.text) for one in made)
    assert all(a.end <= b.start for a, b in pairwise(made))
    assert all(0 <= n < len(reading.citations) for one in made for n in one.citations)


@settings(max_examples=100, deadline=None)
@given(readings())
def test_claims_lie_in_their_statement(reading):
    for one in statements(reading):
        assert all(one.start <= claim.start < claim.end <= one.end for claim in one.claims)
        assert all(claim.text.strip() for claim in one.claims)
    assert answer_format(reading) is not None


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_sentences_leave_no_word_out(text):
    covered = "".join(text[start:end] for start, end in sentences(text))
    assert "".join(covered.split()) == "".join(text.split())
