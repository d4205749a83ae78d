"""Runs of imports, fetched, judged and scored after the form that stored them was answered."""

from threading import Lock, Thread

from monitor.config.logs import log
from monitor.pipeline.bench import Bench
from monitor.pipeline.line import hand_over
from monitor.store.runs import Run

_ONE_AT_A_TIME = Lock()


def score_later(bench: Bench, run: Run) -> None:
    """See to it that a run is worked on: by workers, or by a thread of this process.

    A run that is cut short, or that another process keeps this one from, stays to be resumed.
    """
    if bench.settings.runner.name == "pgqueuer":
        hand_over(bench, run, judge_name=None)
        return
    # A daemon: who stops the server does not wait for pages and judges.
    Thread(target=_work, args=(bench, run), name="import", daemon=True).start()


def _work(bench: Bench, run: Run) -> None:
    with _ONE_AT_A_TIME:
        try:
            hand_over(bench, run, judge_name=None)
        except Exception as error:  # noqa: BLE001 - a thread has nobody else to tell
            log("import_not_scored", level="error", run=run.public_id, error=error)
