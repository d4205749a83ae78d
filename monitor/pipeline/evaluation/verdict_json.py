"""Verdicts as JSON, and back: what the checkpoint keeps and the output shows."""

from collections.abc import Mapping
from typing import Any

from monitor.domain.claim import Gap, GapKind, Support, Verdict, Votes, gap_json
from monitor.domain.engine import Usage

_TOKENS = ("input_tokens", "output_tokens")
_MOST = 2**53


def verdict_json(one: Verdict) -> dict[str, Any]:
    """A verdict as JSON; `cost_micros` is in millionths of a USD."""
    return {
        "support": one.support.value,
        "reasons": list(one.reasons),
        "score": one.score,
        "quote": one.quote,
        "quote_span": None if one.quote_span is None else list(one.quote_span),
        "evidence": one.evidence,
        "judge": one.judge,
        "cost_micros": one.cost_micros,
        "gaps": [gap_json(gap) for gap in one.gaps],
        "votes": None if one.votes is None else [one.votes.agreeing, one.votes.total],
        "usage": None if one.usage is None else {
            "input_tokens": one.usage.input_tokens, "output_tokens": one.usage.output_tokens,
        },
    }  # fmt: skip


def read_verdict(kept: Mapping[str, Any]) -> Verdict:
    """The verdict that `verdict_json` wrote; ValueError, KeyError or TypeError where it is none."""
    span, votes, usage, score = kept["quote_span"], kept["votes"], kept["usage"], kept["score"]
    if score is not None and not 0 <= _typed(score, float, int) <= 1:
        raise ValueError("a score is from 0 to 1")
    return Verdict(
        support=Support(kept["support"]),
        reasons=tuple(_typed(one, str) for one in _typed(kept["reasons"], list)),
        score=score,
        quote=_typed(kept["quote"], str, type(None)),
        quote_span=None if span is None else _pair(span),
        evidence=None if kept["evidence"] is None else _count(kept["evidence"]),
        judge=_typed(kept["judge"], str),
        cost_micros=_count(kept["cost_micros"]),
        gaps=tuple(_gap(one) for one in _typed(kept["gaps"], list)),
        votes=None if votes is None else Votes(*_pair(votes)),
        usage=None if usage is None else Usage(
            *(None if usage[name] is None else _count(usage[name]) for name in _TOKENS)
        ),
    )  # fmt: skip


def _gap(kept: Mapping[str, Any]) -> Gap:
    return Gap(
        GapKind(_typed(kept["kind"], str)),
        _count(kept["start"]),
        _count(kept["end"]),
        _typed(kept["claimed"], str),
        _typed(kept["source"], str, type(None)),
    )


def _pair(kept: Any) -> tuple[int, int]:
    first, second = _typed(kept, list)
    return _count(first), _count(second)


def _count(kept: Any) -> int:
    """A whole number that a verdict may have."""
    if not 0 <= _typed(kept, int) <= _MOST:
        raise ValueError(f"a count is from 0 to {_MOST}")
    return int(kept)


def _typed(kept: Any, *kinds: type) -> Any:
    """A value of one of these kinds, no other that passes for it."""
    if type(kept) not in kinds:
        raise TypeError(f"a value is a {type(kept).__name__}")
    return kept
