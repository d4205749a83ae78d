"""Fluency by MAUVE: what is compared, what is said where something is missing."""

import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from monitor.errors import JudgeError
from monitor.judge import fluency as module
from monitor.judge.fluency import FeatureReader, fluency, fluency_text

WORDS = {"[UNK]": 0, "one": 1, "two": 2, "three": 3}
TABLE = np.asarray([[0, 0], [1, 0], [0, 2], [3, 3]], dtype=np.float32)


def write_model(folder, *, output="last_hidden_state", inputs=("input_ids", "attention_mask")):
    """A model whose hidden state of a token is its row of TABLE."""
    nodes = [helper.make_node("Gather", ["table", "input_ids"], [output])]
    made = [helper.make_tensor_value_info(n, TensorProto.INT64, [1, "n"]) for n in inputs]
    graph = helper.make_graph(
        nodes, "tiny", made,
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, "n", 2])],
        [helper.make_tensor("table", TensorProto.FLOAT, TABLE.shape, TABLE.flatten())],
    )  # fmt: skip
    folder.mkdir(exist_ok=True)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, str(folder / "model.onnx"))
    tokenizer = Tokenizer(WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def test_texts_are_cut_as_alce_cuts_them():
    assert fluency_text("Why?", " Because\nof rain!.. ") == "Why? Because of rain"
    assert len(fluency_text("q", "word " * 200).split()) == 100


def test_a_text_is_the_hidden_state_of_its_last_token(tmp_path):
    inputs = ("input_ids", "attention_mask", "position_ids", "token_type_ids")
    reader = FeatureReader(write_model(tmp_path / "m", inputs=inputs))
    assert reader.features(["one two", "two three", "", "zebra"]).tolist() == [
        [0, 2], [3, 3], [0, 0], [0, 0],
    ]  # fmt: skip


def test_both_sides_are_compared_with_one_fixed_seed(tmp_path, monkeypatch):
    seen = {}

    class Found:
        mauve = 0.25

    def compare(**given):
        seen.update(given)
        return Found

    monkeypatch.setattr(module, "_mauve", lambda: compare)
    assert fluency(write_model(tmp_path / "m"), ["one", "two"], ["three", "one"]) == 0.25
    assert seen["p_features"].tolist() == [[1, 0], [0, 2]]
    assert seen["q_features"].tolist() == [[3, 3], [1, 0]]
    assert (seen["seed"], seen["verbose"]) == (25, False)


def test_one_text_is_not_compared(tmp_path):
    with pytest.raises(JudgeError, match="two texts of each side"):
        fluency(tmp_path, ["one"], ["one"])


def test_without_the_extra_the_message_names_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mauve", None)
    with pytest.raises(
        JudgeError, match=r"needs the extra `mauve`.*-e '\.\[mauve\]'.*citation-monitor\[mauve\]"
    ):
        fluency(write_model(tmp_path / "m"), ["one", "two"], ["one", "two"])
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(JudgeError, match="needs the extra `mauve`"):
        FeatureReader(tmp_path)


def test_a_folder_without_a_model_says_what_is_missing(tmp_path):
    with pytest.raises(JudgeError, match=r"no model\.onnx"):
        FeatureReader(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(JudgeError, match=r"no tokenizer\.json"):
        FeatureReader(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(JudgeError, match="cannot be read"):
        FeatureReader(tmp_path)


def test_a_model_without_hidden_states_or_with_strange_inputs_is_refused(tmp_path):
    with pytest.raises(JudgeError, match="gives logits; expected last_hidden_state"):
        FeatureReader(write_model(tmp_path / "a", output="logits"))
    reader = FeatureReader(write_model(tmp_path / "b", inputs=("input_ids", "past")))
    with pytest.raises(JudgeError, match="wants past"):
        reader.features(["one"])
