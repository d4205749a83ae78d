"""Keys: made for one person alone, refused where they are no good, and signatures that fit."""

import shutil
import subprocess

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, x25519
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from monitor.errors import EvidenceError
from monitor.proofs.findings import Fault
from monitor.proofs.keys import fits, key_id_of, load_public_key, load_signing_key, make_key
from monitor.proofs.seals import Sealed, Trusted, check_seal
from monitor.proofs.signatures import Signature, decode, encode, sign

MANIFEST = b'{"synthetic":"manifest"}'
PEM = Encoding.PEM


def pem_file(path, key, encryption=None, mode=0o600):
    path.write_bytes(key.private_bytes(PEM, PrivateFormat.PKCS8, encryption or NoEncryption()))
    path.chmod(mode)
    return path


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return make_key(tmp_path_factory.mktemp("keys") / "key.pem")


def test_a_key_is_made_for_its_owner_alone_and_never_over_another(tmp_path):
    path = tmp_path / "key.pem"
    made = make_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.read_bytes()
    with pytest.raises(EvidenceError, match="never overwritten"):
        make_key(path)
    assert path.read_bytes() == before
    assert load_signing_key(path).key_id == made.key_id
    assert b"PRIVATE" not in made.public_pem
    assert "PRIVATE" not in repr(made)


def test_a_key_is_not_written_through_a_link(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EvidenceError):
        make_key(tmp_path / "link")
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_a_key_that_others_may_read_is_refused(tmp_path, mode):
    path = pem_file(tmp_path / "key.pem", ed25519.Ed25519PrivateKey.generate(), mode=mode)
    with pytest.raises(EvidenceError, match=f"others may read this private key .mode {mode:04o}"):
        load_signing_key(path)


def test_a_key_of_another_kind_is_refused(tmp_path):
    others = (
        ec.generate_private_key(ec.SECP256R1()),
        ed448.Ed448PrivateKey.generate(),
        x25519.X25519PrivateKey.generate(),
    )
    for number, other in enumerate(others):
        with pytest.raises(EvidenceError, match="another kind"):
            load_signing_key(pem_file(tmp_path / f"{number}.pem", other))
        public = tmp_path / f"{number}.pub"
        public.write_bytes(other.public_key().public_bytes(PEM, PublicFormat.SubjectPublicKeyInfo))
        with pytest.raises(EvidenceError, match="another kind"):
            load_public_key(public)


def test_an_encrypted_key_needs_its_password(tmp_path):
    own = ed25519.Ed25519PrivateKey.generate()
    path = pem_file(tmp_path / "key.pem", own, BestAvailableEncryption(b"correct horse"))
    with pytest.raises(EvidenceError, match="EVIDENCE_KEY_PASSWORD"):
        load_signing_key(path)
    with pytest.raises(EvidenceError, match="password is wrong"):
        load_signing_key(path, "battery staple")
    assert fits(load_signing_key(path, "correct horse").public_pem, b"x", own.sign(b"x"))


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"-----BEGIN PRIVATE KEY-----\nAAAA\n", b"\0" * 99]
)
def test_what_is_no_key_is_refused_without_showing_it(tmp_path, content):
    path = tmp_path / "key.pem"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(EvidenceError, match="no private key can be read"):
        load_signing_key(path)


def test_a_key_that_is_not_there_or_no_file_is_refused(tmp_path):
    for path in (tmp_path / "absent.pem", tmp_path):
        with pytest.raises(EvidenceError):
            load_signing_key(path)


def test_a_private_key_is_not_taken_for_a_public_one(tmp_path):
    make_key(tmp_path / "key.pem")
    with pytest.raises(EvidenceError, match="never hand out the private one"):
        load_public_key(tmp_path / "key.pem")


def test_a_signature_fits_its_content_and_key_alone(key, tmp_path):
    other = make_key(tmp_path / "other.pem")
    signature = sign(key, MANIFEST)
    assert fits(key.public_pem, MANIFEST, signature.value)
    assert not fits(key.public_pem, MANIFEST + b" ", signature.value)
    assert not fits(other.public_pem, MANIFEST, signature.value)
    assert sign(key, MANIFEST) == signature


def test_a_stored_signature_comes_back_and_a_cut_one_is_refused(key):
    made = encode(sign(key, MANIFEST))
    assert decode(made, "s") == sign(key, MANIFEST)
    for other in (made[:-9], b"", b"[]", made.replace(b"Ed25519", b"RSA"), b"[" * 200_000):
        with pytest.raises(EvidenceError, match="no signature that can be read"):
            decode(other, "s")
    value = sign(key, MANIFEST).value
    with pytest.raises(EvidenceError, match="63 bytes, expected 64"):
        decode(encode(Signature(value[:63], key.public_pem)), "s")


def test_what_is_wrong_with_a_seal_is_told_apart(key, tmp_path):
    other = make_key(tmp_path / "other.pem")
    signature = sign(key, MANIFEST)
    cases = {
        "sound": (Sealed("m", MANIFEST, signature), Trusted(key.public_pem), ()),
        "edited": (Sealed("m", b"{}", signature), Trusted(), (Fault.SIGNATURE,)),
        "other key": (Sealed("m", MANIFEST, signature), Trusted(other.public_pem), (Fault.KEY,)),
        "unsigned": (Sealed("m", MANIFEST), Trusted(key.public_pem), (Fault.KEY,)),
        "cut": (
            Sealed("m", MANIFEST, Signature(signature.value[:60], key.public_pem)),
            Trusted(),
            (Fault.SIGNATURE,),
        ),
        "no key": (
            Sealed("m", MANIFEST, Signature(signature.value, b"hello")), Trusted(), (Fault.SIGNATURE,),
        ),
    }  # fmt: skip
    found = {name: check_seal(sealed, trusted) for name, (sealed, trusted, _) in cases.items()}
    assert {name: tuple(f.fault for f in wrong) for name, (_, wrong) in found.items()} == {
        name: faults for name, (_, _, faults) in cases.items()
    }
    assert [name for name, (seal, _) in found.items() if seal.key_id] == ["sound"]
    assert found["sound"][0].key_id == key_id_of(key.public_pem)


def test_openssl_finds_the_same_signature_in_order(key, tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to check a signature by")
    (tmp_path / "public.pem").write_bytes(key.public_pem)
    (tmp_path / "m").write_bytes(MANIFEST)
    (tmp_path / "m.sig").write_bytes(sign(key, MANIFEST).value)
    words = [
        "pkeyutl",
        "-verify",
        "-pubin",
        "-inkey",
        "public.pem",
        "-rawin",
        "-in",
        "m",
        "-sigfile",
        "m.sig",
    ]
    told = subprocess.run(
        ["openssl", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "Signature Verified Successfully" in told.stdout
