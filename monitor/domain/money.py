"""Money as it is counted: millionths of a USD, whole numbers, beside the calls it was paid for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls reserved, and money settled or, while a call is open, estimated."""

    calls: int
    micros: int
    unsettled: int
    """Calls whose price is still the estimate; a call cut by a crash stays so."""

    def __add__(self, other: "Spent") -> "Spent":
        """Both together."""
        return Spent(
            self.calls + other.calls,
            self.micros + other.micros,
            self.unsettled + other.unsettled,
        )


NOTHING = Spent(0, 0, 0)
"""No call, no money."""


def micros_of(usd: float) -> int:
    """Millionths of a USD, to the nearest one."""
    return round(usd * 1_000_000)
