"""Unit costs as measured on the machine of docs/scale.md, rounded, and what is assumed beside them.

Measure them again with the commands named here, change the numbers, and write the tables anew with
`python -m benchmarks.scale --write`.
"""

from dataclasses import dataclass

WORKERS = "`python -m benchmarks workers`"
UNITS = "`python -m benchmarks units`"
QUEUE = "`python -m benchmarks backlog`"


@dataclass(frozen=True, slots=True)
class Cost:
    """What one of something takes."""

    value: float
    unit: str
    what: str
    source: str
    """The command that measures it, or why it is assumed."""

    @property
    def shown(self) -> str:
        """The value with its unit."""
        return f"{self.value:,g} {self.unit}".strip()


CAPTURE = Cost(
    11, "ms of CPU", "a worker asks, stores, parses and records an answer, queue included", WORKERS
)
DATABASE = Cost(5.3, "ms of CPU", "PostgreSQL, for the same", WORKERS)
JOB = Cost(0.13, "ms of CPU", "a job that does nothing, put into PgQueuer, taken, ended", UNITS)
JUDGED = Cost(
    28, "ms of CPU", "the embedded judge, an answer with 8 citations of pages of 6,000 characters",
    UNITS,
)  # fmt: skip
SCORED = Cost(2.3, "ms of CPU", "an answer scored, its verdicts known", UNITS)
PAGE = Cost(14, "ms of CPU", "the text of a page of 23 KiB found and read", UNITS)
COPIES = Cost(
    0.7, "ms of CPU", "a page of 1,000 words held against all others for copied text", UNITS
)
ROWS = Cost(38, "KiB", "rows and indexes of an answer in PostgreSQL, verdicts and tallies included",
            UNITS)  # fmt: skip
VERDICTS = Cost(23, "", "verdicts of an answer with 8 citations and 2 baseline claims", UNITS)
PAYLOAD = Cost(
    6.5,
    "KiB",
    "an answer's bytes as kept (zstd), mean of 163 recorded payloads of five vendors",
    UNITS,
)
SCORING_MEMORY = Cost(515, "MiB", "10,000 answers of one engine in the memory of who scores", UNITS)
PAGES_MEMORY = Cost(12, "MiB", "10,000 pages in the memory of who judges or scores", UNITS)
COPIES_MEMORY = Cost(25, "MiB", "10,000 pages in the memory of who looks for copies", UNITS)
PLANNING = Cost(
    0.06, "ms of wall time", "a capture planned and put into the queue, of 400,000 at once", QUEUE
)

MEASURED = (
    CAPTURE, DATABASE, JOB, PLANNING, JUDGED, SCORED, PAGE, COPIES, VERDICTS, ROWS, PAYLOAD,
    SCORING_MEMORY, PAGES_MEMORY, COPIES_MEMORY,
)  # fmt: skip

LATENCY = Cost(20, "s", "an engine's answer, mean of a long-tailed distribution",
               "assumed: searching engines take 5 to 60 s")  # fmt: skip
AGAIN = Cost(1.03, "", "calls a capture takes", "assumed: 3 in 100 are asked again")
NEW_PAGES = Cost(
    2.5, "", "pages an answer cites that no other answer of the run cites",
    "assumed, on the high side: repeats share a part of their pages only",
)  # fmt: skip
FETCH = Cost(1.5, "s", "a page fetched, mean", "assumed")
PAGE_BYTES = Cost(15, "KiB", "a page as kept (zstd): 100 KiB of HTML, and its text",
                  "assumed: HTML packs about ninefold")  # fmt: skip
SCREENSHOT = Cost(
    930, "KiB", "a picture of a full page (JPEG, quality 80), of browser captures alone",
    "one page with ten photographs; none in the plan below",
)  # fmt: skip

ASSUMED = (LATENCY, AGAIN, NEW_PAGES, FETCH, PAGE_BYTES, SCREENSHOT)
