"""Money at the doors: dry runs, caps of runs and months, standings and `monitor spend`."""

import json
from datetime import UTC, datetime

import jsonschema
import pytest

from monitor.config.parts import EnginePart
from monitor.config.settings import Settings
from monitor.domain.panel import Panel, Prompt
from monitor.pipeline.planning import make_plan
from monitor.pipeline.spending import Capped, misfits, month_before_run
from monitor.store import downgrade, open_database
from monitor.store.months import Counted
from monitor.store.runs import Caps
from tests.cli.test_run_door import CONFIG, PANEL
from tests.house import ROOT

QUICK = CONFIG.replace("attempts: 1", "attempts: 1, per_minute: 60000")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An installation whose one engine with a key cannot be reached: its calls cost nothing."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("GEMINI_API_KEY_FILE", raising=False)
    (tmp_path / "prompt_panels").mkdir()
    (tmp_path / "prompt_panels" / "tea.yaml").write_text(PANEL, "utf-8")
    (tmp_path / "config.yaml").write_text(QUICK, "utf-8")
    return tmp_path


@pytest.fixture
def call(folder, call):
    """A command in this process: its exit code, what it printed and what it remarked."""
    return call


@pytest.fixture
def told(call):
    """A command with --json, as its exit code and what it says."""

    def run(*words):
        code, out, _ = call(*words, "--json")
        return code, json.loads(out)

    return run


def month_cap(folder, **caps):
    kept = json.dumps(caps)
    (folder / "config.yaml").write_text(f"{QUICK}budget: {kept}\n", "utf-8")


def test_a_dry_run_says_how_much_of_the_month_is_left_and_that_the_plan_fits(folder, call):
    month_cap(folder, calls=100, usd=2, month_calls=10, month_usd=1.5)
    code, out, _ = call("run", "tea", "--dry-run")
    month = datetime.now(UTC).strftime("%Y-%m")
    assert code == 0
    assert "caps of the run: 100 calls, 2.00 USD" in out
    assert (
        f"{month} so far: 0 of 10 calls, 0.0000 of 1.5000 USD; 10 calls and 1.5000 USD left" in out
    )
    assert out.endswith("fits under the caps\n")
    assert not (folder / "monitor.db").exists()


def test_a_dry_run_names_the_row_of_the_price_table_it_used(call, told):
    _, out, _ = call("run", "tea", "--dry-run")
    assert "table, gpt-5.2 since 2025-12-11 (looked up 2026-11-30)" in out
    engine = told("run", "tea", "--dry-run")[1]["engines"][0]
    # 15,000 x 1.75 + 700 x 14 + one search of 10,000; three captures.
    assert (engine["call_micros"], engine["micros"]) == (46_050, 138_150)
    assert engine["price"].startswith("table, gpt-5.2 since 2025-12-11")


def test_a_dry_run_names_every_cap_that_the_plan_does_not_fit(folder, told):
    month_cap(folder, calls=2, usd=0.01, month_calls=1, month_usd=0.02)
    code, body = told("run", "tea", "--dry-run")
    assert (code, body["fits"]) == (0, False)
    month = body["month"]["month"]
    assert body["misfits"] == [
        "needs 3 calls, 2 are left for the run",
        "costs about 0.14 USD, 0.01 USD are left for the run",
        f"needs 3 calls, 1 are left for the month {month}",
        f"costs about 0.14 USD, 0.02 USD are left for the month {month}",
    ]


def test_a_dry_run_holds_the_plan_against_the_caps_of_its_own_options(told):
    _, body = told("run", "tea", "--dry-run", "--budget-calls", "2", "--budget-usd", "9")
    assert body["caps"]["cap_calls"] == 2
    assert body["caps"]["cap_micros"] == 9_000_000
    assert body["misfits"] == ["needs 3 calls, 2 are left for the run"]


def test_calls_that_some_answers_may_need_are_told_as_possible(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "made-up")
    prompt = Prompt("p", "How hot?", "en-GB")
    plan = make_plan(Panel("tea", 1, 1, "en-GB", ("anthropic",), (prompt,)), Settings())
    # One capture, at most four calls for it.
    found = misfits(plan, Capped("run", Counted(0, 0), Caps(calls=3)))
    assert found == ("may need 1 to 4 calls, 3 are left for the run",)
    assert misfits(plan, Capped("run", Counted(0, 0), Caps(calls=4))) == ()


def test_answers_seen_in_a_browser_need_no_paid_call(monkeypatch):
    prompt = Prompt("p", "How hot?", "en-GB")
    settings = Settings(engines={"sandbox_chat": EnginePart()})
    plan = make_plan(Panel("tea", 1, 1, "en-GB", ("sandbox_chat",), (prompt,)), settings)
    assert plan.captures == 1
    assert misfits(plan, Capped("run", Counted(0, 0), Caps(calls=0, micros=0))) == ()


