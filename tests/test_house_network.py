"""Tests stay on this machine, and warnings are errors: both rules have teeth."""

import contextlib
import socket
import warnings

import httpx
import pytest
from pytest_socket import SocketConnectBlockedError

FAR = "192.0.2.1"
"""An address reserved for documentation (RFC 5737)."""


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_no_connection_leaves_this_machine():
    with contextlib.closing(socket.socket()) as one, pytest.raises(SocketConnectBlockedError):
        one.connect((FAR, 80))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_no_http_call_leaves_this_machine():
    with pytest.raises(SocketConnectBlockedError):
        httpx.get(f"http://{FAR}/", trust_env=False)


async def test_no_name_is_looked_up_by_an_asynchronous_call():
    async with httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(RuntimeError, match="pass a resolver in"):
            await client.get("http://name.invalid/")


def test_no_name_is_looked_up():
    with pytest.raises(RuntimeError, match=r"name\.invalid"):
        socket.getaddrinfo("name.invalid", 80)


def test_no_datagram_and_no_quiet_connection_is_made():
    with contextlib.closing(socket.socket(type=socket.SOCK_DGRAM)) as one:
        with pytest.raises(RuntimeError, match="a test"):
            one.sendto(b"x", (FAR, 53))
        with pytest.raises(RuntimeError, match="a test"):
            one.connect_ex((FAR, 53))


def test_loopback_is_open():
    with (
        contextlib.closing(socket.create_server(("127.0.0.1", 0))) as server,
        contextlib.closing(socket.create_connection(server.getsockname())) as one,
    ):
        assert one.getpeername() == server.getsockname()


def test_a_warning_is_an_error():
    with pytest.raises(UserWarning, match="planted"):
        warnings.warn("planted", stacklevel=1)
