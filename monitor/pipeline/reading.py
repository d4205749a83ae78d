"""Payloads -> Reading, without exceptions: what cannot be read is an outcome with its reason."""

from monitor import engines
from monitor.domain.engine import Engine, Exchange, Outcome, Reading


def read_exchanges(engine: Engine, exchanges: tuple[Exchange, ...]) -> Reading:
    """What a capture's exchanges say; a call without bytes is a network error or a timeout."""
    failure = exchanges[-1].failure if exchanges else "network"
    if failure is None:
        return engines.read(engine.name, exchanges)
    if failure == "timeout":
        return Reading(Outcome.TIMEOUT)
    if failure == "too_large":
        return Reading(Outcome.ERROR, "unreadable", warnings=("the payload was too large to keep",))
    return Reading(Outcome.ERROR, "network")
