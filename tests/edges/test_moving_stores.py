"""A whole store moved: every row and byte arrives, a cut move goes on, a foreign target is refused."""

import sqlite3
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from monitor.config.parts import StorePart
from monitor.config.settings import Settings
from monitor.domain.alert import Closed
from monitor.errors import StoreError
from monitor.pipeline.bench import open_bench
from monitor.pipeline.moving import move_store
from monitor.pipeline.notifying import save_digest
from monitor.pipeline.verifying import verify_run
from monitor.store import (
    alerts,
    copying,
    deliveries,
    open_artifacts,
    open_database,
    panels,
    references,
    runs,
    upgrade,
)
from tests.store.old_stores import FEBRUARY, JANUARY, build_old_store, stored_rows
from tests.stored import MADE_AT, PANEL
from tests.told import digest, named


@pytest.fixture
def source(tmp_path):
    """A store with rows in every table the version before knew, brought up to date."""
    url = f"sqlite:///{tmp_path}/monitor.db"
    build_old_store(url, tmp_path / "artifacts")
    database = open_database(url)
    upgrade(database)
    with database.write() as c:
        c.execute(text("INSERT INTO engine_limit VALUES ('é', 1, 2, 3), ('Z', 1, 2, 3)"))
        c.execute(text("INSERT INTO engine_limit VALUES ('a', 1, 2, 3), ('_', 1, 2, 3)"))
        c.execute(
            text("UPDATE scorecard SET body = :body"),
            {"body": '{"whole": 1.0, "huge": 1e+22, "small": 1e-07, "most": 0.1, "n": -0.0}'},
        )
        _tell_of(c, runs.one_run(c, FEBRUARY))
    database.close()
    return StorePart(database=url, artifacts=str(tmp_path / "artifacts"))


def _tell_of(c, run):
    """An alert that was closed and is open again, a pinned run, and a message on its way."""
    told = named("\x1b[31m\u202e=1+1 \ud800\x00 ünï", answers_in_all=2**40)
    first = alerts.open_alert(c, run.id, run.panel, told, at=MADE_AT)
    alerts.close_alert(c, first, Closed.ACCEPTED, at=MADE_AT)
    alerts.open_alert(c, run.id, run.panel, told, at=MADE_AT)
    references.pin(c, run.panel, run.id, at=MADE_AT)
    save_digest(c, digest(alerts=(told,)), "chat", key="digest:1", at=MADE_AT)


@pytest.fixture
def far(postgres_url, s3_bucket):
    """PostgreSQL and a bucket."""
    return StorePart(database=postgres_url, artifacts=f"{s3_bucket.url}/kept")


@pytest.fixture
def near(tmp_path):
    """Another file and folder."""
    return StorePart(
        database=f"sqlite:///{tmp_path}/there/monitor.db",
        artifacts=str(tmp_path / "there" / "kept"),
    )


@contextmanager
def bench_of(store):
    with open_bench(Settings(store=store), migrate=False) as bench:
        yield bench


def moved(source, target, **options):
    with bench_of(source) as bench:
        return move_store(bench, target.database, target.artifacts, **options)


def known(rows):
    """Rows of our tables that hold any."""
    return {name: found for name, found in rows.items() if found}


def test_a_store_moves_to_postgresql_and_a_bucket_with_every_row_and_byte(source, far):
    told = moved(source, far)
    assert told.differences == ()
    assert stored_rows(far.database) == stored_rows(source.database)
    there = known(stored_rows(far.database))
    assert [len(there[name]) for name in ("alert", "reference_run")] == [2, 1]
    assert all(one.here == one.there for one in told.tables)
    assert (told.artifacts, told.pointers) == (6, 3)
    here, there = open_artifacts(source.artifacts), open_artifacts(far.artifacts)
    assert there.pointers("") == here.pointers("") != ()
    assert {one: there.get(one) for one in there.hashes()} == {
        one: here.get(one) for one in here.hashes()
    }


