"""`monitor schedule`: what it shows, what it changes, and what it refuses."""

import json

import jsonschema
import pytest

from monitor.cli import main
from tests.cli.test_run_door import CONFIG
from tests.house import ROOT
from tests.scheduled import PANEL

RULE = 'schedule: {cron: "0 6 1 * *", timezone: Asia/Tokyo}'
SCHEMA = json.loads((ROOT / "docs" / "schemas" / "schedule.schema.json").read_text("utf-8"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An installation with one scheduled panel and one that is run by hand."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    panels = tmp_path / "prompt_panels"
    panels.mkdir()
    (panels / "tea.yaml").write_text(PANEL.format(name="tea", schedule=RULE), "utf-8")
    (panels / "coffee.yaml").write_text(PANEL.format(name="coffee", schedule=""), "utf-8")
    (tmp_path / "config.yaml").write_text(CONFIG, "utf-8")
    return tmp_path


@pytest.fixture
def call(folder, capsys):
    """A command's exit code, standard output and standard error."""

    def called(*words):
        with pytest.raises(SystemExit) as stop:
            main(["schedule", *words])
        said = capsys.readouterr()
        return stop.value.code, said.out, said.err

    return called


def listed(call):
    code, out, _ = call("list", "--json")
    assert code == 0
    told = json.loads(out)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(told)
    return {one["panel"]: one for one in told["panels"]}


def test_every_panel_is_listed_with_its_rule_and_next_slot_in_both_times(call):
    panels = listed(call)
    assert panels["coffee"]["cron"] is panels["coffee"]["next"] is None
    tea = panels["tea"]
    assert (tea["cron"], tea["timezone"]) == ("0 6 1 * *", "Asia/Tokyo")
    # Tokyo is nine hours ahead all year: 06:00 on the 1st is 21:00 UTC of the day before.
    assert tea["next"]["slot"].endswith("-01T06:00")
    assert tea["next"]["due_at"].endswith("T21:00:00Z")
    assert set(tea) == set(SCHEMA["$defs"]["panel"]["properties"])


def test_the_list_for_people_has_a_row_for_each_panel(call):
    code, out, _ = call("list")
    lines = {line.split()[0]: line for line in out.splitlines() if line.strip()}
    assert code == 0
    assert "by hand" in lines["coffee"]
    assert "Asia/Tokyo" in lines["tea"]
    assert "T21:00Z" in lines["tea"]


def test_a_pause_is_shown_and_taken_back(call):
    code, out, _ = call("pause", "tea")
    assert code == 0
    assert "paused since" in out
    paused = listed(call)["tea"]
    assert paused["paused_at"] is not None
    assert paused["next"] is None
    assert "paused" in call("list")[1]
    code, out, _ = call("unpause", "tea")
    assert code == 0
    assert "next slot" in out
    assert listed(call)["tea"]["paused_at"] is None


@pytest.mark.parametrize("command", ["pause", "unpause", "now"])
def test_an_unknown_panel_is_refused_with_those_there_are(call, command):
    code, _, err = call(command, "cocoa")
    assert code == 2
    assert "no panel 'cocoa'" in err
    assert "coffee, tea" in err


def test_a_panel_without_a_schedule_cannot_be_paused(call):
    code, _, err = call("pause", "coffee")
    assert code == 2
    assert "coffee has no schedule; add `schedule:" in err


def test_a_run_now_takes_the_second_as_its_slot_and_is_not_the_last_slot(call):
    code, out, _ = call("now", "tea", "--json")
    assert code == 0
    told = json.loads(out)
    assert told["state"] == "done"
    assert told["run"].startswith("run:tea:20")
    assert told["run"].endswith("Z")
    assert listed(call)["tea"]["last"] is None


def test_a_panel_run_by_hand_or_paused_can_be_run_now(call):
    call("pause", "tea")
    assert call("now", "tea")[0] == 0
    assert call("now", "coffee")[0] == 0


def test_a_broken_file_is_listed_with_what_is_wrong(call, folder):
    call("pause", "tea")
    (folder / "prompt_panels" / "tea.yaml").write_text("panel: [\n", "utf-8")
    assert "tea.yaml" in listed(call)["tea"]["broken"]
    assert "tea: prompt_panels/tea.yaml" in call("list")[1]


def test_the_help_names_the_commands(call):
    code, out, _ = call("--help")
    assert code == 0
    assert [word for word in ("list", "pause", "unpause", "now") if f"\n  {word} " in out] == [
        "list", "pause", "unpause", "now",
    ]  # fmt: skip