def test_the_month_of_a_store_of_an_older_version_is_not_known(folder, call):
    call("run", "tea", "--slot", "2026-01")
    older = open_database("sqlite:///monitor.db")
    downgrade(older, "0001")
    older.close()
    settings = Settings(store={"database": "sqlite:///monitor.db"})
    assert month_before_run(settings, NOW) is None
    out = call("run", "tea", "--dry-run")[1]
    assert "this month so far: not known, for the store needs `monitor db upgrade`" in out


def test_a_months_cap_stops_a_run_says_so_and_a_higher_one_lets_it_go_on(folder, call, told):
    month_cap(folder, month_calls=2)
    code, out, err = call("run", "tea", "--slot", "a")
    assert code == 3
    assert out.startswith("run:tea:a  state incomplete")
    assert "would pass the budget of the month" in err
    assert "2 of 2 calls" in err
    assert "raise budget.month_calls or budget.month_usd in the settings, or wait for 20" in err

    # Nothing is left for another run of the same month either.
    assert call("run", "tea", "--slot", "b")[0] == 3
    standing = told("status", "run:tea:a")[1]
    assert standing["spent"] == {
        "calls": 2, "micros": 0, "cap_calls": 5000, "cap_micros": 50_000_000,
        "calls_left": 4998, "micros_left": 50_000_000,
    }  # fmt: skip
    assert (standing["month"]["calls"], standing["month"]["calls_left"]) == (2, 0)

    month_cap(folder, month_calls=6)
    assert told("resume", "run:tea:a")[1]["state"] == "done"
    assert told("resume", "run:tea:b")[1]["state"] == "done"
    assert told("status", "run:tea:b")[1]["month"]["calls_left"] == 0


def test_a_months_cap_comes_from_a_variable_too(folder, told, monkeypatch):
    monkeypatch.setenv("MONITOR_BUDGET__MONTH_USD", "0.09")
    # Each reservation of 46,050 is open only until the call has failed: one at a time fits.
    _, body = told("run", "tea", "--dry-run")
    assert body["month"]["cap_micros"] == 90_000
    assert body["fits"] is False


def test_a_standing_shows_calls_open_prices_and_what_is_left(folder, call):
    month_cap(folder, calls=10, usd=1, month_calls=20)
    call("run", "tea", "--slot", "2026-01")
    code, out, _ = call("status")
    assert code == 0
    head = out.splitlines()[1].split()
    row = dict(zip(head, out.splitlines()[2].split(), strict=False))
    assert (row["calls"], row["unsettled"], row["USD"]) == ("3", "0", "0.0000")
    assert "run: 3 of 10 calls, 0.0000 of 1.0000 USD; 7 calls and 1.0000 USD left" in out
    assert "all runs: 3 of 20 calls, 0.0000 USD; 17 calls left" in out


def test_the_spend_of_a_month_is_told_by_engine_and_by_run(folder, call, told):
    call("run", "tea", "--slot", "a")
    call("run", "tea", "--slot", "b")
    code, body = told("spend")
    assert code == 0
    whole = json.loads((ROOT / "docs" / "schemas" / "spend.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(whole).validate(body)
    assert (body["calls"], body["micros"], body["unsettled"]) == (6, 0, 0)
    assert body["engines"] == [{"engine": "openai", "calls": 6, "micros": 0, "unsettled": 0}]
    assert [(r["run"], r["calls"]) for r in body["runs"]] == [("run:tea:a", 3), ("run:tea:b", 3)]
    out = call("spend")[1]
    assert out.startswith(f"{body['month']}: 6 calls, 0.0000 USD; no cap\n")
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["engine", "calls", "unsettled", "USD"],
        ["openai", "6", "0", "0.0000"],
        ["run", "calls", "unsettled", "USD"],
        ["run:tea:a", "3", "0", "0.0000"],
        ["run:tea:b", "3", "0", "0.0000"],
    ]


def test_a_month_in_which_nobody_was_asked_is_empty(call, told):
    call("run", "tea", "--slot", "a")
    assert told("spend", "--month", "2020-02")[1]["runs"] == []
    assert call("spend", "--month", "2020-02")[1] == "2020-02: 0 calls, 0.0000 USD; no cap\n"


@pytest.mark.parametrize("month", ["2026", "2026-13", "2026-1", "11-2026", "0000-01", "x", ""])
def test_a_month_that_is_none_is_refused(call, month):
    code, out, err = call("spend", "--month", month)
    assert (code, out) == (2, "")
    assert "expected a year and a month such as 2026-11" in err


def test_engines_are_listed_with_a_price_and_its_day(folder, call, told):
    prices = {e["engine"]: (e["call_micros"], e["price"]) for e in told("engines")[1]["engines"]}
    assert prices["openai"] == (46_050, "table, gpt-5.2 since 2025-12-11 (looked up 2026-11-30)")
    assert prices["openrouter"] == (45_000, "estimate")
    assert "table, gpt-5.2 since 2025-12-11 (looked up 2026-11-30)" in call("engines")[1]
    own = CONFIG.replace("attempts: 1", "attempts: 1, call_micros: 7")
    (folder / "config.yaml").write_text(own, "utf-8")
    prices = {e["engine"]: (e["call_micros"], e["price"]) for e in told("engines")[1]["engines"]}
    assert prices["openai"] == (7, "settings")
