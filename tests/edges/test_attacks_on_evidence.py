"""Stored bytes that were cut, replaced, removed or swapped for links: `verify` names every one."""

from pathlib import Path

import pytest

from monitor.errors import StoreError
from monitor.pipeline.verifying import verify_run
from monitor.store.artifacts import StoredArtifacts
from tests.stored import answer, bench_in, keep_answers, planned


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A bench, a run with one stored payload, and the file that holds it."""
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench)
        keep_answers(bench, run, answer("Oaks grow slowly.", ("slowly", "https://oak.example/")))
        (path,) = (tmp_path / "artifacts").glob("??/*.zst")
        yield bench, run, path


def cut(path: Path):
    path.write_bytes(path.read_bytes()[:10])


def lengthened(path: Path):
    path.write_bytes(path.read_bytes() + b"\x00")


def replaced(path: Path):
    path.write_bytes(b"\x00" * 50)


def emptied(path: Path):
    path.write_bytes(b"")


def linked(path: Path):
    moved = path.rename(path.with_suffix(".moved"))
    path.symlink_to(moved)


def folder_linked(path: Path):
    moved = path.parent.rename(path.parent.with_name("elsewhere"))
    path.parent.symlink_to(moved)


def test_untouched_bytes_are_sound(kept):
    bench, run, _ = kept
    assert verify_run(bench, run).sound


@pytest.mark.parametrize("touch", [cut, lengthened, replaced, emptied, linked, folder_linked])
def test_bytes_that_were_touched_are_named_as_altered(kept, touch):
    bench, run, path = kept
    touch(path)
    found = verify_run(bench, run)
    assert [one.rsplit(" ", 1)[1] for one in found.altered] == [path.name.removesuffix(".zst")]
    assert found.missing == ()


def test_bytes_that_were_removed_are_named_as_missing(kept):
    bench, run, path = kept
    path.unlink()
    found = verify_run(bench, run)
    assert (len(found.missing), found.altered, found.sound) == (1, (), False)


class Unreachable:
    """An object store that refuses every call, as a bucket without permission does."""

    def _refuse(self, *_, **__):
        raise PermissionError(13, "denied")

    get = head = put = list = _refuse


def test_a_place_that_cannot_be_reached_says_nothing_about_its_bytes():
    there = StoredArtifacts(Unreachable(), lambda path: None, "s3://bucket")
    for ask, about in ((there.has, "0" * 64), (there.get, "0" * 64), (there.pointers, "")):
        with pytest.raises(StoreError, match=r"cannot read .* from s3://bucket: .*denied"):
            ask(about)
    with pytest.raises(StoreError, match=r"cannot write .* to s3://bucket: .*denied"):
        there.put(b"x")
