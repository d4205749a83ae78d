"""Judges that are paid: under caps, held, resumed without paying twice, and never by the way."""

import pytest

from monitor.domain.change import ChangeVerdict
from monitor.domain.money import Spent
from monitor.errors import JudgeError
from monitor.pipeline import verdicts as book
from monitor.pipeline.book import Evidence
from monitor.pipeline.comparing import weigh
from monitor.pipeline.judge_choice import chosen_judge, judge_choice
from monitor.pipeline.judge_costs import judge_estimate
from monitor.pipeline.judges import comparing_judge, shown_judge
from monitor.pipeline.line import resume_run, work_on
from monitor.pipeline.publishing import publish_report
from monitor.pipeline.rejudging import rejudge_run, unjudged
from monitor.pipeline.run_status import run_status
from monitor.pipeline.verdicts import VerdictBook
from monitor.scoring.segments import EVERYTHING
from monitor.store import claims, runs, scores, spend
from monitor.store.runs import Caps, RunState
from tests.misbehaving import PAID, fails
from tests.paid import GROVE, MANY, OAK, VERSION, grove, model, paid_bench, paid_settings, state_of
from tests.stored import WordJudge, answer, keep_answers, keep_page, planned


@pytest.fixture
def server():
    with model() as running:
        yield running


@pytest.fixture
def bench(server, tmp_path, monkeypatch):
    with paid_bench(server, tmp_path, monkeypatch) as opened:
        yield opened


def worked(bench, run):
    return work_on(bench, state_of(bench, run), judge_name=None).run


def resumed(bench, run, caps=None, judge_name=None):
    found = state_of(bench, run)
    return resume_run(bench, found, caps or found.caps, judge_name=judge_name).run


def precision(bench, run):
    """Counts of the claims of a run that were cited: hits, total, not assessable."""
    cards = bench.read(lambda c: scores.load_scorecards(c, run.id))
    (card,) = [one for one in cards if one.segment == EVERYTHING]
    rate = card.measures["claim_citation_precision"].rate
    return rate.hits, rate.total, dict(rate.not_assessable)


def test_a_judge_is_paid_by_its_run_and_stands_apart_in_what_it_spent(bench, server):
    run = grove(bench)
    done = worked(bench, run)
    assert (done.state, done.held, len(server.calls)) == (RunState.DONE, None, MANY)
    assert (done.judge, done.judge_version) == ("llm", VERSION)
    assert bench.read(lambda c: spend.totals_by_engine(c, run.id)) == {
        VERSION: Spent(MANY, MANY * PAID, 0)
    }
    status = run_status(bench, run)
    assert (status.judge, status.judges) == (VERSION, {VERSION: Spent(MANY, MANY * PAID, 0)})
    assert precision(bench, run) == (0, MANY, {})


def test_a_cap_holds_the_run_and_resume_pays_only_for_what_is_pending(bench, server):
    run = grove(bench, caps=Caps(calls=2))
    held = worked(bench, run)
    assert held.state is RunState.INCOMPLETE
    assert "would pass the budget of the run: 2 of 2 calls" in held.held
    assert len(server.calls) == 2
    assert precision(bench, run) == (0, 2, {"pending": MANY - 2})
    again = resumed(bench, run)
    assert (again.state, len(server.calls)) == (RunState.INCOMPLETE, 2)
    done = resumed(bench, run, Caps(calls=100))
    assert (done.state, done.held, len(server.calls)) == (RunState.DONE, None, MANY)
    assert precision(bench, run) == (0, MANY, {})


@pytest.mark.parametrize(("parts", "said"), [
    ({"calls": 3}, "judge's own budget: 3 of 3 calls"),
    ({"usd": 0.0}, "judge's own budget: 0 of any number of calls"),
    ({"budget": {"month_calls": 3}}, "budget of the month"),
])  # fmt: skip
def test_caps_of_judge_and_month_end_the_calls_too(server, tmp_path, monkeypatch, parts, said):
    with paid_bench(server, tmp_path, monkeypatch, **parts) as bench:
        run = grove(bench)
        held = worked(bench, run)
        assert said in held.held
        assert held.state is RunState.INCOMPLETE
        calls = len(server.calls)
        assert calls < MANY
    with paid_bench(server, tmp_path, monkeypatch) as bench:
        assert resumed(bench, run).state is RunState.DONE
    assert len(server.calls) == MANY


