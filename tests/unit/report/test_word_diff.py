"""Texts word by word: a longest common subsequence, whatever the texts are."""

from hypothesis import given
from hypothesis import strategies as st

from monitor.report.word_diff import MOST_WORDS, Kept, shared_places, word_diff

WORDS = st.lists(st.sampled_from("abcd"), max_size=14)


def longest(old, new):
    """Length of a longest common subsequence, by the table that textbooks have."""
    table = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i, one in enumerate(old):
        for j, other in enumerate(new):
            kept = table[i][j] + 1 if one == other else max(table[i][j + 1], table[i + 1][j])
            table[i + 1][j + 1] = kept
    return table[-1][-1]


@given(WORDS, WORDS)
def test_what_is_common_is_in_both_in_order_and_as_long_as_can_be(old, new):
    pairs = shared_places(old, new)
    assert all(old[i] == new[j] for i, j in pairs)
    assert pairs == sorted(pairs)
    assert len({i for i, _ in pairs}) == len({j for _, j in pairs}) == len(pairs)
    assert len(pairs) == longest(old, new)


@given(st.text(max_size=60), st.text(max_size=60))
def test_each_text_can_be_read_from_the_pieces(before, after):
    pieces = word_diff(before, after).pieces
    sides = {
        Kept.BEFORE: "".join(p.text for p in pieces if p.kept is not Kept.AFTER).split(),
        Kept.AFTER: "".join(p.text for p in pieces if p.kept is not Kept.BEFORE).split(),
    }
    assert sides == {Kept.BEFORE: before.split(), Kept.AFTER: after.split()}


def test_pieces_of_a_small_change():
    found = word_diff("the oak grows slowly", "the elm grows slowly now")
    assert [(p.kept.value, p.text.strip()) for p in found.pieces] == [
        ("both", "the"),
        ("before", "oak"),
        ("after", "elm"),
        ("both", "grows slowly"),
        ("after", "now"),
    ]
    assert found.left_out == 0


def test_what_is_too_long_is_cut_and_said():
    """Like words alone are the worst case of other ways to compare."""
    found = word_diff("x " * (MOST_WORDS + 7), "x y " * MOST_WORDS)
    assert found.left_out == 7 + MOST_WORDS
    assert sum(p.text.count("x") for p in found.pieces if p.kept is Kept.BOTH) == MOST_WORDS // 2
