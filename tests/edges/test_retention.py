"""Bytes past their limit go, with a note; what a row needs and nothing noted never goes."""

import asyncio
from datetime import UTC, datetime

import pytest
from sqlalchemy import text

from monitor.cli import main
from monitor.config.parts import EnginePart, RetentionPart, StorePart
from monitor.config.settings import Settings
from monitor.errors import StoreError
from monitor.judge import make_judge
from monitor.pipeline import retaining
from monitor.pipeline.bench import open_bench
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.publishing import publish_report
from monitor.pipeline.retaining import retain
from monitor.pipeline.tallying import score_run
from monitor.pipeline.verifying import run_manifest, verify_run, verify_store
from monitor.store import notes, open_database, runs, upgrade
from monitor.store.evidence import EvidenceKind
from tests.store.old_stores import FEBRUARY, JANUARY, answer_body, build_old_store, stored_rows
from tests.stored import WordJudge, captured

EVERYTHING = RetentionPart(payload_days=30, screenshot_days=30, page_days=30, text_days=30)
ENDED = datetime(2026, 2, 1, tzinfo=UTC)


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request, tmp_path):
    """Two runs that ended long ago, on each kind of database."""
    url = f"sqlite:///{tmp_path}/monitor.db"
    server = None
    if request.param == "postgresql":
        server = request.getfixturevalue("postgres_server")
        url = server.new_database(upgraded=False)
    build_old_store(url, tmp_path / "artifacts")
    database = open_database(url)
    upgrade(database)
    with database.write() as c:
        c.execute(text("UPDATE run SET state = 'done', finished_at = :at"), {"at": ENDED})
        c.execute(text("DELETE FROM capture WHERE id = 4"))
    database.close()
    yield StorePart(database=url, artifacts=str(tmp_path / "artifacts"))
    if server is not None:
        server.drop_database(url)


def opened(store, part=EVERYTHING):
    engines = {"openai": EnginePart(per_minute=100_000)}
    return open_bench(Settings(store=store, retention=part, engines=engines))


def run_of(bench, name=JANUARY):
    return bench.read(lambda c: runs.one_run(c, name))


def keep(bench, name, state="done", ended=None):
    """Let a run be one that has not passed its limit."""
    at = ended or datetime.now(UTC)
    values = {"state": state, "at": at if state == "done" else None, "name": name}
    bench.write(
        lambda c: c.execute(
            text("UPDATE run SET state = :state, finished_at = :at WHERE public_id = :name"), values
        )
    )


def noted(bench):
    return bench.read(notes.all_removed)


def test_bytes_past_their_limit_go_and_every_row_stays(store):
    before = stored_rows(store.database)
    with opened(store) as bench:
        manifest = run_manifest(bench, run_of(bench))
        assert retain(bench) == {
            EvidenceKind.PAYLOAD: 1, EvidenceKind.SCREENSHOT: 1, EvidenceKind.PAGE: 1,
            EvidenceKind.TEXT: 1, EvidenceKind.SNAPSHOT: 0,
        }  # fmt: skip
        assert len(noted(bench)) == 4
        # The records of the exchanges are no payloads.
        assert len(set(bench.artifacts.hashes())) == 2
        assert run_manifest(bench, run_of(bench)) == manifest
        assert set(retain(bench).values()) == {0}
    after = stored_rows(store.database)
    assert all(row["gone"] for row in after.pop("removed_artifact"))
    assert after == {name: rows for name, rows in before.items() if name != "removed_artifact"}


def test_a_dry_run_counts_and_removes_nothing(store):
    with opened(store) as bench:
        there = set(bench.artifacts.hashes())
        assert sum(retain(bench, dry_run=True).values()) == 4
        assert set(bench.artifacts.hashes()) == there
        assert noted(bench) == set()


def test_nothing_goes_where_no_limit_is_set(store):
    with opened(store, RetentionPart()) as bench:
        assert retain(bench) == {}
        assert len(set(bench.artifacts.hashes())) == 6


def test_only_kinds_with_a_limit_go(store):
    with opened(store, RetentionPart(screenshot_days=30)) as bench:
        assert retain(bench) == {EvidenceKind.SCREENSHOT: 1, EvidenceKind.SNAPSHOT: 0}
        assert len(noted(bench)) == 1


@pytest.mark.parametrize("state", ["done", "planned"])
def test_bytes_that_a_newer_or_open_run_shares_stay(store, state):
    with opened(store) as bench:
        keep(bench, FEBRUARY, state)
        # February shares the payload, the page and its text; January's picture is its own.
        assert {kind: n for kind, n in retain(bench).items() if n} == {EvidenceKind.SCREENSHOT: 1}
        assert verify_run(bench, run_of(bench, FEBRUARY)).removed == ()


def test_bytes_that_another_kind_still_keeps_stay(store):
    with opened(store, RetentionPart(payload_days=30)) as bench:
        body = bench.artifacts.put(answer_body())
        bench.write(
            lambda c: c.execute(text("UPDATE page_fetch SET body_sha256 = :one"), {"one": body})
        )
        assert retain(bench) == {EvidenceKind.PAYLOAD: 0}


