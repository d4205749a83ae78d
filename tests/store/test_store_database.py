"""Opening a store, its transactions, and what its column types refuse and repair."""

import threading
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import text

from monitor.errors import StoreError
from monitor.store import open_database, panels, runs
from monitor.store.types import storable, storable_json


def pragma(database, name):
    with database.read() as c:
        return c.execute(text(f"PRAGMA {name}")).scalar()


def test_sqlite_runs_with_wal_patience_and_foreign_keys(sqlite):
    assert pragma(sqlite, "journal_mode") == "wal"
    assert pragma(sqlite, "busy_timeout") == 30000
    assert pragma(sqlite, "foreign_keys") == 1
    assert pragma(sqlite, "synchronous") == 1


def test_write_commits_and_an_error_rolls_back(database, make_panel, at):
    with database.write() as c:
        panels.save_panel(c, make_panel(), saved_at=at)
    with pytest.raises(ZeroDivisionError):
        save_and_fail(database, make_panel(version=4), at)
    with database.read() as c:
        assert panels.load_panel(c, "clinical").version == 3


def save_and_fail(database, panel, at):
    with database.write() as c:
        panels.save_panel(c, panel, saved_at=at)
        raise ZeroDivisionError


def test_reader_sees_one_moment_while_another_writes(database, make_panel, at):
    with database.read() as before:
        assert panels.list_panels(before) == ()
        with database.write() as c:
            panels.save_panel(c, make_panel(), saved_at=at)
        assert panels.list_panels(before) == ()


def test_two_writers_wait_for_each_other_instead_of_failing(database, make_panel, at):
    failures = []

    def save(version):
        try:
            with database.write() as c:
                panels.list_panels(c)  # a deferred transaction would fail at its first write
                panels.save_panel(c, make_panel(version=version), saved_at=at)
        except StoreError as error:
            failures.append(error)

    threads = [threading.Thread(target=save, args=(n,)) for n in range(1, 9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as c:
        assert panels.load_panel(c, "clinical").version == 8
    assert failures == []


def test_naive_time_is_refused_by_name(database, make_panel):
    with pytest.raises(StoreError, match="naive date-time 2026-11-01"), database.write() as c:
        panels.save_panel(c, make_panel(), saved_at=datetime(2026, 11, 1))


def test_times_of_any_zone_come_back_in_utc(database, panel, make_plan):
    zone = timezone(timedelta(hours=5, minutes=30))
    local = datetime(2026, 11, 1, 11, 30, tzinfo=zone)
    with database.write() as c:
        panel_id = panels.save_panel(c, panel, saved_at=local)
        run = runs.plan_run(c, panel_id, "s", [], caps=runs.Caps(), config={}, at=local)
    assert run.created_at == datetime(2026, 11, 1, 6, 0, tzinfo=UTC)
    assert run.created_at.utcoffset() == timedelta(0)


def test_nul_and_lone_surrogates_are_replaced_one_for_one():
    assert storable("a\x00b\ud800c😀") == "a�b�c😀"
    assert storable_json({"k\x00": ["\udfff", 1, None]}) == {"k�": ["�", 1, None]}


def test_file_that_is_no_database_is_told_with_advice(tmp_path):
    path = tmp_path / "monitor.db"
    path.write_bytes(b"not a database at all, " * 100)
    with pytest.raises(StoreError, match=r"monitor\.db failed: file is not a database"):
        panels_of(f"sqlite:///{path}")


def test_store_without_tables_says_to_upgrade(empty_url):
    with pytest.raises(StoreError, match="monitor db upgrade"):
        panels_of(empty_url)


def panels_of(url):
    database = open_database(url)
    try:
        with database.read() as c:
            return panels.list_panels(c)
    finally:
        database.close()


def test_folder_of_a_new_store_is_made(tmp_path):
    database = open_database(f"sqlite:///{tmp_path}/deep/er/monitor.db")
    with database.write() as c:
        c.execute(text("CREATE TABLE t (x)"))
    database.close()
    assert (tmp_path / "deep/er/monitor.db").is_file()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense", "cannot be read"),
        ("mysql://u:secret@h/d", "unknown: expected sqlite or postgresql"),
        ("sqlite://", "needs a plain file"),
        ("sqlite:///:memory:", "needs a plain file"),
    ],
)
def test_url_of_no_store_is_refused_without_its_password(url, said):
    with pytest.raises(StoreError, match=said) as caught:
        open_database(url)
    assert "secret" not in str(caught.value)


def test_uncommitted_rows_are_seen_by_nobody_else(database, store_url, make_panel, at):
    other = open_database(store_url)
    with database.write() as c:
        panels.save_panel(c, make_panel(), saved_at=at)
        # Another connection looks at the store as one would after a kill: nothing is there.
        with other.read() as elsewhere:
            assert panels.list_panels(elsewhere) == ()
    other.close()


SECRETIVE = [
    "postgresql://u:secret-word@127.0.0.1:port/x",
    "postgresql://u:secret-word@[::1/x",
    "postgresql://u:pass@secret-word/x@127.0.0.1:1/x",
    "postgresql://u:pass@secret-word@127.0.0.1:1/x",
    "postgresql://u:pass/secret-word@127.0.0.1:1/x",
    "postgresql://secret-word@u:pass@127.0.0.1:1/x",
    "postgresql://127.0.0.1:1/x?password=secret-word",
    "postgresql://127.0.0.1:1/x?PassWord=secret-word",
    "postgresql://127.0.0.1:1/x?sslpassword=secret-word&sslmode=weird",
    "postgresql://127.0.0.1:1/x?nothing=secret-word",
    "postgresql+asyncpg://u:secret-word@h/x",
    "postgresql:u:secret-word@h/x",
    "u:secret-word@h/x",
    "secret-word",
    "sqlite:///{}/x.db?key=secret-word",
    "sqlite:///{}/x.db?timeout=secret-word",
]


@pytest.mark.parametrize("url", SECRETIVE)
def test_no_address_that_fails_is_told_with_what_may_be_a_password(url, tmp_path):
    with (
        pytest.raises(StoreError) as caught,
        closing(open_database(url.format(tmp_path))) as lost,
        lost.read(),
    ):
        pass
    told = f"{caught.value}"
    assert "secret" not in told
    assert "\n" not in told
    assert len(told) < 600


@pytest.mark.parametrize(
    ("name", "said"), [("a%00b.db", "cannot be read"), ("x.lock", "lock"), ("x.bytes.lock", "lock")]
)
def test_a_name_that_no_store_can_have_is_refused(tmp_path, name, said):
    (tmp_path / "x.lock").write_text("not ours")
    with pytest.raises(StoreError, match=said):
        open_database(f"sqlite:///{tmp_path}/{name}")
    assert (tmp_path / "x.lock").read_text() == "not ours"


def test_two_stores_that_share_a_lock_are_told_apart_from_another_process(tmp_path):
    one, other = (open_database(f"sqlite:///{tmp_path}/x.{kind}") for kind in ("db", "sqlite"))
    with (
        closing(one),
        closing(other),
        one.exclusive(),
        pytest.raises(StoreError, match="this process itself"),
        other.exclusive(),
    ):
        pass


@pytest.mark.parametrize("value", ["sqlite:///{}/x.db", "postgresql://127.0.0.1:1/x"])
def test_a_broken_address_is_no_fault_of_ours(value, tmp_path):
    url = value.format(tmp_path)
    for more in ("?nothing=1", "?timeout=abc", "?connect_timeout=abc", "?host=%00"):
        with pytest.raises(StoreError), closing(open_database(url + more)) as lost, lost.read():
            pass
