"""Bundles: what they hold, that nothing in them acts, and that no touched one passes."""

import json
import re
import subprocess
import zipfile

import pytest

from monitor.domain.keys import sha256_hex
from monitor.errors import EvidenceError, LostBytesError
from monitor.pipeline.proving_bundles import export_bundle, gather
from monitor.proofs.bundle_check import check_bundle
from monitor.proofs.findings import Fault
from monitor.proofs.keys import make_key
from monitor.proofs.seals import NOTHING, Trusted
from monitor.store import proofs, removals, screenshots
from monitor.store.evidence import EvidenceKind
from tests.proved import (
    PAGE,
    PICTURE,
    SECRET,
    bench_for,
    packed,
    picture_of,
    proved_run,
    signing,
    unpacked,
)
from tests.stored import MADE_AT

PAYLOAD = "captures/1/payloads/000-000.bin"
MANIFEST = "captures/1/manifest.json"


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """Folder with a signed bundle of two captures, one with pictures, and the key."""
    folder = tmp_path_factory.mktemp("bundle")
    with pytest.MonkeyPatch.context() as patch:
        file, key = signing(folder)
        with bench_for(folder, patch, signing_key_file=file) as bench:
            run = pictured_run(bench, patch)
            assert export_bundle(bench, run, folder / "b.zip") == 2
            assert export_bundle(bench, run, folder / "again.zip") == 2
    return folder, key


def pictured_run(bench, patch):
    """A run whose first capture has a picture and the page beside it."""
    with patch.context() as inner:
        inner.setattr("monitor.pipeline.proving_meanwhile.Prover.notice", lambda *_: None)
        run = proved_run(bench)
    picture_of(bench, 1)
    return run


def listed(files):
    """The same files with a list of hashes that fits them."""
    rest = {n: c for n, c in files.items() if not n.startswith("SHA256SUMS")}
    sums = "".join(f"{sha256_hex(content)}  {name}\n" for name, content in sorted(rest.items()))
    return rest | {"SHA256SUMS": sums.encode()}


def faults(path, trusted=NOTHING):
    return {(one.fault, one.file) for one in check_bundle(path, trusted).findings}


def test_a_bundle_holds_everything_and_is_sound(signed):
    folder, key = signed
    files = unpacked(folder / "b.zip")
    assert {
        "index.html", "README.txt", "capture-1.html", "capture-2.html", MANIFEST, PAYLOAD,
        "captures/1/manifest.json.sig", "captures/1/public-key.pem", "captures/1/exchanges/000-000.json",
        "captures/1/screenshots/00-full.jpg", "captures/1/snapshots/00-dom.txt", "pages.json",
        "public-key.pem", "SHA256SUMS", "SHA256SUMS.sig",
    } <= set(files)  # fmt: skip
    assert files["captures/1/screenshots/00-full.jpg"] == PICTURE
    assert files["captures/1/snapshots/00-dom.txt"] == PAGE.encode()
    (page,) = json.loads(files["pages.json"])["pages"]
    assert files[page["files"][0]["path"]] == b"Oaks grow slowly."
    found = check_bundle(folder / "b.zip", Trusted(key.public_pem))
    assert (found.findings, found.list_key, len(found.seals)) == ((), key.key_id, 2)


