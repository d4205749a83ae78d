"""Replies of a model that no schema holds back: every value may be of any kind, size or script."""

import json

import pytest

from monitor.judge.llm.evidence import dossier
from monitor.judge.llm.forms import plain, read_lines
from monitor.judge.llm.interface import MOST_TOKENS, Rung, count_of
from monitor.judge.llm.quoting import find_quote
from monitor.judge.llm.replies import read_opinion

PAGE = "Green tea is best at 80 degrees."
ABOUT = dossier("Green tea is best at 90 degrees.", (PAGE,), words=100)


def opinion(*unsupported):
    said = {"why": "so", "quote": PAGE, "score": 0.5, "label": "partial"}
    text = json.dumps(said | {"unsupported": list(unsupported)})
    return read_opinion(text, Rung.OBJECT, ABOUT)


@pytest.mark.parametrize("kind", [["number"], {"number": 1}, None, 5, "", "numbers"])
def test_a_kind_that_is_no_word_of_ours_only_loses_its_part(kind):
    sound = {"part": "90", "kind": "number", "evidence_says": "80"}
    (gap,) = opinion({"part": "degrees", "kind": kind, "evidence_says": ""}, sound).gaps
    assert (gap.claimed, gap.source) == ("90", "80")


@pytest.mark.parametrize("mark", ["\u200b", "\u00ad", "\u2060", "\ufeff"])
def test_invisible_characters_make_no_quote_of_a_letter(mark):
    assert list(find_quote(f"e{mark * 9}", PAGE)) == []


def test_words_of_a_model_are_text_that_can_be_written():
    assert plain("so \ud800\x1b[31m\u061c\u202eit is").encode() == b"so [31m it is"


def test_a_reply_of_very_many_lines_is_read():
    found = read_lines("WHY: so\n" + "so\n" * 200_000 + "LABEL: unsupported")
    assert (len(found["why"]), found["label"]) == (3 * 200_001 - 1, "unsupported")


@pytest.mark.parametrize("given", [MOST_TOKENS + 1, -1, True, 1.0, "7", None])
def test_a_count_that_no_model_reaches_is_none(given):
    assert count_of({"n": given}, "n") is None
    assert 90 * MOST_TOKENS < 2**31
    assert count_of({"n": MOST_TOKENS}, "n") == MOST_TOKENS
