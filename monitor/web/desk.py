"""What every page works with: the bench, health, and views of runs that were built before."""

from fastapi import Request

from monitor.pipeline.answer_shelf import Shelf
from monitor.pipeline.bench import Bench
from monitor.pipeline.stored_view import stored_view, view_key
from monitor.report.view import ReportView
from monitor.store import runs
from monitor.web.counting import Counting
from monitor.web.health import HealthWatch
from monitor.web.kept_views import KeptViews


class Desk:
    """Everything pages share; one of it for each application."""

    def __init__(self, bench: Bench, health: HealthWatch) -> None:
        self.bench = bench
        self.health = health
        self.counting = Counting()
        self.answers = Shelf(bench)
        self._views = KeptViews()

    def view(self, run: runs.Run) -> ReportView:
        """The stored view of a run; built once, until something of it is another."""
        return self._views.get(
            run.id, view_key(self.bench, run), lambda: stored_view(self.bench, run)
        )


def desk_of(request: Request) -> Desk:
    """The desk of the application that a request came to."""
    desk: Desk = request.app.state.desk
    return desk
