"""Payloads -> Reading, without exceptions: what cannot be read is an outcome with its reason."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from monitor import engines
from monitor.domain.engine import Engine, Exchange, Outcome, Reading

_UNREADABLE: Mapping[str, str] = MappingProxyType(
    {
        "too_large": "the payload was too large to keep",
        "encoding": "the payload came packed in a way that was not asked for (only gzip is)",
    }
)


def read_exchanges(engine: Engine, exchanges: tuple[Exchange, ...]) -> Reading:
    """What a capture's exchanges say; a call without bytes is a network error or a timeout."""
    failure = exchanges[-1].failure if exchanges else "network"
    if failure is None:
        return _with_foreign_money_told(engines.read(engine.name, exchanges))
    if failure == "timeout":
        return Reading(Outcome.TIMEOUT)
    if failure in _UNREADABLE:
        return Reading(Outcome.ERROR, "unreadable", warnings=(_UNREADABLE[failure],))
    return Reading(Outcome.ERROR, "network")


def _with_foreign_money_told(reading: Reading) -> Reading:
    """The reading; a cost in another currency than USD, which no cap can count, is a warning."""
    if reading.cost is None or reading.cost.currency == "USD":
        return reading
    told = (
        f"the vendor reports a cost of {reading.cost.micros / 1e6:.6f} {reading.cost.currency}: "
        "it is not added up as USD; the price table or the estimate counts instead"
    )
    return replace(reading, warnings=(*reading.warnings, told))
