"""Manifests in the store: made beside captures or later, and every way to spoil them is named."""

from unittest.mock import patch

import pytest
from sqlalchemy import text

from monitor.config.parts import RetentionPart
from monitor.errors import EvidenceError, StoreError
from monitor.pipeline.backing import backup_store, restore_store
from monitor.pipeline.moving import move_store
from monitor.pipeline.proving import prove_run, signing_key
from monitor.pipeline.proving_checks import verify_capture
from monitor.pipeline.proving_meanwhile import Prover
from monitor.pipeline.retaining import retain
from monitor.pipeline.verifying import run_manifest, verify_run, verify_store
from monitor.proofs.findings import Fault
from monitor.proofs.keys import make_key
from monitor.proofs.manifest import manifest_bytes, read_manifest
from monitor.proofs.seals import NOTHING, Trusted
from monitor.store import proofs, runs
from monitor.store.artifacts import StoredArtifacts
from tests.proved import BODY, bench_for, picture_of, proved_run, signing
from tests.stored import captured, planned


def unproved_run(bench):
    """A run whose captures have pictures and no manifest yet."""
    with patch.object(Prover, "notice"):
        run = proved_run(bench)
    picture_of(bench, 1)
    return run


def faults(bench, run, trusted=NOTHING):
    return sorted((f.fault, f.file) for f in verify_run(bench, run, None, trusted).proofs.findings)


def replaced(bench, capture_id, content):
    """Let the row of a proof name another manifest."""
    sha256 = bench.artifacts.put(content)
    change = "UPDATE proof SET manifest_sha256 = :new WHERE capture_id = :one"
    bench.write(lambda c: c.execute(text(change), {"new": sha256, "one": capture_id}))


def manifest_of(bench, capture_id):
    return bench.artifacts.get(
        bench.read(lambda c: proofs.load_proof(c, capture_id)).manifest_sha256
    )


