"""What an inference model's files must be, and what is said where they are not."""

import json
import sys

import numpy as np
import pytest

from monitor.config.judging import NliPart
from monitor.domain.claim import Support
from monitor.errors import JudgeError
from monitor.judge.nli import nli_judge
from tests.unit.judge.tiny_nli import write_model

FERRY = "The ferry takes forty minutes."


@pytest.fixture
def folder(tmp_path):
    return write_model(tmp_path / "tiny")


def refused(model, **settings):
    """What is said of a model that cannot be used."""
    with pytest.raises(JudgeError) as told:
        nli_judge(NliPart(model=str(model), **settings)).verdict(FERRY, (FERRY,))
    return str(told.value)


def test_a_file_is_as_good_as_its_folder(folder):
    judge = nli_judge(NliPart(model=str(folder / "model.onnx")))
    assert judge.verdict(FERRY, (FERRY,)).support is Support.FULL
    assert judge.version.startswith("nli-model@")


def test_a_model_may_lie_in_a_folder_below_its_tokenizer(folder):
    (folder / "onnx").mkdir()
    (folder / "model.onnx").rename(folder / "onnx" / "model_int8.onnx")
    judge = nli_judge(NliPart(model=str(folder), file="onnx/model_int8.onnx"))
    assert judge.verdict(FERRY, (FERRY,)).support is Support.FULL


def test_weights_beside_a_large_model_are_part_of_its_version(folder):
    before = nli_judge(NliPart(model=str(folder))).version
    (folder / "model.onnx_data").write_bytes(b"weights")
    assert nli_judge(NliPart(model=str(folder))).version != before


def test_no_model_is_named():
    assert "judge.nli.model names no model" in refused("")


@pytest.mark.parametrize("model", ["/nowhere/tiny", "./nowhere", "a name", "nowhere.onnx"])
def test_a_model_that_is_not_there_is_named(model):
    assert f"{model}: no such folder or file" in refused(model)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("model.onnx", "model.onnx: no such file; judge.nli.file names"),
        ("tokenizer.json", "no tokenizer.json"),
        ("config.json", "no config.json"),
    ],
)
def test_a_missing_file_is_named(folder, name, words):
    (folder / name).unlink()
    assert words in refused(folder)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("model.onnx", "no ONNX model that loads"),
        ("tokenizer.json", "no tokenizer that loads"),
        ("config.json", "cannot be read as JSON"),
    ],
)
@pytest.mark.parametrize("content", [b"", b"\xff\xfe{", b"<html>"])
def test_a_broken_file_is_named(folder, name, words, content):
    (folder / name).write_bytes(content)
    assert words in refused(folder)


@pytest.mark.parametrize(
    "named",
    [
        None,
        {},
        [],
        {"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"},
        {"0": "entailment"},
        {"0": "entailment", "1": "entailment"},
        {"0": "neutral", "1": "contradiction"},
        {"0": "entailment", "1": "neutral", "2": "neutral"},
        {"0": "entailment", "2": "neutral"},
        {"0": "entailment", "1": "neutral", "2": "contradiction", "3": "other"},
    ],
)
def test_labels_that_say_nothing_are_refused_with_what_to_write(folder, named):
    (folder / "config.json").write_text(json.dumps({"id2label": named}))
    said = refused(folder)
    assert "id2label" in said
    assert '{"0": "entailment", "1": "neutral", "2": "contradiction"}' in said


def test_more_outputs_than_labels_are_refused(tmp_path):
    folder = write_model(
        tmp_path / "m",
        labels=("not_entailment", "entailment"),
        outputs=("entailment", "neutral", "contradiction"),
    )
    assert "shape (1, 3); expected one row for each pair with 2 numbers" in refused(folder)


def test_inputs_of_another_kind_are_refused(tmp_path):
    made = write_model(tmp_path / "m", inputs=("input_ids", "pixel_values"))
    assert "its inputs are input_ids, pixel_values; expected input_ids" in refused(made)


def test_numbers_that_are_none_are_refused(folder):
    class Broken:
        def run(self, _, fed):
            return [np.full((len(fed["input_ids"]), 3), np.nan)]

    judge = nli_judge(NliPart(model=str(folder)))
    object.__setattr__(judge.network, "session", Broken())
    with pytest.raises(JudgeError, match="no numbers"):
        judge.verdict(FERRY, (FERRY,))


def test_a_tokenizer_of_another_model_is_named(folder):
    class Fails:
        def run(self, *_):
            raise RuntimeError("indices element out of data bounds")

    judge = nli_judge(NliPart(model=str(folder)))
    object.__setattr__(judge.network, "session", Fails())
    with pytest.raises(JudgeError, match=r"out of data bounds.*does tokenizer\.json belong"):
        judge.verdict(FERRY, (FERRY,))


@pytest.mark.parametrize("library", ["onnxruntime", "tokenizers"])
def test_a_missing_extra_is_named(folder, monkeypatch, library):
    monkeypatch.setitem(sys.modules, library, None)
    said = refused(folder)
    assert f"judge nli needs the extra `nli` ({library} is not installed)" in said
    assert "-e '.[nli]'`" in said
    assert "pip install 'citation-monitor[nli]'" in said


# --- the hub ---


def test_a_name_of_the_hub_is_fetched_once(folder, monkeypatch):
    asked = []

    def fetched(*, local_files_only=False, **wanted):
        asked.append((local_files_only, wanted))
        if local_files_only and len(asked) == 1:
            raise OSError("not here yet")
        return str(folder)

    monkeypatch.setattr("huggingface_hub.snapshot_download", fetched)
    for _ in range(2):
        judge = nli_judge(NliPart(model="owner/small-nli@v1"))
    assert judge.version.startswith("nli-owner-small-nli@1.")
    assert [local for local, _ in asked] == [True, False, True]
    assert asked[0][1] == {
        "repo_id": "owner/small-nli",
        "revision": "v1",
        "allow_patterns": [
            "model.onnx", "model.onnx_data", "model.onnx.data", "tokenizer.json", "config.json",
            "tokenizer_config.json",
        ],
    }  # fmt: skip


def test_a_hub_out_of_reach_is_told_without_an_address(monkeypatch):
    def away(**_):
        raise ConnectionError("https://hub.example/secret?token=abc")

    monkeypatch.setattr("huggingface_hub.snapshot_download", away)
    said = refused("owner/model")
    assert "owner/model: neither a folder here nor to be had from the hub (ConnectionError)" in said
    assert "token" not in said


def test_the_hubs_client_may_be_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert "huggingface_hub is not installed" in refused("owner/model")


def test_settings_without_end_are_named(tmp_path):
    write_model(tmp_path)
    (tmp_path / "config.json").write_text("[" * 100_000, "ascii")
    with pytest.raises(JudgeError, match="cannot be read as JSON"):
        nli_judge(NliPart(model=str(tmp_path)))
