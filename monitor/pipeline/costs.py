"""What all calls of a capture were counted at, and what that figure rests on."""

from datetime import datetime

from monitor.domain.engine import Cost, Reading
from monitor.domain.money import Spent
from monitor.engines import ENGINES
from monitor.engines.prices import price_at, used_micros


def counted_cost(
    spent: Spent | None, engine: str, reading: Reading, asked_at: datetime | None
) -> Cost | None:
    """What the ledger counts for a capture, with a basis of `report.costs.BASES`.

    None where no call was made for it, as for answers that were handed in.
    """
    if spent is None:
        return None
    return Cost(spent.micros, basis=_basis(spent, engine, reading, asked_at))


def _basis(spent: Spent, engine: str, reading: Reading, asked_at: datetime | None) -> str:
    """The ledger keeps sums alone: what a sum is equal to tells where it comes from."""
    told = told_micros(reading)
    if spent.unsettled:
        return "open"
    if told == spent.micros:
        return "reported"
    if not spent.micros:
        return "uncharged"
    if told is not None:
        return "partly_reported"
    return "priced" if _listed(engine, reading, asked_at) == spent.micros else "priced_or_estimate"


def told_micros(reading: Reading) -> int | None:
    """What the engine itself says in USD; None where it says nothing, or in other money."""
    cost = reading.cost
    return cost.micros if cost is not None and cost.currency == "USD" else None


def _listed(engine: str, reading: Reading, asked_at: datetime | None) -> int | None:
    """What the list says for what was used; None where it has no price for that."""
    model = reading.served_model or reading.requested_model or ENGINES[engine].default_model
    price = price_at(engine, model, asked_at.date()) if asked_at else None
    return used_micros(price, reading.usage, queries=len(reading.queries)) if price else None
