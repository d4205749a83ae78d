"""What is told of a run: gates first, a new model beside a change, and answers behind each."""

from dataclasses import replace
from itertools import pairwise

import pytest

from monitor.changes import EngineRun, raise_alerts
from monitor.domain.alert import AlertKind, AlertRules, Direction, Severity, ShareScope
from monitor.domain.change import Appearance, ChangeVerdict, Event, EventKind
from monitor.domain.instrument import Alarm, AlarmKind
from monitor.domain.sample import pooled_sample
from monitor.domain.score import Rate
from tests.assessed import tally
from tests.sampled import citing, compared, month, sample

RULES = AlertRules()
MODEL = Event(EventKind.SERVED_MODEL, "m-1", "m-2")


def told(*samples, events=(), rules=RULES, **fields):
    """What the last sample gives cause to tell."""
    *earlier, after = samples
    run = EngineRun(
        after,
        tuple(earlier),
        previous=compared(earlier[-1], after, events) if earlier else None,
        drift=compared(pooled_sample(earlier), after) if len(earlier) > 1 else None,
        **fields,
    )
    return raise_alerts("panel", run, rules)


def by_kind(alerts):
    return {alert.kind for alert in alerts}


def test_a_quiet_month_tells_nothing():
    assert told(month("r1", 2, 8), month("r2", 2, 8, first=500)) == ()


def test_a_share_that_moved_names_the_family_and_the_answers_that_cite_it():
    alerts = told(month("r1", 1, 9), month("r2", 4, 6, first=500))
    family = next(a for a in alerts if a.entity == "a")
    assert (family.kind, family.direction) == (AlertKind.FAMILY_SHARE, Direction.UP)
    assert (family.severity, family.before, family.after) == (Severity.WARNING, ("r1",), "r2")
    assert family.change.after.pooled == Rate(360, 900)  # 90 answers with 4 of 10
    assert (family.answers_in_all, len(family.answers)) == (90, 20)
    assert {ref.run for ref in family.answers} == {"r2"}
    assert family.answers[0].capture_id == 500


def test_a_family_that_went_points_at_the_answers_without_it_then_at_those_that_had_it():
    alerts = told(month("r1", 3, 7), month("r2", 0, 10, first=500))
    gone = next(a for a in alerts if a.entity == "a")
    assert gone.change.appearance is Appearance.DISAPPEARED
    assert gone.says == "alpha no longer cites a, unlike in r1."
    assert gone.answers_in_all == 180
    assert {ref.run for ref in gone.answers} == {"r2"}


def uneven(run, counts, first=1):
    """One prompt a number of citations of family `a` of ten, three answers each."""
    made = [
        tally(f"p{p:02}", {"a": n, "rest": 10 - n}, repeat=r)
        for p, n in enumerate(counts)
        for r in (1, 2, 3)
    ]
    return sample(run, made, first)


def test_a_fall_names_the_answers_of_the_prompts_that_lost_most():
    # Twenty prompts stay at five of ten, four fall to one, six to none; one rises.
    before = uneven("r1", [5] * 31)
    after = uneven("r2", [5] * 20 + [1] * 4 + [0] * 6 + [9], first=500)
    fallen = next(a for a in told(before, after) if a.entity == "a")
    assert fallen.direction is Direction.DOWN
    assert fallen.says == "alpha cites a less than in r1."
    assert fallen.answers_in_all == 2 * (4 + 6) * 3
    first = [(ref.run, ref.prompt_id) for ref in fallen.answers]
    assert first[:18] == [("r2", f"p{p}") for p in range(24, 30) for _ in range(3)]
    assert {prompt for _, prompt in first[18:]} == {"p20"}


@pytest.mark.parametrize(
    ("after", "severity"),
    [(4, Severity.CRITICAL), (0, Severity.CRITICAL), (3, Severity.WARNING)],
)
def test_a_watched_family_is_critical_from_five_points_or_when_it_went(after, severity):
    # of 100 citations an answer 2.5 %, then 10 %, none, or 7 % (4.5 points: no more than a warning)
    before, now = month("r1", 5, 195), {4: (20, 180), 0: (0, 200), 3: (14, 186)}[after]
    alerts = told(before, month("r2", *now, first=500), watched=frozenset({"a"}))
    assert next(a for a in alerts if a.entity == "a").severity is severity
    assert alerts[0].severity is min((a.severity for a in alerts), key=list(Severity).index), (
        "gravest first"
    )


def test_only_watched_families_are_told_where_that_is_the_rule():
    months = month("r1", 1, 9), month("r2", 4, 6, first=500)
    rules = replace(RULES, share=ShareScope.WATCHED, concentration=False)
    assert told(*months, rules=rules) == ()
    named = told(*months, rules=rules, watched=frozenset({"a"}))
    assert [a.entity for a in named] == ["a"]
    off = replace(rules, share=ShareScope.OFF)
    assert told(*months, rules=off, watched=frozenset({"a"})) == ()


