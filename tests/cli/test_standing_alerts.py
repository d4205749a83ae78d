"""`monitor alerts list`, `show` and `accept`: what they print, their exit codes, what they refuse."""

import json

import jsonschema
import pytest

from tests.corpora import ROOT
from tests.edges.test_alerting import cites, told
from tests.stored import bench_in

SCHEMA = json.loads((ROOT / "docs/schemas/alerts.schema.json").read_text("utf-8"))


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Settings of a store in which a share moved."""
    monkeypatch.chdir(tmp_path)
    with bench_in(tmp_path, monkeypatch) as bench:
        told(bench, "2026-01", [cites(1, 3)] * 24)
        told(bench, "2026-02", [cites(3, 1)] * 24)
        folder = bench.settings.store
    config = tmp_path / "config.yaml"
    config.write_text(
        f"store: {{database: '{folder.database}', artifacts: '{folder.artifacts}'}}\n"
    )
    return config


def listed(call, store, *more):
    code, out, _ = call("alerts", "list", "--config", store, "--json", *more)
    body = json.loads(out)
    jsonschema.validate(body, SCHEMA)
    return code, body["alerts"]


def test_open_alerts_are_listed_with_their_numbers(call, store):
    code, found = listed(call, store)
    assert code == 1
    oaks = next(one for one in found if one["entity"] == "oaks.example")
    assert (oaks["engine"], oaks["severity"], oaks["closed"]) == ("openai", "critical", None)
    assert (oaks["change"]["before"]["hits"], oaks["change"]["after"]["hits"]) == (24, 72)
    assert {one["run"] for one in oaks["answers"]} == {"run:trees:2026-02"}
    code, out, _ = call("alerts", "list", "--config", store)
    assert code == 1
    assert "oaks.example" in out


def test_one_alert_is_shown_with_the_answers_behind_it(call, store):
    _, found = listed(call, store)
    oaks = next(one for one in found if one["entity"] == "oaks.example")
    code, out, _ = call("alerts", "show", oaks["id"], "--config", store)
    assert code == 0
    assert "openai cites oaks.example more than in 2026-01." in out
    assert f"capture {oaks['answers'][0]['capture']}, run:trees:2026-02" in out
    assert "Held against: run:trees:2026-01" in out
    code, out, _ = call("alerts", "show", oaks["id"], "--config", store, "--json")
    assert json.loads(out) == {"schema": 1, "alerts": [oaks]}


def test_accepted_alerts_are_open_no_more_and_stay_in_the_list_of_all(call, store):
    _, found = listed(call, store)
    ids = [one["id"] for one in found]
    code, out, _ = call("alerts", "accept", *ids, "--config", store)
    assert code == 0
    assert "Runs before run:trees:2026-02 are no baseline for it any more." in out
    assert listed(call, store) == (0, [])
    code, all_of_them = listed(call, store, "--all")
    assert code == 0
    assert {one["closed"] for one in all_of_them} == {"accepted"}
    code, out, _ = call("alerts", "list", "--config", store)
    assert (code, out.strip()) == (0, "no alert is open")


def test_what_cannot_be_accepted_changes_nothing(call, store):
    _, found = listed(call, store)
    ids = [one["id"] for one in found]
    code, _, err = call("alerts", "accept", ids[0], 999, "--config", store)
    assert code == 2
    assert f"no alert 999; open ones: {', '.join(map(str, ids))}" in err
    assert len(listed(call, store)[1]) == len(ids)
    call("alerts", "accept", ids[0], "--config", store)
    code, _, err = call("alerts", "accept", ids[1], ids[0], "--config", store)
    assert code == 2
    assert f"alert {ids[0]} is closed already (accepted): nothing was accepted" in err
    assert len(listed(call, store)[1]) == len(ids) - 1


def test_alerts_of_another_panel_are_not_listed(call, store):
    assert listed(call, store, "--panel", "birds") == (0, [])


def test_an_alert_has_one_form_in_lists_and_in_digests():
    digest = json.loads((ROOT / "docs/schemas/digest.schema.json").read_text("utf-8"))
    assert SCHEMA["$defs"]["alert"] == digest["$defs"]["alert"]
