"""Ledger and artifacts for a judge that is only looked at: nothing is paid and nothing kept."""

from monitor.errors import BudgetError, LostBytesError, StoreError


class Closed:
    """Ledger and artifacts of somebody who may not spend and keeps nothing."""

    def reserve(self, micros: int) -> int:
        """Nothing is to be had here."""
        raise BudgetError(f"no call is made here (about {micros} millionths of a USD)")

    def settle(self, reservation: int, micros: int) -> None:
        """Nothing was reserved."""

    def ready(self) -> None:
        """Nothing will be kept."""

    def put(self, content: bytes, *, lasting: bool = False) -> str:
        """Nothing is kept."""
        raise StoreError(f"nothing is kept here ({len(content)} bytes, lasting: {lasting})")

    def get(self, sha256: str) -> bytes:
        """Nothing was kept."""
        raise LostBytesError(f"nothing is kept here, {sha256} neither")

    def point(self, name: str, sha256: str) -> None:
        """Nothing is kept."""

    def names(self, prefix: str) -> tuple[str, ...]:  # noqa: ARG002 - the shape of Artifacts
        """Nothing was kept."""
        return ()

    def target(self, name: str) -> str:
        """Nothing was kept."""
        raise LostBytesError(f"nothing is kept here, {name} neither")
