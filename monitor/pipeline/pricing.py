"""Prices of calls, from the settings and the table: before a call, and after it."""

from collections.abc import Callable
from datetime import datetime

from monitor.config.parts import EnginePart
from monitor.domain.engine import Engine, EngineSettings, Reading
from monitor.engines.prices import CallPrice, call_price, cost_of


def pricer(
    engine: Engine, settings: EngineSettings, part: EnginePart, at: datetime
) -> tuple[CallPrice, Callable[[Reading, datetime], int]]:
    """Estimate of an engine's calls made from now on, and what tells the cost of one by its day."""
    estimate = call_price(engine, settings.model, at.date(), part.call_micros)

    def price(reading: Reading, asked_at: datetime) -> int:
        return cost_of(engine, reading, asked_at.date(), estimate=estimate).micros

    return estimate, price
