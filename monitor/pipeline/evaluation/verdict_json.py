"""Verdicts as JSON, and back: what the checkpoint keeps and the output shows."""

from collections.abc import Mapping
from typing import Any

from monitor.domain.claim import Gap, GapKind, Support, Verdict, Votes
from monitor.domain.engine import Usage


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
        "gaps": [
            {"kind": g.kind.value, "start": g.start, "end": g.end, "claimed": g.claimed,
             "source": g.source}
            for g in one.gaps
        ],
        "votes": None if one.votes is None else [one.votes.agreeing, one.votes.total],
        "usage": None if one.usage is None else {
            "input_tokens": one.usage.input_tokens, "output_tokens": one.usage.output_tokens,
        },
    }  # fmt: skip


def read_verdict(kept: Mapping[str, Any]) -> Verdict:
    """The verdict that `verdict_json` wrote; ValueError, KeyError or TypeError where it is none."""
    span, votes, usage = kept["quote_span"], kept["votes"], kept["usage"]
    return Verdict(
        support=Support(kept["support"]),
        reasons=tuple(kept["reasons"]),
        score=kept["score"],
        quote=kept["quote"],
        quote_span=None if span is None else (span[0], span[1]),
        evidence=kept["evidence"],
        judge=kept["judge"],
        cost_micros=int(kept["cost_micros"]),
        gaps=tuple(
            Gap(GapKind(g["kind"]), g["start"], g["end"], g["claimed"], g["source"])
            for g in kept["gaps"]
        ),
        votes=None if votes is None else Votes(votes[0], votes[1]),
        usage=None if usage is None else Usage(usage["input_tokens"], usage["output_tokens"]),
    )
