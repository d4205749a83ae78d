"""Broken stores and altered backups: all that is whole is kept, the rest named, nothing lost."""

import asyncio
import json
import resource

import pytest

from monitor.errors import StoreError
from monitor.pipeline.backing import backup_store, restore_store
from monitor.pipeline.bench import open_bench
from monitor.pipeline.verifying import verify_store
from monitor.store import open_artifacts, runs
from tests.edges.test_backups import BODY, bench_in, settings_of
from tests.store.old_stores import stored_rows
from tests.stored import captured, planned


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


def names_in(folder):
    return open_artifacts(folder / "artifacts").names()


def cut_pointer(path):
    path.write_text("", "ascii")


def link_pointer(path):
    path.unlink()
    path.symlink_to("/etc/hostname")


@pytest.mark.parametrize("spoil", [cut_pointer, link_pointer])
def test_a_pointer_that_names_nothing_keeps_nothing_else_from_a_backup(
    kept, elsewhere, monkeypatch, spoil
):
    with bench_in(kept, monkeypatch) as bench:
        asyncio.run(captured(bench, planned(bench, "2026-02"), BODY))
    first, second = names_in(kept)
    spoil(kept / "artifacts" / "pointers" / first)
    made = backup_store(settings_of(kept), kept / "backup")
    assert made.missing == (f"pointer {first}: names no bytes in the store, not copied",)
    assert restore_store(elsewhere, kept / "backup").missing == ()
    assert names_in(kept / "elsewhere") == (second,)


@pytest.mark.parametrize("spoil", [cut_pointer, link_pointer])
def test_a_backup_with_a_broken_pointer_is_restored_and_names_it(kept, elsewhere, spoil):
    backup_store(settings_of(kept), kept / "backup")
    (name,) = names_in(kept)
    spoil(kept / "backup" / "artifacts" / "pointers" / name)
    made = restore_store(elsewhere, kept / "backup")
    assert made.missing == (f"pointer {name}: names no bytes in the backup, not copied",)
    assert stored_rows(elsewhere.store.database) == stored_rows(f"sqlite:///{kept}/monitor.db")


def cut_bytes(path):
    path.write_bytes(path.read_bytes()[:-1])


def link_bytes(path):
    path.unlink()
    path.symlink_to("/etc/hostname")


def body_in(folder):
    """Path of the longest stored bytes: the payload."""
    return max((folder / "artifacts").glob("??/*.zst"), key=lambda one: one.stat().st_size)


@pytest.mark.parametrize("spoil", [cut_bytes, link_bytes])
def test_broken_bytes_keep_nothing_else_from_a_backup_and_are_named_once(kept, spoil):
    body = body_in(kept)
    spoil(body)
    made = backup_store(settings_of(kept), kept / "backup")
    assert made.missing == (f"artifact {body.stem}: altered in the store, not copied",)
    # The record of the exchange and the manifest of the capture; the pointer leads to the record.
    assert (made.artifacts, made.pointers) == (2, 1)


@pytest.mark.parametrize("spoil", [cut_bytes, link_bytes])
def test_broken_bytes_of_a_backup_are_named_when_it_is_restored(kept, elsewhere, spoil):
    backup_store(settings_of(kept), kept / "backup")
    body = body_in(kept / "backup")
    spoil(body)
    made = restore_store(elsewhere, kept / "backup")
    assert made.missing == (f"artifact {body.stem}: not whole in the backup",)


@pytest.mark.parametrize("name", [".DS_Store", "notes (1).txt", "x/.~lock.notes#"])
def test_files_of_other_programs_among_the_pointers_are_passed_over(kept, elsewhere, name):
    for where in ("", names_in(kept)[0].rpartition("/")[0]):
        stray = kept / "artifacts" / "pointers" / where / name
        stray.parent.mkdir(exist_ok=True)
        stray.write_text("x")
    assert backup_store(settings_of(kept), kept / "backup").missing == ()
    (kept / "backup" / "artifacts" / "pointers" / ".DS_Store").write_text("x")
    assert restore_store(elsewhere, kept / "backup").missing == ()
    with open_bench(settings_of(kept), migrate=False) as bench:
        assert verify_store(bench).sound


