"""What kills cost a run: counted at the vendors, among the artifacts and in the store."""

from bisect import bisect_left
from dataclasses import dataclass

import httpx

from monitor.store import captures, runs
from tests.e2e.processes import ENGINES, RUN, Place, open_store


@dataclass(frozen=True)
class Told:
    """The counts of one run that was killed again and again."""

    planned: int
    kept: int
    kills: int
    lost: int
    paid_twice: int
    asked: int
    cut: int
    most_at_once: int
    in_a_second: int
    in_a_minute: int

    def __str__(self) -> str:
        """One line for people."""
        return (
            f"{self.kills} kills: {self.lost} of {self.planned} captures lost, {self.paid_twice} "
            f"finished answers paid twice, {self.cut} of {self.asked} calls cut in flight; of one "
            f"engine at most {self.most_at_once} calls at once, {self.in_a_second} begun in any "
            f"second, {self.in_a_minute} in any minute"
        )


class Accounts:
    """Looks at a place at each kill, and adds up in the end."""

    def __init__(self, here: Place) -> None:
        self.here = here
        self._kills: list[tuple[frozenset[str], dict[tuple[str, str], int]]] = []

    @property
    def kills(self) -> int:
        """How many there were."""
        return len(self._kills)

    def note_kill(self) -> None:
        """Remember what is on disk, and what was asked for it, just after a kill."""
        kept = self.here.pointers()
        self._kills.append((kept, self._calls()))

    def told(self) -> Told:
        """The counts, once the run has ended."""
        seen, kept = self._seen(), self.here.pointers()
        begun = [sorted(seen["begun"][engine]) for engine in ENGINES]
        planned, stored = self._captures()
        asked = self.here.asked()
        return Told(
            planned=len(planned),
            kept=len(kept),
            kills=self.kills,
            lost=len(planned) - stored,
            paid_twice=self._paid_twice(planned, kept),
            asked=asked,
            cut=asked - len(kept),
            most_at_once=max(seen["most_at_once"].values()),
            in_a_second=max(_most_within(moments, 1) for moments in begun),
            in_a_minute=max(_most_within(moments, 60) for moments in begun),
        )

    def _paid_twice(self, planned: dict[str, tuple[str, str]], kept: frozenset[str]) -> int:
        """Calls about questions whose every answer was on disk at some kill before.

        The vendors do not know captures, but which question of which engine was asked how often.
        """
        answers: dict[tuple[str, str], set[str]] = {}
        for pointer in kept:
            answers.setdefault(planned[pointer.split("/")[0]], set()).add(pointer)
        now, extra = self._calls(), 0
        for question, all_of_it in answers.items():
            whole = [calls for on_disk, calls in self._kills if all_of_it <= on_disk]
            extra += now[question] - whole[0][question] if whole else 0
        return extra

    def _captures(self) -> tuple[dict[str, tuple[str, str]], int]:
        """Capture id -> engine and question, and how many are stored."""
        with open_store(self.here.database) as store, store.read() as connection:
            (run,) = (one for one in runs.list_runs(connection) if one.public_id == RUN)
            every = captures.load_captures(connection, run.id)
        stored = sum(one.state is captures.CaptureState.STORED for one in every)
        return {str(one.id): (one.engine, one.prompt.id) for one in every}, stored

    def _calls(self) -> dict[tuple[str, str], int]:
        """(engine, question) -> calls that the vendors got."""
        by_engine = self._seen()["calls"]
        return {
            (engine, question): number
            for engine, calls in by_engine.items()
            for question, number in calls.items()
        }

    def _seen(self):  # type: ignore[no-untyped-def]
        address = f"{self.here.sandbox.address}/_sandbox/counts"
        return httpx.get(address, trust_env=False).json()


def _most_within(moments: list[float], seconds: float) -> int:
    """Most of some sorted moments within any window of so many seconds."""
    return max(bisect_left(moments, first + seconds) - n for n, first in enumerate(moments))