def test_a_new_model_is_told_beside_a_change_and_suppresses_none():
    alerts = told(month("r1", 1, 9), month("r2", 4, 6, first=500), events=(MODEL,))
    model = next(a for a in alerts if a.kind is AlertKind.ENGINE_CHANGED)
    assert (model.entity, model.severity) == ("m-1 -> m-2", Severity.NOTICE)
    assert {"a", "rest"} <= {a.entity for a in alerts}
    silent = told(
        month("r1", 2, 8), month("r2", 2, 8), events=(MODEL,),
        rules=replace(RULES, engine_changed=False),
    )  # fmt: skip
    assert silent == ()


def test_a_run_that_was_not_heard_is_told_and_no_share():
    after = month("r2", 4, 6, first=500)
    storm = replace(after, coverage=replace(after.coverage, planned=120, heard=90))
    (alert,) = told(month("r1", 1, 9), storm, events=(MODEL,))
    assert (alert.kind, alert.entity) == (AlertKind.RUN_QUALITY, "r2")
    assert alert.says == "It cannot be compared with r1: 75.0% of the plan heard after, 90% needed."
    assert told(month("r1", 1, 9), storm, rules=replace(RULES, coverage=False)) == ()


def test_a_grave_alarm_of_the_run_itself_leaves_nothing_else_to_tell():
    alarm = Alarm(AlarmKind.OUTCOME_STORM, "alpha", {}, "alpha kept us out.", "Ask more slowly.")
    (alert,) = told(month("r1", 1, 9), month("r2", 4, 6, first=500), alarms=(alarm,))
    assert (alert.kind, alert.says) == (AlertKind.RUN_QUALITY, "alpha kept us out.")
    news = replace(alarm, kind=AlarmKind.MODEL_CHANGED)
    assert AlertKind.RUN_QUALITY not in by_kind(
        told(month("r1", 1, 9), month("r2", 4, 6, first=500), alarms=(news,))
    )


def many(run, shift, first=1):
    """Ten families of equal share; of five of them some citations went to the other five."""
    counts = {f"f{i}": 5 + (shift if i < 5 else -shift) for i in range(10)}
    made = [tally(f"p{p:02}", counts, repeat=r) for p in range(30) for r in (1, 2, 3)]
    return sample(run, made, first)


def test_many_families_at_once_are_one_alert_and_watched_ones_stay():
    alerts = told(many("r1", 0), many("r2", 3, first=500), watched=frozenset({"f0"}))
    assert [(a.kind, a.entity) for a in alerts if a.kind is not AlertKind.CONCENTRATION] == [
        (AlertKind.FAMILY_SHARE, "f0"),
        (AlertKind.ENGINE_CHANGED, "sources"),
    ]
    assert "10 of 10 tested families changed at once" in alerts[-1].says


MISSES = {"source_precision": Rate(1, 4), "contradiction_rate": Rate(2, 4)}
HITS = {"source_precision": Rate(3, 4), "contradiction_rate": Rate(0, 4)}


def test_measures_and_contradictions_name_the_answers_that_made_the_difference():
    alerts = told(month("r1", 2, 8, measures=HITS), month("r2", 2, 8, measures=MISSES, first=500))
    kinds = {a.entity: (a.kind, a.direction) for a in alerts}
    assert kinds == {
        "source_precision": (AlertKind.MEASURE, Direction.DOWN),
        "contradiction_rate": (AlertKind.CONTRADICTION, Direction.UP),
    }
    # All 90 answers, and where a measure fell those before it too.
    assert {a.entity: a.answers_in_all for a in alerts} == {
        "source_precision": 180,
        "contradiction_rate": 90,
    }
    better = told(month("r1", 2, 8, measures=MISSES), month("r2", 2, 8, measures=HITS, first=500))
    assert [a.entity for a in better] == ["source_precision"], "fewer contradictions are no alert"
    quiet = replace(RULES, measures=(), contradiction=False)
    assert told(
        month("r1", 2, 8, measures=HITS), month("r2", 2, 8, measures=MISSES), rules=quiet
    ) == ()  # fmt: skip


def at(alerts, level, previous=True):
    """Alerts of comparisons whose every adjusted p is the level given."""
    before, after = month("r1", 1, 9, measures=HITS), month("r2", 4, 6, first=500, measures=MISSES)
    made = compared(before, after)
    tested = replace(made, families=tuple(p_of(c, level) for c in made.families),
                     measures=tuple(p_of(c, level) for c in made.measures), concentration=None)  # fmt: skip
    unsaid = replace(made, families=tuple(map(no_change, made.families)),
                     measures=tuple(map(no_change, made.measures)), concentration=None)  # fmt: skip
    sides = {"previous": tested} if previous else {"drift": tested, "previous": unsaid}
    return raise_alerts("panel", EngineRun(after, (before,), **sides), alerts)


def no_change(change):
    return replace(change, verdict=ChangeVerdict.NO_CLEAR_CHANGE)


def p_of(change, level):
    return replace(change, test=replace(change.test, adjusted=level))


