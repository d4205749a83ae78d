"""Doors of a judge that is paid: what it may cost, who may ask it, and how to go on at a cap."""

import json
from pathlib import Path

import jsonschema
import pytest

from monitor.pipeline.judge_ledger import RunJudgeLedger
from tests.cli.test_run_door import PANEL
from tests.house import ROOT
from tests.paid import MANY, VERSION, grove, model, paid_bench

CONFIG = """\
store: {{database: "sqlite:///monitor.db", artifacts: artifacts}}
pages: {{fetch: false}}
engines: {{openai: {{base_url: "http://127.0.0.1:9", attempts: 1, per_minute: 60000}}}}
judge: {{name: {name}, llm: {{model: "{llm}", base_url: "{url}", per_minute: 60000}}}}
"""


@pytest.fixture
def server():
    with model() as running:
        yield running


@pytest.fixture
def run(server, tmp_path, monkeypatch):
    """A run that lacks nothing but its verdicts, in an installation whose judge is paid."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "prompt_panels").mkdir()
    (tmp_path / "prompt_panels" / "tea.yaml").write_text(PANEL, "utf-8")
    configured(server)
    with paid_bench(server, tmp_path, monkeypatch) as bench:
        return grove(bench).public_id


def configured(server, name="llm", llm="m-1"):
    text = CONFIG.format(name=name, llm=llm, url=server.url)
    Path("config.yaml").write_text(text, "utf-8")


def fits(kind, out):
    whole = json.loads((ROOT / "docs" / "schemas" / f"{kind}.schema.json").read_text("utf-8"))
    body = json.loads(out)
    jsonschema.Draft202012Validator(whole).validate(body)
    return body


def test_a_cap_ends_a_run_with_exit_code_3_and_resume_goes_on(run, server, call):
    code, out, said = call("resume", run, "--budget-calls", "2", "--json")
    body = fits("status", out)
    assert (code, body["state"], body["judge"]) == (3, "incomplete", VERSION)
    assert [(one["judge"], one["calls"]) for one in body["judges"]] == [(VERSION, 2)]
    assert f"once the cap named above is raised, `monitor resume {run}` goes on" in said
    assert call("resume", run)[0] == 3
    assert len(server.calls) == 2
    code, out, _ = call("resume", run, "--budget-calls", "100")
    assert (code, len(server.calls)) == (0, MANY)
    assert f"judge: {VERSION}" in out
    assert f"judge {VERSION}" in out


def test_a_dry_run_of_judging_again_counts_and_asks_nobody(run, server, call):
    assert call("resume", run, "--judge", "embedded")[0] == 0
    code, out, _ = call("rejudge", run, "--judge", "llm", "--dry-run")
    assert code == 0
    assert f"{MANY} verdicts of {VERSION} are not there yet" in out
    assert "USD at most by estimate" in out
    code, _, said = call("rescore", run, "--judge", "llm")
    assert (code, server.calls) == (3, [])
    assert f"{MANY} or more verdicts of {VERSION} are missing" in said
    assert "judged by embedded@" in call("rescore", run)[1]
    code, _, said = call("rejudge", run, "--judge", "llm", "--budget-calls", "1")
    assert (code, len(server.calls)) == (3, 1)
    assert "verdicts are pending: the next call to llm" in said
    code, out, _ = call("rejudge", run, "--budget-calls", "100")
    assert (code, out) == (0, f"{run}: judged by {VERSION} and scored\n")
    assert len(server.calls) == MANY


def test_another_version_of_the_judge_is_refused_by_every_stage(run, server, call):
    assert call("resume", run, "--budget-calls", "1")[0] == 3
    configured(server, llm="m-2")
    for command in ("resume", "rescore", "reparse", "rejudge"):
        code, _, said = call(command, run)
        assert (code, VERSION in said, "llm/openai/m-2@1" in said) == (2, True, True)
        assert "--judge llm to change it on purpose" in said
    assert len(server.calls) == 1


def test_a_judge_that_cannot_be_asked_is_named_by_check_and_run(run, server, call):
    configured(server, llm="")
    code, out, _ = call("check")
    assert (code, "config.yaml:4: judge.llm.model names no model" in out) == (2, True)
    code, _, said = call("run", "tea")
    assert (code, "judge.llm.model names no model" in said) == (2, True)


def test_a_dry_run_of_a_panel_tells_what_its_judge_may_cost(run, server, call):
    code, out, _ = call("run", "tea", "--dry-run")
    assert code == 0
    assert f"judge {VERSION}: about 36 calls" in out
    body = json.loads(call("run", "tea", "--dry-run", "--json")[1])
    assert (body["judge"]["calls"], body["judge"]["basis"][:16]) == (36, "no run to go by:")
    assert (
        json.loads(call("run", "tea", "--dry-run", "--json", "--judge", "embedded")[1])["judge"]
        is None
    )
    assert server.calls == []


def test_calls_of_the_judge_have_rows_of_their_own_in_the_spend_of_a_month(
    run, server, call, tmp_path, monkeypatch
):
    call("resume", run, "--budget-calls", "2")
    with paid_bench(server, tmp_path, monkeypatch) as bench:
        ledger = RunJudgeLedger(bench, VERSION, run_id=None)
        ledger.settle(ledger.reserve(10), 7)
    body = fits("spend", call("spend", "--json")[1])
    assert [(one["engine"], one["calls"]) for one in body["engines"]] == [(VERSION, 3)]
    assert {one["run"]: one["calls"] for one in body["runs"]} == {None: 1, run: 2}
    assert "no run" in call("spend")[1]
