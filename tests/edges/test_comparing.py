"""Comparisons over a store: every door says the same, whatever is stored, removed or pinned."""

from dataclasses import replace
from functools import partial

import pytest
from sqlalchemy import func, select, text

from monitor.config.parts import EnginePart
from monitor.domain.baseline import (
    Baseline,
    BaselineClaim,
    BaselineSource,
    ClaimCategory,
    Match,
    PromptBaseline,
    Relevance,
)
from monitor.domain.change import ChangeVerdict, EventKind
from monitor.domain.claim import Support, Verdict
from monitor.domain.panel import Panel, Prompt
from monitor.domain.source import Grade
from monitor.errors import StoreError
from monitor.pipeline.comparing import compare_runs, weigh, weigh_engines
from monitor.pipeline.reporting import build_report
from monitor.pipeline.sides import choose_sides, clear_reference, pin_reference
from monitor.pipeline.tallying import score_engine, score_engines, score_run
from monitor.scoring.judged import JUDGED
from monitor.store import captures, panels, references, removals, runs, scores
from monitor.store.evidence import EvidenceKind
from monitor.store.tables import comparison
from monitor.urls import family_map, identify
from tests.stored import (
    MADE_AT,
    WordJudge,
    answer,
    bench_in,
    keep_answers,
    keep_page,
    planned,
)

OAK, ELM = "https://oak.example/growth", "https://elm.example/growth"
TEXT = "Oaks grow slowly."
PROMPTS = tuple(Prompt(f"p{n:02}", f"How do oaks of kind {n} grow?", "en-GB") for n in range(24))
PANEL = Panel("trees", 1, 1, "en-GB", ("openai",), PROMPTS)
BOTH = replace(PANEL, engines=("openai", "xai"))


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setenv("XAI_API_KEY", "made-up")
    with bench_in(tmp_path, monkeypatch) as bench:
        yield bench


def ended(bench, slot, *cited, panel=PANEL, judge=None):
    """A run whose every answer cites these pages, fetched, scored and done."""
    run = planned(bench, slot, panel)
    marks = "".join(f" [{n}]" for n in range(1, len(cited) + 1))
    said = answer(f"{TEXT[:-1]}{marks}.", *((f"[{n}]", u) for n, u in enumerate(cited, 1)))
    count = len(bench.read(lambda c: captures.load_captures(c, run.id)))
    keep_answers(bench, run, *[said] * count)
    for url in cited:
        keep_page(bench, run, url, f"{TEXT} Seen on {url} in {slot}.")
    score_engines(bench, run, judge or WordJudge())
    for state in (runs.RunState.RUNNING, runs.RunState.DONE):
        bench.write(partial(runs.set_run_state, run_id=run.id, state=state, at=MADE_AT))
    return bench.read(lambda c: runs.one_run(c, run.public_id))


def rows(one):
    return {row.name: row for row in (*one.families, *one.measures)}


def test_tallies_of_the_store_and_answers_assessed_anew_say_the_same(bench):
    before, after = ended(bench, "2026-01", OAK), ended(bench, "2026-02", OAK, ELM)
    warm = weigh(bench, [before], after, WordJudge()).comparisons
    bench.write(lambda c: c.execute(text("UPDATE tally_set SET inputs = NULL")))
    cold = weigh(bench, [before], after, WordJudge()).comparisons
    whole = compare_runs(bench, before, after, WordJudge()).comparisons
    assert warm == cold == whole
    assert rows(warm["openai"])["oak.example"].difference == pytest.approx(-0.5)


def test_a_comparison_that_says_the_same_is_stored_once(bench):
    before, after = ended(bench, "2026-01", OAK), ended(bench, "2026-02", ELM)
    for _ in range(3):
        weigh(bench, [before], after, WordJudge())
        compare_runs(bench, before, after, WordJudge())
    count = select(func.count()).select_from(comparison)
    assert bench.read(lambda c: c.execute(count).scalar_one()) == 1
    weigh(bench, [before], after, WordJudge("words@2"))
    assert bench.read(lambda c: c.execute(count).scalar_one()) == 2