def test_a_moved_run_is_verified_and_the_database_counts_on_from_its_ids(source, far):
    moved(source, far)
    with bench_of(far) as bench:
        for name in (JANUARY, FEBRUARY):
            run = bench.read(lambda c, name=name: runs.one_run(c, name))
            assert verify_run(bench, run).sound
        fresh = bench.write(
            lambda c: runs.plan_run(
                c, panels.save_panel(c, replace(PANEL, version=2), saved_at=run.created_at), "2026-03", [],
                caps=runs.Caps(), config={}, at=run.created_at,
            )
        )  # fmt: skip
        assert fresh.id == 3
        another = named("after the move")
        assert (
            bench.write(lambda c: alerts.open_alert(c, fresh.id, fresh.panel, another, at=MADE_AT))
            == 3
        )
        assert bench.read(deliveries.load_all)[0].message.key == "digest:1"


def test_a_store_moves_back_to_a_file_and_is_what_it_was(source, far, near):
    before = stored_rows(source.database)
    moved(source, far)
    assert moved(far, near).differences == ()
    assert stored_rows(near.database) == before
    assert open_artifacts(near.artifacts).pointers("") == open_artifacts(source.artifacts).pointers(
        ""
    )


def test_nothing_is_written_to_the_source(source, near):
    with closing(sqlite3.connect(source.database.removeprefix("sqlite:///"))) as raw:
        before = list(raw.iterdump())
        moved(source, near)
        assert list(raw.iterdump()) == before


def test_a_second_move_changes_nothing_and_a_move_can_be_verified_alone(source, far):
    first = moved(source, far)
    assert moved(source, far) == first
    assert moved(source, far, verify_only=True) == first


@pytest.mark.parametrize("target", ["near", "far"])
def test_a_move_cut_anywhere_goes_on_where_it_ended(source, target, request, monkeypatch):
    place = request.getfixturevalue(target)
    monkeypatch.setattr(copying, "BATCH", 2)
    insert = copying._insert
    for batches in (1, 7, 20):
        left = iter(range(batches))

        def cut(*arguments, left=left):
            if next(left, None) is None:
                raise KeyboardInterrupt
            insert(*arguments)

        monkeypatch.setattr(copying, "_insert", cut)
        with pytest.raises(KeyboardInterrupt):
            moved(source, place)
    monkeypatch.setattr(copying, "_insert", insert)
    assert moved(source, place).differences == ()
    assert known(stored_rows(place.database)) == known(stored_rows(source.database))


@pytest.mark.parametrize("target", ["near", "far"])
def test_a_target_that_holds_other_rows_is_refused_and_left_as_it_is(source, target, request):
    place = request.getfixturevalue(target)
    database = open_database(place.database)
    upgrade(database)
    with database.write() as c:
        c.execute(text("INSERT INTO month_spend VALUES ('2025-12', 1, 1)"))
    before = stored_rows(place.database)
    database.close()
    with pytest.raises(StoreError, match="holds other rows in month_spend"):
        moved(source, place)
    assert stored_rows(place.database) == before


def test_a_target_that_went_on_by_itself_is_refused(source, near):
    moved(source, near)
    database = open_database(near.database)
    with database.write() as c:
        c.execute(text("UPDATE run SET spent_calls = spent_calls + 1 WHERE id = 1"))
    database.close()
    with pytest.raises(StoreError, match="holds other rows in run "):
        moved(source, near)
    told = moved(source, near, verify_only=True)
    assert told.differences == ("table run: 2 rows on both sides, with other values",)


@pytest.mark.parametrize("target", ["near", "far"])
def test_every_difference_is_named(source, target, request):
    place = request.getfixturevalue(target)
    moved(source, place)
    database, artifacts = open_database(place.database), open_artifacts(place.artifacts)
    with database.write() as c:
        c.execute(text("DELETE FROM tally WHERE capture_id = 2"))
        c.execute(text("UPDATE verdict SET score = 0.970000001"))
    database.close()
    gone, cut = sorted(artifacts.hashes())[:2]
    artifacts.remove(gone)
    whole = artifacts.packed(cut)
    artifacts.remove(cut)
    artifacts.put_packed(cut, whole[:-1])
    assert moved(source, place, verify_only=True).differences == (
        "table verdict: 1 rows on both sides, with other values",
        "table tally: 4 rows here, 2 there",
        f"artifact {gone}: missing there",
        f"artifact {cut}: altered there",
    )


