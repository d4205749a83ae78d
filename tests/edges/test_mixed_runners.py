"""One run has one kind of runner: what workers have, no process works on alone, and the reverse."""

import pytest

from monitor.errors import ConfigError, StoreError
from monitor.pipeline.bench import open_bench
from monitor.pipeline.line import hand_over, resume_run, work_on
from monitor.pipeline.run_judge import JudgeChoice
from monitor.pipeline.run_states import cancel_run, take_run
from monitor.store import open_database, runs
from tests.stored import NO_CAPS, planned
from tests.working import FOREST, Oracle, handed_over, in_queue, served_settings, state_of


@pytest.fixture
def oracle(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    return Oracle(monkeypatch)


def bench_of(url, folder, runner):
    return open_bench(served_settings(url, folder / "artifacts", runner=runner))


@pytest.mark.parametrize("go_on", [work_on, lambda b, r, **n: resume_run(b, r, NO_CAPS, **n)])
def test_a_run_that_workers_have_is_not_worked_on_by_a_process_alone(
    postgres_url, tmp_path, oracle, go_on
):
    with bench_of(postgres_url, tmp_path, "pgqueuer") as bench:
        run = handed_over(bench)
    with bench_of(postgres_url, tmp_path, "local") as bench:
        with pytest.raises(StoreError, match=f"{run.public_id} was left to workers"):
            go_on(bench, run, judge_name="embedded")
        assert oracle.asked == 0
        assert state_of(bench, run) == run


@pytest.mark.parametrize("go_on", [hand_over, lambda b, r, **n: resume_run(b, r, NO_CAPS, **n)])
def test_a_run_that_a_process_works_on_is_not_left_to_workers(
    postgres_url, tmp_path, oracle, go_on
):
    alone = open_database(postgres_url)
    with bench_of(postgres_url, tmp_path, "pgqueuer") as bench:
        run = planned(bench, panel=FOREST)
        run = bench.write(
            lambda c: take_run(c, bench, run.id, judge=JudgeChoice("embedded", "embedded@1"))
        )
        with alone.exclusive(), pytest.raises(StoreError, match="is working on this store"):
            go_on(bench, run, judge_name="embedded")
        assert not in_queue(bench, run)
        go_on(bench, run, judge_name="embedded")
        assert in_queue(bench, run)
    alone.close()


def test_a_run_that_workers_have_is_cancelled_whatever_the_runner(postgres_url, tmp_path, oracle):
    with bench_of(postgres_url, tmp_path, "pgqueuer") as bench:
        run = handed_over(bench)
    with bench_of(postgres_url, tmp_path, "local") as bench:
        bench.write(lambda c: cancel_run(c, bench, run))
        assert not in_queue(bench, run)


def test_workers_without_a_server_are_refused_before_a_run_is_stored(tmp_path, oracle):
    with bench_of(f"sqlite:///{tmp_path}/monitor.db", tmp_path, "pgqueuer") as bench:
        with pytest.raises(ConfigError, match=r"set runner\.name to local"):
            planned(bench, panel=FOREST)
        assert bench.read(runs.list_runs) == ()


def test_a_run_of_one_process_can_be_cancelled_under_settings_of_workers(tmp_path, oracle):
    url = f"sqlite:///{tmp_path}/monitor.db"
    with bench_of(url, tmp_path, "local") as bench:
        run = planned(bench, panel=FOREST)
    with bench_of(url, tmp_path, "pgqueuer") as bench:
        for go_on in (hand_over, lambda b, r, **n: resume_run(b, r, NO_CAPS, **n)):
            with pytest.raises(ConfigError, match=r"runner\.name"):
                go_on(bench, run, judge_name="embedded")
        bench.write(lambda c: cancel_run(c, bench, run))
        assert state_of(bench, run).state is runs.RunState.CANCELLED
