"""`monitor run --json`: programs read standard output, remarks are for people."""

import json

import pytest

from monitor.cli import main

PANEL = """\
panel: tea
version: 1
locale: en-GB
engines: [openai, gemini]
prompts:
  - {id: black, text: "How hot?"}
"""
CONFIG = """\
store: {database: "sqlite:///monitor.db", artifacts: artifacts}
pages: {fetch: false}
engines: {openai: {base_url: "http://127.0.0.1:9", attempts: 1}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An installation with one panel, and a key for one of its two engines."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("GEMINI_API_KEY_FILE", raising=False)
    (tmp_path / "prompt_panels").mkdir()
    (tmp_path / "prompt_panels" / "tea.yaml").write_text(PANEL, "utf-8")
    (tmp_path / "config.yaml").write_text(CONFIG, "utf-8")
    return tmp_path


def called(*words):
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    return stop.value.code


@pytest.mark.usefixtures("folder")
def test_a_run_prints_one_json_object_and_its_remarks_elsewhere(capsys):
    assert called("run", "tea", "--json", "--slot", "2026-01") == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["engines"]["openai"]["outcomes"] == {"error/network": 3}
    assert "skipped gemini: no key" in said.err


@pytest.mark.usefixtures("folder")
def test_an_incomplete_run_prints_one_json_object_too(capsys):
    assert called("run", "tea", "--json", "--slot", "2026-01", "--budget-calls", "0") == 3
    said = capsys.readouterr()
    assert json.loads(said.out)["state"] == "incomplete"
    assert "not captured: openai capture " in said.err
    assert "`monitor resume run:tea:2026-01` goes on" in said.err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("command", ["reparse", "rejudge", "rescore"])
def test_a_stage_again_says_what_it_did(command, capsys):
    called("run", "tea", "--json", "--slot", "2026-01")
    capsys.readouterr()
    assert called(command, "run:tea:2026-01") == 0
    said = capsys.readouterr().out
    assert said.startswith("run:tea:2026-01: ")
    assert said.endswith("judged by embedded@2 and scored\n")