def test_the_same_captures_give_the_same_bytes(signed):
    folder, _ = signed
    pages = ("index.html", "capture-1.html", "capture-2.html")  # they name the file
    one, other = (unpacked(folder / name) for name in ("b.zip", "again.zip"))
    differing = {name for name in one if one[name] != other[name]}
    assert differing <= {*pages, "SHA256SUMS", "SHA256SUMS.sig"}
    with zipfile.ZipFile(folder / "b.zip") as zipped:
        assert {one.date_time for one in zipped.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {one.external_attr >> 16 for one in zipped.infolist()} == {0o100644}


def test_a_bundle_written_again_under_its_name_is_the_same_file(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = proved_run(bench)
        export_bundle(bench, run, tmp_path / "b.zip", capture_id=1)
        first = (tmp_path / "b.zip").read_bytes()
        export_bundle(bench, run, tmp_path / "b.zip", capture_id=1)
    assert (tmp_path / "b.zip").read_bytes() == first
    assert not [name for name in unpacked(tmp_path / "b.zip") if name.startswith("captures/2/")]


def test_the_list_of_hashes_is_what_other_programs_read(signed, tmp_path):
    folder, _ = signed
    with zipfile.ZipFile(folder / "b.zip") as zipped:
        zipped.extractall(tmp_path)
    words = ["sha256sum", "-c", "--strict", "--quiet", "SHA256SUMS"]
    subprocess.run(words, cwd=tmp_path, check=True, capture_output=True)
    (tmp_path / PAYLOAD).write_bytes(b"touched")
    told = subprocess.run(words, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert told.returncode == 1
    assert f"{PAYLOAD}: FAILED" in told.stdout


ACTIVE = re.compile(
    r"<(?!/?(?:!doctype|html|head|meta|title|style|body|h1|h2|p|a|table|thead|tbody|tr|th|td|div"
    r"|code|pre|ul|li|small|bdi|br|figure|img|figcaption)\b)|\son\w+\s*=|javascript:|=\s*[\"']?//",
    re.IGNORECASE,
)  # fmt: skip


@pytest.mark.parametrize("name", ["index.html", "capture-1.html", "capture-2.html"])
def test_words_of_an_answer_do_nothing_in_its_page(signed, name):
    page = unpacked(signed[0] / "b.zip")[name].decode()
    # Escaped words stay readable; what is left of markup is ours.
    markup = "".join(re.findall(r"<[^>]*>", page))
    assert ACTIVE.findall(markup) == []
    assert "<script" not in page
    assert "default-src 'none'" in page
    sources = re.findall(r"(?:src|srcset|data|action|poster)\s*=\s*\"([^\"]*)\"", markup)
    assert [one for one in sources if not one.startswith("captures/")] == []
    targets = set(re.findall(r"href=\"([^\"]*)\"", markup))
    # The addresses that the answer names and that a click may open; `javascript:` is none.
    web = {"https://oak.example/growth", "http://x.example/"}
    assert {one for one in targets if ":" in one} <= web


def test_what_an_answer_says_is_shown_as_it_was_said(signed):
    page = unpacked(signed[0] / "b.zip")["capture-1.html"].decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "[U+202E]" in page
    assert "{{ 7 * 7 }}" in page
    assert "captures/1/screenshots/00-full.jpg" in page
    assert "How do oaks grow?" in page
    assert "displayed" in page
    assert "oak.example" in page


def test_no_secret_is_in_a_bundle(signed, monkeypatch):
    folder, _ = signed
    private = (folder / "key.pem").read_bytes().splitlines()[1]
    for content in unpacked(folder / "b.zip").values():
        assert SECRET.encode() not in content
        assert private not in content
        assert b"monitor.db" not in content


def test_a_secret_in_any_file_ends_the_export_with_nothing_written(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = proved_run(bench)
        # As if a key had been given after the answer that says it was stored.
        monkeypatch.setenv("PERPLEXITY_API_KEY", "Oaks grow slowly")
        with pytest.raises(EvidenceError, match=r"holds one of the configured keys") as said:
            export_bundle(bench, run, tmp_path / "out" / "b.zip")
    assert "Oaks grow slowly" not in str(said.value)
    assert list((tmp_path / "out").iterdir()) == []


def test_bytes_that_are_lost_end_the_export_with_nothing_written(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = proved_run(bench)
        body = gather(bench, run, 1).captures[0].manifest.files[1].sha256
        bench.artifacts.remove(body)
        with pytest.raises((EvidenceError, LostBytesError), match=body):
            export_bundle(bench, run, tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()


def test_every_way_to_spoil_a_bundle_is_named(signed, tmp_path):
    folder, _ = signed
    whole = unpacked(folder / "b.zip")
    without = {name: content for name, content in whole.items() if name != PAYLOAD}
    cases = {
        "changed byte": (whole | {PAYLOAD: whole[PAYLOAD] + b" "}, {(Fault.ALTERED, PAYLOAD)}),
        "missing file": (without, {(Fault.MISSING, PAYLOAD)}),
        "extra file": (whole | {"captures/1/x.txt": b"x"}, {(Fault.EXTRA, "captures/1/x.txt")}),
        "extra elsewhere": (whole | {"notes.txt": b"x"}, {(Fault.EXTRA, "notes.txt")}),
        "edited manifest": (
            whole | {MANIFEST: whole[MANIFEST].replace(b"oaks", b"elms")},
            {(Fault.MANIFEST, MANIFEST), (Fault.SIGNATURE, f"{MANIFEST}.sig")},
        ),
        "no manifest": (
            {name: content for name, content in whole.items() if name != MANIFEST},
            {(Fault.MISSING, MANIFEST)},
        ),
        "cut signature": (
            whole | {f"{MANIFEST}.sig": whole[f"{MANIFEST}.sig"][:40]},
            {(Fault.ALTERED, f"{MANIFEST}.sig")},
        ),
        "no signature": (
            {name: content for name, content in whole.items() if name != f"{MANIFEST}.sig"},
            {(Fault.MISSING, f"{MANIFEST}.sig")},
        ),
        "edited list": (
            whole | {"SHA256SUMS": listed(whole)["SHA256SUMS"] + b"%s  x\n" % (b"0" * 64)},
            {(Fault.SIGNATURE, "SHA256SUMS.sig"), (Fault.MISSING, "x")},
        ),
        "edited page": (
            whole | {"capture-1.html": b"<p>another answer</p>"}, {(Fault.ALTERED, "capture-1.html")},
        ),
    }  # fmt: skip
    found = {name: faults(packed(tmp_path / "b.zip", files)) for name, (files, _) in cases.items()}
    assert found == {name: expected for name, (_, expected) in cases.items()}


def test_a_list_that_was_edited_too_hides_nothing_from_the_manifest(signed, tmp_path):
    whole = unpacked(signed[0] / "b.zip")
    for name, expected in (
        (PAYLOAD, {(Fault.ALTERED, PAYLOAD)}),
        ("captures/1/x.txt", {(Fault.EXTRA, "captures/1/x.txt")}),
    ):
        files = listed(whole | {name: b"touched"})
        assert faults(packed(tmp_path / "b.zip", files)) >= expected
    files = listed({name: content for name, content in whole.items() if name != PAYLOAD})
    assert (Fault.MISSING, PAYLOAD) in faults(packed(tmp_path / "b.zip", files))


def test_a_key_that_a_reader_brings_is_the_only_one_that_counts(signed, tmp_path):
    folder, _ = signed
    other = make_key(tmp_path / "other.pem")
    found = faults(folder / "b.zip", Trusted(other.public_pem))
    assert found == {
        (Fault.KEY, "SHA256SUMS.sig"), (Fault.KEY, f"{MANIFEST}.sig"),
        (Fault.KEY, "captures/2/manifest.json.sig"),
    }  # fmt: skip
    whole = unpacked(folder / "b.zip")
    stripped = {n: c for n, c in whole.items() if not n.endswith((".sig", "public-key.pem"))}
    unsigned = packed(tmp_path / "u.zip", listed(stripped))
    assert faults(unsigned) == set()
    assert {fault for fault, _ in faults(unsigned, Trusted(other.public_pem))} == {Fault.KEY}


def test_a_byte_changed_in_the_zip_itself_is_found(signed, tmp_path):
    whole = bytearray((signed[0] / "b.zip").read_bytes())
    at = whole.index(PICTURE)
    whole[at + 8] ^= 1
    (tmp_path / "b.zip").write_bytes(whole)
    assert faults(tmp_path / "b.zip") == {(Fault.ALTERED, "captures/1/screenshots/00-full.jpg")}


def test_what_retention_removed_is_named_in_a_bundle_that_stays_sound(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = pictured_run(bench, monkeypatch)
        gather(bench, run)
        shot = bench.read(lambda c: screenshots.load_screenshots(c, 1))[0].sha256
        bench.write(lambda c: removals.note(c, EvidenceKind.SCREENSHOT, [shot], MADE_AT))
        bench.artifacts.remove(shot)
        export_bundle(bench, run, tmp_path / "b.zip")
    found = check_bundle(tmp_path / "b.zip", NOTHING)
    assert found.findings == ()
    assert found.removed == {"captures/1/screenshots/00-full.jpg": "2026-01-01"}
    page = unpacked(tmp_path / "b.zip")["capture-1.html"].decode()
    assert "removed by retention on 2026-01-01" in page
    assert "<img" not in page


def test_a_capture_without_a_manifest_gets_one_on_the_way_out(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = pictured_run(bench, monkeypatch)
        export_bundle(bench, run, tmp_path / "b.zip")
        assert len(bench.read(lambda c: proofs.load_run_proofs(c, run.id))) == 2
    assert check_bundle(tmp_path / "b.zip", NOTHING).sound


def test_a_capture_of_another_run_is_not_handed_on(tmp_path, monkeypatch):
    with bench_for(tmp_path, monkeypatch) as bench:
        run = proved_run(bench)
        with pytest.raises(EvidenceError, match="no stored capture 99"):
            export_bundle(bench, run, tmp_path / "b.zip", capture_id=99)
