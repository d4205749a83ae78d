"""Time stamps by a service on loopback: asked for beside captures, added later, and checked."""

import asyncio
import subprocess
from unittest.mock import patch

import httpx
import pytest

from monitor.errors import EvidenceError
from monitor.pipeline.capturing import capture_run
from monitor.pipeline.proving_checks import verify_capture
from monitor.pipeline.stamping import stamp_run
from monitor.pipeline.verifying import verify_run
from monitor.proofs.findings import Fault, shown_by
from monitor.proofs.seals import NOTHING, Trusted
from monitor.proofs.stamp_service import token_for
from monitor.proofs.stamps import ask, load_certificates, read_stamp
from monitor.store import proofs
from tests.proved import bench_for
from tests.stamps import make_service, openssl, reply, stamp_service
from tests.stored import answer, planned

BODY = answer("Oaks grow slowly.", ("slowly", "https://oak.example/"))
MANIFEST = b'{"synthetic": "manifest"}'


@pytest.fixture(scope="module")
def service(tmp_path_factory):
    """Folder of a service, and a token of it for MANIFEST."""
    folder = tmp_path_factory.mktemp("tsa")
    make_service(folder)
    return folder, reply(folder, ask(MANIFEST).body)


def opened(folder, monkeypatch, url, certificates=None):
    given = {"timestamp_url": url, "timestamp_certificates_file": certificates}
    return bench_for(folder, monkeypatch, **{k: v for k, v in given.items() if v is not None})


def run_in(bench):
    run = planned(bench)
    asyncio.run(captured_beside(bench, run))
    return run


async def captured_beside(bench, run):
    """A run whose vendor is made up, while the time stamp service is asked over a socket."""
    vendor = httpx.MockTransport(lambda _: httpx.Response(200, content=BODY))
    with patch("monitor.pipeline.capturing.FreeConnections", return_value=vendor):
        return await capture_run(bench, run)


def test_a_token_proves_the_digest_and_the_time(service):
    folder, token = service
    chain = load_certificates(folder / "ca.pem")
    assert read_stamp(token, MANIFEST, certificates=chain).trusted
    assert not read_stamp(token, MANIFEST).trusted


def test_openssl_agrees_with_what_is_asked_and_what_is_kept(service, tmp_path):
    folder, token = service
    (tmp_path / "manifest.json").write_bytes(MANIFEST)
    (tmp_path / "manifest.json.tsr").write_bytes(token)
    words = ["ts", "-verify", "-data", "manifest.json", "-in", "manifest.json.tsr"]
    told = subprocess.run(
        [openssl(), *words, "-CAfile", folder / "ca.pem", "-untrusted", folder / "signer.pem"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Verification: OK" in told.stdout + told.stderr


def test_a_token_of_another_digest_is_refused(service):
    with pytest.raises(EvidenceError, match="another digest"):
        read_stamp(service[1], MANIFEST + b" ")


def test_a_token_of_another_service_is_refused(service, tmp_path):
    other = load_certificates(make_service(tmp_path / "other", "Somebody else"))
    with pytest.raises(EvidenceError, match="not signed by a service of the certificates"):
        read_stamp(service[1], MANIFEST, certificates=other)


def test_an_answer_to_another_question_is_refused(service):
    with pytest.raises(EvidenceError, match="another question"):
        read_stamp(service[1], MANIFEST, nonce=1)


@pytest.mark.parametrize("cut", [0, 1, 40, 400])
def test_a_cut_token_is_no_token(service, cut):
    with pytest.raises(EvidenceError, match="no RFC 3161 answer"):
        read_stamp(service[1][:cut], MANIFEST)


def test_a_token_with_a_changed_byte_in_its_signature_is_refused(service):
    folder, token = service
    changed = token[:-3] + bytes([token[-3] ^ 1]) + token[-2:]
    with pytest.raises(EvidenceError):
        read_stamp(changed, MANIFEST, certificates=load_certificates(folder / "ca.pem"))


def test_certificates_without_a_root_are_refused(service):
    with pytest.raises(EvidenceError, match="no root among"):
        load_certificates(service[0] / "signer.pem")


def test_a_capture_is_stamped_while_its_run_goes_on(tmp_path, monkeypatch):
    root = tmp_path / "tsa" / "ca.pem"
    with (
        stamp_service(tmp_path / "tsa") as (url, asked),
        opened(tmp_path, monkeypatch, url, str(root)) as bench,
    ):
        run = run_in(bench)
        proof = bench.read(lambda c: proofs.load_proof(c, 1))
        found = verify_capture(bench, 1, Trusted(certificates=load_certificates(root)))
        assert verify_run(bench, run).sound
    assert len(asked) == 1
    assert asked[0][:2] == ("/tsa", "application/timestamp-query")
    assert proof.token_sha256 is not None
    assert (found.sound, found.seals[0].stamp_trusted) == (True, True)
    assert found.seals[0].stamped_at is not None


REFUSALS = {
    "an error": (lambda _: (500, {}, b"no"), "answered 500"),
    "a redirect": (lambda _: (302, {"location": "http://127.0.0.1:1/"}, b""), "not followed"),
    "too much": (lambda _: (200, {}, b"x" * 70_000), "more than 65536 bytes"),
    "no token": (lambda _: (200, {}, b"hello"), "no RFC 3161 answer"),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_service_that_fails_leaves_the_capture_whole_and_is_told(tmp_path, monkeypatch, name):
    answer_with, said = REFUSALS[name]
    with (
        stamp_service(tmp_path / "tsa", answer_with) as (url, _),
        opened(tmp_path, monkeypatch, url) as bench,
    ):
        run = run_in(bench)
        assert verify_run(bench, run).sound
        assert bench.read(lambda c: proofs.load_proof(c, 1)).token_sha256 is None
        assert "unsigned time" in " ".join(shown(bench))
        found = stamp_run(bench, run)
    assert (found.stamped, found.left) == (0, 1)
    assert said in found.failed[0]


def shown(bench):
    return shown_by(verify_capture(bench, 1, NOTHING).seals, pinned=False)


def test_a_stamp_can_be_added_later(tmp_path, monkeypatch):
    with opened(tmp_path, monkeypatch, None) as bench:
        run = run_in(bench)
        with pytest.raises(EvidenceError, match=r"evidence\.timestamp_url"):
            stamp_run(bench, run)
    with (
        stamp_service(tmp_path / "tsa") as (url, _),
        opened(tmp_path, monkeypatch, url) as bench,
    ):
        first = stamp_run(bench, run)
        assert (first.stamped, first.failed) == (1, ())
        assert stamp_run(bench, run).stamped == 0
        assert verify_capture(bench, 1, NOTHING).seals[0].stamped_at is not None


def test_a_stamp_of_another_manifest_is_found_in_the_store(tmp_path, monkeypatch, service):
    with opened(tmp_path, monkeypatch, None) as bench:
        run = run_in(bench)
        foreign = bench.artifacts.put(service[1])
        bench.write(lambda c: proofs.add_token(c, 1, foreign))
        found = verify_run(bench, run)
    assert not found.sound
    assert [one.fault for one in found.proofs.findings] == [Fault.TIMESTAMP]


async def test_a_service_that_never_answers_is_given_up(tmp_path):
    async def silent(_):
        await asyncio.sleep(30)

    client = httpx.AsyncClient(transport=httpx.MockTransport(silent))
    with pytest.raises(EvidenceError, match=r"no answer within 0\.05 seconds"):
        await token_for(client, "http://127.0.0.1/", MANIFEST, seconds=0.05)
    await client.aclose()
