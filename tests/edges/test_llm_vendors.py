"""Anthropic and Gemini asked by their own interfaces, against a server that plays them."""

import pytest

from monitor.domain.claim import Support
from monitor.domain.engine import Usage
from monitor.errors import JudgeError
from monitor.judge.llm import TokenPrice
from tests import misbehaving
from tests.misbehaving import CLAIM, PAGE, PAID, desk, raw, reply


def anthropic(text, stop="end_turn"):
    body = {
        "model": "claude-x-1", "stop_reason": stop,
        "content": [{"type": "thinking", "thinking": "{}"}, {"type": "text", "text": text}],
        "usage": {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 20},
    }  # fmt: skip
    return raw(body)


def test_anthropic_is_asked_by_schema_and_read_by_block_type():
    refused = raw(
        {"type": "error", "error": {"type": "invalid_request_error",
         "message": "`temperature` is deprecated for this model."}}, 400,
    )  # fmt: skip
    with desk(refused, anthropic(reply()), provider="anthropic") as at:
        verdict = at.judge.verdict(CLAIM, (PAGE,))
        assert (verdict.support, verdict.cost_micros) == (Support.FULL, PAID)
        assert verdict.judge == "llm/anthropic/m-1@1"
        first, second = at.server.calls
        assert first["output_config"]["format"]["type"] == "json_schema"
        assert (first["temperature"], "temperature" in second) == (0, False)
        assert at.server.headers[0]["x-api-key"] == misbehaving.KEY
        assert at.judge.verdict("Another claim.", (PAGE,)).support is Support.FULL
        assert len(at.server.calls) == 3


@pytest.mark.parametrize(("stop", "told"), [("refusal", "refused"), ("max_tokens", "cut_off")])
def test_anthropic_refuses_or_is_cut(stop, told):
    with desk(anthropic("", stop), provider="anthropic") as at:
        assert at.judge.verdict(CLAIM, (PAGE,)).reasons == ("judge_error", told)


def gemini(text, finish="STOP"):
    parts = [{"text": "hm", "thought": True}, {"text": text}]
    return raw({
        "candidates": [{"content": {"parts": parts}, "finishReason": finish}],
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 15,
                          "thoughtsTokenCount": 5},
    })  # fmt: skip


def test_gemini_is_asked_by_schema_and_its_thoughts_are_paid():
    price = TokenPrice(1_000_000, 2_000_000, thinking_apart=True)
    with desk(gemini(reply()), provider="gemini", price=price) as at:
        verdict = at.judge.verdict(CLAIM, (PAGE,))
        assert (verdict.support, verdict.cost_micros) == (Support.FULL, PAID)
        assert verdict.usage == Usage(100, 15, 5)
        config = at.server.calls[0]["generationConfig"]
        assert config["responseJsonSchema"]["required"][-1] == "label"
        assert at.server.headers[0]["x-goog-api-key"] == misbehaving.KEY


@pytest.mark.parametrize(
    ("move", "told"),
    [
        (gemini("", "SAFETY"), "refused"),
        (gemini("", "MAX_TOKENS"), "cut_off"),
        (raw({"promptFeedback": {"blockReason": "OTHER"}}), "refused"),
    ],
)
def test_gemini_refuses_or_is_cut(move, told):
    with desk(move, provider="gemini") as at:
        assert at.judge.verdict(CLAIM, (PAGE,)).reasons == ("judge_error", told)


def test_a_wrong_key_of_gemini_is_a_400():
    error = {"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT",
                       "details": [{"reason": "API_KEY_INVALID"}]}}  # fmt: skip
    with desk(raw(error, 400), provider="gemini") as at, pytest.raises(JudgeError, match="GEMINI"):
        at.judge.verdict(CLAIM, (PAGE,))
