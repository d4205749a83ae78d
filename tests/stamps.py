"""A time stamp service on loopback: certificates made here, tokens made by `openssl ts`.

OpenSSL is another hand than the library that checks the tokens; without it the tests are skipped.
"""

import shutil
import subprocess
import threading
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_CONFIG = """
[tsa]
default_tsa = own
[own]
serial = {folder}/serial
signer_cert = {folder}/signer.pem
signer_key = {folder}/signer.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
tsa_name = yes
ess_cert_id_alg = sha256
"""


def openssl():
    """Path of OpenSSL; skips the test where there is none."""
    found = shutil.which("openssl")
    if found is None:
        pytest.skip("no openssl here, which makes the time stamps of tests")
    return found


def _certificate(name, issuer, key, signer, extension, *, critical):
    now = datetime.now(UTC)
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, one)]) for one in (name, issuer)]
    made = (
        x509.CertificateBuilder()
        .subject_name(names[0])
        .issuer_name(names[1])
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=30))
        .add_extension(extension, critical=critical)
    )
    return made.sign(signer, hashes.SHA256())


def make_service(folder, name="Synthetic time stamps"):
    """Keys, certificates and settings of a service in a folder; path of its root certificate."""
    root, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    is_ca = x509.BasicConstraints(ca=True, path_length=0)
    stamping = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    ca = _certificate(f"{name} root", f"{name} root", root, root, is_ca, critical=True)
    signer = _certificate(name, f"{name} root", own, root, stamping, critical=True)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ca.pem").write_bytes(ca.public_bytes(Encoding.PEM))
    (folder / "signer.pem").write_bytes(signer.public_bytes(Encoding.PEM))
    (folder / "signer.key").write_bytes(
        own.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    (folder / "serial").write_text("01\n")
    (folder / "ts.cnf").write_text(_CONFIG.format(folder=folder))
    return folder / "ca.pem"


def reply(folder, query):
    """The answer of a service to a question, made by OpenSSL."""
    (folder / "query.tsq").write_bytes(query)
    words = ["ts", "-reply", "-queryfile", "query.tsq", "-config", "ts.cnf", "-out", "reply.tsr"]
    subprocess.run([openssl(), *words], cwd=folder, check=True, capture_output=True)
    return (folder / "reply.tsr").read_bytes()


@contextmanager
def stamp_service(folder, answer=None):
    """A service on loopback: its address, and the questions it was asked.

    `answer` gives (status, headers, bytes) for a question instead of a token.
    """
    make_service(folder)
    asked, one_at_a_time = [], threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            query = self.rfile.read(int(self.headers["content-length"]))
            with one_at_a_time:
                asked.append((self.path, self.headers["content-type"], query))
                made = answer or (lambda q: (200, {}, reply(folder, q)))
                status, headers, body = made(query)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/tsa", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
