"""Bytes under their hash: write-once, verified on reading, never outside their folder."""

import hashlib
import threading
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from obstore.store import LocalStore, ObjectStore, from_url

from monitor.domain.keys import sha256_hex
from monitor.errors import StoreError
from monitor.store.artifacts import open_artifacts
from tests.servers import PAGE_OF_A_LIST


@dataclass
class Place:
    """Artifacts somewhere, and the way to what lies there behind their back."""

    location: str
    raw: ObjectStore

    def read(self, sha256):
        return bytes(self.raw.get(path_of(sha256)).bytes())

    def write(self, sha256, packed):
        self.raw.put(path_of(sha256), packed)

    def version(self, sha256):
        head = self.raw.head(path_of(sha256))
        return head["e_tag"], head["last_modified"]


def path_of(sha256):
    return f"{sha256[:2]}/{sha256}.zst"


@pytest.fixture
def folder(tmp_path):
    location = tmp_path / "artifacts"
    return Place(str(location), LocalStore(prefix=location, mkdir=True))


@pytest.fixture(params=["folder", "bucket", "part of a bucket"])
def place(request):
    if request.param == "folder":
        return request.getfixturevalue("folder")
    url = request.getfixturevalue("s3_bucket").url
    url += "/part/of" if request.param == "part of a bucket" else ""
    return Place(url, from_url(url))


@pytest.fixture
def artifacts(place):
    return open_artifacts(place.location)


@pytest.fixture
def files(folder):
    return open_artifacts(folder.location)


def appended(packed):
    return packed + b"x"


def doubled(packed):
    return packed + packed


def prepended(packed):
    return b"x" + packed


def truncated(packed):
    return packed[:-1]


@pytest.mark.parametrize("change", [appended, doubled, prepended, truncated])
def test_a_frame_with_bytes_too_many_or_too_few_is_refused_and_mended(artifacts, place, change):
    content = b"<p>Oaks grow from acorns.</p>" * 40
    sha256 = artifacts.put(content)
    place.write(sha256, change(place.read(sha256)))
    with pytest.raises(StoreError, match="altered or cut"):
        artifacts.get(sha256)
    artifacts.put(content)
    assert artifacts.get(sha256) == content


@pytest.mark.parametrize("position", [0, 2, 5, 9, 20, 60, -2, -1])
def test_a_flipped_byte_anywhere_in_a_frame_is_refused(artifacts, place, position):
    sha256 = artifacts.put(bytes(range(256)))
    packed = bytearray(place.read(sha256))
    packed[position] ^= 0xFF
    place.write(sha256, bytes(packed))
    with pytest.raises(StoreError, match="altered or cut"):
        artifacts.get(sha256)


@given(content=st.binary(max_size=2000))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bytes_come_back_unaltered_under_their_hash(artifacts, content):
    sha256 = artifacts.put(content)
    assert sha256 == hashlib.sha256(content).hexdigest()
    assert artifacts.get(sha256) == content


def test_same_bytes_are_stored_once_and_compressed(artifacts, place):
    content = b"<p>many words</p>" * 5000
    first = artifacts.put(content)
    version = place.version(first)
    assert artifacts.put(content) == first
    assert place.version(first) == version
    assert len(place.read(first)) < len(content) / 20


def test_altered_bytes_are_refused(artifacts, place):
    sha256 = artifacts.put(b"the answer")
    other = artifacts.put(b"another answer")
    place.write(sha256, place.read(other))
    with pytest.raises(StoreError, match="altered or cut"):
        artifacts.get(sha256)


@pytest.mark.parametrize("damage", [b"", b"garbage", b"(\xb5/\xfd\xff\xff\xff\xff\xff\xff\xff\xff"])
def test_torn_bytes_are_refused_and_mended_by_the_next_put(artifacts, place, damage):
    sha256 = artifacts.put(b"the answer")
    place.write(sha256, damage)
    assert artifacts.has(sha256)
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


def test_symbolic_links_are_not_followed(files, folder, tmp_path):
    sha256 = files.put(b"the answer")
    secret, stored = tmp_path / "secret", tmp_path / "artifacts" / path_of(sha256)
    secret.write_bytes(folder.read(sha256))
    stored.unlink()
    stored.symlink_to(secret)
    with pytest.raises(StoreError, match="no symbolic link"):
        files.get(sha256)
    (tmp_path / "artifacts/pointers").symlink_to(tmp_path)
    with pytest.raises(StoreError, match="no symbolic link"):
        files.point("capture/1/0/0", sha256)
    with pytest.raises(StoreError, match="no symbolic link"):
        files.pointers("")


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


def test_broken_pointer_is_named(artifacts, place):
    artifacts.point("capture/1/0/0", sha256_hex(b"1"))
    place.raw.put("pointers/capture/1/0/0", b"")
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


def test_pointers_beyond_one_page_of_a_list_are_all_found(artifacts, place):
    for n in range(2 * PAGE_OF_A_LIST + 10):
        place.raw.put(f"pointers/capture/{n}/0/0", sha256_hex(b"1").encode())
    assert len(artifacts.names("capture")) == 2 * PAGE_OF_A_LIST + 10
    assert artifacts.names("capture/7") == ("capture/7/0/0",)
    assert len(dict(artifacts.pointers(""))) == 2 * PAGE_OF_A_LIST + 10


def test_owners_share_bytes_and_not_pointers(artifacts):
    sha256 = artifacts.put(b"the answer")
    artifacts.owned_by("one").point("capture/1/0/0", sha256)
    artifacts.owned_by("two").point("capture/1/0/0", sha256_hex(b"y"))
    assert artifacts.owned_by("one").pointers("capture") == (("capture/1/0/0", sha256),)
    assert artifacts.get(sha256) == b"the answer"


def test_parts_of_one_bucket_know_nothing_of_each_other(s3_bucket):
    one, two = open_artifacts(f"{s3_bucket.url}/one"), open_artifacts(f"{s3_bucket.url}/two/")
    sha256 = one.put(b"x")
    one.point("capture/1/0/0", sha256)
    assert not two.has(sha256)
    assert two.pointers("") == ()


def test_place_of_unknown_kind_is_refused():
    with pytest.raises(StoreError, match="ftp:// are unknown"):
        open_artifacts("ftp://host/path")


def test_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot make the folder"):
        open_artifacts(tmp_path / "file" / "artifacts")
