"""A backup made while a run goes on: restored elsewhere it is whole, and resume pays for the rest."""

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from monitor.config.parts import EnginePart, StorePart
from monitor.config.settings import Settings
from monitor.domain.panel import Panel, Prompt
from monitor.errors import StoreError
from monitor.pipeline import backing
from monitor.pipeline.backing import backup_store, restore_store
from monitor.pipeline.bench import open_bench
from monitor.pipeline.verifying import verify_run, verify_store
from monitor.store import captures, open_artifacts, runs
from tests.store.old_stores import build_old_store, stored_rows
from tests.stored import answer, captured, planned

BODY = answer("Oaks grow slowly.", ("slowly", "https://oak.example/"))
FOREST = Panel(
    "trees", 1, 3, "en-GB", ("openai",),
    tuple(Prompt(f"p{n}", f"How does tree {n} grow?", "en-GB") for n in range(60)),
)  # fmt: skip


def settings_of(folder, **store):
    parts = {"database": f"sqlite:///{folder}/monitor.db", "artifacts": f"{folder}/artifacts"}
    quick = EnginePart(per_minute=100_000)
    return Settings(store=StorePart(**(parts | store)), engines={"openai": quick})


@contextmanager
def bench_in(folder, monkeypatch):
    """A bench over the store of a folder; the vendor may be asked often."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    with open_bench(settings_of(folder)) as bench:
        yield bench


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A store with one finished run."""
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench)
        asyncio.run(captured(bench, run, BODY))
        bench.write(lambda c: runs.set_run_state(c, run.id, runs.RunState.DONE, at=run.created_at))
    return tmp_path


@pytest.fixture
def elsewhere(tmp_path):
    return settings_of(tmp_path / "elsewhere")


def test_a_restored_backup_holds_every_row_and_byte(kept, elsewhere):
    made = backup_store(settings_of(kept), kept / "backup")
    assert (made.missing, made.artifacts, made.added, made.pointers) == ((), 3, 3, 1)
    assert restore_store(elsewhere, kept / "backup").missing == ()
    assert stored_rows(elsewhere.store.database) == stored_rows(f"sqlite:///{kept}/monitor.db")
    with open_bench(elsewhere, migrate=False) as bench:
        assert verify_store(bench).sound
        (run,) = bench.read(runs.list_runs)
        assert verify_run(bench, run).sound


@contextmanager
def at_work(bench, run):
    """A run that is worked on in a thread meanwhile; it has ended when the block has."""
    with ThreadPoolExecutor(1) as threads:
        work = threads.submit(lambda: asyncio.run(captured(bench, run, BODY)))
        yield
        work.result()


def open_captures(bench, run):
    return len(bench.read(lambda c: captures.load_open(c, run.id)))


@contextmanager
def counted_calls(monkeypatch):
    """The number of calls that reach the vendor."""
    calls = []
    from httpx import MockTransport

    handle = MockTransport.handle_async_request

    async def counting(self, request):
        calls.append(request)
        return await handle(self, request)

    with monkeypatch.context() as patched:
        patched.setattr(MockTransport, "handle_async_request", counting)
        yield calls


def test_a_backup_in_mid_run_is_whole_and_resume_pays_for_what_it_does_not_hold(
    tmp_path, monkeypatch, elsewhere
):
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench, panel=FOREST)
        total = open_captures(bench, run)
        with at_work(bench, run):
            deadline = time.monotonic() + 60
            while open_captures(bench, run) > total - 20 and time.monotonic() < deadline:
                time.sleep(0.005)
            made = backup_store(bench.settings, tmp_path / "backup")
        assert open_captures(bench, run) == 0
    assert made.missing == ()
    restored = restore_store(elsewhere, tmp_path / "backup")
    assert restored.missing == ()
    with open_bench(elsewhere, migrate=False) as there:
        (run,) = there.read(runs.list_runs)
        assert 0 < open_captures(there, run) < total
        assert verify_run(there, run).sound
        with counted_calls(monkeypatch) as calls:
            asyncio.run(captured(there, run, BODY))
        assert open_captures(there, run) == 0
        assert len(calls) == total - restored.pointers
        assert verify_run(there, run).sound


def test_backups_made_again_and_again_while_a_run_writes_never_lack_a_byte(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench, panel=FOREST)
        missing = []
        with at_work(bench, run):
            while open_captures(bench, run) > 0:
                missing += backup_store(bench.settings, tmp_path / "backup").missing
    assert missing == []
    assert len(list((tmp_path / "backup").glob("rows-*.db"))) == 1


def test_a_second_backup_adds_what_is_new(kept, monkeypatch):
    backup_store(settings_of(kept), kept / "backup")
    with bench_in(kept, monkeypatch) as bench:
        asyncio.run(captured(bench, planned(bench, "2026-02"), BODY))
    made = backup_store(settings_of(kept), kept / "backup")
    # The body is the same; the record of the exchange and the manifest are new.
    assert (made.added, made.pointers) == (2, 2)


