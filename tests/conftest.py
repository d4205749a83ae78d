"""No test leaves this machine: pytest-socket guards `connect`, this file the other ways out.

Real servers are fixtures here: they start with the first test that wants them.
"""

import ipaddress
import os
import re
import socket
from typing import Any

import pytest

from tests.servers import NoServerError, running_postgres, running_s3

# Where tests run in several processes, each is told the width of the terminal before them all.
os.environ.pop("COLUMNS", None)
# Settings and keys of whoever runs the tests are none of theirs.
_PRIVATE = re.compile(
    r"MONITOR_(?!CORPORA$).*|.*_API_KEY(_FILE)?|DATAFORSEO_.*|PGPASSWORD(_FILE)?", re.IGNORECASE
)
for _name in filter(_PRIVATE.fullmatch, list(os.environ)):
    del os.environ[_name]

_lookup = socket.getaddrinfo


def _is_near(host: Any) -> bool:
    """Whether asking for a host's address asks nobody: loopback names and plain addresses."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name in {None, "", "localhost"}:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _near_lookup(host: Any, *arguments: Any, **named: Any) -> Any:
    if not _is_near(host):
        raise RuntimeError(f"a test looked up {host!r}; pass a resolver in")
    return _lookup(host, *arguments, **named)


def _no_connect_ex(_self: socket.socket, address: Any) -> int:
    raise RuntimeError(f"a test used connect_ex on {address!r}")


def _no_sendto(_self: socket.socket, *arguments: Any) -> int:
    raise RuntimeError(f"a test sent a datagram to {arguments[-1]!r}")


socket.getaddrinfo = _near_lookup
socket.socket.connect_ex = _no_connect_ex  # type: ignore[method-assign]
socket.socket.sendto = _no_sendto  # type: ignore[method-assign,assignment]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Long files first: of several processes none is left alone with one at the end."""
    items.sort(key=lambda one: "e2e" not in one.path.parts)


@pytest.fixture(autouse=True)
def _environment_stays():
    """Fail the test that leaves a variable behind, not one that comes after it."""
    before = _variables()
    yield
    after = _variables()
    for name in after.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)
    assert after == before


def _variables() -> dict[str, str]:
    """The environment, but for what pytest tells of itself."""
    return {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}


@pytest.fixture(scope="session")
def postgres_server():
    """A PostgreSQL server of this session; tests are skipped, with the reason, where none runs."""
    try:
        running = running_postgres()
        server = running.__enter__()
    except NoServerError as reason:
        pytest.skip(str(reason))
    yield server
    running.__exit__(None, None, None)


@pytest.fixture
def postgres_url(postgres_server):
    """A fresh database with all tables, for this test alone."""
    url = postgres_server.new_database()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def s3_server():
    """An S3 server of this session."""
    try:
        running = running_s3()
        server = running.__enter__()
    except NoServerError as reason:
        pytest.skip(str(reason))
    yield server
    running.__exit__(None, None, None)


@pytest.fixture
def s3_bucket(s3_server, monkeypatch):
    """A fresh bucket; the variables that lead to it are set in this process."""
    bucket = s3_server.new_bucket()
    for name, value in bucket.environment.items():
        monkeypatch.setenv(name, value)
    return bucket