def test_every_capture_has_its_manifest_when_its_run_was_captured(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = proved_run(bench)
        made = bench.read(lambda c: proofs.load_run_proofs(c, run.id))
        found = verify_run(bench, run)
        told = read_manifest(manifest_of(bench, 1), "m")
    assert (set(made), found.sound, len(found.proofs.seals), found.proofs.unproved) == (
        {1, 2},
        True,
        2,
        0,
    )
    assert [one.path for one in told.files] == ["exchanges/000-000.json", "payloads/000-000.bin"]
    assert told.files[1].bytes == len(BODY)
    assert told.fields["prompt"]["text"] == "How do oaks grow?"
    assert (told.fields["outcome"], told.fields["engine"], told.fields["access"]) == (
        "answered", "openai", "api",
    )  # fmt: skip
    assert b"sk-made-up" not in manifest_bytes(told.fields, told.files)


def test_what_is_made_later_is_what_would_have_been_made(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = proved_run(bench)
        first = read_manifest(manifest_of(bench, 1), "m")
        bench.write(lambda c: c.execute(text("DELETE FROM proof")))
        assert verify_run(bench, run).proofs.unproved == 2
        assert verify_run(bench, run).sound
        assert len(prove_run(bench, run, None)) == 2
        again = read_manifest(manifest_of(bench, 1), "m")
    assert again.files == first.files
    assert dict(again.fields) | {"made_at": 0} == dict(first.fields) | {"made_at": 0}


def test_pictures_and_pages_are_named_with_what_makes_them_evidence(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = unproved_run(bench)
        prove_run(bench, run, None)
        told = read_manifest(manifest_of(bench, 1), "m")
        assert verify_run(bench, run).sound
    kinds = {one.path: (one.kind.value, one.media_type) for one in told.files}
    assert kinds["screenshots/00-full.jpg"] == ("screenshot", "image/jpeg")
    # A page that a click opens as a page would run its scripts.
    assert kinds["snapshots/00-dom.txt"] == ("snapshot", "text/html")
    (shot,) = told.fields["screenshots"]
    assert (shot["browser"], shot["viewport"], shot["masked"]) == (
        "Chromium 1.2.3",
        [1280, 1600],
        1,
    )


def test_a_key_signs_what_is_made_and_what_was_made_before(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = proved_run(bench)
    file, key = signing(tmp_path)
    with bench_for(tmp_path, monkeypatch, signing_key_file=file) as bench:
        assert len(prove_run(bench, run, signing_key(bench.settings))) == 2
        assert prove_run(bench, run, signing_key(bench.settings)) == ()
        found = verify_run(bench, run, None, Trusted(key.public_pem))
        assert (found.sound, {one.key_id for one in found.proofs.seals}) == (True, {key.key_id})
        other = make_key(tmp_path / "other.pem")
        assert {f for f, _ in faults(bench, run, Trusted(other.public_pem))} == {Fault.KEY}


def test_a_key_that_is_no_good_ends_a_run_before_anybody_is_asked(tmp_path, monkeypatch):
    file, _ = signing(tmp_path)
    file.chmod(0o644)
    with bench_for(tmp_path, monkeypatch, signing_key_file=file) as bench:
        with pytest.raises(EvidenceError, match="others may read"):
            proved_run(bench)
        assert bench.read(lambda c: c.execute(text("SELECT count(*) FROM payload")).scalar()) == 0


def test_a_manifest_that_cannot_be_kept_leaves_its_capture_whole(tmp_path, monkeypatch):
    put = StoredArtifacts.put

    def full(self, content, **more):
        if b"monitor-capture-manifest-1" in content:
            raise StoreError("no space left")
        return put(self, content, **more)

    with bench_for(tmp_path, monkeypatch) as bench:
        with patch.object(StoredArtifacts, "put", full):
            run = proved_run(bench)
        assert verify_run(bench, run).sound
        assert verify_run(bench, run).proofs.unproved == 2
        assert len(prove_run(bench, run, None)) == 2


def test_every_way_to_spoil_a_manifest_is_told_apart(tmp_path, monkeypatch):
    file, _ = signing(tmp_path)
    with bench_for(tmp_path, monkeypatch, signing_key_file=file) as bench:
        run = unproved_run(bench)
        prove_run(bench, run, signing_key(bench.settings))
        whole = manifest_of(bench, 1)
        name = "capture 1/manifest.json"
        told = read_manifest(whole, "m")
        fewer = manifest_bytes(told.fields, told.files[:-1])
        cases = {
            whole.replace(b"oaks", b"elms"): [(Fault.MANIFEST, name), (Fault.SIGNATURE, f"{name}.sig")],
            whole[:-5]: [(Fault.MANIFEST, name), (Fault.SIGNATURE, f"{name}.sig")],
            fewer: [
                (Fault.EXTRA, "capture 1/snapshots/00-dom.txt"), (Fault.SIGNATURE, f"{name}.sig"),
            ],
            whole.replace(told.files[0].sha256.encode(), b"0" * 64): [
                (Fault.ALTERED, "capture 1/exchanges/000-000.json"),
                (Fault.SIGNATURE, f"{name}.sig"),
            ],
        }  # fmt: skip
        for content, expected in cases.items():
            replaced(bench, 1, content)
            assert faults(bench, run) == sorted(expected)
        replaced(bench, 1, whole)
        assert faults(bench, run) == []


def test_bytes_of_proofs_that_were_touched_are_named(tmp_path, monkeypatch):
    file, _ = signing(tmp_path)
    with bench_for(tmp_path, monkeypatch, signing_key_file=file) as bench:
        run = proved_run(bench)
        proof = bench.read(lambda c: proofs.load_proof(c, 1))
        for sha256, what in ((proof.manifest_sha256, ""), (proof.signature_sha256, ".sig")):
            packed = bench.artifacts.packed(sha256)
            named = f"capture 1/manifest.json{what} {sha256}"
            bench.artifacts.remove(sha256)
            assert (Fault.MISSING, named) in faults(bench, run)
            assert verify_store(bench).missing == (f"artifact {sha256}",)
            bench.artifacts.put_packed(sha256, packed[:-4])
            assert (Fault.ALTERED, named) in faults(bench, run)
            assert verify_store(bench).altered == (f"artifact {sha256}",)
            bench.artifacts.remove(sha256)
            bench.artifacts.put_packed(sha256, packed)
        assert verify_store(bench).sound


def test_one_capture_is_checked_by_its_number(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = proved_run(bench)
        assert verify_capture(bench, 1, NOTHING).sound
        body = next(
            f for f in read_manifest(manifest_of(bench, 1), "m").files if f.kind == "payload"
        )
        bench.artifacts.remove(body.sha256)
        (found,) = verify_capture(bench, 1, NOTHING).findings
        assert (found.fault, found.file) == (Fault.MISSING, "capture 1/payloads/000-000.bin")
        with pytest.raises(EvidenceError, match="capture 99"):
            verify_capture(bench, 99, NOTHING)
        bench.write(lambda c: c.execute(text("DELETE FROM proof WHERE capture_id = 2")))
        with pytest.raises(EvidenceError, match=f"evidence seal {run.public_id}"):
            verify_capture(bench, 2, NOTHING)


def test_the_list_of_a_run_stays_the_same_whatever_proves_it(tmp_path, monkeypatch):
    file, _ = signing(tmp_path)
    with bench_for(tmp_path, monkeypatch, signing_key_file=file) as bench:
        run = unproved_run(bench)
        before = run_manifest(bench, run)
        prove_run(bench, run, signing_key(bench.settings))
        assert run_manifest(bench, run) == before
        assert b'"snapshot"' in before


def test_what_retention_removed_is_named_and_no_loss(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = unproved_run(bench)
        prove_run(bench, run, None)
        bench.write(lambda c: runs.set_run_state(c, run.id, runs.RunState.DONE, at=run.created_at))
        old = "UPDATE run SET finished_at = '2020-01-01 00:00:00.000000'"
        bench.write(lambda c: c.execute(text(old)))
        part = RetentionPart(payload_days=1, screenshot_days=1)
        object.__setattr__(bench.settings, "retention", part)
        assert sum(retain(bench).values()) == 3
        found = verify_capture(bench, 1, NOTHING)
        assert verify_run(bench, run).sound
        assert verify_store(bench).sound
    assert found.sound
    assert sorted(found.removed) == [
        "payloads/000-000.bin", "screenshots/00-full.jpg", "snapshots/00-dom.txt",
    ]  # fmt: skip


def test_proofs_are_part_of_a_backup_and_of_a_move(tmp_path, monkeypatch):
    file, key = signing(tmp_path)
    with bench_for(tmp_path, monkeypatch, signing_key_file=file) as bench:
        run = unproved_run(bench)
        prove_run(bench, run, signing_key(bench.settings))
        proof = bench.read(lambda c: proofs.load_proof(c, 1))
        moved = move_store(bench, f"sqlite:///{tmp_path}/moved/m.db", f"{tmp_path}/moved/artifacts")
        assert moved.differences == ()
        settings = bench.settings
    assert backup_store(settings, tmp_path / "backup").missing == ()
    with bench_for(tmp_path / "back", monkeypatch) as bench:
        empty = bench.settings
    (tmp_path / "back" / "monitor.db").unlink()
    assert restore_store(empty, tmp_path / "backup").missing == ()
    with bench_for(tmp_path / "back", monkeypatch) as bench:
        assert bench.read(lambda c: proofs.load_proof(c, 1)) == proof
        assert verify_run(bench, run, None, Trusted(key.public_pem)).sound


def test_a_backup_that_lacks_a_signature_says_so(tmp_path, monkeypatch):
    file, _ = signing(tmp_path)
    with bench_for(tmp_path, monkeypatch, signing_key_file=file) as bench:
        proved_run(bench)
        sha256 = bench.read(lambda c: proofs.load_proof(c, 2)).signature_sha256
        bench.artifacts.remove(sha256)
        settings = bench.settings
    (missing,) = backup_store(settings, tmp_path / "backup").missing
    assert sha256 in missing


async def test_a_run_that_is_captured_twice_keeps_its_first_manifests(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = planned(bench)
        await captured(bench, run, BODY)
        first = bench.read(lambda c: proofs.load_run_proofs(c, run.id))
        await captured(bench, run, BODY)
        assert bench.read(lambda c: proofs.load_run_proofs(c, run.id)) == first
