"""The doors of evidence: keygen, seal, export and verify, as people and programs use them."""

import json
import shutil
import zipfile

import jsonschema
import pytest

from monitor.cli import main
from tests.house import ROOT
from tests.proved import bench_for, proved_run

WHOLE = json.loads((ROOT / "docs" / "schemas" / "verify.schema.json").read_text("utf-8"))
STORE = 'store: {database: "sqlite:///monitor.db", artifacts: artifacts}\n'


def fitting(told):
    """What a verification told programs, once it keeps to its schema and has no key beside it."""
    read = json.loads(told)
    jsonschema.Draft202012Validator(WHOLE).validate(read)
    assert set(read) <= set(WHOLE["properties"])
    return read


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A store of one run."""
    folder = tmp_path_factory.mktemp("kept")
    with pytest.MonkeyPatch.context() as patch, bench_for(folder, patch) as bench:
        proved_run(bench)
    return folder


@pytest.fixture
def place(kept, tmp_path, monkeypatch):
    """A folder with that store, whose settings name a key that `keygen` is to make."""
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.yaml").write_text(f"{STORE}evidence: {{signing_key_file: key.pem}}\n")
    return tmp_path


def told(capsys, *words):
    with pytest.raises(SystemExit) as stop:
        main(list(words))
    said = capsys.readouterr()
    return stop.value.code, said.out, said.err


def test_a_client_checks_a_bundle_without_a_store(place, capsys, monkeypatch):
    code, public, said = told(capsys, "evidence", "keygen", "key.pem")
    assert (code, public.splitlines()[0]) == (0, "-----BEGIN PUBLIC KEY-----")
    (place / "public.pem").write_text(public)
    assert told(capsys, "evidence", "seal")[:2][0] == 0
    code, out, _ = told(capsys, "export", "--bundle", "b.zip")
    assert (code, "b.zip: 2 captures of run:trees:2026-01" in out) == (0, True)
    client = place / "client"
    client.mkdir()
    (place / "b.zip").rename(client / "b.zip")
    (place / "public.pem").rename(client / "public.pem")
    monkeypatch.chdir(client)
    code, out, _ = told(capsys, "verify", "b.zip", "--key", "public.pem")
    assert code == 0
    assert "2 manifests, sound" in out
    assert "it does not show that the page or answer was genuine" in out
    assert "it is the key you named" in out
    assert "unsigned time" in out
    key_id = said.split("key id ")[1].strip()
    assert f"who holds the private key {key_id} vouches" in out
    assert sorted(one.name for one in client.iterdir()) == ["b.zip", "public.pem"]


def test_a_touched_bundle_names_the_file_and_ends_with_two(place, capsys):
    (place / "config.yaml").write_text(STORE)
    told(capsys, "export", "--bundle", "b.zip", "--capture", "1")
    name = "captures/1/payloads/000-000.bin"
    with zipfile.ZipFile("b.zip") as zipped:
        files = {one: zipped.read(one) for one in zipped.namelist()}
    with zipfile.ZipFile("b.zip", "w") as zipped:
        for one, content in files.items():
            zipped.writestr(one, content + b" " if one == name else content)
    code, out, _ = told(capsys, "verify", "b.zip")
    assert (code, f"altered: {name}" in out, "NOT sound" in out) == (2, True, True)
    assert "is no evidence" in out
    code, out, _ = told(capsys, "verify", "b.zip", "--json")
    read = fitting(out)
    assert (code, read["sound"], read["findings"][0]["file"]) == (2, False, name)
    assert read["findings"][0]["fault"] == "altered"


def test_what_is_no_bundle_is_an_error_of_use(place, capsys):
    (place / "b.zip").write_text("hello")
    code, _, said = told(capsys, "verify", "b.zip")
    assert (code, "no zip that can be read" in said) == (2, True)
    code, _, said = told(capsys, "verify", "absent.wacz")
    assert (code, "no such file" in said) == (2, True)


def test_a_capture_and_a_run_tell_programs_what_was_found(place, capsys):
    (place / "config.yaml").write_text(STORE)
    code, out, _ = told(capsys, "verify", "--capture", "1", "--json")
    read = fitting(out)
    assert (code, read["sound"], read["target"]) == (0, True, "capture 1 of run:trees:2026-01")
    code, out, _ = told(capsys, "verify", "--json")
    read = fitting(out)
    assert (code, read["sound"], len(read["manifests"]), read["unproved"]) == (0, True, 2, 0)
    code, out, _ = told(capsys, "verify", "--all", "--json")
    assert (code, fitting(out)["sound"]) == (0, True)


def test_a_run_says_how_many_of_its_captures_are_proved(place, capsys):
    told(capsys, "evidence", "keygen", "key.pem")
    code, out, _ = told(capsys, "verify")
    assert (code, "captures with a manifest: 2, signed: 0" in out) == (0, True)
    code, out, _ = told(capsys, "evidence", "seal")
    assert (code, "2 manifests made or signed" in out) == (0, True)
    code, out, _ = told(capsys, "verify")
    assert "signed: 2 by " in out
    code, _, said = told(capsys, "evidence", "timestamp")
    assert (code, "evidence.timestamp_url" in said) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ("verify", "b.zip", "--capture", "1"),
        ("verify", "b.zip", "--manifest", "m.json"),
        ("verify", "run:trees:2026-01", "--capture", "1"),
        ("verify", "--all", "--key", "public.pem"),
        ("export", "--capture", "1"),
        ("export", "--bundle", "b.zip", "--format", "csv"),
        ("export", "--bundle", "b.zip", "--out", "x"),
        ("export", "--bundle", "b.txt"),
        ("export", "--warc", "a.warc"),
        ("export", "--wacz", "a.zip"),
        ("export", "--bundle", "b.zip", "--capture", "99"),
        ("evidence", "seal", "run:none:1"),
    ],
)
def test_a_request_that_cannot_be_meant_is_refused(place, capsys, words):
    (place / "config.yaml").write_text(STORE)
    before = sorted(one.name for one in place.iterdir())
    code, _, said = told(capsys, *words)
    assert (code, said.startswith("error: ")) == (2, True)
    assert sorted(one.name for one in place.iterdir()) == before


def test_a_key_is_never_overwritten_and_a_broken_one_is_told(place, capsys):
    (place / "key.pem").write_text("mine")
    code, _, said = told(capsys, "evidence", "keygen", "key.pem")
    assert (code, "never overwritten" in said) == (2, True)
    assert (place / "key.pem").read_text() == "mine"
    (place / "key.pem").chmod(0o600)
    code, _, said = told(capsys, "evidence", "seal")
    assert (code, "no private key can be read" in said) == (2, True)
