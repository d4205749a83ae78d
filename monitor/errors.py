"""Every error a person or a stage can meet, as one tree.

    MonitorError                 printed without a traceback; the message says what to do
    ├── ConfigError              config.yaml or an environment variable is wrong (exit 2)
    ├── AccessError              a name, password, role or address that access cannot be given by
    ├── PanelError               a panel or baseline file is wrong (exit 2)
    ├── PayloadError             bytes of an engine that we cannot read (path and keys named)
    ├── InvalidUrlError          a string that is no web address; never reaches a resolver
    ├── BlockedAddressError      the guard refused to connect
    ├── CaptureError             an exchange failed; `permanent` says whether to try again
    ├── BudgetError              the next call would pass a cap
    ├── RunCancelledError        a call was to be made for a run that somebody cancelled
    ├── PageError                a page could not be fetched or read
    ├── JudgeError               a judge gave no usable verdict
    ├── StoreError               the store refused or disagreed (same id, other content)
    │   ├── UnfitError           a value was asked for that cannot be; nothing is in conflict
    │   ├── StoreBusyError       another process is at what was asked for
    │   └── LostBytesError       stored bytes are gone or broken, while their place is in order
    ├── DeliveryError            a message was not taken; `permanent` says whether to try again
    ├── BrowserError             no browser, or it failed
    └── EvidenceError            a manifest and its files disagree

Anything else that escapes is a fault of ours and keeps its traceback (exit 70).
"""


class MonitorError(Exception):
    """A failure that a person can act on; its text says what, where, got, expected, what to do."""


class ConfigError(MonitorError):
    """Settings are wrong."""


class AccessError(MonitorError):
    """A name, a password, a role or an account is not as it must be."""


class PanelError(MonitorError):
    """A panel or baseline file is wrong."""


class PayloadError(MonitorError):
    """An engine's bytes have a shape we do not know; never turned into an empty answer."""

    def __init__(self, engine: str, path: str, found: str) -> None:
        """Name the engine, the JSON path that failed and what stood there."""
        super().__init__(f"{engine}: cannot read payload at {path}: {found}")
        self.engine = engine
        self.path = path
        self.found = found


class InvalidUrlError(MonitorError):
    """A string that is no fetchable web address."""


class BlockedAddressError(MonitorError):
    """The guard refused an address before any connection."""


class CaptureError(MonitorError):
    """An exchange failed; `permanent` tells whether another try could help."""

    def __init__(self, message: str, *, permanent: bool) -> None:
        """Keep whether the failure is permanent."""
        super().__init__(message)
        self.permanent = permanent


class BudgetError(MonitorError):
    """A cap on calls or money would be passed by the next call."""


class RunCancelledError(MonitorError):
    """A run was cancelled, so no further call is made for it."""


class PageError(MonitorError):
    """A page could not be fetched or read."""


class JudgeError(MonitorError):
    """A judge gave nothing that can be used as a verdict."""


class StoreError(MonitorError):
    """The store refused: same identity with other content, or an unknown row."""


class UnfitError(StoreError):
    """A value is none that can be asked for here; another one may be taken."""


class StoreBusyError(StoreError):
    """Another process is at what was asked for; it may be had once that one ends."""


class LostBytesError(StoreError):
    """Stored bytes are gone, cut or altered; their place answered and is in order."""


class DeliveryError(MonitorError):
    """A message was not taken; `permanent` tells whether another try could help."""

    def __init__(self, message: str, *, permanent: bool, after: float | None = None) -> None:
        """Keep whether the failure is permanent, and for how many seconds not to try again."""
        super().__init__(message)
        self.permanent = permanent
        self.after = after


class BrowserError(MonitorError):
    """No browser is to be had, or it failed."""


class EvidenceError(MonitorError):
    """A manifest and the files it describes disagree."""


class SurfaceStoppedError(MonitorError):
    """A browser surface may not be captured now; a person can change that."""
