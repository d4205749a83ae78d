"""Byte spans of any text come back as the same words in code points."""

from hypothesis import given
from hypothesis import strategies as st

from monitor.engines.shapes.byte_spans import answer_of, locate
from monitor.engines.shapes.payload import clean_text

texts = st.text(st.characters(exclude_categories=()), min_size=1, max_size=60)


@st.composite
def cuts(draw):
    """A text of two parts, and a range of the second in code points and in bytes."""
    first, second = draw(texts), draw(texts)
    start = draw(st.integers(0, len(second) - 1))
    end = draw(st.integers(start + 1, len(second)))
    before, inside = (
        len(part.encode("utf-8", "surrogatepass")) for part in (second[:start], second[start:end])
    )
    return first, second, (start, end), (before, before + inside)


@given(cuts())
def test_a_stated_byte_range_covers_its_words_in_its_own_part(cut):
    first, second, (start, end), stated = cut
    found = locate(answer_of({0: first, 3: second}), stated, None, part=3)
    assert found == (len(first) + start, len(first) + end)


@given(cuts(), st.integers(-3, 3))
def test_a_shifted_range_still_finds_its_words(cut, shift):
    first, second, (start, end), (low, high) = cut
    answer = answer_of({0: first, 3: second})
    words = clean_text(second[start:end])
    found = locate(answer, (low + shift, high + shift), words, part=3)
    assert found is not None
    assert answer.text[found[0] : found[1]] == words


@given(texts, st.integers(-10, 300), st.integers(-10, 300))
def test_any_range_is_placed_inside_the_text_or_not_at_all(text, start, end):
    found = locate(answer_of({0: text}), (start, end), None)
    assert found is None or 0 <= found[0] < found[1] <= len(text)
