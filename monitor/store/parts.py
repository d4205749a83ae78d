"""A part of a run's captures: what a step holds in memory at a time, however large the run."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement

from monitor.store.tables import capture


@dataclass(frozen=True, slots=True)
class Part:
    """Captures whose id leaves `number` when it is divided by `of`; of one engine, or of all.

    With `together` it is the id of their prompt, so that answers to one prompt stay together.
    """

    number: int = 0
    of: int = 1
    engine: str | None = None
    together: bool = False
    canaries: bool = False
    """Whether canaries of the locale are among them, which are in no figure."""
    capture: int | None = None
    """This one alone."""

    def of_run(self, run_id: int) -> ColumnElement[bool]:
        """Condition on the table of captures."""
        wanted: ColumnElement[bool] = capture.c.run_id == run_id
        if not self.canaries:
            wanted &= COUNTED
        if self.of > 1:
            number = capture.c.prompt_version_id if self.together else capture.c.id
            wanted &= number % self.of == self.number
        if self.engine is not None:
            wanted &= capture.c.engine == self.engine
        if self.capture is not None:
            wanted &= capture.c.id == self.capture
        return wanted


COUNTED: ColumnElement[bool] = capture.c.purpose == "panel"
"""Captures that figures are made of."""

WHOLE = Part()
"""All captures of a run that figures are made of."""
EVERY = Part(canaries=True)
"""All captures of a run."""


def one_capture(capture_id: int) -> Part:
    """One capture, whatever it was asked for."""
    return Part(canaries=True, capture=capture_id)


def parts_of(captures: int, size: int) -> tuple[Part, ...]:
    """A run of so many captures in parts of about `size`."""
    of = max(1, -(-captures // size))
    return tuple(Part(number, of) for number in range(of))