def manifest_of(kept):
    return json.loads((kept / "backup" / "backup.json").read_text("utf-8"))


def named_rows(kept, name):
    """A manifest that names other rows, with the hash they have."""
    rows = next((kept / "backup").glob("rows-*.db"))
    place = kept / "backup" / name
    if not place.exists():
        place.write_bytes(rows.read_bytes())
    return json.dumps(manifest_of(kept) | {"rows": name})


def linked_rows(kept):
    """Rows of the right name that are a link to somewhere else."""
    rows = next((kept / "backup").glob("rows-*.db"))
    rows.rename(kept / "outside.db")
    rows.symlink_to(kept / "outside.db")
    return json.dumps(manifest_of(kept))


@pytest.mark.parametrize(
    "made",
    [
        lambda kept: named_rows(kept, "../outside.db"),
        lambda kept: named_rows(kept, f"{kept}/outside.db"),
        lambda kept: named_rows(kept, "rows-other.db"),
        linked_rows,
        lambda kept: json.dumps(manifest_of(kept) | {"rows": 5}),
        lambda kept: json.dumps(manifest_of(kept) | {"rows": "x" * 5000}),
        lambda kept: json.dumps(manifest_of(kept) | {"rows": "rows-\x00.db"}),
        lambda kept: json.dumps(manifest_of(kept) | {"database": ["x"]}),
        lambda _: "[" * 100_000,
        lambda _: "\x00",
    ],
)
def test_a_manifest_leads_nowhere_but_to_the_rows_beside_it(kept, elsewhere, made):
    backup_store(settings_of(kept), kept / "backup")
    (kept / "backup" / "backup.json").write_text(made(kept), "utf-8")
    with pytest.raises(StoreError, match=r"no backup is there|missing or altered") as caught:
        restore_store(elsewhere, kept / "backup")
    assert len(str(caught.value)) < 600
    assert not (kept / "elsewhere").exists()


@pytest.mark.parametrize("where", ["artifacts/backup", "artifacts", "."])
def test_a_backup_is_kept_apart_from_the_bytes_it_is_made_of(kept, where):
    before = sorted(kept.rglob("*"))
    with pytest.raises(StoreError, match="name "):
        backup_store(settings_of(kept), kept / where)
    assert {one.name for one in set(kept.rglob("*")) - set(before)} <= {"monitor.bytes.lock"}


@pytest.mark.parametrize(
    "parts",
    [
        {"artifacts": "{}/backup/artifacts"},
        {"artifacts": "{}/backup/artifacts/new"},
        {"artifacts": "{}/backup/new"},
        {"database": "sqlite:///{}/backup/new.db"},
    ],
)
def test_a_backup_is_not_restored_into_itself(kept, parts):
    backup_store(settings_of(kept), kept / "backup")
    before = sorted((kept / "backup").rglob("*"))
    places = {"database": "sqlite:///{}/new/monitor.db", "artifacts": "{}/new/artifacts"} | parts
    inside = settings_of(kept, **{name: where.format(kept) for name, where in places.items()})
    with pytest.raises(StoreError, match="restore to another place"):
        restore_store(inside, kept / "backup")
    assert sorted((kept / "backup").rglob("*")) == before


def test_a_disk_that_is_full_is_told_and_leaves_the_backup_before_it(kept, elsewhere):
    backup_store(settings_of(kept), kept / "backup")
    before = sorted((kept / "backup").rglob("*"))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    try:
        with pytest.raises(StoreError, match="check that there is room"):
            backup_store(settings_of(kept), kept / "backup")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert sorted((kept / "backup").rglob("*")) == before
    assert restore_store(elsewhere, kept / "backup").missing == ()