def test_another_family_map_is_an_event_and_moves_both_sides(bench):
    before, after = ended(bench, "2026-01", OAK), ended(bench, "2026-02", ELM)
    families = family_map({"elm.example": "oak.example"})
    edited = replace(bench, families=families, identify=partial(identify, families=families))
    found = weigh(edited, [before], after, WordJudge()).comparisons["openai"]
    assert [e.kind for e in found.events] == [EventKind.FAMILY_MAP]
    assert [(f.name, f.difference) for f in found.families] == [("oak.example", 0)]
    # The same whatever was scored under which map before.
    assert compare_runs(edited, before, after, WordJudge()).comparisons["openai"] == found


def test_another_judge_than_the_run_was_scored_with_judges_both_sides_anew(bench):
    before = ended(bench, "2026-01", OAK, judge=WordJudge("words@1"))
    after = ended(bench, "2026-02", OAK, judge=WordJudge("words@2"))
    found = weigh(bench, [before], after, WordJudge("words@3")).comparisons["openai"]
    assert [(e.kind, e.before, e.after) for e in found.events] == [
        (EventKind.RESCORED, "words@1", "words@3")
    ]
    assert found.gates.failures == ()


def removed(bench, run):
    """Retention takes away the texts of a run's pages."""
    query = text("SELECT text_sha256 FROM page_fetch WHERE run_id = :run")
    hashes = list(bench.read(lambda c: c.execute(query, {"run": run.id}).scalars().all()))
    bench.write(lambda c: removals.note(c, EvidenceKind.TEXT, hashes, MADE_AT))
    for one in hashes:
        bench.artifacts.remove(one)
    bench.write(lambda c: removals.confirm(c, hashes))


def test_texts_that_were_removed_do_not_matter_where_their_verdicts_are_there(bench):
    before, after = ended(bench, "2026-01", OAK), ended(bench, "2026-02", ELM)
    kept = weigh(bench, [before], after, WordJudge()).comparisons
    removed(bench, before)
    bench.write(lambda c: c.execute(text("UPDATE tally_set SET inputs = NULL")))
    assert weigh(bench, [before], after, WordJudge()).comparisons == kept


@pytest.mark.parametrize("side", [0, 1])
def test_verdicts_that_were_never_given_and_cannot_be_are_named_and_not_counted(bench, side):
    both = ended(bench, "2026-01", OAK), ended(bench, "2026-02", ELM)
    removed(bench, both[side])
    found = weigh(bench, [both[0]], both[1], WordJudge("words@2")).comparisons["openai"]
    told = rows(found)
    assert found.gates.failures == ()
    assert told["oak.example"].verdict is ChangeVerdict.CHANGED
    refused = [n for n, row in told.items() if row.verdict is ChangeVerdict.NOT_COMPARABLE]
    assert "citation_recall" in refused
    assert set(refused) == JUDGED
    # All answers say the same of one page: one verdict for the statement, which is its claim too.
    assert told["citation_recall"].because == (
        f"evidence: 1 or more verdicts of {both[side].public_id} were never given by words@2, and "
        "retention removed the texts they need"
    )


def test_a_scoring_that_lacks_verdicts_takes_no_others_place(bench):
    run = ended(bench, "2026-01", OAK)
    cards = bench.read(lambda c: scores.load_scorecards(c, run.id))
    removed(bench, run)
    assert score_engine(bench, run, WordJudge("words@2"), "openai").missing == 1
    assert bench.read(lambda c: scores.load_scorecards(c, run.id)) == cards


