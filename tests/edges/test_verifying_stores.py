"""Verification of a run and of a whole store: each way in which bytes can be wrong is told apart."""

import time

import pytest

from monitor.capture.envelope import decode
from monitor.pipeline.records import own_artifacts
from monitor.pipeline.verifying import verify_run, verify_store
from monitor.store import runs
from tests.stored import answer, bench_in, captured, planned

BODY = answer("Oaks grow slowly.", ("slowly", "https://oak.example/"))


@pytest.fixture
def bench(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as opened:
        yield opened


@pytest.fixture
async def run(bench):
    """A run whose one answer is stored."""
    made = planned(bench)
    await captured(bench, made, BODY)
    return made


def record_of(bench, run):
    """Hash of the record of the run's exchange."""
    own = own_artifacts(bench, run)
    return own.target(own.names("capture")[0])


def cut(bench, sha256):
    """Leave half of some bytes, as a power cut does."""
    whole = bench.artifacts.packed(sha256)
    bench.artifacts.remove(sha256)
    bench.artifacts.put_packed(sha256, whole[: len(whole) // 2])


def unread_exchange(bench, run):
    """A paid answer whose row was never written: pointer, record and body."""
    own = own_artifacts(bench, run)
    record = bench.artifacts.get(record_of(bench, run))
    body = bench.artifacts.put(b"paid and unread")
    other = record.replace(decode(record).body_sha256.encode(), body.encode())
    own.point("capture/99/000/000", own.put(other))
    return body


def test_a_whole_store_is_sound(bench, run):
    found = verify_store(bench)
    # The body, the record of the exchange, and the manifest of the capture.
    assert (found.sound, found.entries, found.removed, found.orphans) == (True, 3, 0, 0)


def test_truncated_bytes_are_altered_and_gone_ones_missing(bench, run):
    record = record_of(bench, run)
    body = decode(bench.artifacts.get(record)).body_sha256
    cut(bench, body)
    assert verify_store(bench).altered == (f"artifact {body}",)
    assert verify_run(bench, run).altered == (f"payload {body}",)
    bench.artifacts.remove(body)
    assert verify_store(bench).missing == (f"artifact {body}",)
    assert verify_run(bench, run).missing == (f"payload {body}",)


def test_a_pointer_to_a_record_that_is_gone_is_missing(bench, run):
    record = record_of(bench, run)
    bench.artifacts.remove(record)
    assert verify_store(bench).missing == (f"artifact {record}",)
    assert verify_run(bench, run).missing == (f"exchange {record}",)


def test_a_broken_pointer_is_altered(bench, run, tmp_path):
    (file,) = (one for one in (tmp_path / "artifacts" / "pointers").rglob("*") if one.is_file())
    file.write_bytes(file.read_bytes()[:10])
    name = str(file.relative_to(tmp_path / "artifacts" / "pointers"))
    assert verify_store(bench).altered == (f"pointer {name}",)
    assert verify_run(bench, run).altered == (f"pointer to the exchange {name.partition('/')[2]}",)


def test_a_paid_answer_that_no_row_tells_of_is_checked_too(bench, run):
    body = unread_exchange(bench, run)
    assert verify_run(bench, run).sound
    assert (verify_store(bench).sound, verify_store(bench).orphans) == (True, 0)
    bench.artifacts.remove(body)
    (missing,) = verify_run(bench, run).missing
    assert missing == f"payload {body} of the exchange capture/99/000/000"
    assert verify_store(bench).missing == (f"artifact {body}",)


def test_bytes_that_nothing_refers_to_are_counted_and_no_fault(bench, run):
    bench.artifacts.put(b"of a call that was cut before its pointer")
    found = verify_store(bench)
    assert (found.sound, found.orphans) == (True, 1)


def test_a_row_whose_pointer_is_gone_is_missing_it(bench, run, tmp_path):
    (file,) = (one for one in (tmp_path / "artifacts" / "pointers").rglob("*") if one.is_file())
    file.unlink()
    (missing,) = verify_run(bench, run).missing
    assert missing.startswith("pointer to the exchange capture/")


def test_many_artifacts_are_verified_in_seconds(bench, run):
    for n in range(1500):
        own_artifacts(bench, run).point(
            f"capture/{n + 2}/000/000", bench.artifacts.put(b"%d" % n * 500)
        )
    begun = time.perf_counter()
    found = verify_store(bench)
    assert found.entries == 1503
    assert time.perf_counter() - begun < 20
    assert len(bench.read(runs.list_runs)) == 1
