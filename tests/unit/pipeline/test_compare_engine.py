"""One comparison behind every door: pooled, between engines, refused with its key; made up."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from monitor import statistics
from monitor.domain.change import ChangeVerdict, EventKind, LeftOutReason
from monitor.domain.panel import Panel, Prompt
from monitor.domain.score import Coverage, Rate
from monitor.errors import StoreError
from monitor.pipeline.comparing import compare_engine
from monitor.pipeline.samples import EngineSample, RunSamples
from monitor.pipeline.weighing import Weighed, by_weight, sides_of, why
from monitor.scoring.judged import JUDGED
from monitor.scoring.signature import Recipe, Sample, Signature, parse_signature
from monitor.store.runs import Caps, Run, RunState
from tests.sampled import month

AT = datetime(2026, 1, 1, tzinfo=UTC)
PROMPTS = 30
PANEL = Panel(
    "p", 1, 3, "en-GB", ("alpha", "beta"),
    tuple(Prompt(f"p{n:02}", f"Question {n}?", "en-GB") for n in range(PROMPTS)),
)  # fmt: skip
RECIPE = Recipe(
    panel="p@1", engine="alpha", access="api", locale="en-GB", baseline="none", urls="1",
    families="1", claims="1", judge="words@1", profile="monitor", partial="half", adequate="any",
    relevance="r", request="q", parse="1", pages="1", scoring="2",
)  # fmt: skip
JUDGEABLE = {"source_precision": Rate(1, 2), "citation_recall": Rate(1, 2)}


def run_of(number, panel="p"):
    return Run(
        number, f"run:{panel}:2026-{number:02}", 1, panel, 1, f"2026-{number:02}", RunState.DONE,
        Caps(), {}, 0, None, None, None, AT, AT, AT,
    )  # fmt: skip


def engine_of(number, a, rest, *, engine="alpha", recipe=None, prompts=PROMPTS, **more):
    """One engine of one month: every answer cites `a` so often and `rest` so often."""
    counts = month(
        f"run:p:2026-{number:02}", a, rest, prompts, first=1000 * number, measures=JUDGEABLE
    )
    return EngineSample(
        sample=replace(counts, engine=engine, models=more.pop("models", ())),
        recipe=replace(recipe or RECIPE, engine=engine),
        queries=more.pop("queries", {}),
        prompts={f"p{n:02}": "1" for n in range(prompts)},
        first_signature=more.pop("first", None),
        **more,
    )


def ran(number, *engines, panel=PANEL, unread=""):
    made = {one.sample.engine: one for one in engines}
    return RunSamples(run_of(number, panel.name), made, panel, unread)


def single(number, *counts, **more):
    return ran(number, engine_of(number, *counts, **more))


def rows(one):
    return {row.name: row for row in (*one.families, *one.measures)}


def test_a_month_against_the_month_before_says_what_moved():
    # In every prompt 1 of 4 citations became 2 of 4.
    found = compare_engine([single(1, 1, 3)], single(2, 2, 2), "alpha")
    assert (found.before_id, found.after_id) == ("run:p:2026-01", "run:p:2026-02")
    assert rows(found)["a"].difference == pytest.approx(0.25)
    assert found.verdict is ChangeVerdict.CHANGED
    assert found.seed == statistics.change_seed("alpha", "p@1", "run:p:2026-01", "run:p:2026-02")


def test_pooled_runs_are_one_baseline_under_their_joined_name():
    runs = [single(n, a, 4 - a) for n, a in ((1, 1), (2, 2), (3, 3))]
    found = compare_engine(runs[::-1], single(4, 2, 2), "alpha")
    name = "run:p:2026-01+run:p:2026-02+run:p:2026-03"
    assert found.before_id == name
    assert found.seed == statistics.change_seed("alpha", "p@1", name, "run:p:2026-04")
    # 30 prompts x 3 answers x (1 + 2 + 3) of 4 citations each: 540 of 1,080, a half as now.
    assert rows(found)["a"].before.pooled == Rate(540, 1080)
    assert rows(found)["a"].difference == pytest.approx(0)
    assert (found.gates.matched, found.gates.panel) == (30, 30)


def test_months_that_cite_others_do_not_make_the_pool_of_them_less_stable():
    # Every answer of a month cites what its repeats cite; the months share no family.
    runs = [single(1, 4, 0), single(2, 0, 4)]
    found = compare_engine(runs, single(3, 4, 0), "alpha").stability
    assert (found.before.mean, found.after.mean) == (1, 1)
    assert found.verdict is ChangeVerdict.NO_CLEAR_CHANGE


def test_a_pool_speaks_for_the_prompts_of_its_newest_run_alone():
    wide, narrow = single(1, 1, 3), single(2, 1, 3, prompts=20)
    found = compare_engine([wide, narrow], single(3, 1, 3, prompts=20), "alpha")
    assert (found.gates.matched, found.gates.panel, found.gates.failures) == (20, 20, ())
    assert found.left_out == ()


def test_a_prompt_edited_within_the_pool_counts_in_its_newest_words():
    def edited(one):
        engine = one.engines["alpha"]
        sample = engine.sample
        versions = {k: v.replace("p00@1", "p00@2") for k, v in sample.versions.items()}
        made = replace(
            engine,
            sample=replace(sample, versions=versions),
            prompts=engine.prompts | {"p00": "2"},
        )
        return replace(one, engines={"alpha": made})

    old, new = single(1, 4, 0), edited(single(2, 1, 3))
    found = compare_engine([old, new], edited(single(3, 1, 3)), "alpha")
    assert (found.gates.matched, found.gates.panel, found.left_out) == (30, 30, ())
    # p00: 3 answers citing 1 of 4 in the newest words; the others twice as many answers.
    assert rows(found)["a"].before.pooled == Rate(29 * (12 + 3) + 3, 29 * 24 + 12)
    found = compare_engine([old, new], single(3, 1, 3), "alpha")
    assert [(one.prompt_id, one.reason) for one in found.left_out] == [
        ("p00", LeftOutReason.EDITED)
    ]


def pair(**more):
    """Two engines of one run; the second is told what else it has otherwise."""
    first = engine_of(1, 1, 3, models=("m-1",), queries={"p00@1": frozenset({"x"})})
    second = engine_of(
        1, 2, 2, engine="beta", models=("n-9",), queries={"p00@1": frozenset({"y"})}, **more
    )
    return ran(1, first, second)


def test_two_engines_of_a_run_are_compared_on_the_same_prompts():
    run = pair(recipe=replace(RECIPE, request="other"))
    found = compare_engine([run], run, "beta", other="alpha")
    assert found.engine == "alpha~beta"
    assert found.seed == statistics.change_seed(
        "alpha~beta", "p@1", "run:p:2026-01", "run:p:2026-01"
    )
    assert rows(found)["a"].difference == pytest.approx(0.25)
    assert (found.events, found.gates.failures) == ((), ())


def test_engines_that_are_reached_otherwise_are_not_compared():
    run = pair(recipe=replace(RECIPE, access="browser"))
    found = compare_engine([run], run, "beta", other="alpha")
    assert found.gates.failures == ("recipe differs in access",)
    assert found.verdict is ChangeVerdict.NOT_COMPARABLE
    assert why(found) == "recipe differs in access"


@pytest.mark.parametrize("key", ["access", "request", "judge"])
def test_a_recipe_that_scoring_anew_cannot_make_equal_is_refused_by_its_key(key):
    other = replace(RECIPE, **{key: "other"})
    for before, after in ((other, RECIPE), (RECIPE, other)):
        found = compare_engine(
            [single(1, 1, 3, recipe=before)], single(2, 2, 2, recipe=after), "alpha"
        )
        assert found.gates.failures == (f"recipe differs in {key}",)
        assert (found.families, found.measures) == ((), ())


def test_one_run_of_a_pool_that_cannot_be_compared_refuses_the_pool():
    runs = [single(1, 1, 3, recipe=replace(RECIPE, request="other")), single(2, 1, 3)]
    found = compare_engine(runs, single(3, 1, 3), "alpha")
    assert found.gates.failures == ("recipe differs in request",)


def test_a_locale_that_both_sides_have_is_no_reason_to_refuse():
    both = replace(RECIPE, locale="de-DE+en-GB")
    found = compare_engine([single(1, 1, 3)], single(2, 1, 3, recipe=both), "alpha")
    assert found.gates.failures == ()
    german = replace(RECIPE, locale="de-DE")
    found = compare_engine([single(1, 1, 3)], single(2, 1, 3, recipe=german), "alpha")
    assert found.gates.failures == ("recipe differs in locale",)


def test_runs_of_different_panels_are_an_error_of_the_user():
    other = single(2, 1, 3, prompts=PROMPTS)
    other = replace(other, run=run_of(2, "q"))
    with pytest.raises(StoreError, match="runs of different panels"):
        compare_engine([single(1, 1, 3)], other, "alpha")


def test_an_engine_that_was_not_asked_is_named_with_those_that_were():
    with pytest.raises(StoreError, match="did not ask 'gamma'; it asked: alpha, beta"):
        compare_engine([pair()], pair(), "gamma")


def test_verdicts_that_nobody_can_give_refuse_what_rests_on_them_alone():
    before = single(1, 1, 3, missing=7)
    found = compare_engine([before], single(2, 2, 2), "alpha")
    assert found.gates.failures == ()
    told = rows(found)
    assert told["a"].verdict is ChangeVerdict.CHANGED
    assert told["source_precision"].verdict is ChangeVerdict.NO_CLEAR_CHANGE
    assert told["citation_recall"].verdict is ChangeVerdict.NOT_COMPARABLE
    assert told["citation_recall"].because == (
        "evidence: 7 or more verdicts of run:p:2026-01 were never given by words@1, and retention "
        "removed the texts they need"
    )
    assert told["citation_recall"].difference is None


def test_verdicts_missing_on_either_side_refuse_the_same_rows():
    rows_of = [
        {
            row.name
            for row in compare_engine([before], after, "alpha").measures
            if row.verdict is ChangeVerdict.NOT_COMPARABLE
        }
        for before, after in (
            (single(1, 1, 3, missing=1), single(2, 2, 2)),
            (single(1, 1, 3), single(2, 2, 2, missing=1)),
        )
    ]
    assert rows_of == [{"citation_recall"}] * 2
    assert {"citation_recall"} <= JUDGED


def test_answers_that_cannot_be_read_by_the_rules_of_now_refuse_the_comparison():
    lost = ran(1, engine_of(1, 1, 3), unread="run:p:2026-01: 4 of its payloads were removed")
    found = compare_engine([lost], single(2, 2, 2), "alpha")
    assert found.gates.failures == ("evidence: run:p:2026-01: 4 of its payloads were removed",)
    assert found.families == ()


def first(**keys):
    """Signature of a first scoring that had these keys otherwise."""
    sample = Sample("2026-01", "m", "1", "1/1", "none", "0")
    return Signature(replace(RECIPE, **keys), sample).line


EVENTS = [
    (EventKind.SERVED_MODEL, {"models": ("m-1",)}, {"models": ("m-2",)}, ("m-1", "m-2")),
    (
        EventKind.QUERIES,
        {"queries": {"p00@1": frozenset({"x"})}},
        {"queries": {"p00@1": frozenset({"y"})}},
        ("x", "y"),
    ),
    (EventKind.BASELINE, {"first": first(baseline="p@1")}, {}, ("p@1", "none")),
    (EventKind.FAMILY_MAP, {"first": first(families="0")}, {}, ("0", "1")),
    (EventKind.RESCORED, {"first": first(scoring="1")}, {}, ("1", "2")),
    (EventKind.RESCORED, {"first": first(judge="words@0")}, {}, ("words@0", "words@1")),
]


@pytest.mark.parametrize(("kind", "before", "after", "told"), EVENTS)
def test_what_happened_around_the_answers_is_an_event_and_hides_no_change(
    kind, before, after, told
):
    found = compare_engine([single(1, 1, 3, **before)], single(2, 2, 2, **after), "alpha")
    assert [(e.kind, e.before, e.after) for e in found.events] == [(kind, *told)]
    assert found.verdict is ChangeVerdict.CHANGED


def test_another_panel_version_says_what_changed_around_the_prompts():
    later = replace(PANEL, version=2, repeats=5)
    after = ran(2, engine_of(2, 1, 3, recipe=replace(RECIPE, panel="p@2")), panel=later)
    (event,) = compare_engine([single(1, 1, 3)], after, "alpha").events
    assert (event.kind, event.before, event.after) == (EventKind.PANEL_VERSION, "p@1", "p@2")
    assert event.note == "repeats '3' -> '5'"


def test_an_event_of_several_pooled_runs_is_told_once():
    runs = [single(n, 1, 3, first=first(scoring="1")) for n in (1, 2, 3)]
    found = compare_engine(runs, single(4, 1, 3), "alpha")
    assert [e.kind for e in found.events] == [EventKind.RESCORED]


def test_a_run_that_was_not_heard_is_not_compared_and_the_whole_says_so():
    short = engine_of(2, 1, 3)
    few = replace(short.sample, coverage=Coverage(90, 90, 80, 80, {"answered": 80}))
    after = ran(2, replace(short, sample=few))
    found = compare_engine([single(1, 1, 3)], after, "alpha")
    # 80 of 90 is 88.9 %, under the gate of 90 %.
    assert why(found) == "88.9% of the plan heard after, 90% needed"


def test_too_few_prompts_say_why_there_is_no_verdict():
    found = compare_engine([single(1, 1, 3, prompts=5)], single(2, 2, 2, prompts=5), "alpha")
    assert found.verdict is ChangeVerdict.NOT_ENOUGH_DATA
    assert why(found) == "5 matched prompts: counts only, intervals from 10"
    assert found.detectable == ()


def test_news_come_first_and_the_rest_keeps_its_order():
    found = compare_engine([single(1, 1, 3)], single(2, 2, 2), "alpha")
    steady = [row for row in found.measures if row.verdict is ChangeVerdict.NO_CLEAR_CHANGE]
    changed = rows(found)["a"]
    watched = replace(changed, name="w", verdict=ChangeVerdict.WATCH)
    assert by_weight([*steady, watched, changed]) == [changed, watched, *steady]


def test_each_side_has_its_signature_with_the_seed_of_the_comparison():
    runs = (single(1, 1, 3), single(2, 1, 3))
    now = single(3, 2, 2, models=("m-2",))
    one = compare_engine(runs, now, "alpha")
    before, after = sides_of(Weighed(runs, now, {"alpha": one}), "alpha")
    told = [parse_signature(line) for line in (*before, after)]
    assert [s.recipe for s in told] == [RECIPE] * 3
    assert [s.sample.window for s in told] == ["2026-01", "2026-02", "2026-03"]
    assert [s.sample.served for s in told] == ["not told", "not told", "m-2"]
    assert {(s.sample.n, s.sample.answered) for s in told} == {("90", "90/90")}
    assert {s.sample.seed for s in told} == {str(one.seed)}


def test_the_sides_of_two_engines_are_signed_by_each():
    run = pair()
    one = compare_engine([run], run, "beta", other="alpha")
    (before,), after = sides_of(Weighed((run,), run, {one.engine: one}), one.engine)
    assert [parse_signature(line).recipe.engine for line in (before, after)] == ["alpha", "beta"]


def test_the_smallest_detectable_change_spans_the_tested_families():
    found = compare_engine([single(1, 1, 3)], single(2, 2, 2), "alpha")
    tests = [
        replace(row.test, smallest_detectable=least, adjusted=adjusted)
        for row, least, adjusted in zip(
            (*found.families, found.families[0]), (0.02, 0.07, 0.9), (0.5, 0.01, None), strict=True
        )
    ]
    families = tuple(replace(found.families[0], test=one) for one in tests)
    # The third took no part in the test: it had too few citations.
    assert replace(found, families=families).detectable == (0.02, 0.07)
