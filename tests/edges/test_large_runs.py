"""What a run is cut into so that it fits in memory: nothing is lost at the seams."""

from dataclasses import replace

import pytest
from sqlalchemy import event, text

from monitor.domain.engine import Exchange
from monitor.domain.panel import Prompt
from monitor.engines import ENGINES
from monitor.pipeline import judge_choice, judges, judging, paging, run_pages
from monitor.pipeline.alarming import stock_of
from monitor.pipeline.capturing import save_readings
from monitor.pipeline.exporting import card_json
from monitor.pipeline.judging import JudgeDesk, count_parts
from monitor.pipeline.paging import PageDesk
from monitor.pipeline.reading import read_exchanges
from monitor.pipeline.run_status import run_status
from monitor.pipeline.tallying import score_engines, score_run
from monitor.store import captures, citations, claims, runs, scores, spend
from monitor.store.parts import Part, parts_of
from tests.stored import PANEL, WordJudge, answer, bench_in, keep_page, planned

PROMPTS = tuple(Prompt(f"p{n}", f"How do oaks grow, part {n}?", "en-GB") for n in range(5))
ENGINES_ASKED = ("openai", "perplexity")
OPEN_BILLS = text("SELECT id FROM spend WHERE settled_micros IS NULL")
OAK = "https://oak.example/growth"


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setenv("PERPLEXITY_API_KEY", "pplx-made-up-one")
    with bench_in(tmp_path, monkeypatch) as bench:
        yield bench


@pytest.fixture
def run(bench):
    """Ten answers of two engines, every one with a statement and a page of its own."""
    run = planned(bench, panel=replace(PANEL, engines=ENGINES_ASKED, prompts=PROMPTS))
    fresh = {}
    for one in bench.read(lambda c: captures.load_captures(c, run.id)):
        said = f"Oak number {one.id} grows slowly."
        body = answer(f"{said[:-1]} [1].", ("[1]", f"{OAK}-{one.id}"))
        fresh[one.id] = read_exchanges(ENGINES["openai"], (Exchange(body, 200, ()),))
        keep_page(bench, run, f"{OAK}-{one.id}", said)
    bench.write(lambda c: save_readings(bench, c, fresh))
    return run


class NoJudge(WordJudge):
    """The same judge, when all has been judged."""

    def verdict(self, claim, evidence):
        raise AssertionError(claim)


def cards(bench, run):
    found = bench.read(lambda c: scores.load_scorecards(c, run.id))
    return [card_json(card) for card in found]


def test_parts_of_a_run_hold_each_capture_once(bench, run):
    whole = bench.read(lambda c: citations.load_readings(c, run.id))
    parts = [
        bench.read(lambda c, part=part: citations.load_readings(c, run.id, part))
        for part in parts_of(10, 4)
    ]
    assert len(parts) == 3
    assert sorted(k for part in parts for k in part) == sorted(whole)
    one = Part(engine="perplexity")
    mine = bench.read(lambda c: captures.load_captures(c, run.id, one))
    assert [c.engine for c in mine] == ["perplexity"] * 5


def test_a_run_judged_in_parts_leaves_nothing_to_judge_when_it_is_scored(bench, run, monkeypatch):
    for place in (judges, judge_choice):
        monkeypatch.setattr(place, "free_judge", lambda *_: WordJudge())
    monkeypatch.setattr(judging, "_CAPTURES_A_PART", 3)
    desk, parts = JudgeDesk(bench), count_parts(bench, run)
    for number in range(parts):
        desk.judge(run, number)
    assert parts == 4
    assert len(bench.read(lambda c: claims.load_run_statements(c, run.id))) == 10
    supported = [a.statements[0].joint for a in score_run(bench, run, NoJudge()).assessed]
    assert [one.support.value for one in supported] == ["full"] * 10


def test_parts_of_a_run_share_what_was_read_of_its_pages(bench, run, monkeypatch):
    loads = []
    for place in (judges, judge_choice):
        monkeypatch.setattr(place, "free_judge", lambda *_: WordJudge())
    monkeypatch.setattr(judging, "_CAPTURES_A_PART", 3)
    whole = judging.load_pages
    monkeypatch.setattr(judging, "load_pages", lambda *of: loads.append(of) or whole(*of))
    desk = JudgeDesk(bench)
    for number in range(4):
        desk.judge(run, number)
    assert len(loads) == 1
    desk.forget()
    desk.judge(run, 0)
    assert len(loads) == 2


def test_engines_scored_one_by_one_get_the_cards_that_they_get_together(bench, run):
    score_engines(bench, run, WordJudge())
    apart = cards(bench, run)
    score_run(bench, run, WordJudge())
    assert cards(bench, run) == apart
    assert {card["engine"] for card in apart} == set(ENGINES_ASKED)


def test_page_texts_are_not_read_where_all_was_judged(bench, run, monkeypatch):
    read = []
    whole = run_pages.text_of
    monkeypatch.setattr(run_pages, "text_of", lambda *of: read.append(of) or whole(*of))
    score_run(bench, run, WordJudge())
    assert len(read) == 10
    score_run(bench, run, NoJudge())
    assert len(read) == 10


async def test_pages_to_fetch_are_found_in_all_parts_of_a_run(bench, run, monkeypatch):
    monkeypatch.setattr(paging, "_READINGS_A_PART", 3)
    async with PageDesk(bench) as desk:
        todo = await desk.plan(run, again=True)
    wanted = {one.clean_url for one in todo.values()}
    assert len(wanted) == 10
    assert min(wanted).startswith(OAK)


def ended(bench, run):
    """The run, paid for, counted and done."""
    todo = bench.read(lambda c: captures.load_captures(c, run.id))
    asks = [spend.Ask(run.id, one.id, one.engine, 100) for one in todo]
    at = bench.clock.now()
    bills = bench.write(lambda c: spend.reserve_all(c, asks, caps=spend.NO_CAPS, at=at))
    bench.write(lambda c: spend.settle_all(c, [(bill, 90) for bill in bills[1:]], at=at))
    stock_of(bench, run)
    bench.write(lambda c: runs.set_run_state(c, run.id, runs.RunState.RUNNING, at=at))
    return bench.write(lambda c: runs.set_run_state(c, run.id, runs.RunState.DONE, at=at))


def asked_of(bench, work):
    """Every statement that some work sends to the database."""
    said = []

    def note(*told):
        said.append(told[2])

    engine = bench.database._engine
    event.listen(engine, "before_cursor_execute", note)
    work()
    event.remove(engine, "before_cursor_execute", note)
    return said


def test_the_status_of_an_ended_run_counts_no_captures(bench, run):
    counted = run_status(bench, run).as_json()
    done = ended(bench, run)
    kept = run_status(bench, done).as_json()
    assert kept["engines"]["openai"] == counted["engines"]["openai"] | {
        "calls": 5, "micros": 100 + 4 * 90, "unsettled": 1,
    }  # fmt: skip
    said = asked_of(bench, lambda: run_status(bench, done))
    assert said
    assert [s for s in said if "FROM capture" in s or "FROM spend" in s or "reading" in s] == []


def test_the_status_of_an_ended_run_is_counted_again_where_money_has_moved_since(bench, run):
    done = ended(bench, run)
    (open_bill,) = bench.read(lambda c: [row.id for row in c.execute(OPEN_BILLS)])
    bench.write(lambda c: spend.settle_all(c, [(open_bill, 70)], at=bench.clock.now()))
    told = run_status(bench, done).as_json()["engines"]["openai"]
    assert (told["micros"], told["unsettled"]) == (70 + 4 * 90, 0)