def test_only_shares_against_the_run_before_are_told_at_the_level_of_changed():
    assert by_kind(at(RULES, 0.04)) == {AlertKind.FAMILY_SHARE}
    assert at(RULES, 0.04, previous=False) == ()
    strict = {AlertKind.FAMILY_SHARE, AlertKind.MEASURE, AlertKind.CONTRADICTION}
    assert by_kind(at(RULES, 0.01)) == by_kind(at(RULES, 0.01, previous=False)) == strict
    assert by_kind(at(replace(RULES, strict_level=0.05), 0.04)) == strict


def test_slow_drift_is_told_against_the_pooled_runs_once():
    # Each step alone is under the fifth of the share that a change needs; together they are not.
    steps = [month(f"r{i}", a, 100 - a, first=i * 1000) for i, a in enumerate((20, 20, 22, 26))]
    assert all(not compared(*pair).changed for pair in pairwise(steps[:3]))
    alerts = told(*steps)
    assert [(a.entity, a.before) for a in alerts] == [("a", ("r0", "r1", "r2"))]


def test_a_step_is_not_told_again_by_the_pooled_runs_in_the_months_after_it():
    # What one month told, the pooled runs would tell again of everything that was not told then.
    steps = [month(f"r{i}", a, 100 - a, first=i * 1000) for i, a in enumerate((20, 20, 40, 40))]
    assert {a.entity for a in told(*steps[:3])} >= {"a"}
    assert compared(pooled_sample(steps[:3]), steps[3]).changed != ()
    assert told(*steps) == ()
    turned = month("r3", 39, 61, first=3000)
    assert told(*steps[:3], turned) == ()


def test_a_level_that_a_person_accepted_is_no_news_against_runs_before_it():
    steps = [month(f"r{i}", a, 100 - a, first=i * 1000) for i, a in enumerate((20, 30, 36))]
    (alert,) = (a for a in told(*steps) if a.entity == "a")
    assert alert.before == ("r0", "r1")
    stale = {alert.key("panel"): frozenset({"r0"})}
    assert told(*steps, stale=stale) == ()


ALL, NONE = [True] * 3, [False] * 3


def lost(*runs, others=0):
    """What is told of runs whose answers cite a required source, or not; `others` always do."""
    made = [citing(f"r{i}", cited, first=i * 1000, others=others) for i, cited in enumerate(runs)]
    previous = compared(made[-2], made[-1]) if len(made) > 1 else None
    return raise_alerts("panel", EngineRun(made[-1], tuple(made[:-1]), previous), RULES)


def test_a_required_source_that_all_cited_and_two_runs_do_not_is_lost():
    (alert,) = lost(ALL, ALL, ALL, NONE, NONE)
    assert (alert.kind, alert.entity) == (AlertKind.REQUIRED_LOST, "p00: nhs.example")
    assert alert.says == (
        "alpha no longer cites the required source nhs.example for p00: "
        "0 of 6 answers of the last two runs do, 9 of 9 before did."
    )
    assert alert.before == ("r0", "r1", "r2")
    assert [ref.run for ref in alert.answers] == ["r4"] * 3


@pytest.mark.parametrize(
    "runs",
    [
        (ALL, ALL, ALL, NONE),  # one run without it is not enough
        (ALL, ALL, ALL, ALL, NONE),
        (ALL, [True, True, False], ALL, NONE, NONE),  # it was missed once before
        (ALL, ALL, ALL, [False, False, True], NONE),  # one still cites it
        (ALL, ALL, ALL, NONE, [False, None, False]),  # an unresolved citation may be it
        (ALL, [True, None, True], ALL, NONE, NONE),
        ([True], [True], [False], [False]),  # 2 of 2, then 0 of 2: one in C(4, 2) = 6
    ],
)
def test_what_is_not_certain_is_not_lost(runs):
    assert lost(*runs) == ()


@pytest.mark.parametrize(("others", "told"), [(249, 1), (250, 0)])
def test_the_more_sources_are_watched_the_less_one_loss_says(others, told):
    # 9 of 9, then 0 of 6: one in C(15, 6) = 5005; 250 of them are at 0.04995, 251 at 0.05015
    assert len(lost(ALL, ALL, ALL, NONE, NONE, others=others)) == told


def test_a_prompt_of_another_text_loses_nothing():
    made = [citing(f"r{i}", ALL, first=i * 100) for i in range(3)]
    edited = [citing(f"r{i}", NONE, first=i * 100) for i in (3, 4)]
    edited = [replace(one, versions=dict.fromkeys(one.versions, "p00@2")) for one in edited]
    run = EngineRun(edited[-1], (*made, edited[0]), compared(*edited))
    assert raise_alerts("panel", run, RULES) == ()


def test_keys_tell_engines_entities_and_directions_apart():
    up = told(month("r1", 1, 9), month("r2", 4, 6, first=500))
    down = told(month("r1", 4, 6), month("r2", 1, 9, first=500))
    again = told(month("r2", 1, 9), month("r3", 4, 6, first=500))
    assert {a.key("panel") for a in up} & {a.key("panel") for a in down} == set()
    assert {a.key("panel") for a in up} == {a.key("panel") for a in again}
    assert up[0].key("panel") != up[0].key("other")