def test_bytes_that_are_broken_in_the_source_are_not_carried_on(source, near):
    artifacts = open_artifacts(source.artifacts)
    broken = min(artifacts.hashes())
    whole = artifacts.packed(broken)
    artifacts.remove(broken)
    artifacts.put_packed(broken, whole[:-1])
    assert moved(source, near).differences == (
        f"artifact {broken}: missing there (altered here too)",
    )
    assert broken not in set(open_artifacts(near.artifacts).hashes())


def test_a_store_that_is_worked_on_is_not_moved(source, near):
    other = open_database(source.database)
    with other.exclusive(), pytest.raises(StoreError, match="is working on this store"):
        moved(source, near)
    other.close()


def test_a_store_whose_workers_are_at_a_run_is_not_moved(source, near):
    database = open_database(source.database)
    with database.write() as c:
        c.execute(text("UPDATE run SET stage = 'captures' WHERE id = 2"))
    database.close()
    with pytest.raises(StoreError, match=f"{FEBRUARY}: workers are at it"):
        moved(source, near)


def test_a_store_of_an_older_version_is_not_upgraded_by_a_move(tmp_path, near):
    url = f"sqlite:///{tmp_path}/old.db"
    build_old_store(url, tmp_path / "artifacts")
    old = StorePart(database=url, artifacts=str(tmp_path / "artifacts"))
    with pytest.raises(StoreError, match="is at revision 0001"):
        moved(old, near)
    assert "month_spend" not in stored_rows(url)


def test_a_store_is_not_moved_onto_itself(source, near):
    path = Path(source.database.removeprefix("sqlite:///"))
    (path.parent / "link.db").symlink_to(path)
    for name in (path.name, f"../{path.parent.name}/{path.name}", "link.db"):
        there = f"sqlite:///{path.parent}/{name}"
        with pytest.raises(StoreError, match="is where this store is already"):
            moved(source, StorePart(database=there, artifacts=near.artifacts))


def test_a_comparison_alone_makes_nothing(source, near, tmp_path):
    with pytest.raises(StoreError, match="nothing to compare with"):
        moved(source, near, verify_only=True)
    assert [one for one in (tmp_path / "there").rglob("*") if one.is_file()] == []


def test_a_place_for_bytes_that_cannot_be_had_leaves_no_rows_behind(source, near):
    wrong = StorePart(database=near.database, artifacts="ftp://host/kept")
    with pytest.raises(StoreError, match="ftp:// are unknown"):
        moved(source, wrong)
    assert not Path(near.database.removeprefix("sqlite:///")).exists()


def test_a_row_that_does_not_fit_is_named(source, far):
    database = open_database(source.database)
    with database.write() as c:
        c.execute(text("UPDATE page_copy SET shared = 3000000000"))
    database.close()
    with pytest.raises(StoreError, match=r"a row of page_copy from \[1, 0\] to \[1, 0\]"):
        moved(source, far)


def test_a_pointer_that_names_nothing_keeps_nothing_else_from_a_move(source, near):
    names = open_artifacts(source.artifacts).names()
    cut, linked = (Path(source.artifacts, "pointers", one) for one in names[:2])
    cut.write_text("", "ascii")
    linked.unlink()
    linked.symlink_to("/etc/hostname")
    Path(source.artifacts, "pointers", ".DS_Store").write_text("x")
    told = moved(source, near)
    assert told.differences == tuple(f"pointer {one}: names no bytes here" for one in names[:2])
    assert told.pointers == len(names) - 2
    assert open_artifacts(near.artifacts).names() == names[2:]


def test_bytes_that_are_a_link_are_not_carried_on(source, near):
    path = min(Path(source.artifacts).glob("??/*.zst"))
    path.unlink()
    path.symlink_to("/etc/hostname")
    assert moved(source, near).differences == (
        f"artifact {path.stem}: missing there (altered here too)",
    )
