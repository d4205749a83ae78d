"""Servers that never end a reply and never let one read wait: a call ends at its time all the same."""

import time

import pytest

from tests.misbehaving import CLAIM, PAGE, desk, judges

GZIP_WITH_A_NAME = b"\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x00"
"""The beginning of a gzip stream whose name goes on until a zero byte."""


def sends_on(first, again):
    """A server that sends one piece, then others of its kind for half a minute."""

    def move(handler, _):
        handler.wfile.write(b"HTTP/1.1 " + first)
        for number in range(300):
            handler.wfile.write(again(number))
            handler.wfile.flush()
            time.sleep(0.1)

    return move


def chunk(content):
    return b"%x\r\n%s\r\n" % (len(content), content)


ENDLESS = {
    "headers": sends_on(b"200 OK\r\n", lambda n: b"x-%d: x\r\n" % n),
    "notices": sends_on(b"100 Continue\r\n\r\n", lambda _: b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a coding that says nothing": sends_on(
        b"200 OK\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n"
        + chunk(GZIP_WITH_A_NAME),
        lambda _: chunk(b"a"),
    ),
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_call_ends_at_its_time(kind):
    with desk(ENDLESS[kind], judges(), timeout_seconds=0.2, attempts=2) as at:
        began = time.monotonic()
        verdict = at.judge.verdict(CLAIM, (PAGE,))
        assert time.monotonic() - began < 10
        assert (verdict.support.value, len(at.server.calls), at.ledger.open) == ("full", 2, 0)
        assert verdict.cost_micros == at.ledger.spent > at.ledger.reserved[0]
