"""A job: one step of work on one thing, which may be started again without harm."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

from monitor.domain.engine import Access

PAGES, JUDGE, RUN = "pages", "judge", "run"
"""Queues beside those of engines: pages to fetch, parts to judge, and ends of stages."""


class Stage(StrEnum):
    """How far the workers are with a run; each stage begins when nothing of the last is left."""

    CAPTURES = "captures"
    PAGES = "pages"
    JUDGE = "judge"
    FINISH = "finish"


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be done for a run: a queue names the kind, the subject which one of it."""

    run_id: int
    queue: str
    """`engine:NAME`, `browser:NAME`, `pages`, `judge` or `run`."""
    subject_id: int
    """A capture, a page, a part of the captures, or a stage, as the queue has it."""

    @property
    def key(self) -> str:
        """Name of the job while it waits or is worked on: `run/queue/subject`."""
        return f"{self.run_id}/{self.queue}/{self.subject_id}"

    @property
    def shown(self) -> str:
        """The job in words: `openai capture 12`, `pages 7`."""
        kind, _, engine = self.queue.partition(":")
        return f"{engine} capture {self.subject_id}" if engine else f"{kind} {self.subject_id}"

    @classmethod
    def of_key(cls, key: str) -> "Job":
        """The job of a key."""
        run_id, queue, subject_id = key.split("/")
        return cls(int(run_id), queue, int(subject_id))


Work = Callable[[Job], Awaitable[None]]
"""What does a job; done twice, it changes nothing the second time."""


def capture_queue(engine: str, access: Access) -> str:
    """The queue of a capture: each engine and each browser surface has its own."""
    kind = "browser" if access is Access.BROWSER else "engine"
    return f"{kind}:{engine}"
