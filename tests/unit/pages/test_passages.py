"""Passages: offsets that hold, ends at sentences, nothing lost, spaceless scripts."""

from itertools import pairwise

import pytest

from monitor.pages.passages import passages

SENTENCE = "The tide rose over the wall at nine. "  # 8 words


def test_offsets_are_code_points_of_the_text_and_nothing_overlaps():
    text = "Ünï 😀 code. " * 90 + "\n" + SENTENCE * 40
    found = passages(text)
    assert all(text[p.start : p.end] == p.text for p in found)
    assert [p.index for p in found] == list(range(len(found)))
    assert all(a.end <= b.start for a, b in pairwise(found))


def test_every_word_is_in_exactly_one_passage():
    text = SENTENCE * 40 + "One more\nheading\n\n" + "word " * 333
    joined = " ".join(p.text for p in passages(text))
    assert joined.split() == text.split()


def test_passages_end_with_sentences_of_about_a_hundred_words():
    found = passages(SENTENCE * 50)
    # 13 sentences of 8 words are the first multiple over 100: 104 words each.
    assert [len(p.text.split()) for p in found] == [104, 104, 104, 88]
    assert all(p.text.endswith("nine.") for p in found)


def test_a_sentence_longer_than_a_passage_is_cut_at_words():
    assert [len(p.text.split()) for p in passages("word " * 250)] == [100, 100, 50]


def test_a_long_sentence_starts_its_own_passage():
    text = SENTENCE * 5 + "word " * 95 + "."
    assert [len(p.text.split()) for p in passages(text)] == [40, 96]


def test_chinese_and_thai_are_measured_in_characters():
    text = "潮水在九点越过了城墙。" * 60
    found = passages(text)
    assert all(p.text.endswith("。") for p in found)
    assert all(150 <= len(p.text) <= 250 for p in found[:-1])
    assert len(passages("กำแพง" * 200)) >= 5


@pytest.mark.parametrize("text", ["", " \n\t ", "\n\n"])
def test_no_words_give_no_passages(text):
    assert passages(text) == ()


def test_one_endless_word_is_cut_too():
    found = passages("x" * 20_000)
    # 20,000 / 64 = 312.5 pieces: passages of 100, 100, 100 and 13 pieces.
    assert [len(p.text) for p in found] == [6400, 6400, 6400, 800]
