"""Bytes under their hash: write-once, verified on reading, never outside their folder."""

import hashlib
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from obstore.store import MemoryStore

from monitor.domain.keys import sha256_hex
from monitor.errors import StoreError
from monitor.store.artifacts import StoredArtifacts, open_artifacts


@pytest.fixture
def artifacts(tmp_path):
    return open_artifacts(tmp_path / "artifacts")


def file_of(tmp_path, sha256):
    return tmp_path / "artifacts" / sha256[:2] / f"{sha256}.zst"


def appended(packed):
    return packed + b"x"


def doubled(packed):
    return packed + packed


def prepended(packed):
    return b"x" + packed


def truncated(packed):
    return packed[:-1]


@pytest.mark.parametrize("change", [appended, doubled, prepended, truncated])
def test_a_frame_with_bytes_too_many_or_too_few_is_refused_and_mended(artifacts, tmp_path, change):
    content = b"<p>Oaks grow from acorns.</p>" * 40
    sha256 = artifacts.put(content)
    stored = file_of(tmp_path, sha256)
    stored.write_bytes(change(stored.read_bytes()))
    with pytest.raises(StoreError, match="altered or cut"):
        artifacts.get(sha256)
    artifacts.put(content)
    assert artifacts.get(sha256) == content


@pytest.mark.parametrize("position", [0, 2, 5, 9, 20, 60, -2, -1])
def test_a_flipped_byte_anywhere_in_a_frame_is_refused(artifacts, tmp_path, position):
    sha256 = artifacts.put(bytes(range(256)))
    stored = file_of(tmp_path, sha256)
    packed = bytearray(stored.read_bytes())
    packed[position] ^= 0xFF
    stored.write_bytes(packed)
    with pytest.raises(StoreError, match="altered or cut"):
        artifacts.get(sha256)


@given(content=st.binary(max_size=2000))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bytes_come_back_unaltered_under_their_hash(artifacts, content):
    sha256 = artifacts.put(content)
    assert sha256 == hashlib.sha256(content).hexdigest()
    assert artifacts.get(sha256) == content


def test_same_bytes_are_stored_once_and_compressed(artifacts, tmp_path):
    content = b"<p>many words</p>" * 5000
    first = artifacts.put(content)
    stored = file_of(tmp_path, first)
    inode = stored.stat().st_ino
    assert artifacts.put(content) == first
    assert stored.stat().st_ino == inode
    assert stored.stat().st_size < len(content) / 20


def test_altered_bytes_are_refused(artifacts, tmp_path):
    sha256 = artifacts.put(b"the answer")
    other = artifacts.put(b"another answer")
    file_of(tmp_path, sha256).write_bytes(file_of(tmp_path, other).read_bytes())
    with pytest.raises(StoreError, match="altered or cut"):
        artifacts.get(sha256)


@pytest.mark.parametrize("damage", [b"", b"garbage", b"(\xb5/\xfd\xff\xff\xff\xff\xff\xff\xff\xff"])
def test_torn_bytes_are_refused_and_mended_by_the_next_put(artifacts, tmp_path, damage):
    sha256 = artifacts.put(b"the answer")
    file_of(tmp_path, sha256).write_bytes(damage)
    with pytest.raises(StoreError, match="altered or cut"):
        artifacts.get(sha256)
    artifacts.put(b"the answer")
    assert artifacts.get(sha256) == b"the answer"


def test_absent_bytes_are_told_with_advice(artifacts):
    absent = sha256_hex(b"never stored")
    assert not artifacts.has(absent)
    with pytest.raises(StoreError, match="monitor verify"):
        artifacts.get(absent)


@pytest.mark.parametrize(
    "name", ["../escape", "a/../../b", "/etc/passwd", "a//b", ".hidden", "a/.", "a\\b", "a\x00b",
             "a b", "é", "a/" * 9 + "b", "x" * 200, "capture/1/"],
)  # fmt: skip
def test_pointer_outside_its_folder_is_refused(artifacts, tmp_path, name):
    with pytest.raises(StoreError, match="is no pointer name"):
        artifacts.point(name, sha256_hex(b""))
    with pytest.raises(StoreError, match="is no pointer name"):
        artifacts.pointers(name)
    assert not (tmp_path / "escape").exists()


