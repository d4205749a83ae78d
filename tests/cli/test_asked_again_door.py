"""Doors of a judge whose replies nobody could use: they say so, and ask anew where that is wanted."""

import json
from pathlib import Path

import pytest

from tests import misbehaving
from tests.cli.test_paid_doors import configured
from tests.cli.test_run_door import PANEL
from tests.evaluated import table
from tests.misbehaving import CLAIM, PAGE, judges, says
from tests.paid import MANY, VERSION, grove, paid_bench

CONFIG = """\
judge:
  name: {name}
  llm: {{model: m-1, base_url: "{url}", concurrency: 1, input_micros: 1000000, output_micros: 2000000}}
"""


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server that says hello, and settings that name it."""
    monkeypatch.chdir(tmp_path)
    with misbehaving.Server(says("hello")).running() as running:
        settings(running)
        yield running


def settings(server, name="llm"):
    Path("config.yaml").write_text(CONFIG.format(name=name, url=server.url), "utf-8")


def rows(count=2):
    asked = [{"id": n, "claim": f"{CLAIM} {n}", "passages": [PAGE]} for n in range(count)]
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, asked)), "utf-8")
    return "rows.jsonl"


def test_rows_without_a_usable_reply_end_with_exit_code_3_and_are_asked_anew(server, call):
    file = rows()
    code, out, said = call("judge", file)
    assert (code, out.count("judge_error"), len(server.calls)) == (3, 2, 6)
    assert said.startswith(
        "2 verdicts are judge_error, most often invalid_reply (reply: got 'hello'; expected lines, "
        "the last of them LABEL: and a label); the same command with --again asks anew for 0.0"
    )
    server.moves = [judges()]
    assert call("judge", file)[0] == 3
    assert len(server.calls) == 6
    code, out, said = call("judge", file, "--again")
    assert (code, out.count('"full"'), said, len(server.calls)) == (0, 2, "", 8)
    assert call("judge", file)[0] == 0
    assert len(server.calls) == 8


def test_the_judge_of_the_settings_judges_and_a_free_one_needs_no_store(server, call):
    file = rows(1)
    server.moves = [judges()]
    assert json.loads(call("judge", file)[1])["judge"] == VERSION
    assert json.loads(call("judge", file, "--judge", "embedded")[1])["judge"].startswith(
        "embedded@"
    )


@pytest.mark.parametrize("name", ["embedded", "auto"])
def test_a_free_judge_makes_no_store(name, server, call):
    Path("config.yaml").write_text(f"judge: {{name: {name}}}\n", "utf-8")
    code, out, _ = call("judge", rows(1))
    assert (code, json.loads(out)["judge"][:9]) == (0, "embedded@")
    assert call("judge", "rows.jsonl", "--config", "config.yaml")[0] == 0
    assert not Path("data").exists()


def test_an_evaluation_says_what_was_paid_now(server, call):
    file = "t.csv"
    Path(file).write_text(table((CLAIM, [PAGE])), "utf-8", newline="")
    code, _, said = call("evaluate", file, "--out", "out")
    assert (code, len(server.calls)) == (3, 4)
    assert "1 verdict is judge_error, because of invalid_reply" in said
    assert "the same command with --again asks anew for 0.0" in said
    server.moves = [judges()]
    code, out, _ = call("evaluate", file, "--out", "out")
    assert (code, len(server.calls)) == (3, 4)
    assert "0 of them given now for 0.0000 USD" in out
    code, out, said = call("evaluate", file, "--out", "out", "--again")
    assert (code, len(server.calls), "judge_error" in said) == (0, 5, False)
    assert "1 verdicts, 1 of them given now for 0.0001 USD" in out
    code, out, _ = call("evaluate", file, "--out", "elsewhere")
    assert (code, len(server.calls)) == (0, 5)
    assert "0 of them given now for 0.0000 USD, 1 read from stored replies" in out
    assert json.loads(call("evaluate", file, "--out", "again", "--json")[1])["cost_now"] == 0


@pytest.fixture
def run(server, tmp_path, monkeypatch):
    """A run that lacks nothing but its verdicts."""
    (tmp_path / "prompt_panels").mkdir()
    (tmp_path / "prompt_panels" / "tea.yaml").write_text(PANEL, "utf-8")
    configured(server)
    with paid_bench(server, tmp_path, monkeypatch) as bench:
        return grove(bench).public_id


def test_a_run_says_how_many_verdicts_are_errors_and_asks_them_anew(run, server, call):
    code, _, said = call("resume", run)
    assert code == 0
    assert f"{run}: {MANY} verdicts are judge_error, most often invalid_reply" in said
    assert f"`monitor rejudge {run} --again` asks anew for " in said
    calls = len(server.calls)
    server.moves = [judges("unsupported", "")]
    code, _, said = call("rejudge", run)
    assert (code, len(server.calls)) == (0, calls)
    assert f"{MANY} verdicts are judge_error" in said
    code, _, said = call("resume", run, "--again")
    assert (code, f"is done, `monitor rejudge {run} --again`" in said) == (
        2,
        True,
    )
    code, _, said = call("rejudge", run, "--again")
    assert (code, len(server.calls), "judge_error" in said) == (0, calls + MANY, False)


def test_a_run_that_was_held_is_gone_on_with_anew(run, server, call):
    assert call("resume", run, "--budget-calls", "4")[0] == 3
    server.moves = [judges("unsupported", "")]
    code, _, said = call("resume", run, "--budget-calls", "100", "--again")
    assert (code, len(server.calls), "judge_error" in said) == (0, 4 + MANY, False)


def test_each_door_names_its_own_way_out_of_a_cap(run, server, call):
    server.moves = [judges("unsupported", "")]
    code, _, said = call("rejudge", run, "--budget-calls", "2")
    assert (code, "monitor resume" in said) == (3, False)
    assert "it takes a higher --budget-calls or --budget-usd" in said
    assert f"then `monitor rejudge {run}` gives those that are missing" in said
    assert f"verdicts: 2 of {MANY} in " in said
    Path("t.csv").write_text(table((CLAIM, [PAGE])), "utf-8", newline="")
    _, _, said = call("evaluate", "t.csv", "--out", "out", "--budget-calls", "0")
    assert "give a higher --budget-calls or --budget-usd, or raise judge.calls" in said
    assert ("the same command goes on then" in said, "monitor resume" in said) == (True, False)
    text = Path("config.yaml").read_text("utf-8").replace("judge: {", "judge: {calls: 0, ")
    Path("config.yaml").write_text(text, "utf-8")
    _, _, said = call("judge", rows(1))
    assert "raise judge.calls or judge.usd in the settings; the same command goes on then" in said


def test_what_auto_chose_is_said_with_the_reason(run, server, call):
    Path("t.csv").write_text(table((CLAIM, [PAGE])), "utf-8", newline="")
    configured(server, name="auto", llm="")
    told = "judge: embedded (auto: judge.llm.model names no model)\n"
    for command in (
        ("run", "tea", "--dry-run"),
        ("run", "tea", "--dry-run", "--json"),
        ("evaluate", "t.csv", "--out", "out", "--dry-run"),
        ("judge", rows(1)),
    ):
        code, _, said = call(*command)
        assert (code, told in said) == (0, True)
    configured(server, name="auto")
    _, _, said = call("evaluate", "t.csv", "--out", "out", "--dry-run")
    assert said.startswith("judge: llm (auto: m-1 can be asked, and there is a budget)\n")
    _, _, said = call("evaluate", "t.csv", "--out", "out", "--dry-run", "--budget-calls", "0")
    assert said == "judge: embedded (auto: a cap of 0 lets no call be made)\n"
    assert server.calls == []


def test_a_run_whose_judge_the_settings_cannot_make_is_named_with_a_way_out(run, server, call):
    server.moves = [judges("unsupported", "")]
    assert call("resume", run)[0] == 0
    configured(server, name="embedded", llm="")
    code, _, said = call("rejudge", run)
    assert code == 2
    assert f"{run} began with the judge {VERSION}, which the settings of now cannot make" in said
    assert "say --judge embedded (or another NAME) to change its judge on purpose" in said
    assert call("rejudge", run, "--judge", "embedded")[0] == 0


def test_a_dry_run_tells_the_most_the_likely_price_and_where_the_price_is_a_guess(
    run, server, call
):
    Path("t.csv").write_text(table((CLAIM, [PAGE])), "utf-8", newline="")
    settings(server)
    code, out, said = call("evaluate", "t.csv", "--out", "out", "--dry-run")
    told = json.loads(call("evaluate", "t.csv", "--out", "out", "--dry-run", "--json")[1])
    (most, _), (likely, _) = told["micros"], told["likely_micros"]
    # A reply of 2048 tokens against one of 150, at 2 USD a million; the question costs the rest.
    assert 2 * (2048 - 150) < most - likely < most
    assert (code, said) == (0, "")
    assert f"estimated price: {most / 1e6:.4f} USD at most, where every reply is as long" in out
    assert f"likely price: {likely / 1e6:.4f} USD, with replies of 150 tokens" in out
    server.moves = [judges()]
    call("evaluate", "t.csv", "--out", "out")
    configured(server)
    _, _, said = call("evaluate", "t.csv", "--out", "out", "--dry-run")
    guess = "no price is known for 'm-1': an estimate on the high side; set judge.llm.input_micros"
    assert guess in said
    _, out, _ = call("run", "tea", "--dry-run")
    assert (guess in out, " likely (no run to go by" in out) == (True, True)