def test_a_process_that_ends_between_reply_and_verdict_pays_for_no_reply_twice(
    bench, server, monkeypatch
):
    run = grove(bench)
    with monkeypatch.context() as patch:
        patch.setattr(book.verdicts, "save_verdicts", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            worked(bench, run)
    assert len(server.calls) == MANY
    assert resumed(bench, run).state is RunState.DONE
    assert len(server.calls) == MANY
    assert bench.read(lambda c: spend.totals(c, run.id)) == Spent(MANY, MANY * PAID, 0)


def test_a_refused_key_fails_the_run_and_keeps_what_came_before(tmp_path, monkeypatch):
    with model() as server, paid_bench(server, tmp_path, monkeypatch) as bench:
        run = grove(bench)
        judging = server.moves[0]
        server.moves[:] = [judging, judging, fails(401), judging]
        with pytest.raises(JudgeError):
            worked(bench, run)
        assert resumed(bench, run).state is RunState.DONE
        assert bench.read(lambda c: spend.totals(c, run.id)).micros == MANY * PAID


@pytest.mark.parametrize(("parts", "chosen"), [
    ({}, "llm"),
    ({"llm": {"model": ""}}, "embedded"),
    ({"llm": {"base_url": None}}, "embedded"),
    ({"llm": {"key": "JUDGE_KEY_THAT_IS_NOT_SET"}}, "embedded"),
    ({"budget": {"usd": 0}}, "embedded"),
    ({"budget": {"month_calls": 0}}, "embedded"),
    ({"usd": 0}, "embedded"),
])  # fmt: skip
def test_auto_asks_a_model_where_there_is_one_with_a_key_and_a_budget(
    server, tmp_path, monkeypatch, parts, chosen
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings = paid_settings(server, "sqlite:///none.db", tmp_path, name="auto", **parts)
    assert chosen_judge(settings) == chosen


def test_auto_is_chosen_once_and_kept(server, tmp_path, monkeypatch):
    with paid_bench(server, tmp_path, monkeypatch, name="auto") as bench:
        run = grove(bench, caps=Caps(calls=1))
        assert worked(bench, run).judge == "llm"
    with paid_bench(server, tmp_path, monkeypatch, name="auto", usd=0) as bench:
        assert chosen_judge(bench.settings) == "embedded"
        assert judge_choice(bench, state_of(bench, run)).version == VERSION


def test_another_version_of_the_judge_is_refused_and_changed_only_on_purpose(
    server, tmp_path, monkeypatch
):
    with paid_bench(server, tmp_path, monkeypatch) as bench:
        run = grove(bench, caps=Caps(calls=1))
        worked(bench, run)
    with paid_bench(server, tmp_path, monkeypatch, llm={"votes": 3}) as bench:
        with pytest.raises(JudgeError, match=rf"{VERSION}, .* {VERSION}-k3: .*--judge llm"):
            resumed(bench, run, Caps(calls=100))
        assert len(server.calls) == 1
        done = resumed(bench, run, Caps(calls=100), judge_name="llm")
        assert (done.state, done.judge_version) == (RunState.DONE, f"{VERSION}-k3")
        assert precision(bench, run) == (0, MANY, {})


def test_a_judge_that_cannot_be_asked_fails_before_anything_is_stored(
    server, tmp_path, monkeypatch
):
    for part, said in (({"model": ""}, "judge.llm.model"), ({"base_url": None}, "OPENAI_API_KEY")):
        with paid_bench(server, tmp_path, monkeypatch, llm=part) as bench:
            run = grove(bench)
            monkeypatch.delenv("OPENAI_API_KEY")
            with pytest.raises(JudgeError, match=said):
                worked(bench, run)
            assert state_of(bench, run).state is RunState.PLANNED
    assert server.calls == []


def test_doors_that_show_ask_nobody(bench, server, tmp_path):
    run = grove(bench, caps=Caps(calls=2))
    worked(bench, run)
    before = precision(bench, run)
    resumed(bench, run, Caps(calls=2), judge_name="llm")
    publish_report(bench, run, shown_judge(bench, state_of(bench, run)), tmp_path / "report.html")
    assert len(server.calls) == 2
    assert precision(bench, run) == before


def test_verdicts_that_are_missing_are_counted_priced_and_given_when_asked_for(bench, server):
    run = grove(bench)
    resumed(bench, run, judge_name="embedded")
    run = state_of(bench, run)
    choice = judge_choice(bench, run, "llm")
    found = unjudged(bench, run, choice)
    assert (found.verdicts, found.judge, server.calls) == (MANY, VERSION, [])
    assert found.micros > MANY * PAID
    assert "budget of the run: 2 of 2" in rejudge_run(bench, run, choice, Caps(calls=2)).held
    assert unjudged(bench, run, choice).verdicts == MANY - 2
    assert rejudge_run(bench, state_of(bench, run), choice, Caps()).held is None
    assert (len(server.calls), unjudged(bench, run, choice).verdicts) == (MANY, 0)
    assert state_of(bench, run).judge_version == VERSION


def judged_rows(weighed):
    one = weighed.comparisons["openai"]
    return {row.name: row for row in one.measures}["claim_citation_precision"]


def test_comparing_with_a_paid_judge_is_refused_by_name_unless_money_is_given(bench, server):
    earlier = grove(bench, "2026-01", tree="Elm")
    resumed(bench, earlier, judge_name="embedded")
    later = grove(bench, "2026-02")
    worked(bench, later)
    calls = len(server.calls)
    earlier, later = state_of(bench, earlier), state_of(bench, later)
    with comparing_judge(bench, later, None) as judge:
        row = judged_rows(weigh(bench, [earlier], later, judge))
    assert row.verdict is ChangeVerdict.NOT_COMPARABLE
    assert f"judge: {MANY} or more verdicts of {earlier.public_id}" in row.because
    assert "--judge-usd" in row.because
    assert len(server.calls) == calls
    with comparing_judge(bench, later, 10_000_000) as judge:
        assert judge.judge is not None
        row = judged_rows(weigh(bench, [earlier], later, judge))
    assert "judge:" not in row.because
    assert len(server.calls) == calls + MANY
    with comparing_judge(bench, later, None) as judge:
        assert judged_rows(weigh(bench, [earlier], later, judge)) == row


def test_a_dry_run_tells_what_the_judge_may_cost(bench, server):
    first = judge_estimate(bench.settings, GROVE.name, 10, named=None, caps=Caps())
    assert (first.judge, first.calls, first.verdicts) == (VERSION, 120, 12)
    run = grove(bench)
    worked(bench, run)
    calls = len(server.calls)
    told = judge_estimate(bench.settings, GROVE.name, 60, named=None, caps=Caps())
    assert (told.verdicts, told.calls, told.basis) == (1, 60, f"{MANY} answers of {run.public_id}")
    assert 60 * PAID < told.micros < first.micros
    assert judge_estimate(bench.settings, "p", 9, named="embedded", caps=Caps()) is None
    assert len(server.calls) == calls


def test_estimates_count_the_pairs_of_the_support_matrix(server, tmp_path, monkeypatch):
    with paid_bench(server, tmp_path, monkeypatch, matrix=True) as bench:
        first = judge_estimate(bench.settings, GROVE.name, 10, named=None, caps=Caps())
        # 12 verdicts of an answer, and 8 statements against 6 pages.
        assert (first.calls, "48 pairs of its support matrix" in first.basis) == (600, True)
        run = planned(bench, "2026-01", GROVE, caps=Caps())
        said = answer("Oaks grow [1]. Elms grow [2].", ("[1]", f"{OAK}-1"), ("[2]", f"{OAK}-2"))
        keep_answers(bench, run, *[said] * MANY)
        keep_page(bench, run, f"{OAK}-1", "Oaks grow, they say.")
        keep_page(bench, run, f"{OAK}-2", "Elms grow, they say.")
        found = unjudged(bench, run, judge_choice(bench, run))
        # Each statement by the page it cites, and by the other one for the matrix.
        assert (found.verdicts, found.pairs, found.pair_micros >= 2 * PAID) == (2, 2, True)
        assert "lacks 2 pairs of a statement and a page" in found.shown
        rejudge_run(bench, run, judge_choice(bench, run), Caps())
        assert len(server.calls) == 4
        found = unjudged(bench, run, judge_choice(bench, run))
        assert (found.verdicts, found.pairs) == (0, 0)


def split_by(bench, run):
    """Version of the statements, and claims of each answer."""
    found = bench.read(lambda c: claims.load_run_statements(c, run.id)).values()
    return {one.claims_version for one in found}, [
        [claim.text for s in one.statements for claim in s.claims] for one in found
    ]


def test_claims_split_by_the_model_are_paid_for_once_and_named_in_the_signature(
    server, tmp_path, monkeypatch
):
    with paid_bench(server, tmp_path, monkeypatch, split="llm") as bench:
        run = grove(bench, caps=Caps(calls=2))
        held = worked(bench, run)
        assert (held.state, len(server.calls)) == (RunState.INCOMPLETE, 2)
        done = resumed(bench, run, Caps())
        assert done.state is RunState.DONE
        version, split = split_by(bench, run)
        (named,) = version
        assert named.endswith("+llm-split/openai/m-1@1")
        assert split == [["An oak grows.", "It is slow."]] * MANY
        # A split an answer, a verdict a statement, and two for the claims of each.
        assert len(server.calls) == 4 * MANY
        cards = bench.read(lambda c: scores.load_scorecards(c, run.id))
        assert all(f"|claims:{named}|judge:{VERSION}|" in card.signature for card in cards)
        assert shown_judge(bench, done).splitting == "llm-split/openai/m-1@1"


def test_a_free_judge_may_have_its_claims_split_by_the_model(server, tmp_path, monkeypatch):
    with paid_bench(server, tmp_path, monkeypatch, name="embedded", split="llm") as bench:
        run = grove(bench)
        assert worked(bench, run).state is RunState.DONE
        assert len(server.calls) == MANY
        assert list(bench.read(lambda c: spend.totals_by_engine(c, run.id))) == [
            "llm-split/openai/m-1@1"
        ]


def test_what_another_process_had_judged_meanwhile_is_not_asked_for(bench, monkeypatch):
    monkeypatch.setattr(book, "LOOKED_SECONDS", 0)
    monkeypatch.setattr(book, "_ASKED_ALONG", 1)
    page = Evidence.of("Oaks grow.")
    asked = []

    class Slow(WordJudge):
        def verdicts(self, questions):
            for one in questions:
                asked.append(one.claim)
                elsewhere = VerdictBook(bench, WordJudge())
                elsewhere.want("Elms grow.", (page,))
                elsewhere.settle("verdicts")
                yield self.verdict(one.claim, one.evidence)

    mine = VerdictBook(bench, Slow())
    for claim in ("Oaks grow.", "Elms grow."):
        mine.want(claim, (page,))
    mine.settle("verdicts")
    assert asked == ["Oaks grow."]
    assert mine.get("Elms grow.", (page,)).reason is None


def test_a_run_that_is_taken_up_again_is_held_by_no_cap_of_yesterday(bench, server):
    run = grove(bench)
    bench.write(lambda c: runs.hold_run(c, run.id, "the budget of yesterday"))
    assert worked(bench, run).state is RunState.DONE
    assert len(server.calls) == MANY


def test_runs_of_other_states_are_not_held(bench):
    run = grove(bench)
    at = bench.clock.now()
    bench.write(lambda c: runs.set_run_state(c, run.id, RunState.CANCELLED, at=at))
    choice = judge_choice(bench, state_of(bench, run))
    assert "was cancelled" in rejudge_run(bench, state_of(bench, run), choice, Caps()).held
    assert state_of(bench, run).held is None
