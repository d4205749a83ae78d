"""Stems and numbers as the judge compares them."""

import pytest

from monitor.judge.embedded.words import read_words, stem


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("1,000 and 1.5k", ("#1000", "and", "#1500")),
        ("3.7 million euros", ("#3700000", "euro")),
        ("40% or 40 percent", ("#40", "percent", "or", "#40", "percent")),
        ("$5", ("dollar", "#5")),
        ("twenty-five", ("#25",)),
        ("three million", ("#3000000",)),
        ("10–15 mg", ("#10", "#15", "milligram")),
        ("the 20th of May", ("the", "#20", "of", "may")),
        ("version 2.3.1", ("version", "2.3.1")),
        ("the U.S. and the US", ("the", "usa", "and", "the", "usa")),
        ("fine [4] [ edit ] text [1, 2]", ("fine", "text")),
        ("东京都", ("东京", "京都")),
        ("", ()),
    ],
)
def test_texts_are_read_as_stems_and_values(text, stems):
    assert read_words(text).stems == stems


@pytest.mark.parametrize(
    "family",
    [
        ("increase", "increases", "increased", "increasing"),
        ("study", "studies"),
        ("stop", "stopped", "stopping"),
        ("rise", "rose", "risen"),
    ],
)
def test_forms_of_a_word_share_a_stem(family):
    assert len({stem(word) for word in family}) == 1


def test_noting_is_not_a_denial():
    assert stem("noting") != "not"


def test_offsets_lead_back_to_the_text():
    text = "Norde grew by 3.7 million."
    words = read_words(text)
    assert [text[a:b] for a, b in zip(words.starts, words.ends, strict=True)] == [
        "Norde",
        "grew",
        "by",
        "3.7 million",
    ]
