"""What `monitor run` and `monitor resume` say where they end before the run has."""

from types import SimpleNamespace

import pytest

from monitor.cli import running
from monitor.pipeline.line import Worked
from monitor.store.runs import RunState

WAY_ON = "`monitor resume run:tea:2026-11` goes on\n"


def ended(state):
    return Worked(SimpleNamespace(id=1, public_id="run:tea:2026-11", state=state), ())


def test_who_stops_looking_on_is_told_that_workers_go_on(monkeypatch, capsys):
    def interrupted(bench, run_id):
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "watch_run", interrupted)
    code = running.tell_end(None, ended(RunState.RUNNING), detach=False, as_json=False)
    said = capsys.readouterr().err
    assert code == 3
    assert "workers go on with run:tea:2026-11" in said
    assert "`monitor cancel` ends it" in said


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (None, f"incomplete; {WAY_ON}"),
        (
            "the next call would pass the budget of the run",
            f"incomplete; once the cap named above is raised, {WAY_ON}",
        ),
    ],
)
def test_a_run_that_stopped_at_a_cap_says_that_it_must_be_raised(monkeypatch, capsys, held, said):
    monkeypatch.setattr(running, "run_status", lambda bench, run: SimpleNamespace(held=held))
    monkeypatch.setattr(running, "_show", lambda found, as_json: None)
    code = running.tell_end(None, ended(RunState.INCOMPLETE), detach=False, as_json=False)
    assert (code, capsys.readouterr().err) == (3, said)