def test_payloads_that_were_removed_refuse_a_comparison_by_other_rules_of_reading(bench):
    before, after = ended(bench, "2026-01", OAK), ended(bench, "2026-02", ELM)
    query = text("SELECT sha256 FROM payload")
    hashes = sorted(set(bench.read(lambda c: c.execute(query).scalars().all())))[:1]
    bench.write(lambda c: removals.note(c, EvidenceKind.PAYLOAD, hashes, MADE_AT))
    bench.artifacts.remove(hashes[0])
    weighed = weigh(bench, [before], after, WordJudge())
    assert weighed.comparisons["openai"].gates.failures == ()
    bench.write(lambda c: c.execute(text("UPDATE reading SET parse_version = '0'")))
    (failure,) = weigh(bench, [before], after, WordJudge()).comparisons["openai"].gates.failures
    assert failure.startswith("evidence: run:trees:2026-0")
    assert "payloads were removed by retention" in failure


def test_two_engines_of_one_run(bench):
    run = planned(bench, "2026-01", BOTH)
    asked = bench.read(lambda c: captures.load_captures(c, run.id))
    said = {"openai": answer("Oaks [1].", ("[1]", OAK)), "xai": answer("Oaks [1].", ("[1]", ELM))}
    keep_answers(bench, run, *[said[one.engine] for one in asked])
    weighed = weigh_engines(bench, run, WordJudge(), ("openai", "xai"))
    (found,) = weighed.comparisons.values()
    assert (found.engine, found.gates.matched, found.events) == ("openai~xai", 24, ())
    assert {f.name: f.difference for f in found.families} == {"elm.example": 1, "oak.example": -1}
    assert found.verdict is ChangeVerdict.CHANGED
    with pytest.raises(StoreError, match="did not ask 'mistral'; it asked: openai, xai"):
        weigh_engines(bench, run, WordJudge(), ("openai", "mistral"))


def test_two_engines_reached_in_different_ways_are_a_mistake_of_who_named_them(bench):
    mixed = replace(PANEL, engines=("openai", "sandbox_chat"))
    engines = bench.settings.engines | {"sandbox_chat": EnginePart()}
    settings = bench.settings.model_copy(update={"engines": engines})
    run = planned(replace(bench, settings=settings), "2026-01", mixed)
    with pytest.raises(StoreError, match="openai was reached by api and sandbox_chat by browser"):
        weigh_engines(bench, run, WordJudge(), ("openai", "sandbox_chat"))


def test_an_engine_that_one_run_alone_asked_is_not_compared(bench):
    before, after = (
        ended(bench, "2026-01", OAK, panel=BOTH),
        ended(bench, "2026-02", OAK, panel=replace(PANEL, version=2)),
    )
    there, back = (
        weigh(bench, [before], after, WordJudge()),
        weigh(bench, [after], before, WordJudge()),
    )
    assert (tuple(there.comparisons), there.only_before, there.only_after) == (
        ("openai",), ("xai",), (),
    )  # fmt: skip
    assert (back.only_before, back.only_after) == ((), ("xai",))


def test_words_stand_for_the_runs_before(bench):
    made = [ended(bench, f"2026-{month:02}", OAK) for month in range(1, 6)]

    def names(before, after=None):
        then, now = choose_sides(bench, before, after)
        return [one.slot for one in then], now.slot

    assert names("previous") == (["2026-04"], "2026-05")
    assert names("previous", "2026-03") == (["2026-02"], "2026-03")
    assert names("pooled") == (["2026-02", "2026-03", "2026-04"], "2026-05")
    assert names("pooled", "2026-02") == (["2026-01"], "2026-02")
    assert names("2026-01") == (["2026-01"], "2026-05")
    assert names("2026-05", "2026-01") == (["2026-05"], "2026-01")
    pin_reference(bench, made[1])
    assert names("reference") == (["2026-02"], "2026-05")
    assert names("reference", "2026-04") == (["2026-02"], "2026-04")


