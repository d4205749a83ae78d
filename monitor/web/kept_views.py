"""Views of runs, built once however many ask, and kept as long as there is room."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

from monitor.report.view import ReportView

VIEWS, ANSWERS = 24, 100_000
"""How many views are kept, and of how many captures in all: about 2.5 KiB each, mostly counts."""
_BUILDERS = 8
"""Views that may be built at a time."""


class KeptViews:
    """Views by run; one that was built under another key is built anew."""

    def __init__(self, views: int = VIEWS, answers: int = ANSWERS) -> None:
        self._limits = views, answers
        self._known: OrderedDict[int, tuple[str, ReportView]] = OrderedDict()
        self._lock = Lock()
        self._building = tuple(Lock() for _ in range(_BUILDERS))

    def get(self, run_id: int, key: str, build: Callable[[], ReportView]) -> ReportView:
        """The view of a run as the key names it.

        Who asks while it is being built waits for it: a large run is not read once for everybody.
        """
        known = self._kept(run_id, key)
        if known is not None:
            return known
        with self._building[run_id % _BUILDERS]:
            known = self._kept(run_id, key)
            if known is not None:
                return known
            view = build()
            self._keep(run_id, key, view)
            return view

    def _kept(self, run_id: int, key: str) -> ReportView | None:
        with self._lock:
            known = self._known.get(run_id)
            if known is None or known[0] != key:
                return None
            self._known.move_to_end(run_id)
            return known[1]

    def _keep(self, run_id: int, key: str, view: ReportView) -> None:
        """Keep a view, and let go of those that nobody asked for longest; this one stays."""
        with self._lock:
            self._known[run_id] = key, view
            self._known.move_to_end(run_id)
            while len(self._known) > 1 and self._is_full():
                self._known.popitem(last=False)

    def _is_full(self) -> bool:
        views, answers = self._limits
        return len(self._known) > views or self._answers() > answers

    def _answers(self) -> int:
        return sum(len(view.tallies) for _, view in self._known.values())