@pytest.mark.parametrize("sha256", ["", "ab", "../" * 22, "A" * 64, "g" * 64, "a" * 64 + "\n"])
def test_what_is_no_hash_is_refused(artifacts, sha256):
    with pytest.raises(StoreError, match="is no sha256"):
        artifacts.get(sha256)
    with pytest.raises(StoreError, match="is no sha256"):
        artifacts.point("capture/1/0/0", sha256)


def test_symbolic_links_are_not_followed(artifacts, tmp_path):
    sha256 = artifacts.put(b"the answer")
    secret = tmp_path / "secret"
    secret.write_bytes(file_of(tmp_path, sha256).read_bytes())
    file_of(tmp_path, sha256).unlink()
    file_of(tmp_path, sha256).symlink_to(secret)
    with pytest.raises(StoreError, match="no symbolic link"):
        artifacts.get(sha256)
    (tmp_path / "artifacts/pointers").symlink_to(tmp_path)
    with pytest.raises(StoreError, match="no symbolic link"):
        artifacts.point("capture/1/0/0", sha256)
    with pytest.raises(StoreError, match="no symbolic link"):
        artifacts.pointers("")


def test_pointers_are_listed_by_whole_segments(artifacts):
    one, two = sha256_hex(b"1"), sha256_hex(b"2")
    artifacts.point("capture/1/0/0", one)
    artifacts.point("capture/1/1/0", two)
    artifacts.point("capture/12/0/0", two)
    artifacts.point("capture/1/0/0", one)
    assert artifacts.pointers("capture/1") == (("capture/1/0/0", one), ("capture/1/1/0", two))
    assert len(artifacts.pointers("")) == 3
    assert artifacts.pointers("capture/99") == ()


def test_pointer_is_never_moved(artifacts):
    one, two = sha256_hex(b"1"), sha256_hex(b"2")
    artifacts.point("capture/1/0/0", one)
    with pytest.raises(StoreError, match=f"points at {one} already"):
        artifacts.point("capture/1/0/0", two)
    assert artifacts.pointers("capture/1") == (("capture/1/0/0", one),)


def test_broken_pointer_is_named(artifacts, tmp_path):
    artifacts.point("capture/1/0/0", sha256_hex(b"1"))
    (tmp_path / "artifacts/pointers/capture/1/0/0").write_text("")
    with pytest.raises(StoreError, match="pointers/capture/1/0/0 is no pointer"):
        artifacts.pointers("capture/1")


def test_racing_pointers_leave_exactly_one(artifacts):
    refused = []

    def race(n):
        try:
            artifacts.point("capture/5/0/0", sha256_hex(str(n).encode()))
        except StoreError:
            refused.append(n)

    threads = [threading.Thread(target=race, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 11
    assert len(artifacts.pointers("capture/5")) == 1


def test_bucket_behaves_as_a_folder_does():
    bucket = StoredArtifacts(MemoryStore(), lambda path: None, "memory")
    sha256 = bucket.put(b"x")
    assert bucket.put(b"x") == sha256
    bucket.point("capture/1/0/0", sha256)
    with pytest.raises(StoreError, match="already"):
        bucket.point("capture/1/0/0", sha256_hex(b"y"))
    assert bucket.pointers("capture") == (("capture/1/0/0", sha256),)
    assert bucket.get(sha256) == b"x"
    assert bucket.has(sha256)


def test_place_of_unknown_kind_is_refused():
    with pytest.raises(StoreError, match="ftp:// are unknown"):
        open_artifacts("ftp://host/path")


def test_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot make the folder"):
        open_artifacts(tmp_path / "file" / "artifacts")
