"""Stored bytes that were cut, replaced, removed or swapped for links: `verify` names every one."""

from pathlib import Path

import pytest

from monitor.capture.envelope import make_envelope, store_envelope
from monitor.domain.engine import Exchange, Request
from monitor.errors import StoreError
from monitor.pipeline.records import own_artifacts, payload_of
from monitor.pipeline.verifying import verify_run
from monitor.store import captures
from monitor.store.artifacts import StoredArtifacts
from tests.stored import MADE_AT, answer, bench_in, keep_answers, planned


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


REQUEST = Request("POST", "https://vendor.example/v1", {"q": "How do oaks grow?"})


@pytest.fixture
def recorded(tmp_path, monkeypatch):
    """A bench, a run with one exchange and its record, and the record's and pointer's files."""
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench)
        (capture,) = bench.read(lambda c: captures.load_captures(c, run.id))
        body = answer("Oaks grow slowly.", ("slowly", "https://oak.example/"))
        envelope = make_envelope(
            REQUEST, Exchange(body, 200), seq=0, attempt=0, started_at=MADE_AT, duration_ms=5
        )
        sha256 = store_envelope(own_artifacts(bench, run), capture.id, envelope, body)
        bench.write(lambda c: captures.save_payload(c, payload_of(capture.id, envelope)))
        record = tmp_path / "artifacts" / sha256[:2] / f"{sha256}.zst"
        (pointer,) = (
            path for path in (tmp_path / "artifacts/pointers").rglob("*") if path.is_file()
        )
        yield bench, run, record, pointer


def test_a_run_is_its_answers_and_the_records_of_how_they_were_asked_for(recorded):
    bench, run, _, _ = recorded
    found = verify_run(bench, run)
    assert (found.entries, found.sound) == (2, True)


@pytest.mark.parametrize("touch", [cut, lengthened, replaced, emptied, linked])
def test_a_record_that_was_touched_is_named_as_altered(recorded, touch):
    bench, run, record, _ = recorded
    touch(record)
    found = verify_run(bench, run)
    assert (found.altered, found.missing) == ((f"exchange {record.stem}",), ())


def test_a_record_that_was_removed_and_a_pointer_that_was_are_missing(recorded):
    bench, run, record, pointer = recorded
    record.unlink()
    assert verify_run(bench, run).missing == (f"exchange {record.stem}",)
    pointer.unlink()
    assert verify_run(bench, run).missing == ("pointer to the exchange capture/1/000/000",)


def test_a_pointer_that_is_none_any_more_is_altered(recorded):
    bench, run, _, pointer = recorded
    pointer.write_text("elsewhere")
    found = verify_run(bench, run)
    assert found.altered == ("pointer to the exchange capture/1/000/000",)


@pytest.mark.parametrize(
    ("old", "new"),
    [(b'"status":200', b'"status":201'), (b"vendor.example", b"other.example"), (b"{", b"")],
)
def test_a_record_that_tells_another_story_than_the_database_is_altered(recorded, old, new):
    bench, run, record, pointer = recorded
    other = bench.artifacts.put(bench.artifacts.get(record.stem).replace(old, new))
    pointer.write_text(other)
    found = verify_run(bench, run)
    assert (found.altered, found.missing) == ((f"exchange {other}",), ())


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
