"""Manifests: one byte form, and nothing else is read as one. All inputs are synthetic."""

import json

import pytest

from monitor.domain.keys import canonical_json, sha256_hex
from monitor.errors import EvidenceError
from monitor.proofs.manifest import MOST_FILES, File, FileKind, manifest_bytes, read_manifest

FIELDS = {"run": "run:trees:2026-01", "capture": 7, "prompt": {"text": "How do oaks grow? \u202e"}}
BODY = File("payloads/000-000.json", FileKind.PAYLOAD, "a" * 64, 12, "application/json")
PICTURE = File("screenshots/00-full.jpg", FileKind.SCREENSHOT, "b" * 64, None, "image/jpeg")


def changed(**more):
    fields = json.loads(manifest_bytes(FIELDS, [BODY, PICTURE]))
    return canonical_json(fields | more)


def test_a_manifest_comes_back_as_it_was_and_is_the_same_in_any_order():
    made = manifest_bytes(FIELDS, [PICTURE, BODY])
    assert made == manifest_bytes(FIELDS, [BODY, PICTURE])
    read = read_manifest(made, "m")
    assert (read.run, read.capture, read.files) == ("run:trees:2026-01", 7, (BODY, PICTURE))
    assert read.fields["prompt"] == FIELDS["prompt"]


def test_the_hash_of_a_manifest_is_that_of_its_written_form():
    # By hand: sorted keys, no spaces, ASCII only.
    expected = (
        b'{"capture":1,"files":[{"bytes":12,"kind":"payload","media_type":"application/json",'
        b'"path":"payloads/000-000.json","sha256":"' + b"a" * 64 + b'"}],"run":"r",'
        b'"schema":"monitor-capture-manifest-1"}'
    )
    assert manifest_bytes({"run": "r", "capture": 1}, [BODY]) == expected
    assert len(sha256_hex(expected)) == 64


@pytest.mark.parametrize(
    "path",
    [
        "../x.json", "/etc/passwd", "payloads/../../x.json", "payloads\\x.json", "payloads/x", "x.json",
        "payloads/a/b.json", "payloads/.json", "payloads/A.json", "payloads/x.json\n", "",
    ],
)  # fmt: skip
def test_a_path_that_is_none_of_ours_is_refused(path):
    row = {"path": path, "kind": "payload", "sha256": "a" * 64, "bytes": 1, "media_type": "x"}
    with pytest.raises(EvidenceError, match="path"):
        read_manifest(changed(files=[row]), "m")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"files": [{"path": "payloads/a.json"}]}, "KeyError"),
        ({"files": "x" * 5}, "TypeError"),
        ({"files": None}, "TypeError"),
        ({"schema": "monitor-capture-manifest-9"}, "schema"),
        ({"capture": "7"}, "no run and number"),
        ({"capture": True}, "no run and number"),
        ({"run": 3}, "no run and number"),
    ],
)
def test_fields_of_another_kind_are_refused(change, said):
    with pytest.raises(EvidenceError, match=said):
        read_manifest(changed(**change), "m")


@pytest.mark.parametrize(
    "row",
    [{"sha256": "A" * 64}, {"sha256": "a" * 63}, {"bytes": -1}, {"bytes": True}, {"kind": "key"}],
)
def test_a_file_with_a_hash_size_or_kind_that_is_none_is_refused(row):
    sound = {"path": "payloads/a.json", "kind": "payload", "sha256": "a" * 64, "bytes": 1}
    with pytest.raises(EvidenceError):
        read_manifest(changed(files=[sound | {"media_type": "x"} | row]), "m")


def test_a_path_that_stands_there_twice_is_refused():
    files = json.loads(manifest_bytes(FIELDS, [BODY]))["files"]
    with pytest.raises(EvidenceError, match="twice"):
        read_manifest(changed(files=files * 2), "m")


def test_another_form_of_the_same_values_is_no_manifest():
    made = manifest_bytes(FIELDS, [BODY])
    for other in (
        made + b"\n", b" " + made, made.replace(b'"capture":7', b'"capture": 7'),
        made.replace(b'"capture":7', b'"capture":8,"capture":7'), made[:-1], b"", b"[]", b"\xff",
        b"[" * 200_000, made.replace(b'"capture":7', b'"capture":7.0'),
    ):  # fmt: skip
        with pytest.raises(EvidenceError, match="no manifest that can be read"):
            read_manifest(other, "m")


def test_a_manifest_of_a_million_files_is_refused_before_it_is_read():
    row = canonical_json({"path": "payloads/a.json", "sha256": "a" * 64})
    million = b'{"files":[' + b",".join([row] * 1_000_000) + b"]}"
    with pytest.raises(EvidenceError, match="at most 8388608"):
        read_manifest(million, "m")
    few = json.loads(manifest_bytes(FIELDS, []))
    with pytest.raises(EvidenceError, match=f"{MOST_FILES + 1} files"):
        read_manifest(canonical_json(few | {"files": [0] * (MOST_FILES + 1)}), "m")
