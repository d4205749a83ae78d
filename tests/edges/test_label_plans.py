"""Plans of labelling: who labels what, labels one by one, and what they make of the judge."""

import hashlib
import json

import pytest

from monitor.domain.claim import Support
from monitor.errors import AccessError, StoreError
from monitor.pipeline.adjudicating import (
    Decision,
    OtherDecisionError,
    adjudicate,
    adjudicated,
    disagreements,
)
from monitor.pipeline.exporting import export_json
from monitor.pipeline.label_agreement import settle
from monitor.pipeline.label_desk import (
    Given,
    LabelRefusedError,
    NotAssignedError,
    OtherLabelError,
    give,
    load_planned,
    own_work,
    take_back,
)
from monitor.pipeline.label_list import list_labels
from monitor.pipeline.label_plans import PlanWish, annotators_of, assigned, plan_labels
from monitor.pipeline.label_progress import double_agreement, plan_progress
from monitor.pipeline.reporting import build_report
from monitor.pipeline.trusting import run_trust
from monitor.scoring.segments import EVERYTHING
from monitor.scoring.signature import parse_signature
from monitor.store import adjudications, label_plans, scores, support_labels
from monitor.store.support_labels import PairKey
from tests.labelled import JUDGE, truth
from tests.stored import bench_in
from tests.web.labelling import emptied, scored

