"""Workers whose judge is paid: one budget for all of them, and nothing judged twice."""

from collections import Counter
from dataclasses import replace

from monitor.domain.money import Spent
from monitor.pipeline import judging
from monitor.pipeline.bench import open_bench
from monitor.pipeline.line import hand_over, resume_run
from monitor.store import captures, spend
from monitor.store.parts import Part
from monitor.store.runs import Caps, RunState
from tests.misbehaving import PAID
from tests.paid import GROVE, MANY, VERSION, grove, model, paid_settings
from tests.stored import bench_in, planned
from tests.working import ended, hasten, in_queue, until, workers


async def test_workers_stop_at_a_cap_and_go_on_where_they_stopped(
    postgres_url, tmp_path, monkeypatch
):
    hasten(monkeypatch)
    monkeypatch.setattr(judging, "_CAPTURES_A_PART", 2)
    with model() as server:
        settings = paid_settings(server, postgres_url, tmp_path / "files", runner="pgqueuer")
        with open_bench(settings) as bench:
            run = grove(bench, caps=Caps(calls=2))
            assert hand_over(bench, run, judge_name=None).run.judge_version == VERSION
            async with workers(settings, 2):
                held = await ended(bench, run)
                await until(lambda: not in_queue(bench, run))
                assert held.state is RunState.INCOMPLETE
                assert "budget of the run: 2 of 2 calls" in held.held
                assert len(server.calls) == 2
                resume_run(bench, held, Caps(), judge_name=None)
                done = await ended(bench, run)
            assert (done.state, done.held) == (RunState.DONE, None)
            assert set(Counter(map(str, server.calls)).values()) == {1}
            assert bench.read(lambda c: spend.totals_by_engine(c, run.id)) == {
                VERSION: Spent(MANY, MANY * PAID, 0)
            }


def test_answers_to_one_prompt_are_judged_in_one_part(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench, panel=replace(GROVE, repeats=3))
        parts = [Part(n, 4, together=True) for n in range(4)]
        found = [
            [
                one.prompt.id
                for one in bench.read(lambda c, p=p: captures.load_captures(c, run.id, p))
            ]
            for p in parts
        ]
    assert sorted(n for part in found for n in Counter(part).values()) == [3] * MANY