def test_an_unread_answer_of_a_run_to_be_resumed_stays(store, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    with opened(store) as bench:
        keep(bench, FEBRUARY, "incomplete")
        # Its row was lost, its bytes are those of January's answers.
        for change in (
            "DELETE FROM payload WHERE capture_id = 3",
            "UPDATE capture SET state = 'asked', reading_id = NULL WHERE id = 3",
        ):
            bench.write(lambda c, change=change: c.execute(text(change)))
        assert retain(bench)[EvidenceKind.PAYLOAD] == 0
        run = run_of(bench, FEBRUARY)
        assert asyncio.run(captured(bench, run, b"never asked")) == ()
        assert verify_run(bench, run).sound


def test_verify_says_what_retention_removed_and_is_content(store):
    with opened(store) as bench:
        retain(bench)
        found = verify_run(bench, run_of(bench))
        assert found.sound
        # Two payloads, a picture, and a page with its text under two addresses.
        assert len(found.removed) == 7
        assert found.removed[0].startswith("payload ")
        whole = verify_store(bench)
        assert (whole.sound, whole.removed, whole.orphans) == (True, 4, 0)


def test_bytes_that_are_lost_without_a_note_are_missing(store):
    with opened(store, RetentionPart(screenshot_days=30)) as bench:
        retain(bench)
        gone = next(
            one for one in bench.artifacts.hashes() if bench.artifacts.get(one) == answer_body()
        )
        bench.artifacts.remove(gone)
        assert not verify_run(bench, run_of(bench)).sound
        assert verify_store(bench).missing == (f"artifact {gone}",)


def test_what_is_stored_again_is_no_longer_removed(store):
    with opened(store) as bench:
        retain(bench)
        body = bench.artifacts.put(answer_body())
        assert body in noted(bench)
        from monitor.store import captures

        again = captures.StoredPayload(3, 1, 0, body, status=200)
        bench.write(lambda c: captures.save_payload(c, again))
        assert body not in noted(bench)
        assert verify_store(bench).sound


class _CutError(Exception):
    pass


@pytest.mark.parametrize("step", ["remove", "confirm"])
def test_a_retention_cut_anywhere_leaves_no_row_without_bytes_or_note(store, step, monkeypatch):
    with opened(store) as bench:

        def cut(*_):
            raise _CutError

        with monkeypatch.context() as patched:
            owner = type(bench.artifacts) if step == "remove" else retaining.removals
            patched.setattr(owner, step, cut)
            with pytest.raises(_CutError):
                retain(bench)
        assert len(noted(bench)) == 1
        assert verify_store(bench).sound
        retain(bench)
        assert len(noted(bench)) == 4
        assert len(set(bench.artifacts.hashes())) == 2


def test_a_cut_retention_whose_limit_was_lifted_is_forgotten(store, monkeypatch):
    with opened(store) as bench, monkeypatch.context() as patched:
        patched.setattr(
            type(bench.artifacts), "remove", lambda *_: (_ for _ in ()).throw(_CutError)
        )
        with pytest.raises(_CutError):
            retain(bench)
    with opened(store, RetentionPart(payload_days=30_000)) as bench:
        assert retain(bench) == {EvidenceKind.PAYLOAD: 0}
        assert noted(bench) == set()


def test_nothing_is_removed_while_somebody_works_on_the_store(store):
    other = open_database(store.database)
    with (
        opened(store) as bench,
        other.exclusive(),
        pytest.raises(StoreError, match="is working on"),
    ):
        retain(bench)
    with opened(store) as bench:
        assert noted(bench) == set()
    other.close()


def test_nothing_is_removed_while_workers_are_at_a_run(store):
    with opened(store) as bench:
        keep(bench, FEBRUARY, "running")
        bench.write(lambda c: c.execute(text("UPDATE run SET stage = 'pages' WHERE id = 2")))
        with pytest.raises(StoreError, match="workers are at it"):
            retain(bench)
        assert noted(bench) == set()


def test_a_run_without_its_payloads_says_that_it_cannot_be_read_again(store):
    with opened(store, RetentionPart(payload_days=30)) as bench:
        retain(bench)
        with pytest.raises(StoreError, match="1 of its payloads") as said:
            reparse_run(bench, run_of(bench))
        assert "its readings, verdicts and scorecards are there as they were" in str(said.value)
        score_run(bench, run_of(bench), WordJudge())


def test_a_run_without_its_texts_is_scored_from_its_verdicts_and_by_no_other_judge(store, tmp_path):
    with opened(store) as bench:
        judge, run = make_judge("embedded"), run_of(bench)
        before = score_run(bench, run, judge).cards
        retain(bench)
        assert score_run(bench, run, judge).cards == before
        report = publish_report(bench, run, judge, tmp_path / "report.html").read_text("utf-8")
        assert "Oaks grow slowly from acorns." in report
        with pytest.raises(StoreError, match="was removed by retention, and a verdict"):
            score_run(bench, run, WordJudge())


@pytest.mark.parametrize("store", ["sqlite"], indirect=True)
def test_the_door_counts_what_goes_and_what_went(store, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    settings = (
        f"store: {{database: '{store.database}', artifacts: artifacts}}\n"
        "retention: {payload_days: 30, screenshot_days: 30}\n"
    )
    (tmp_path / "config.yaml").write_text(settings, "utf-8")
    for words, said in (
        (["retain", "--dry-run"], "1 payload, 1 screenshot, 0 snapshot to remove"),
        (["retain"], "1 payload, 1 screenshot, 0 snapshot removed"),
        (["verify", JANUARY], "removed by retention: 3, among them screenshot "),
        (["verify", "--all"], "sound; 2 removed by retention, 0 that nothing here refers to"),
    ):
        with pytest.raises(SystemExit) as stop:
            main(words)
        assert (stop.value.code, said in capsys.readouterr().out) == (0, True), words