FULL, PARTIAL, NO = Support.FULL, Support.PARTIAL, Support.UNSUPPORTED
UNCLEAR = Support.NOT_ASSESSABLE


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A scored run: 40 answers of 3 claims."""
    folder = tmp_path_factory.mktemp("plans")
    with pytest.MonkeyPatch.context() as patch, bench_in(folder, patch) as bench:
        yield bench, scored(bench)


@pytest.fixture(autouse=True)
def without_labels(store):
    """Each test begins without draws, plans, labels and decisions."""
    yield
    emptied(store[0])


def wish(names=("ana", "ben"), share=0.2, pairs=20, **more):
    return PlanWish(tuple(names), more.pop("guideline", "g1"), share, pairs, **more)


def made(store, **fields):
    """A stored plan with its pairs."""
    bench, run = store
    plan, _ = plan_labels(bench, run, wish(**fields), made_by="lead")
    return load_planned(bench, plan.id)


def said(annotator, support, note=None, seen=0, seconds=None):
    return Given(annotator, support, note, seconds, seen)


def keys(count):
    return [PairKey(f"claim {n}", f"evidence {n}") for n in range(count)]


def doubled_by_hand(seed, pairs, count):
    """The pairs first by sha256 of [seed, "double", sha256 of [claim, evidence]] as plain JSON."""

    def key(value):
        text = json.dumps(value, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    ranked = sorted(
        range(len(pairs)),
        key=lambda n: key([seed, "double", key([pairs[n].claim, pairs[n].evidence])]),
    )
    return sorted(ranked[:count])


def test_pairs_go_round_and_the_drawn_ones_to_a_second_of_the_others():
    pairs = keys(10)
    # A quarter of ten is two and a half: three pairs are labelled twice.
    twice = doubled_by_hand(7, pairs, 3)
    found = assigned(7, pairs, ("ana", "ben", "cid"), 0.25)
    assert [who[0] for who in found] == ["ana", "ben", "cid"] * 3 + ["ana"]
    assert [n for n, who in enumerate(found) if len(who) == 2] == twice
    # Of the others in turn: the first pair's is the next name, the second's the one behind it.
    order = ["ana", "ben", "cid"]
    steps = [1, 2, 1]
    assert [found[n][1] for n in twice] == [
        order[(n % 3 + step) % 3] for n, step in zip(twice, steps, strict=True)
    ]
    assert found == assigned(7, pairs, ("ana", "ben", "cid"), 0.25)
    assert found != assigned(8, pairs, ("ana", "ben", "cid"), 0.25)


@pytest.mark.parametrize(
    ("share", "count", "twice"),
    # 0.07 of 100 is 7 and not 7.000000000000001, which would be rounded up to 8.
    [(0.0, 20, 0), (0.2, 20, 4), (0.2, 21, 5), (1.0, 9, 9), (0.07, 100, 7), (0.001, 3, 1)],
)
def test_the_share_labelled_twice_is_rounded_up(share, count, twice):
    found = assigned(1, keys(count), ("ana", "ben"), share)
    assert sum(len(who) == 2 for who in found) == twice
    assert all(len(set(who)) == len(who) for who in found)


def test_a_plan_is_made_once_and_never_changes(store):
    bench, run = store
    first, is_new = plan_labels(bench, run, wish(), made_by="lead")
    again, is_new_again = plan_labels(bench, run, wish(), made_by="somebody")
    assert (is_new, is_new_again) == (True, False)
    assert again == first
    assert (first.made_by, len(first.assignments)) == ("lead", 20)
    assert sum(len(one.annotators) for one in first.assignments) == 24
    for other in (wish(share=0.5), wish(names=("ana", "cid")), wish(guideline="g2")):
        with pytest.raises(StoreError, match=f"has plan {first.id} already, of ana, ben with 20%"):
            plan_labels(bench, run, other, made_by="lead")
    assert bench.read(lambda c: label_plans.load_plan(c, first.id)) == first
    shown = first.assignments[0]
    assert shown.question.startswith("How do oaks grow, part")
    assert shown.sources[0][0].startswith("https://oak")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"names": ()}, "got 0 names"),
        ({"names": ("ana", "Ana")}, "stands there twice"),
        ({"names": ("ana",)}, "takes a second annotator"),
        ({"share": 1.5}, "expected 0 to 1"),
        ({"share": float("nan")}, "expected 0 to 1"),
        ({"guideline": "  "}, "expected the version of the rules"),
        ({"names": tuple(f"a{n}" for n in range(51))}, "got 51 names"),
        ({"pairs": 0}, "expected 1 to 5000"),
    ],
)
def test_a_plan_that_is_none_is_refused_and_nothing_stored(store, fields, told):
    bench, run = store
    with pytest.raises(StoreError, match=told):
        plan_labels(bench, run, wish(**fields), made_by=None)
    assert bench.read(label_plans.count_plans) == 0


def test_names_are_parted_by_commas_and_must_be_names():
    assert annotators_of(" ana, ben  b ,,\ncid") == ("ana", "ben b", "cid")
    with pytest.raises(AccessError, match="expected 1 to"):
        annotators_of("ana, <b>")


def test_an_annotator_resumes_at_the_first_open_pair_and_gives_each_label_once(store):
    bench, _ = store
    plan = made(store)
    work = own_work(bench, plan, "ana")
    # Every other pair, and those of ben's that were drawn for two.
    assert work.positions == tuple(n for n in range(1, 21) if n % 2 or n in doubles(plan))
    assert work.next_open() == 1
    first = give(bench, plan, 1, said("ana", FULL, seconds=9_999.0))
    assert first.seconds == 600.0
    # The same once more, as by a second click: nothing new, whatever was seen.
    assert give(bench, plan, 1, said("ana", FULL)).id == first.id
    work = own_work(bench, plan, "ana")
    assert (work.next_open(), work.next_open(after=1)) == (work.positions[1], work.positions[1])
    # At the end of the plan it goes on from its beginning.
    assert work.next_open(after=20) == work.positions[1]
    assert own_work(bench, plan, "ben").labelled == {}
    assert own_work(bench, plan, None).positions == ()


def test_what_another_window_stored_is_told_and_nothing_is_buried(store):
    bench, run = store
    plan = made(store)
    first = give(bench, plan, 1, said("ana", FULL))
    with pytest.raises(OtherLabelError, match="nothing was stored"):
        give(bench, plan, 1, said("ana", NO, seen=0))
    changed = give(bench, plan, 1, said("ana", NO, seen=first.id))
    history = bench.read(lambda c: support_labels.load_label_history(c, run.panel))
    assert [(one.id, one.support) for one in history] == [(first.id, FULL), (changed.id, NO)]


def test_not_assessable_takes_a_reason_and_a_pair_its_own_annotator(store):
    bench, run = store
    plan = made(store)
    for note in (None, "  "):
        with pytest.raises(LabelRefusedError, match="takes one"):
            give(bench, plan, 1, said("ana", UNCLEAR, note))
    with pytest.raises(LabelRefusedError, match="5000 characters"):
        give(bench, plan, 1, said("ana", FULL, "x" * 5000))
    with pytest.raises(LabelRefusedError, match="seconds nan"):
        give(bench, plan, 1, said("ana", FULL, seconds=float("nan")))
    alone = next(one for one in plan.plan.assignments if one.annotators == ("ben",))
    with pytest.raises(NotAssignedError, match="not assigned to ana"):
        give(bench, plan, alone.position, said("ana", FULL))
    assert bench.read(lambda c: support_labels.load_label_history(c, run.panel)) == ()
    assert give(bench, plan, 1, said("ana", UNCLEAR, " cut off ")).note == "cut off"


def test_undo_takes_back_the_last_label_by_a_row_and_restores_the_one_before(store):
    bench, run = store
    plan = made(store)
    second_place = own_work(bench, plan, "ana").positions[1]
    first = give(bench, plan, 1, said("ana", FULL))
    changed = give(bench, plan, 1, said("ana", NO, seen=first.id))
    second = give(bench, plan, second_place, said("ana", FULL))
    with pytest.raises(OtherLabelError, match="labelled a pair after this one"):
        take_back(bench, plan, "ana", changed.id)
    with pytest.raises(OtherLabelError, match="labelled a pair after this one"):
        take_back(bench, plan, "ana", first.id)
    assert take_back(bench, plan, "ana", second.id) == second_place
    # Twice, as by a second stroke of the key: taken back once.
    assert take_back(bench, plan, "ana", second.id) == second_place
    assert own_work(bench, plan, "ana").labelled.keys() == {1}
    assert take_back(bench, plan, "ana", changed.id) == 1
    assert own_work(bench, plan, "ana").labelled[1].support is FULL
    with pytest.raises(OtherLabelError, match="no label"):
        take_back(bench, plan, "ben", first.id)
    history = bench.read(lambda c: support_labels.load_label_history(c, run.panel))
    assert [(one.withdrawn, one.support) for one in history] == [
        (False, FULL), (False, NO), (False, FULL), (True, FULL), (True, NO),
    ]  # fmt: skip
    # A form that saw the label before it was taken back does not bury that.
    with pytest.raises(OtherLabelError):
        give(bench, plan, second_place, said("ana", PARTIAL, seen=second.id))


def label_all(bench, plan, other=()):
    """Everybody labels what is theirs truly; ben says otherwise of the places in `other`."""
    for one in plan.plan.assignments:
        true = truth(plan.pair(one.position).claim)
        for who in one.annotators:
            differs = who == "ben" and one.position in other
            support = (NO if true is FULL else FULL) if differs else true
            give(bench, plan, one.position, said(who, support))


def doubles(plan):
    return [one.position for one in plan.plan.assignments if len(one.annotators) > 1]


def decide(bench, run, one, support, reason="the page says so", **fields):
    seen = fields.pop("seen", one.decision.id if one.decision else 0)
    labels = fields.pop("labels", one.seen)
    return adjudicate(bench, run.panel, one.pair, Decision(support, reason, "lead", labels, seen))


def test_only_pairs_whose_labels_differ_are_adjudicated_and_both_labels_stay(store):
    bench, run = store
    plan = made(store)
    label_all(bench, plan, other=doubles(plan)[:2])
    before = bench.read(lambda c: support_labels.load_label_history(c, run.panel))
    queue = disagreements(bench, run.panel)
    assert {one.pair for one in queue} == {plan.pair(at).pair for at in doubles(plan)[:2]}
    found = list_labels(bench, run.panel)
    assert (found.disputed, found.adjudicated) == (2, 0)
    decision = decide(bench, run, queue[0], PARTIAL)
    assert [one["support"] for one in decision.originals] == [
        one.support.value for one in queue[0].labels
    ]
    assert decide(bench, run, queue[0], PARTIAL) == decision
    found = list_labels(bench, run.panel)
    assert (found.disputed, found.adjudicated) == (1, 1)
    assert bench.read(lambda c: support_labels.load_label_history(c, run.panel)) == before
    # Later decisions count, and all of them stay.
    with pytest.raises(OtherDecisionError, match="somebody decided"):
        decide(bench, run, queue[0], NO)
    decide(bench, run, disagreements(bench, run.panel)[0], NO)
    assert adjudicated(bench, run.panel) == {queue[0].pair.identity: NO}
    stored = bench.read(
        lambda c: adjudications.load_adjudications(c, run.panel, adjudications.Subject.SUPPORT)
    )
    assert [one.body["support"] for one in stored] == ["partial", "unsupported"]


def test_a_decision_takes_a_reason_and_the_labels_that_are_there(store):
    bench, run = store
    plan = made(store)
    label_all(bench, plan, other=doubles(plan)[:1])
    (one,) = disagreements(bench, run.panel)
    with pytest.raises(LabelRefusedError, match="takes one"):
        decide(bench, run, one, FULL, reason=" ")
    with pytest.raises(OtherDecisionError, match="labelled this pair anew"):
        decide(bench, run, one, FULL, labels=one.seen[:1])
    decide(bench, run, one, UNCLEAR)
    # Whoever comes round to the other's label ends the disagreement: labels settle it again.
    place = doubles(plan)[0]
    mine = own_work(bench, plan, "ben").labelled[place]
    theirs = own_work(bench, plan, "ana").labelled[place].support
    give(bench, plan, place, said("ben", theirs, "yes", seen=mine.id))
    labels = bench.read(lambda c: support_labels.load_labels(c, run.panel))
    assert settle(labels, adjudicated(bench, run.panel))[one.pair] is theirs


def test_agreement_for_the_lead_rests_on_pairs_that_both_labelled(store):
    bench, run = store
    plan = made(store)

    def progress():
        history = bench.read(lambda c: support_labels.load_label_history(c, run.panel))
        return plan_progress(bench, plan, history)

    assert double_agreement(plan, progress()) == ()
    label_all(bench, plan, other=doubles(plan)[:1])
    found = progress()
    even = sum(place % 2 == 0 for place in doubles(plan))
    ana, ben = 10 + even, 10 + 4 - even
    assert found.by_annotator == (("ana", ana, ana), ("ben", ben, ben))
    assert (found.double, found.disagreements, len(found.labels)) == (4, 1, 8)
    measures = double_agreement(plan, found)
    raw = next(one for one in measures if one.name == "raw_agreement")
    # Three of four pairs alike.
    assert (raw.coefficient.value, raw.coefficient.subjects) == (0.75, 4)
    # Taken back by one of them, a pair rests on nobody's agreement.
    last = own_work(bench, plan, "ben").last[1]
    take_back(bench, plan, "ben", last.id)
    assert progress().by_annotator[1] == ("ben", ben - 1, ben)


def contradiction(bench, run):
    """The corrected contradiction rate of the run's one engine."""
    cards = bench.read(lambda c: scores.load_scorecards(c, run.id))
    trust = run_trust(bench, run, cards)
    return next(one for one in trust.corrected if one.measure == "contradiction_rate")


