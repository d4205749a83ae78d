"""What a capture was counted at, in words: the money, and who says so."""

from collections.abc import Mapping
from types import MappingProxyType

from monitor.domain.engine import Cost
from monitor.report.tables import usd_text

BASES: Mapping[str, str] = MappingProxyType(
    {
        "reported": "told by the engine",
        "partly_reported": "told by the engine in part",
        "priced": "by list price",
        "priced_or_estimate": "by list price or estimate",
        "open": "in part by estimate: not settled yet",
        "uncharged": "no call was charged",
    }
)
"""Basis of a counted cost -> words."""


def cost_words(counted: Cost | None, told_micros: int | None) -> str:
    """Money with its basis, as `0.014930 USD, by list price`.

    `told_micros` is what the engine says where nothing was counted, as of answers handed in.
    """
    if counted is not None:
        return f"{usd_text(counted.micros)} USD, {BASES[counted.basis]}"
    told = "" if told_micros is None else f"; the engine tells {usd_text(told_micros)} USD"
    return f"nothing was counted{told}"
