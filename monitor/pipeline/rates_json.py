"""Rates and bounds as JSON values: counts first, value second, null with a reason."""

from typing import Any

from monitor.domain.score import Bounds, Measured, Rate


def rate_json(rate: Measured) -> dict[str, Any]:
    """Counts, value, bounds; an undefined measure is null with its reason."""
    if not isinstance(rate, Rate):
        return {"value": None, "undefined": rate.reason.value}
    return {
        "hits": rate.hits,
        "total": rate.total,
        "not_assessable": dict(rate.not_assessable),
        "value": rate.value,
        "bounds": bounds_json(rate.bounds),
        "assessed_share": rate.assessed_share,
    }


def bounds_json(bounds: Bounds | None) -> dict[str, float] | None:
    """Lower and upper bound."""
    return None if bounds is None else {"low": bounds.low, "high": bounds.high}
