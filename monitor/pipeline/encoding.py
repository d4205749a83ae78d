"""Domain values as the JSON of the machine-readable doors; fields may be added, never renamed."""

from typing import Any

from monitor.domain.engine import Citation, Cost, Reading, Usage
from monitor.domain.source import UrlIdentity


def reading_json(engine: str, reading: Reading) -> dict[str, Any]:
    """What `monitor parse --json` prints."""
    return {
        "engine": engine,
        "outcome": reading.outcome.value,
        "reason": reading.reason,
        "text": reading.text,
        "served_model": reading.served_model,
        "requested_model": reading.requested_model,
        "retrieval": reading.retrieval.value,
        "queries": list(reading.queries),
        "citations": [citation_json(c) for c in reading.citations],
        "retrieved": [{"url": r.url, "title": r.title} for r in reading.retrieved],
        "usage": usage_json(reading.usage),
        "cost": cost_json(reading.cost),
        "warnings": list(reading.warnings),
    }


def citation_json(citation: Citation) -> dict[str, Any]:
    """One citation; spans are code points of the text."""
    return {
        "url": citation.url,
        "title": citation.title,
        "role": citation.role.value,
        "marks": citation.marks,
        "spans": [{"start": s.start, "end": s.end, "kind": s.kind.value} for s in citation.spans],
        "snippet": citation.snippet,
    }


def usage_json(usage: Usage | None) -> dict[str, Any] | None:
    """What the vendor says it used."""
    if usage is None:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "searches": usage.searches,
    }


def cost_json(cost: Cost | None) -> dict[str, Any] | None:
    """Money in millionths of the currency unit."""
    if cost is None:
        return None
    return {"micros": cost.micros, "currency": cost.currency, "basis": cost.basis}


def url_json(raw: str, identity: UrlIdentity) -> dict[str, Any]:
    """What `monitor urls --json` prints for one line; `raw` is the input line unchanged."""
    return {
        "raw": raw,
        "clean_url": identity.clean_url,
        "page_key": identity.page_key,
        "family": identity.family,
        "unit": identity.unit,
        "flags": [f.value for f in identity.flags],
    }
