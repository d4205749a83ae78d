"""The passages of a long page that are nearest to a claim."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.judge.embedded.passages import best_windows

FILLER = " ".join(f"Stall {n} sells bread, cheese and flowers in spring." for n in range(60))
PAGE = (
    f"Harbour museum. {FILLER}\n\nThe rope factory was turned into a museum by Mira Stolz in 1987."
    f" It cost 3.7 million euros.\n\n{FILLER} The rope was made of hemp from Norde."
)
CLAIM = "Mira Stolz turned the rope factory into a museum, and the rope was hemp."


def test_the_sentences_that_hold_a_claim_are_found_in_text_order():
    found = [PAGE[start:end] for start, end in best_windows(CLAIM, PAGE, words=40)]
    together = " | ".join(found)
    assert "Mira Stolz in 1987." in together
    assert "hemp from Norde." in together
    assert together.index("Mira Stolz") < together.index("hemp")
    assert sum(len(one.split()) for one in found) <= 40


def test_a_text_that_fits_is_given_whole():
    assert best_windows(CLAIM, "The rope was hemp.", words=40) == ((0, 18),)


def test_a_text_that_shares_nothing_gives_its_beginning():
    ((start, _),) = best_windows("Zeppelins fly.", FILLER, words=12)
    assert start == 0


def test_a_sentence_longer_than_the_limit_is_cut():
    ((start, end),) = best_windows("hemp", "hemp " * 500, words=5)
    assert (start, end) == (0, 24)


def test_no_words_give_no_window():
    assert best_windows(CLAIM, "", words=40) == ()
    assert best_windows(CLAIM, " ... ", words=40) == ()


WORDS = st.sampled_from(
    [
        "Rope",
        "museum",
        "1987",
        "hemp",
        "of",
        "Norde.",
        "[3]",
        "sells\n东京的",
        "bread,",
        "U.S.",
        "3.7",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(WORDS, max_size=60).map(" ".join), st.integers(1, 30))
def test_windows_are_apart_in_order_and_within_the_limit(text, words):
    found = best_windows(CLAIM, text, words=words)
    assert all(start < end for start, end in found)
    assert all(one[1] <= two[0] for one, two in pairwise(found))
    assert sum(len(text[start:end].split()) for start, end in found) <= words
