"""What became of a call, by status and by the words that vendors use."""

import json

import pytest

from monitor.domain.engine import Exchange
from monitor.judge.llm.failures import Fate, sort_call

EARLY = "Rate limit reached on tokens per min. Add a payment method at /account/billing."
GOOGLE = "You exceeded your current quota, please check your plan and billing details."


def error(message, **more):
    return {"error": {"message": message, **more}}


def per(quota):
    return error(
        GOOGLE, status="RESOURCE_EXHAUSTED", details=[{"violations": [{"quotaId": quota}]}]
    )


@pytest.mark.parametrize(
    ("status", "body", "fate"),
    [
        (200, {"choices": []}, Fate.HEARD),
        (200, {"choices": [], "error": None}, Fate.HEARD),
        (200, [1], Fate.RETRY),
        (200, {"error": {"code": 401, "message": "no auth"}}, Fate.FATAL),
        (200, {"error": "busy"}, Fate.RETRY),
        (429, error(EARLY, type="tokens", code="rate_limit_exceeded"), Fate.RETRY),
        (429, error(GOOGLE, code="insufficient_quota"), Fate.NO_MONEY),
        (429, per("GenerateRequestsPerMinutePerProject"), Fate.RETRY),
        (429, per("GenerateRequestsPerDayPerProject"), Fate.NO_MONEY),
        (402, {}, Fate.NO_MONEY),
        (400, error("Your credit balance is too low to access the API."), Fate.NO_MONEY),
        (400, error("`temperature` is deprecated for this model."), Fate.NO_TEMPERATURE),
        (400, error("Unsupported parameter: 'max_tokens'"), Fate.OTHER_CAP),
        (400, error("output_config.format: not supported by this model"), Fate.NO_FORM),
        (400, error('Unknown name "responseJsonSchema": Cannot find field.'), Fate.NO_FORM),
        (400, error("This model's maximum context length is 8192 tokens"), Fate.LOST),
        (400, error("prompt is too long: 210000 tokens"), Fate.LOST),
        (413, {}, Fate.LOST),
        (422, {"detail": [{"type": "extra_forbidden", "input": "insufficient_quota"}]}, Fate.NO_FORM),
        (403, error("Your input was flagged by moderation"), Fate.REFUSED),
        (403, error("Country, region, or territory not supported"), Fate.FATAL),
        (404, error("model: claude-none", type="not_found_error"), Fate.FATAL),
        (400, error("m-9 is not a valid model ID"), Fate.FATAL),
        (301, {}, Fate.LOST),
        (408, {}, Fate.RETRY),
        (529, error("Overloaded", type="overloaded_error"), Fate.RETRY),
        (418, {}, Fate.LOST),
    ],
)  # fmt: skip
def test_the_status_decides_and_then_the_words(status, body, fate):
    assert sort_call(Exchange(json.dumps(body).encode(), status)).fate is fate


def test_a_body_that_cannot_be_read_decides_nothing():
    assert sort_call(Exchange(b"[" * 100_000, 400)).fate is Fate.NO_FORM
    assert sort_call(Exchange(b"\xff", 503)).fate is Fate.RETRY
    assert sort_call(Exchange(b"9" * 5000, 200)).fate is Fate.RETRY
