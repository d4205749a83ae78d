"""Which failed call is worth another try, and after how long."""

from datetime import UTC, datetime

import pytest

from monitor.capture.retry import asked_delay, backoff, is_retryable
from monitor.domain.engine import Exchange, Outcome, Reading

NOW = datetime(2026, 8, 1, 12, tzinfo=UTC)
GEMINI = b"""{"error": {"code": 429, "details": [
  {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay" : "34.5s"}]}}"""


def asked(body=b"", **headers):
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return asked_delay(Exchange(body, 429, named), NOW)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "7"}, 7),
        ({"retry_after": " 0.5 "}, 0.5),
        ({"retry_after": "0"}, 0),
        ({"Retry_After": "7"}, 7),
        ({"retry_after": "Sat, 01 Aug 2026 12:00:30 GMT"}, 30),
        ({"retry_after": "Sat, 01 Aug 2026 14:00:30 +0200"}, 30),
        ({"retry_after": "Sat Aug  1 12:00:30 2026"}, 30),
        ({"retry_after": "Sat, 01 Aug 2026 11:00:00 GMT"}, 0),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after_ms": "250.5", "retry_after": "9"}, 0.2505),
        ({"retry_after_ms": "soon", "retry_after": "9"}, 9),
    ],
)
def test_a_header_says_how_long(headers, seconds):
    assert asked(**headers) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "value", ["soon", "-5", "", "1e9", "nan", "Sat, 99 Aug 2026 12:00:30 GMT", "9" * 40, "\u0667"]
)
def test_a_header_that_says_nothing_leaves_the_word_to_the_body(value):
    assert asked(retry_after=value) is None
    assert asked(GEMINI, retry_after=value) == 34.5


def test_nothing_asked_is_none():
    assert asked(b'{"error": {}}') is None


def reading(outcome, reason=None):
    return Reading(outcome, reason, text="x" if outcome is Outcome.ANSWERED else "")


@pytest.mark.parametrize(
    ("outcome", "reason", "again"),
    [
        (Outcome.BLOCKED, "rate_limit", True),
        (Outcome.ERROR, "server", True),
        (Outcome.ERROR, "network", True),
        (Outcome.TIMEOUT, None, True),
        (Outcome.ERROR, "quota", False),
        (Outcome.ERROR, "auth", False),
        (Outcome.ERROR, "request", False),
        (Outcome.ERROR, "unreadable", False),
        (Outcome.BLOCKED, "captcha", False),
        (Outcome.NO_ANSWER, "declined", False),
        (Outcome.TRUNCATED, None, False),
        (Outcome.ANSWERED, None, False),
    ],
)
def test_the_reading_says_whether_another_try_can_help(outcome, reason, again):
    assert is_retryable(reading(outcome, reason), Exchange(b"", 200)) is again


def test_the_vendors_own_word_counts_for_failures_only():
    no = (("x-should-retry", "false"),)
    yes = (("x-should-retry", "true"),)
    assert not is_retryable(reading(Outcome.ERROR, "server"), Exchange(b"", 500, no))
    assert is_retryable(reading(Outcome.ERROR, "request"), Exchange(b"", 409, yes))
    assert not is_retryable(reading(Outcome.ANSWERED), Exchange(b"", 200, yes))


def test_pauses_double_up_to_a_minute_and_vary_by_half():
    assert [backoff(n, 0.5) for n in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    assert (backoff(2, 0.0), backoff(2, 1.0)) == (2, 6)