def test_pooled_runs_are_compared_as_one_baseline_and_not_stored_as_one_run(bench):
    made = [ended(bench, f"2026-{n:02}", url) for n, url in ((1, OAK), (2, ELM), (3, OAK))]
    found = weigh(bench, made[:2], made[2], WordJudge()).comparisons["openai"]
    assert found.before_id == "run:trees:2026-01+run:trees:2026-02"
    assert rows(found)["oak.example"].before.share == pytest.approx(0.5)
    assert bench.read(lambda c: scores.list_comparisons(c, "trees")) == ()


def mistake(bench, *words):
    with pytest.raises(StoreError) as told:
        choose_sides(bench, *words)
    return str(told.value)


def test_words_that_stand_for_no_run_say_what_to_do(bench):
    run = ended(bench, "2026-01", OAK)
    assert "first run of its panel" in mistake(bench, "previous", None)
    assert "first run of its panel" in mistake(bench, "pooled", None)
    assert "pin one of its runs with `monitor reference RUN`" in mistake(bench, "reference", None)
    assert "newest run of its panel" in mistake(bench, "2026-01", None)
    pin_reference(bench, run)
    assert "is the reference of its panel itself" in mistake(bench, "reference", None)
    alerts = bench.settings.alerts.model_copy(update={"drift_runs": 1})
    alone = replace(bench, settings=bench.settings.model_copy(update={"alerts": alerts}))
    assert "alerts.drift_runs is 1" in mistake(alone, "pooled", None)


def test_a_run_that_says_nothing_is_no_reference(bench):
    run = planned(bench, "2026-01", PANEL)
    with pytest.raises(StoreError, match="is planned: only a run that is done or incomplete"):
        pin_reference(bench, run)
    with pytest.raises(StoreError, match="'trees' has no reference; panels with one: none"):
        clear_reference(bench, "trees")
    assert bench.read(references.list_references) == ()


def test_a_report_and_a_comparison_show_the_same_numbers(bench):
    before, after = ended(bench, "2026-01", OAK), ended(bench, "2026-02", OAK, ELM)
    shown = build_report(bench, after, WordJudge()).engines[0].comparison
    assert shown == weigh(bench, [before], after, WordJudge()).comparisons["openai"]


class OneWordJudge(WordJudge):
    """Says the same of everything."""

    def __init__(self, support):
        self.version, self._support = f"one@{support.value}", support

    def verdict(self, claim, evidence):
        return Verdict(self._support, ("words",), judge=self.version)


def test_the_measures_that_rest_on_verdicts_are_those_that_verdicts_move(bench):
    panel = replace(PANEL, prompts=PROMPTS[:1])
    run = planned(bench, "2026-01", panel)
    said = answer(
        "Oaks grow slowly in the north [1][2]. Oaks live for many centuries in most places.",
        ("[1]", OAK),
        ("[2]", ELM),
    )
    keep_answers(bench, run, said)
    for url in (OAK, ELM):
        keep_page(bench, run, url, f"{TEXT} {url}")
    claims = tuple(
        BaselineClaim(kind.value, f"Oaks grow: {kind.value}.", kind)
        for kind in (ClaimCategory.CORE_FACT, ClaimCategory.LIMITATION)
    )
    source = BaselineSource(
        bench.identify(OAK).page_key, Match.PAGE, Grade.REQUIRED,
        supports=("core_fact",), relevance=Relevance(topical_fit=0.5),
    )  # fmt: skip
    made = Baseline(
        "trees", "1", ("r1",), True, MADE_AT, "1",
        {"p00": PromptBaseline("p00", (source,), claims)},
        content_key="k", bound={"p00": PROMPTS[0].version_key},
    )  # fmt: skip
    bench.write(lambda c: panels.save_baseline(c, made, "", saved_at=MADE_AT))
    told = []
    for support in (Support.FULL, Support.PARTIAL, Support.UNSUPPORTED, Support.CONTRADICTED):
        (tally,) = score_run(bench, run, OneWordJudge(support)).tallies.values()
        told.append(tally.measures)
    moved = {name for name in told[0] if any(one[name] != told[0][name] for one in told)}
    assert moved == JUDGED