def test_decisions_and_labels_taken_back_change_corrected_rates_by_what_they_are(store):
    bench, run = store
    plan = made(store, pairs=110, share=1.0)
    # Both say the same of all 110 pairs: every claim that can be labelled is, by people. The
    # rate is then that of the labels, whatever the judge says.
    for one in plan.plan.assignments:
        for who in one.annotators:
            give(bench, plan, one.position, said(who, NO))
    assert contradiction(bench, run).value == pytest.approx(0.0)
    # Of eleven pairs one of them says `contradicted`: at a tie, they count nowhere.
    for place in range(1, 12):
        mine = own_work(bench, plan, "ana").labelled[place]
        give(bench, plan, place, said("ana", Support.CONTRADICTED, seen=mine.id))
    found = contradiction(bench, run)
    assert (found.labelled, found.value) == (99, pytest.approx(0.0, abs=0.03))
    # Decided so, they are 11 of 110: a tenth.
    for one in disagreements(bench, run.panel):
        decide(bench, run, one, Support.CONTRADICTED)
    found = contradiction(bench, run)
    assert (found.labelled, found.value) == (110, pytest.approx(0.1))
    # The judge's own rate is not touched by any of it.
    cards = bench.read(lambda c: scores.load_scorecards(c, run.id))
    assert found.judged == cards[0].measures["contradiction_rate"].rate
    # Reports and exports say beside it how many labels there are; the stored card does not.
    (exported,) = (
        one
        for one in json.loads(export_json(bench, run))["scorecards"]
        if one["segment"] == EVERYTHING
    )
    assert exported["signature"] == f"{cards[0].signature}|labels:110"
    (engine,) = build_report(bench, run, JUDGE).engines
    assert parse_signature(engine.card.signature).sample.labels == "110"
    # With ana's second thoughts taken back, the labels agree again, and nothing is contradicted.
    for _ in range(11):
        take_back(bench, plan, "ana", own_work(bench, plan, "ana").last[1].id)
    assert contradiction(bench, run).value == pytest.approx(0.0)
