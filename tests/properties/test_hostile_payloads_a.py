"""Whatever stands at whatever place of a payload: a Reading or a PayloadError, nothing else."""

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.engine import Exchange, Reading
from monitor.engines import ENGINES
from monitor.errors import PayloadError
from tests.unit.engines.payloads_a import BY_ENGINE, OPENAI, SONAR, as_bytes, as_stream

ODD = (None, 7, -1, True, 1.5, float("nan"), 10**30, "", "odd", [], [None], [[]], {}, {"a": 1})
STREAMS = (
    ("openai", [
        {"type": "response.created", "response": OPENAI | {"output": []}},
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Oaks"},
        {"type": "response.output_text.annotation.added", "output_index": 0,
         "annotation": OPENAI["output"][2]["content"][0]["annotations"][0]},
        {"type": "response.output_item.done", "output_index": 1, "item": OPENAI["output"][1]},
    ]),
    ("openai", [{"type": "response.completed", "response": OPENAI}]),
    ("openai", [{"type": "error", "error": {"code": "x", "message": "y"}}]),
    ("perplexity", [
        SONAR | {"choices": [{"delta": {"content": "a[1]"}, "finish_reason": None}]},
        SONAR | {"choices": [{"delta": {"content": "b"}, "finish_reason": "stop"}]},
    ]),
    ("openrouter", [{"choices": [{"delta": {"content": "a", "annotations": []}}],
                     "error": {"code": 502, "message": "x"}}]),
)  # fmt: skip


def places(node, path=()):
    """Paths of every node below the root."""
    keys = node.keys() if isinstance(node, dict) else range(len(node))
    for key in keys:
        yield (*path, key)
        if isinstance(node[key], dict | list):
            yield from places(node[key], (*path, key))


def variants(payload):
    """The payload with each node replaced by each odd value, and with each key deleted."""
    for path in places(payload):
        for value in (*ODD, ...):
            copy = deepcopy(payload)
            node = copy
            for step in path[:-1]:
                node = node[step]
            if value is ...:
                del node[path[-1]]
            else:
                node[path[-1]] = value
            yield copy


def survives(engine: str, body: bytes, status: int | None) -> bool:
    try:
        return isinstance(ENGINES[engine].parse([Exchange(body, status)]), Reading)
    except PayloadError:
        return True


@pytest.mark.parametrize(("engine", "payload"), BY_ENGINE)
def test_no_odd_value_anywhere_in_a_payload_escapes(engine, payload):
    assert all(survives(engine, as_bytes(odd), None) for odd in variants(payload))


@pytest.mark.parametrize(("engine", "events"), STREAMS)
def test_no_odd_value_anywhere_in_a_stream_escapes(engine, events):
    assert all(survives(engine, as_stream(*odd, named=False), 200) for odd in variants(events))


@pytest.mark.parametrize("engine", sorted({name for name, _ in BY_ENGINE}))
@pytest.mark.parametrize("status", [None, 200, 400, 500])
def test_no_odd_error_body_escapes(engine, status):
    bodies = [{"error": {"code": "c", "type": "t", "message": "m"}}, {"detail": [{"msg": "m"}]}]
    odd = [variant for body in bodies for variant in variants(body)]
    assert all(survives(engine, as_bytes(body), status) for body in (*ODD, *odd))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["output", "type", "content", "text", "choices", "message", "error",
                         "status", "outputs", "annotations", "url", "delta", "model"]),
        inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(JSON, st.sampled_from(sorted({name for name, _ in BY_ENGINE})))
def test_no_json_at_all_escapes(payload, engine):
    assert survives(engine, as_bytes(payload), None)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60), st.sampled_from(["openai", "perplexity", "mistral"]))
def test_no_bytes_at_all_escape(body, engine):
    assert survives(engine, body, None)
