"""Envelopes: what is kept of a call, and what is blanked before it is."""

import json
from datetime import UTC, datetime

import pytest

from monitor.capture.envelope import (
    decode,
    encode,
    kept_headers,
    make_envelope,
    redact,
    store_envelope,
    stored_exchanges,
)
from monitor.domain.engine import Exchange, Request
from tests.capturing import MemoryArtifacts

REQUEST = Request("POST", "https://api.example/v1", {"q": "tea", "lone": "\ud800"}, (("a", "b"),))


def envelope(seq=0, attempt=0, body=b"{}", **more):
    exchange = Exchange(body, 200, (("date", "now"),), REQUEST)
    at = datetime(2026, 8, 1, 12, 0, 0, 123, tzinfo=UTC)
    return make_envelope(
        REQUEST, exchange, seq=seq, attempt=attempt, started_at=at, duration_ms=5, **more
    )


def test_a_record_comes_back_as_it_was():
    one = envelope(redacted=2)
    assert decode(encode(one)) == one


def test_equal_requests_have_equal_hashes_and_other_ones_have_others():
    one = envelope()
    assert one.request_hash == envelope(seq=3, body=b"other").request_hash
    assert one.request_hash != decode(encode(one).replace(b'"tea"', b'"te"')).request_hash


def test_stored_exchanges_come_back_in_the_order_of_asking():
    artifacts = MemoryArtifacts()
    for seq, attempt in ((1, 0), (0, 1), (0, 0), (0, 10), (0, 2)):
        store_envelope(artifacts, 7, envelope(seq, attempt, b"%d" % attempt), b"%d" % attempt)
    kept = stored_exchanges(artifacts, 7)
    found = [(e.seq, e.attempt) for e in kept.envelopes]
    assert (kept.lost, kept.free) == (0, {0: 11, 1: 1})
    assert found == [(0, 0), (0, 1), (0, 2), (0, 10), (1, 0)]
    assert stored_exchanges(artifacts, 70).envelopes == ()


def test_a_record_that_names_another_body_is_refused():
    with pytest.raises(ValueError, match="another body"):
        store_envelope(MemoryArtifacts(), 7, envelope(body=b"a"), b"b")


def test_headers_that_identify_nobody_are_kept():
    kept = kept_headers(
        [("Set-Cookie", "a=b"), ("Retry-After", "3"), ("X-RateLimit-Limit", "9"),
         ("anthropic-ratelimit-tokens-reset", "t"), ("Authorization", "k"), ("Server", "s")]
    )  # fmt: skip
    assert kept == (
        ("retry-after", "3"),
        ("x-ratelimit-limit", "9"),
        ("anthropic-ratelimit-tokens-reset", "t"),
        ("server", "s"),
    )


def test_every_form_of_a_key_is_blanked_and_counted():
    key = 'k"ey/with+signs'
    body = json.dumps({"m": key, "u": "?k=k%22ey%2Fwith%2Bsigns"}).encode() + key.encode()
    blanked, found = redact(body, (key,))
    assert found == 3
    assert json.loads(blanked.removesuffix(b"[redacted]")) == {
        "m": "[redacted]",
        "u": "?k=[redacted]",
    }


def test_a_key_inside_another_key_leaves_no_rest():
    assert redact(b"x sk-long-key-tail y", ("sk-long", "sk-long-key-tail"))[0] == b"x [redacted] y"


def test_words_shorter_than_a_key_are_left_alone():
    assert redact(b"the tea is hot", ("tea",)) == (b"the tea is hot", 0)
