"""The one place that reads the machine's clock for captures."""

import time
from datetime import UTC, datetime


class SystemClock:
    """Wall time in UTC for records, monotonic seconds for durations."""

    def now(self) -> datetime:
        """Aware UTC date-time."""
        return datetime.now(UTC)

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()
