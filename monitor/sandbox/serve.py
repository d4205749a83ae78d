"""Two loopback ports, plain and TLS, over one app."""

import asyncio
import contextlib
import ipaddress
import json
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from monitor.sandbox.app import Desk, make_app
from monitor.sandbox.world import load_world

ADDRESS = "127.0.0.1"
_LIFETIME = timedelta(days=2)


class _Server(uvicorn.Server):
    """Server that leaves signals to the loop, since two of them share it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def certificate(hosts: Sequence[str]) -> tuple[bytes, bytes]:
    """Self-signed certificate for every host and 127.0.0.1, and its key, both PEM; two days."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "citation monitor sandbox")])
    names: list[x509.GeneralName] = [x509.DNSName(host) for host in hosts]
    names.append(x509.IPAddress(ipaddress.ip_address(ADDRESS)))
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + _LIFETIME)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return made.public_bytes(serialization.Encoding.PEM), secret


async def run(desk: Desk, *, port: int, ready_file: Path | None) -> None:
    """Serve until SIGTERM or SIGINT; announce once both ports listen."""
    hosts = load_world().hosts
    with tempfile.TemporaryDirectory(prefix="monitor-sandbox-") as folder:
        cert_pem, key_pem = _written(Path(folder), hosts)
        plain, sealed = _listen(port), _listen(0)
        app = make_app(desk)
        servers = (
            _Server(_config(app)),
            _Server(_config(app, ssl_certfile=str(cert_pem), ssl_keyfile=str(key_pem))),
        )
        _stop_on_signal(servers)
        tasks = [
            asyncio.create_task(server.serve(sockets=[sock]))
            for server, sock in zip(servers, (plain, sealed), strict=True)
        ]
        await _started(servers, tasks)
        ports = (plain.getsockname()[1], sealed.getsockname()[1])
        _announce(ports, hosts, cert_pem, ready_file)
        await asyncio.gather(*tasks)


def _written(folder: Path, hosts: Sequence[str]) -> tuple[Path, Path]:
    """Files of the certificate and its key; the key is for the owner alone."""
    cert_pem, key_pem = folder / "cert.pem", folder / "key.pem"
    made, secret = certificate(hosts)
    cert_pem.write_bytes(made)
    key_pem.touch(mode=0o600)
    key_pem.write_bytes(secret)
    return cert_pem, key_pem


def _config(
    app: object, *, ssl_certfile: str | None = None, ssl_keyfile: str | None = None
) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_level="warning",
        access_log=False,
        server_header=False,
        headers=[("x-sandbox", "fictional")],
        timeout_graceful_shutdown=2,
        ssl_certfile=ssl_certfile,
        ssl_keyfile=ssl_keyfile,
    )


def _listen(port: int) -> socket.socket:
    # Without its protocol named, asyncio leaves Nagle's algorithm on: 40 ms more an answer.
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind((ADDRESS, port))
    return sock


def _stop_on_signal(servers: Sequence[uvicorn.Server]) -> None:
    def stop() -> None:
        for server in servers:
            server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)


async def _started(servers: Sequence[uvicorn.Server], tasks: Sequence[asyncio.Task[None]]) -> None:
    while not all(server.started for server in servers):
        if any(task.done() for task in tasks):
            await asyncio.gather(*tasks)
            return
        await asyncio.sleep(0.01)


def _announce(
    ports: tuple[int, int], hosts: Sequence[str], cert_pem: Path, ready_file: Path | None
) -> None:
    """Print the ready object, and put it in place as a whole where a file is asked for."""
    ready = {
        "http_port": ports[0],
        "https_port": ports[1],
        "hosts": list(hosts),
        "pid": os.getpid(),
        "cert_pem": str(cert_pem),
    }
    text = json.dumps(ready)
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
    if ready_file is not None:
        half = ready_file.with_name(f"{ready_file.name}.part")
        half.write_text(text, encoding="utf-8")
        half.replace(ready_file)
