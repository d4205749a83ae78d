"""What every page works with: the bench, health, and views of runs that were built before."""

from collections import OrderedDict
from threading import Lock

from fastapi import Request

from monitor.pipeline.answer_shelf import Shelf
from monitor.pipeline.bench import Bench
from monitor.pipeline.stored_view import stored_view, view_key
from monitor.report.view import ReportView
from monitor.store import runs
from monitor.web.counting import Counting
from monitor.web.health import HealthWatch

_KEPT = 24
"""Views that are remembered: some megabytes each at most."""


class Desk:
    """Everything pages share; one of it for each application."""

    def __init__(self, bench: Bench, health: HealthWatch) -> None:
        self.bench = bench
        self.health = health
        self.counting = Counting()
        self.answers = Shelf(bench)
        self._views: OrderedDict[int, tuple[str, ReportView]] = OrderedDict()
        self._lock = Lock()

    def view(self, run: runs.Run) -> ReportView:
        """The stored view of a run; built once, until something of it is another."""
        key = view_key(self.bench, run)
        with self._lock:
            known = self._views.get(run.id)
            if known is not None and known[0] == key:
                self._views.move_to_end(run.id)
                return known[1]
        view = stored_view(self.bench, run)
        with self._lock:
            self._views[run.id] = key, view
            self._views.move_to_end(run.id)
            while len(self._views) > _KEPT:
                self._views.popitem(last=False)
        return view


def desk_of(request: Request) -> Desk:
    """The desk of the application that a request came to."""
    desk: Desk = request.app.state.desk
    return desk
