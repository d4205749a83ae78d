"""A month's cap stops real runs of a real installation, and a higher one completes them."""

import json

import pytest

from tests.e2e.processes import ENGINES, PANEL, place

pytestmark = pytest.mark.e2e

CALLS = 10


@pytest.fixture
def here(tmp_path):
    with place(tmp_path, latency_ms=5, fetch=False, prompts=slice(4)) as made:
        yield made


def month_cap(here, **caps):
    content = json.loads(here.config.read_text("utf-8"))
    here.config.write_text(json.dumps(content | {"budget": caps}), "utf-8")


def test_runs_of_one_month_stop_at_its_cap_and_go_on_under_a_higher_one(here):
    month_cap(here, month_calls=CALLS)
    run = ("run", PANEL, "--no-browser", "--slot")
    plan = here.told("run", PANEL, "--no-browser", "--dry-run", code=0)
    assert plan["fits"] is False

    capped = here.told(*run, "first", code=3)
    assert capped["state"] == "incomplete"
    assert "would pass the budget of the month" in capped["said"]
    assert "go on with `monitor resume`" in capped["said"]
    assert here.asked() == CALLS
    assert (capped["month"]["calls"], capped["month"]["calls_left"]) == (CALLS, 0)

    month_cap(here, month_calls=500, month_usd=50)
    done = here.told("resume", f"run:{PANEL}:first", code=0)
    assert done["state"] == "done"
    assert here.asked() == len(here.pointers()) == done["month"]["calls"]


def test_what_answers_used_is_priced_by_the_table_and_told_by_engine_and_run(here):
    done = here.told("run", PANEL, "--no-browser", "--slot", "first", code=0)
    spent = here.told("spend", code=0)
    assert spent["unsettled"] == 0
    assert spent["calls"] == here.asked()
    assert {e["engine"] for e in spent["engines"]} == set(ENGINES)
    (own,) = spent["runs"]
    assert own["run"] == f"run:{PANEL}:first"
    by_engine = {e["engine"]: e["micros"] for e in own["engines"]}
    assert by_engine == {e: c["micros"] for e, c in done["engines"].items()}
    # The sandbox's openai and anthropic report tokens and no money; no call costs its estimate.
    assert min(by_engine.values()) > 0
    assert by_engine["openai"] % 46_050
