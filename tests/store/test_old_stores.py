"""A store of the version before this one: brought up to date it holds what it held, and works."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from monitor.cli import main
from monitor.store import check, downgrade, open_artifacts, open_database, upgrade
from tests.store.old_stores import (
    FEBRUARY,
    JANUARY,
    MONTHS,
    answer_body,
    build_old_store,
    old_rows,
    stored_rows,
)

NEW_IN_RUN = {"stage", "held", "judge", "judge_version", "splitter_version"}
NEW_SUMS = {"judge_calls", "judge_micros"}
NEW_IN_VERDICT = {
    "gaps", "votes_agreeing", "votes_total", "input_tokens", "output_tokens",
}  # fmt: skip

SEEN = {
    ("capture", "purpose"): "panel", ("capture", "locale_state"): None,
    ("reading", "hidden_citations"): 0, ("citation", "placement"): None,
    ("screenshot", "position"): 0, ("screenshot", "name"): None,
    ("screenshot", "masked"): 0, ("screenshot", "altered"): None,
}  # fmt: skip
"""What rows of the version before say of what only this one asks."""


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """Address of a database without tables, of each kind."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/monitor.db"
        return
    server = request.getfixturevalue("postgres_server")
    fresh = server.new_database(upgraded=False)
    yield fresh
    server.drop_database(fresh)


@pytest.fixture
def vendor():
    """A vendor on loopback that always sends the same answer; the list holds what it was asked."""
    asked = []

    class Door(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"])
            self.send_response(200)
            self.send_header("Content-Length", str(len(answer_body())))
            self.end_headers()
            self.wfile.write(answer_body())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    server.daemon_threads = True
    serving = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    serving.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    serving.join()
    server.server_close()


def changed(url, step, *revision):
    """Rows of a store after a step of its schema."""
    database = open_database(url)
    step(database, *revision)
    database.close()
    return stored_rows(url)


def without_new_columns(rows):
    return {
        name: [{k: v for k, v in row.items() if (name, k) not in NEW} for row in found]
        for name, found in rows.items()
    }


NEW = {
    *(("run", name) for name in NEW_IN_RUN | NEW_SUMS),
    *(("verdict", name) for name in NEW_IN_VERDICT),
    ("tally_set", "inputs"),
    *SEEN,
}


def test_rows_of_the_version_before_are_all_there_after_the_upgrade(url, tmp_path):
    build_old_store(url, tmp_path / "artifacts")
    before = stored_rows(url)
    assert all(before.values())
    assert {name: len(rows) for name, rows in before.items()} == {
        name: len(rows) for name, rows in old_rows().items()
    }
    after = changed(url, upgrade)
    assert {name: without_new_columns(after)[name] for name in before} == before
    assert {row[name] for row in after["run"] for name in NEW_IN_RUN} == {None}
    assert {row[name] for row in after["run"] for name in NEW_SUMS} == {0}
    assert {row[name] for row in after["verdict"] for name in NEW_IN_VERDICT} == {None}
    assert {(table, name): after[table][0][name] for table, name in SEEN} == SEEN


def test_values_of_the_version_before_are_those_it_wrote(url, tmp_path):
    build_old_store(url, tmp_path / "artifacts")
    after = without_new_columns(changed(url, upgrade))
    wrote = old_rows()
    assert [name for name in wrote if by_key(after[name]) != by_key(wrote[name])] == []


def by_key(rows):
    return sorted(rows, key=lambda row: json.dumps(row, sort_keys=True, default=str))


def test_money_of_the_version_before_counts_towards_its_month(url, tmp_path):
    build_old_store(url, tmp_path / "artifacts")
    months = changed(url, upgrade)["month_spend"]
    assert {row["month"]: (row["calls"], row["micros"]) for row in months} == MONTHS


def test_an_upgraded_store_goes_back_to_what_it_was(url, tmp_path):
    build_old_store(url, tmp_path / "artifacts")
    before = stored_rows(url)
    changed(url, upgrade)
    assert changed(url, downgrade, "0001") == before
    assert changed(url, upgrade)["month_spend"] != []


def test_check_names_the_revision_until_the_upgrade_ran(url, tmp_path):
    build_old_store(url, tmp_path / "artifacts")
    database = open_database(url)
    assert "is at revision 0001, expected " in check(database)
    upgrade(database)
    assert check(database) is None
    database.close()


@pytest.fixture
def installed(url, vendor, tmp_path, monkeypatch):
    """An installation whose store the version before made; `monitor` is called in its folder."""
    address, asked = vendor
    build_old_store(url, tmp_path / "artifacts", base_url=address)
    settings = {
        "store": {"database": url, "artifacts": str(tmp_path / "artifacts")},
        "pages": {"fetch": False},
        "reports": str(tmp_path / "reports"),
    }
    (tmp_path / "config.yaml").write_text(json.dumps(settings), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    return asked


def told(capsys, *words, code=0):
    """What a command of the door prints, once its exit code is as expected."""
    with pytest.raises(SystemExit) as stop:
        main([*words])
    said = capsys.readouterr()
    assert stop.value.code == code, said
    return said.out


def test_every_door_works_on_a_store_of_the_version_before(installed, tmp_path, capsys):
    known = {"planned": 2, "attempted": 2, "heard": 2, "answered": 2, "micros": 90_007}
    standing = json.loads(told(capsys, "status", JANUARY, "--json"))["engines"]["openai"]
    assert {name: standing[name] for name in known} == known
    assert standing["outcomes"] == {"answered": 2}
    assert "sound" in told(capsys, "verify", JANUARY)
    assert "openai" in told(capsys, "compare", JANUARY, FEBRUARY, code=3)
    told(capsys, "report", JANUARY)
    assert "oak.example" in (tmp_path / "reports" / "trees-2026-01.html").read_text("utf-8")
    assert "2 captures read again" in told(capsys, "reparse", JANUARY)
    assert installed == []


def test_a_run_of_the_version_before_is_resumed_and_pays_for_what_is_missing_alone(
    installed, url, tmp_path, capsys
):
    ended = json.loads(told(capsys, "resume", FEBRUARY, "--json"))
    assert installed == ["Where do oaks live?"]
    assert (ended["state"], ended["engines"]["openai"]["answered"]) == ("done", 2)
    assert "sound" in told(capsys, "verify", FEBRUARY)
    rows = stored_rows(url)
    assert [row["capture_id"] for row in rows["spend"]] == [1, 2, 2, 3, 4]
    pointers = open_artifacts(tmp_path / "artifacts").pointers("")
    assert [name.split("/")[2] for name, _ in sorted(pointers, key=lambda p: p[0][-11:])] == [
        "1", "2", "3", "4",
    ]  # fmt: skip
