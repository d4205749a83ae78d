"""TLS through the guard: the name of the URL is the one checked, on the mapped https port."""

import datetime as dt
import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from monitor.domain.page import FetchStatus
from tests.edges.pages_site import fetcher, http, page, site

NOW = dt.datetime.now(dt.UTC)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory) -> str:
    """Path of a self-signed certificate with its key, for site.example and second.example."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "synthetic")])
    names = [x509.DNSName("site.example"), x509.DNSName("second.example")]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(NOW - dt.timedelta(days=1))
        .not_valid_after(NOW + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = tmp_path_factory.mktemp("tls") / "cert.pem"
    path.write_bytes(key.private_bytes(pem, *plain) + made.public_bytes(pem))
    return str(path)


def server_side(certificate: str) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


async def fetch(certificate, host, verify):
    scripts = {"/": page(), "/away": http(302, Location="https://second.example/")}
    async with site(scripts, ssl=server_side(certificate)) as running:
        known = ("site.example", "second.example", "wrong.example")
        hosts = dict.fromkeys(known, ("127.0.0.1", 9, running.port))
        async with fetcher(hosts, verify=verify) as fetching:
            return await fetching.fetch(f"https://{host}")


async def test_a_supplied_context_reads_the_sandbox_over_tls(certificate):
    trusted = ssl.create_default_context(cafile=certificate)
    got = await fetch(certificate, "site.example/away", trusted)
    assert (got.status, got.final_url) == (FetchStatus.OK, "https://second.example/")


async def test_a_certificate_for_another_name_is_unreachable(certificate):
    trusted = ssl.create_default_context(cafile=certificate)
    got = await fetch(certificate, "wrong.example/", trusted)
    assert got.status is FetchStatus.UNREACHABLE
    assert "mismatch" in got.detail.lower()


async def test_a_self_signed_certificate_is_refused_by_default(certificate):
    got = await fetch(certificate, "site.example/", verify=True)
    assert got.status is FetchStatus.UNREACHABLE
    assert "CERTIFICATE_VERIFY_FAILED" in got.detail