def test_a_backup_cut_anywhere_leaves_the_one_before_it(kept, elsewhere, monkeypatch):
    before = stored_rows(f"sqlite:///{kept}/monitor.db")
    backup_store(settings_of(kept), kept / "backup")
    with bench_in(kept, monkeypatch) as bench:
        asyncio.run(captured(bench, planned(bench, "2026-02"), BODY))
    for step in ("copy_bytes", "copy_pointers", "_missing", "write_text"):
        with monkeypatch.context() as patched:
            patched.setattr(backing, step, lambda *_, **__: (_ for _ in ()).throw(OSError("cut")))
            with pytest.raises(OSError, match="cut"):
                backup_store(settings_of(kept), kept / "backup")
    restore_store(elsewhere, kept / "backup")
    assert stored_rows(elsewhere.store.database) == before
    assert backup_store(settings_of(kept), kept / "backup").missing == ()


def test_a_restore_that_was_cut_goes_on(kept, elsewhere, monkeypatch):
    backup_store(settings_of(kept), kept / "backup")
    with monkeypatch.context() as patched:
        patched.setattr(backing, "copy_pointers", lambda *_: (_ for _ in ()).throw(OSError("cut")))
        with pytest.raises(OSError, match="cut"):
            restore_store(elsewhere, kept / "backup")
    assert not Path(elsewhere.store.database.removeprefix("sqlite:///")).exists()
    assert restore_store(elsewhere, kept / "backup").missing == ()


def test_bytes_that_the_store_lacks_are_named(kept):
    artifacts = open_artifacts(kept / "artifacts")
    gone = max(artifacts.hashes(), key=lambda one: len(artifacts.get(one)))
    artifacts.remove(gone)
    made = backup_store(settings_of(kept), kept / "backup")
    assert made.missing == (f"artifact {gone}: missing in the store too",)


def test_a_store_of_an_older_version_is_backed_up_before_its_upgrade(tmp_path, elsewhere):
    build_old_store(f"sqlite:///{tmp_path}/monitor.db", tmp_path / "artifacts")
    before = stored_rows(f"sqlite:///{tmp_path}/monitor.db")
    assert backup_store(settings_of(tmp_path), tmp_path / "backup").missing == ()
    restore_store(elsewhere, tmp_path / "backup")
    assert stored_rows(elsewhere.store.database) == before


def foreign_folder(kept):
    (kept / "backup").mkdir()
    (kept / "backup" / "letters.txt").write_text("dear", "utf-8")


def other_store(kept):
    backup_store(settings_of(kept), kept / "backup")
    (kept / "backup" / "backup.json").write_text(
        (kept / "backup" / "backup.json").read_text("utf-8").replace("monitor.db", "other.db")
    )


@pytest.mark.parametrize(
    ("prepare", "said"),
    [
        (foreign_folder, "holds letters.txt, which is no backup"),
        (other_store, "a backup of sqlite"),
    ],
)
def test_a_folder_of_something_else_is_not_written_to(kept, prepare, said):
    prepare(kept)
    with pytest.raises(StoreError, match=said):
        backup_store(settings_of(kept), kept / "backup")


def test_a_backup_is_restored_into_empty_places_only(kept, elsewhere, tmp_path):
    backup_store(settings_of(kept), kept / "backup")
    with pytest.raises(StoreError, match="is there already"):
        restore_store(settings_of(kept), kept / "backup")
    taken = open_artifacts(tmp_path / "elsewhere" / "artifacts")
    taken.point("other/capture/1/000/000", taken.put(b"x"))
    with pytest.raises(StoreError, match="not of this backup"):
        restore_store(elsewhere, kept / "backup")


def test_an_altered_backup_is_not_restored(kept, elsewhere):
    backup_store(settings_of(kept), kept / "backup")
    rows = next((kept / "backup").glob("rows-*.db"))
    rows.write_bytes(rows.read_bytes()[:-1])
    with pytest.raises(StoreError, match="altered since the backup"):
        restore_store(elsewhere, kept / "backup")
    (kept / "backup" / "backup.json").write_text(json.dumps({"schema": "x"}), "utf-8")
    with pytest.raises(StoreError, match="no backup is there"):
        restore_store(elsewhere, kept / "backup")


def test_a_server_is_pointed_to_its_own_tools(tmp_path):
    server = settings_of(tmp_path, database="postgresql://user@127.0.0.1:9/name")
    with pytest.raises(StoreError, match="pg_dump"):
        backup_store(server, tmp_path / "backup")


def test_a_store_that_is_not_there_is_not_backed_up(tmp_path):
    with pytest.raises(StoreError, match="no store there to back up"):
        backup_store(settings_of(tmp_path / "none"), tmp_path / "backup")
