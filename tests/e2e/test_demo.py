"""`monitor demo` once, then everything a user may ask of its two runs."""

import csv
import json
import sqlite3
from collections import Counter, defaultdict
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from monitor.store import open_artifacts
from tests.e2e.processes import ROOT, monitor

pytestmark = [pytest.mark.e2e, pytest.mark.browser]

BEFORE, AFTER = "run:sandbox:2026-09", "run:sandbox:2026-10"
VENDORS = ("openai", "perplexity", "anthropic")
SCHEMAS = ROOT / "docs" / "schemas"


@dataclass(frozen=True)
class Demo:
    folder: Path
    said: str
    complained: str

    def call(self, *words: object) -> Any:
        return monitor(*words, "--config", self.folder / "config.yaml")

    def export(self, run: str = AFTER) -> dict[str, Any]:
        done = self.call("export", run, "--format", "json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.folder / "monitor.db")) as store:
            return store.execute(query, values).fetchall()


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "demo"
    done = monitor("demo", "--no-app", "--folder", folder, seconds=280)
    assert done.returncode == 0, done.stdout + done.stderr
    return Demo(folder, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def exported(demo):
    return demo.export()


@pytest.fixture(scope="session")
def compared(demo):
    done = demo.call("compare", BEFORE, AFTER, "--json")
    return done.returncode, json.loads(done.stdout)["engines"]


def families(engine, verdict):
    return {one["name"] for one in engine["families"] if one["verdict"] == verdict}


def everything(exported, engine):
    return next(c for c in exported["scorecards"] if (c["engine"], c["segment"]) == (engine, "all"))


def reasons(card):
    return {r for m in card["measures"].values() for r in m.get("not_assessable", {})}


# --- two runs ---


def test_demo_captures_everything_and_names_its_report(demo):
    report = demo.folder / "sandbox-2026-10.html"
    assert f"report: {report}" in demo.said
    assert report.stat().st_size > 20_000
    assert "not captured" not in demo.said + demo.complained


@pytest.mark.parametrize("run", [BEFORE, AFTER])
def test_every_planned_capture_is_attempted_and_heard(demo, run):
    told = json.loads(demo.call("status", run, "--json").stdout)
    planned = dict.fromkeys(VENDORS, 26 * 3) | {"sandbox_chat": 5}
    assert told["state"] == "done"
    for count in ("planned", "attempted"):
        assert {e: c[count] for e, c in told["engines"].items()} == planned
    assert sum(c["answered"] for c in told["engines"].values()) >= 230


def test_compare_finds_the_change_of_one_engine(compared):
    code, engines = compared
    assert code == 1
    changed = families(engines["perplexity"], "changed")
    assert changed == {"ridecompare.example", "transport-velmora.example"}


@pytest.mark.parametrize("engine", ["openai", "anthropic"])
def test_compare_raises_no_false_alarm_for_engines_that_stayed(compared, engine):
    assert families(compared[1][engine], "changed") == set()


def test_a_run_is_not_compared_with_itself(demo):
    assert demo.call("compare", AFTER, AFTER).returncode == 2


# --- alerts ---


@pytest.fixture(scope="session")
def alerts(demo):
    done = demo.call("alerts", "list", "--json")
    assert done.returncode == 1
    return json.loads(done.stdout)["alerts"]


def test_the_demo_ends_with_the_gravest_of_its_alerts(demo, alerts):
    assert f"alerts: {len(alerts)} open, the gravest: perplexity cites" in demo.said


def test_alerts_name_the_engine_and_the_families_that_moved_and_no_other(alerts):
    shares = {
        (a["engine"], a["entity"], a["direction"]) for a in alerts if a["kind"] == "family_share"
    }
    assert shares == {
        ("perplexity", "ridecompare.example", "up"),
        ("perplexity", "transport-velmora.example", "down"),
    }
    assert {a["engine"] for a in alerts if a["kind"] != "engine_changed"} == {"perplexity"}
    assert {a["severity"] for a in alerts if a["kind"] == "family_share"} == {"critical"}


def test_another_served_model_is_told_without_any_change(alerts):
    (model,) = (a for a in alerts if a["kind"] == "engine_changed")
    assert (model["engine"], model["severity"]) == ("anthropic", "notice")
    assert model["entity"] == "claude-sonnet-4-5-20250929 -> claude-sonnet-5"


def test_answers_behind_an_alert_cite_what_it_names_and_open_in_the_report(demo, alerts, exported):
    up = next(a for a in alerts if a["entity"] == "ridecompare.example")
    citing = {
        c["capture"]
        for c in exported["citations"]
        if (c["engine"], c["family"], c["role"]) == ("perplexity", up["entity"], "displayed")
    }
    assert {a["capture"] for a in up["answers"]} <= citing
    page = (demo.folder / "sandbox-2026-10.html").read_text("utf-8")
    assert all(f'id="capture-{a["capture"]}"' in page for a in up["answers"])


# --- screenshots ---


def test_browser_captures_leave_pictures_with_time_build_viewport_and_locale(demo):
    rows = demo.rows(
        "SELECT s.capture_id, s.kind, s.sha256, s.taken_at, s.browser, s.viewport_width,"
        " s.viewport_height, s.locale FROM screenshot s JOIN capture c ON c.id = s.capture_id"
        " JOIN run r ON r.id = c.run_id WHERE r.public_id = ?",
        AFTER,
    )
    kinds = defaultdict(set)
    for capture, kind, *_ in rows:
        kinds[capture].add(kind)
    assert [kinds[c] >= {"viewport", "full"} for c in kinds] == [True] * 5
    assert {row[5:] for row in rows} == {(1280, 900, "en-GB")}
    assert all(row[4].startswith("Chromium ") and row[4][-1].isdigit() for row in rows)
    age = [datetime.now(UTC) - datetime.fromisoformat(row[3]).replace(tzinfo=UTC) for row in rows]
    assert all(0 <= one.total_seconds() < 3600 for one in age)
    artifacts = open_artifacts(demo.folder / "artifacts")
    assert {artifacts.get(row[2])[:3] for row in rows} == {b"\xff\xd8\xff"}


# --- evidence ---


def test_verify_finds_all_bytes_sound_and_names_one_that_was_altered(demo, tmp_path):
    manifest = tmp_path / "manifest.json"
    sound = demo.call("verify", AFTER, "--write-manifest", manifest)
    assert sound.returncode == 0
    assert "sound" in sound.stdout
    sha256 = json.loads(manifest.read_text())["artifacts"][0]["sha256"]
    stored = demo.folder / "artifacts" / sha256[:2] / f"{sha256}.zst"
    kept = stored.read_bytes()
    stored.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    try:
        altered = demo.call("verify", AFTER, "--manifest", manifest)
    finally:
        stored.write_bytes(kept)
    assert altered.returncode == 2
    assert sha256 in altered.stdout
    assert altered.stdout.count("altered: ") == 1


def test_pages_that_cannot_be_read_are_not_assessable_with_their_reason(exported):
    found = set().union(*(reasons(everything(exported, engine)) for engine in VENDORS))
    assert found >= {"not_found", "robots", "unsupported_type", "paywalled", "ungraded"}


def test_copied_article_counts_once_among_independent_citations(demo, exported):
    groups = dict(
        demo.rows(
            "SELECT page_key, group_key FROM evidence_group WHERE group_set_id ="
            " (SELECT max(s.id) FROM group_set s JOIN run r ON r.id = s.run_id"
            " WHERE r.public_id = ?)",
            AFTER,
        )
    )
    assert any("harbour-post" in key and "daily-lantern" in group for key, group in groups.items())
    both = Counter()
    for engine in VENDORS:
        cited = defaultdict(set)
        for one in exported["citations"]:
            if one["engine"] == engine and one["page_key"] in groups:
                cited[one["capture"], groups[one["page_key"]]].add(one["page_key"])
        both[engine] = sum(len(keys) - 1 for keys in cited.values())
    spared = {
        engine: one["total"] - one["independent"]["total"]
        for engine in VENDORS
        for one in everything(exported, engine)["families"][:1]
    }
    assert spared == dict(both)
    assert sum(both.values()) >= 1


# --- exports ---


def test_json_export_keeps_to_its_schema(exported):
    schema = json.loads((SCHEMAS / "export.schema.json").read_text())
    jsonschema.validate(exported, schema)


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def test_csv_export_has_headers_and_no_formula(demo, exported, tmp_path):
    assert demo.call("export", AFTER, "--format", "csv", "--out", tmp_path).returncode == 0
    read = {}
    for path in tmp_path.glob("*.csv"):
        with path.open(newline="", encoding="utf-8-sig") as file:
            read[path.stem] = list(csv.DictReader(file, strict=True))
    assert set(read) == {"scorecards", "families", "citations"}
    assert len(read["citations"]) == len(exported["citations"])
    cells = [cell for rows in read.values() for row in rows for cell in row.values()]
    assert None not in cells
    risky = [c for c in cells if c.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert [c for c in risky if not is_number(c)] == []


# --- again ---


@pytest.mark.parametrize("command", ["rescore", "rejudge", "reparse"])
def test_doing_a_stage_again_gives_the_same_scorecards(demo, exported, command):
    done = demo.call(command, AFTER)
    assert done.returncode == 0, done.stderr
    again = demo.export()
    assert again["scorecards"] == exported["scorecards"]
    assert again["citations"] == exported["citations"]


# --- without a browser ---


@pytest.fixture
def no_chromium(tmp_path):
    """Variables under which no Chromium is found: neither Playwright's own nor a system one."""
    return {"PATH": str(tmp_path), "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path / "none")}


def test_demo_without_a_browser_says_what_flag_goes_on(tmp_path, no_chromium):
    done = monitor("demo", "--no-app", "--folder", tmp_path / "demo", **no_chromium)
    assert done.returncode == 2
    assert "--no-browser" in done.stderr
    assert not (tmp_path / "demo").exists()


def test_demo_goes_on_without_a_browser_when_told_to(tmp_path, no_chromium):
    done = monitor("demo", "--no-app", "--folder", tmp_path / "demo", "--no-browser", **no_chromium)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("skipped sandbox_chat: left out by --no-browser") == 2
    assert (tmp_path / "demo" / "sandbox-2026-10.html").exists()
