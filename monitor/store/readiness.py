"""Whether a place takes bytes right now, found out by writing some before anything is paid for."""

import threading
import time
from collections.abc import Callable

from monitor.errors import StoreError

_QUIET_SECONDS = 1.0
"""How long a failure is told again without another try."""


class Readiness:
    """A place that was seen to take bytes, until a write fails; shared by all who write there."""

    def __init__(self, attempt: Callable[[], None]) -> None:
        self._attempt = attempt
        self._lock = threading.Lock()
        self._proven = False
        self._failed: StoreError | None = None
        self._failed_at = 0.0

    def doubt(self) -> None:
        """Have the next one who asks try again: a write failed."""
        self._proven = False

    def demand(self) -> None:
        """Return where the place takes bytes; StoreError says why it does not."""
        if self._proven:
            return
        with self._lock:
            if self._proven:
                return
            if self._failed is not None and time.monotonic() - self._failed_at < _QUIET_SECONDS:
                raise self._failed
            try:
                self._attempt()
            except StoreError as error:
                self._failed, self._failed_at = error, time.monotonic()
                raise
            self._proven, self._failed = True, None
