"""What people add to a store: a plan with labels, a draft of a baseline with a pool."""

from monitor.domain.claim import Support
from monitor.pipeline import drafting
from monitor.pipeline.label_plans import PlanWish, plan_labels
from monitor.pipeline.pooling import pool_cited
from monitor.store import drafts, runs, support_labels
from monitor.store.support_labels import SupportLabel

PEOPLE = ("ana", "ben")


def add_labels(bench, run, *, pairs=12, note="It says so in the second paragraph."):
    """A plan whose every pair two people labelled, apart over each third; the last is left open."""
    wish = PlanWish(PEOPLE, "2026-12", 1.0, pairs)
    plan, _ = plan_labels(bench, run, wish, made_by=None)
    draw = bench.read(lambda c: support_labels.load_draw(c, plan.draw))
    at = bench.clock.now()
    for number, one in enumerate(draw.pairs[:-1]):
        for annotator in PEOPLE:
            differs = annotator == PEOPLE[1] and number % 3 == 0
            label = SupportLabel(
                one.pair, one.claim, one.evidence,
                Support.UNSUPPORTED if differs else Support.FULL, annotator, "2026-12", note=note,
            )  # fmt: skip
            bench.write(
                lambda c, label=label: support_labels.save_label(c, run.panel, label, at=at)
            )
    return plan


def add_draft(bench, run, *, version="2027-01"):
    """A draft with a pool of what a run cites."""
    asked = drafting.Asked(version, "2026-12", PEOPLE, 0.2)
    draft_id = drafting.begin(bench, run.panel, asked, by="ana")
    draft = bench.read(lambda c: drafts.load_draft(c, draft_id))
    pool_cited(bench, draft, run, per_prompt=3)
    return draft_id


def newest(bench):
    """The newest run of a store."""
    return bench.read(lambda c: runs.list_runs(c, limit=1))[0]
