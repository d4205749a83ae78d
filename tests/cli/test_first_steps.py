"""What somebody types first: no command at all, the lines a demo ends with, runs by slot."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest

from monitor.cli import GROUPS, build, main
from monitor.cli.compared import _tested, print_refusals, shared_refusals
from monitor.cli.demo import _next_steps, called_as
from monitor.domain.change import Change, ChangeVerdict, PairedTest, Side, Subject
from monitor.domain.panel import Panel
from monitor.domain.score import Interval, Rate
from monitor.errors import StoreError
from monitor.pipeline.line import load_pair, load_run
from tests.stored import PROMPT, bench_in, planned


def called(capsys, *words):
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    said = capsys.readouterr()
    return stop.value.code, said.out, said.err


@pytest.mark.parametrize("words", [(), ("db",), ("browser",), ("alerts",)])
def test_a_group_without_a_command_shows_its_help(capsys, words):
    code, said, error = called(capsys, *words)
    assert (code, error) == (0, "")
    assert said.startswith("Usage: ")


@pytest.mark.parametrize("words", [(), ("db",), ("browser",), ("alerts",)])
def test_no_line_of_help_is_cut_on_a_narrow_terminal(capsys, monkeypatch, words):
    monkeypatch.setenv("COLUMNS", "80")
    said = called(capsys, *words)[1].splitlines()
    assert [line for line in said if line.endswith("...")] == [said[0]]


def test_help_knows_every_command():
    assert {one.name for one in build(None).registered_commands} <= set(GROUPS)


def test_a_program_below_the_folder_is_called_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / ".venv/bin/monitor"), "demo"])
    monkeypatch.setenv("PATH", "/nowhere")
    assert called_as() == ".venv/bin/monitor"
    assert _next_steps(called_as(), "my demo/config.yaml") == (
        "next:   .venv/bin/monitor alerts list --config 'my demo/config.yaml'",
        "        .venv/bin/monitor status --config 'my demo/config.yaml'",
        "        .venv/bin/monitor labels draw sandbox --out pairs.csv --config 'my demo/config.yaml'",
        "        .venv/bin/monitor judge-report --bundled",
        "        .venv/bin/monitor check",
        "        .venv/bin/monitor run driving-rules --dry-run",
    )


def test_a_program_on_the_path_is_called_by_its_name(tmp_path, monkeypatch):
    program = tmp_path / "monitor"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert called_as() == "monitor"


def test_a_module_is_called_through_its_interpreter(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["/somewhere/monitor/__main__.py"])
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv/bin/python"))
    assert called_as() == ".venv/bin/python -m monitor"


BUSHES = Panel("bushes", 1, 1, "en-GB", ("openai",), (PROMPT,))


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """Two runs of one panel, and one of another in a slot of the first."""
    with bench_in(tmp_path, monkeypatch) as opened:
        planned(opened, "2026-01")
        planned(opened, "2026-02")
        planned(opened, "2026-02", BUSHES)
        yield opened


def test_a_run_is_found_by_public_id_or_by_a_slot_of_its_own(bench):
    assert load_run(bench, "run:trees:2026-02").public_id == "run:trees:2026-02"
    assert load_run(bench, "2026-01").public_id == "run:trees:2026-01"
    assert load_run(bench, None).public_id == "run:bushes:2026-02"


def test_a_slot_of_several_runs_is_refused_with_their_names(bench):
    with pytest.raises(StoreError, match="run:bushes:2026-02, run:trees:2026-02"):
        load_run(bench, "2026-02")
    with pytest.raises(StoreError, match="no run '2026-07'; runs: run:bushes"):
        load_run(bench, "2026-07")


def test_two_slots_are_compared_where_only_one_panel_has_both(bench):
    found = load_pair(bench, "2026-01", "2026-02")
    assert [run.public_id for run in found] == ["run:trees:2026-01", "run:trees:2026-02"]
    mixed = load_pair(bench, "run:trees:2026-01", "2026-02")
    assert [run.public_id for run in mixed] == ["run:trees:2026-01", "run:trees:2026-02"]


def test_a_change_is_shown_with_its_counts_and_its_interval():
    test = PairedTest(-0.154, 0.04, Interval(-0.25, -0.052, 0.95), 0.001, 0.0096, 0.112)
    change = Change(
        Subject.MEASURE, "source_precision", Side(0.93, Rate(132, 145), 26),
        Side(0.776, Rate(110, 142), 26), test, 26, 287, ChangeVerdict.CHANGED, "",
    )  # fmt: skip
    assert _tested(change) == ("-25.0 to -5.2", "0.010", "11.2 points")
    assert _tested(replace(change, test=None)) == ("", "", "")


def test_a_store_without_runs_names_the_settings_of_a_demo_that_was_made(
    call, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    list_labels = ("labels", "list", "sandbox")
    told = " ".join(call(*list_labels)[2].split())
    assert told.endswith("panels: none yet; `monitor run PANEL` makes one")
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "config.yaml").write_text("{}\n")
    for words in (list_labels, ("compare",)):
        code, _, err = call(*words)
        assert (code, "found with --config demo/config.yaml" in " ".join(err.split())) == (2, True)


def refused(*names, because):
    """Rows that cannot be compared, for one reason."""
    side = Side(0.5, Rate(1, 2), 1)
    return tuple(
        Change(Subject.MEASURE, name, side, side, None, 1, 2, ChangeVerdict.NOT_COMPARABLE, because)
        for name in names
    )


def test_what_is_refused_to_several_engines_is_told_once_for_all_of_them(capsys):
    long = "no verdicts of llm@1 on the earlier run"
    both = refused("citation_recall", "citation_precision", because=long)
    one = SimpleNamespace(families=(), measures=both)
    other = SimpleNamespace(families=refused("oak.example", because="one side"), measures=both)
    shared = shared_refusals(SimpleNamespace(comparisons={"openai": one, "xai": other}))
    assert shared == {(long, ("citation_recall", "citation_precision")): ["openai", "xai"]}
    print_refusals(shared)
    assert " ".join(capsys.readouterr().out.split()) == (
        f"openai, xai: not comparable ({long}): citation_recall, citation_precision"
    )
