"""Payloads -> Reading, without exceptions: what cannot be read is an outcome with its reason."""

from monitor import engines
from monitor.domain.engine import Engine, Exchange, Outcome, Reading


def read_exchanges(engine: Engine, exchanges: tuple[Exchange, ...]) -> Reading:
    """What a capture's exchanges say; a call without bytes is a network error or a timeout."""
    failure = _failure(exchanges[-1]) if exchanges else "network"
    if failure is None:
        return engines.read(engine.name, exchanges)
    if failure == "timeout":
        return Reading(Outcome.TIMEOUT)
    if failure == "too_large":
        return Reading(Outcome.ERROR, "unreadable", warnings=("the payload was too large to keep",))
    return Reading(Outcome.ERROR, "network")


def _failure(exchange: Exchange) -> str | None:
    """Why an exchange has no answer; one without status and bytes never came back."""
    if (
        exchange.failure is None
        and exchange.status is None
        and exchange.request
        and not exchange.body
    ):
        return "network"
    return exchange.failure
