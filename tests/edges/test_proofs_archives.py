"""WARC and WACZ: read again by the libraries that others use, and by our own check."""

import gzip
import json
import subprocess
import sys
import zipfile
from io import BytesIO

import pytest
from warcio.archiveiterator import ArchiveIterator

from monitor.errors import EvidenceError
from monitor.pipeline.proving_archives import export_wacz, export_warc
from monitor.pipeline.proving_checks import verify_file
from monitor.proofs import wacz
from monitor.proofs.findings import Fault
from monitor.proofs.keys import make_key
from monitor.proofs.seals import NOTHING, Trusted
from tests.proved import (
    BODY,
    PICTURE,
    SECRET,
    URL,
    bench_for,
    packed,
    picture_of,
    proved_run,
    signing,
    unpacked,
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folder with a WARC and a WACZ of a signed run with a picture, and the key."""
    folder = tmp_path_factory.mktemp("archives")
    with pytest.MonkeyPatch.context() as patch:
        file, key = signing(folder)
        with bench_for(folder, patch, signing_key_file=file) as bench:
            with patch.context() as inner:
                inner.setattr("monitor.pipeline.proving_meanwhile.Prover.notice", lambda *_: None)
                run = proved_run(bench)
            picture_of(bench, 1)
            assert export_warc(bench, run, folder / "a.warc.gz") == 2
            assert export_warc(bench, run, folder / "again.warc.gz") == 2
            assert export_wacz(bench, run, folder / "a.wacz") == 2
    return folder, key


def records(stream):
    """(kind, address) -> (HTTP headers, content) of a WARC, its digests checked on the way."""
    found = {}
    for one in ArchiveIterator(stream, check_digests="raise"):
        content = one.content_stream().read()
        found[one.rec_type, one.rec_headers.get_header("WARC-Target-URI")] = (
            one.http_headers, content, one.rec_headers,
        )  # fmt: skip
    return found


def test_a_warc_is_read_again_record_by_record(made):
    with (made[0] / "a.warc.gz").open("rb") as stream:
        found = records(stream)
    heads, body, about = found["response", "https://api.openai.com/v1/responses"]
    assert (heads.get_statuscode(), body) == ("200", BODY)
    asked, question, request = found["request", "https://api.openai.com/v1/responses"]
    assert asked.get_header("host") == "api.openai.com"
    assert "oaks" in json.dumps(json.loads(question))
    assert request.get_header("WARC-Concurrent-To") == about.get_header("WARC-Record-ID")
    base = "http://evidence.invalid/"
    assert found["resource", f"{base}captures/1/screenshots/00-full.jpg"][1] == PICTURE
    manifest = json.loads(found["resource", f"{base}captures/1/manifest.json"][1])
    assert manifest["capture"] == 1
    said = json.loads(found["metadata", f"{base}captures/1/"][1])
    assert (said["engine"], said["outcome"]) == ("openai", "answered")
    assert ("warcinfo", None) in found
    pages = json.loads(found["resource", f"{base}pages.json"][1])["pages"]
    assert [one["url"] for one in pages] == [URL]


def test_a_warc_is_the_same_each_time_but_for_its_name_and_holds_no_secret(made):
    one, other = (gzip.decompress((made[0] / f"{n}.warc.gz").read_bytes()) for n in ("a", "again"))
    assert SECRET.encode() not in one
    assert b"authorization" not in one.lower()
    with (made[0] / "a.warc.gz").open("rb") as a, (made[0] / "again.warc.gz").open("rb") as b:
        here, there = records(a), records(b)
    assert here.keys() == there.keys()
    assert {k for k in here if here[k][1] != there[k][1]} <= {
        ("resource", f"http://evidence.invalid/{name}")
        for name in ("index.html", "capture-1.html", "capture-2.html")
    }
    assert len(one) == pytest.approx(len(other), abs=200)


def test_the_wacz_package_finds_its_file_in_order(made):
    run = "import sys; from wacz.main import main; sys.exit(main(['validate', '-f', sys.argv[1]]))"
    told = subprocess.run(
        [sys.executable, "-c", run, str(made[0] / "a.wacz")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (told.returncode, "the passed WACZ is valid" in told.stdout) == (0, True), told.stdout


def test_our_own_check_finds_it_in_order_and_reads_its_proofs(made):
    folder, key = made
    found = verify_file(folder / "a.wacz", Trusted(key.public_pem))
    assert found.findings == ()
    assert [one.key_id for one in found.seals] == [key.key_id] * 2
    with zipfile.ZipFile(folder / "a.wacz") as zipped:
        lines = zipped.read("pages/pages.jsonl").splitlines()
        warc = records(BytesIO(zipped.read("archive/data.warc.gz")))
    pages = [json.loads(one)["url"] for one in lines[1:]]
    assert [("resource", one) in warc for one in pages] == [True, True]


def repacked(path, files):
    """A WACZ whose own lists of hashes were made anew for what is in it."""
    rows = json.loads(files["datapackage.json"])
    for row in rows["resources"]:
        row["hash"] = f"sha256:{wacz.sha256_hex(files[row['path']])}"
    package = json.dumps(rows).encode()
    digest = json.dumps(
        {"path": "datapackage.json", "hash": f"sha256:{wacz.sha256_hex(package)}"}
    ).encode()
    return packed(path, files | {"datapackage.json": package, "datapackage-digest.json": digest})


def faults(path, trusted=NOTHING):
    return {(one.fault, one.file) for one in verify_file(path, trusted).findings}


def test_every_way_to_spoil_a_wacz_is_named(made, tmp_path):
    whole = unpacked(made[0] / "a.wacz")
    name = "archive/data.warc.gz"
    package = whole["datapackage.json"].replace(b"Captures of", b"Captures by")
    cases = {
        "changed": (whole | {"pages/pages.jsonl": b"x"}, {(Fault.ALTERED, "pages/pages.jsonl")}),
        "missing": (
            {n: c for n, c in whole.items() if n != "indexes/index.idx"},
            {(Fault.MISSING, "indexes/index.idx")},
        ),
        "extra": (whole | {"notes/x.txt": b"x"}, {(Fault.EXTRA, "notes/x.txt")}),
        "package": (
            whole | {"datapackage.json": package}, {(Fault.MANIFEST, "datapackage.json")},
        ),
        "cut": (whole | {name: whole[name][:-400]}, {(Fault.ALTERED, name)}),
    }  # fmt: skip
    for said, (files, expected) in cases.items():
        assert expected <= faults(packed(tmp_path / "x.wacz", files)), said


def test_lists_that_were_made_anew_hide_nothing_from_the_manifests(made, tmp_path):
    folder, _ = made
    whole = unpacked(folder / "a.wacz")
    plain = gzip.decompress(whole["archive/data.warc.gz"])
    assert plain.count(PICTURE) == 1
    touched = plain.replace(PICTURE, PICTURE.replace(b"synthetic", b"sYnthetic"))
    path = repacked(tmp_path / "x.wacz", whole | {"archive/data.warc.gz": touched})
    assert faults(path) == {(Fault.ALTERED, "captures/1/screenshots/00-full.jpg")}
    body = repacked(
        tmp_path / "y.wacz", whole | {"archive/data.warc.gz": plain.replace(b"slowly", b"slOwly")}
    )
    assert (Fault.MISSING, "captures/1/payloads/000-000.bin") in faults(body)
    other = make_key(tmp_path / "other.pem")
    assert {fault for fault, _ in faults(folder / "a.wacz", Trusted(other.public_pem))} == {
        Fault.KEY
    }


def test_a_second_record_does_not_cover_for_one_that_was_touched(made, tmp_path):
    whole = unpacked(made[0] / "a.wacz")
    shot, name = "captures/1/screenshots/00-full.jpg", "archive/data.warc.gz"
    plain = gzip.decompress(whole[name])
    start = plain.rindex(b"WARC/1.0", 0, plain.index(PICTURE))
    real = plain[start : plain.index(b"WARC/1.0", start + 1)]
    forged = real.replace(PICTURE, PICTURE.replace(b"synthetic", b"sYnthetic"))
    elsewhere = real.replace(shot.encode(), b"elsewhere.jpg")
    moved = repacked(tmp_path / "x.wacz", whole | {name: plain.replace(real, forged + elsewhere)})
    assert faults(moved) == {(Fault.ALTERED, shot)}
    # Under one name, some readers show the first, others the last.
    answer = forged.replace(b"WARC-Type: resource", b"WARC-Type: response")
    for both in (forged + real, real + forged, real + real, answer + real):
        twice = repacked(tmp_path / "y.wacz", whole | {name: plain.replace(real, both)})
        assert (Fault.EXTRA, shot) in faults(twice)


def test_a_wacz_of_others_is_checked_by_its_own_list_alone(made, tmp_path):
    whole = unpacked(made[0] / "a.wacz")
    empty = {**whole, "archive/data.warc.gz": gzip.compress(b"")}
    found = verify_file(repacked(tmp_path / "x.wacz", empty), NOTHING)
    assert (found.sound, found.seals) == (True, ())
    assert "no manifest of ours" in found.notes[0]


def test_an_installation_without_the_extra_says_what_it_needs(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = proved_run(bench)
        for module, export in (("wacz", export_wacz), ("warcio", export_warc)):
            with monkeypatch.context() as patch:
                for name in [one for one in sys.modules if one.split(".")[0] == module]:
                    patch.delitem(sys.modules, name)
                patch.setitem(sys.modules, module, None)
                with pytest.raises(EvidenceError, match=r"citation-monitor\[evidence\]"):
                    export(bench, run, tmp_path / "a.warc.gz")
    assert not (tmp_path / "a.warc.gz").exists()
