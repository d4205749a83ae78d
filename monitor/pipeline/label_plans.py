"""Plans of labelling: every pair of a draw assigned to annotators before anybody labels.

Each pair goes to one annotator in turn. A share of the pairs, drawn at random by a hash of seed
and pair, goes to a second one as well, so that nobody chooses on what annotators are compared.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from monitor.domain.access import Visitor, person_name
from monitor.domain.keys import content_key
from monitor.errors import StoreError, UnfitError
from monitor.pipeline.bench import Bench
from monitor.pipeline.labelling import Drawn, draw_pairs
from monitor.store import Connection, audit, label_plans, runs
from monitor.store.label_plans import Assignment, LabelPlan
from monitor.store.support_labels import PairKey

DOUBLE_SHARE = 0.2
"""Share of pairs that two annotators label, unless another is asked for."""
MOST_ANNOTATORS = 50
_LONGEST_GUIDELINE = 64


@dataclass(frozen=True, slots=True)
class PlanWish:
    """What a plan is made from, as a command or a form tells it."""

    annotators: tuple[str, ...]
    guideline: str
    double_share: float = DOUBLE_SHARE
    pairs: int = 60
    engine: str | None = None
    seed: int | None = None


def plan_labels(
    bench: Bench,
    run: runs.Run,
    wish: PlanWish,
    *,
    made_by: str | None,
    who: Visitor | None = None,
) -> tuple[LabelPlan, bool]:
    """The plan of a draw of a run's pairs, and whether it is new; noted of who asked for it.

    StoreError where names, share or guideline are none, where nothing can be drawn, and where the
    draw was planned otherwise before: a plan never changes.
    """
    asked = _checked(wish)
    drawn = draw_pairs(bench, run, engine=asked.engine, pairs=asked.pairs, seed=asked.seed)
    made = _plan(drawn, asked, made_by, bench)

    def save(connection: Connection) -> int | None:
        row = label_plans.save_plan(connection, made)
        if row is not None and who is not None:
            subject = f"{made.panel}, plan {row}"
            audit.note(connection, who, "plan labels", subject, at=made.made_at)
        return row

    row = bench.write(save)
    known = bench.read(lambda c: label_plans.load_plan_of(c, made.draw))
    if known is None:
        raise StoreError(f"the plan of draw {made.draw} was not stored; ask again")
    if row is None and _said(known) != _said(made):
        raise StoreError(
            f"draw {made.draw} has plan {known.id} already, of {', '.join(known.annotators)} with "
            f"{known.double_share:.0%} labelled twice by guideline {known.guideline}, which stays; "
            "draw another number of pairs, or name another seed"
        )
    return known, row is not None


def _plan(drawn: Drawn, wish: PlanWish, made_by: str | None, bench: Bench) -> LabelPlan:
    """A plan that is not stored yet."""
    draw = drawn.draw
    shares = assigned(
        draw.seed, [one.pair for one in draw.pairs], wish.annotators, wish.double_share
    )
    assignments = tuple(
        Assignment(
            position,
            who,
            sheet.prompt_text,
            sheet.statement,
            tuple((url, sha256) for url, _, sha256 in sheet.passages),
        )
        for position, (who, sheet) in enumerate(zip(shares, drawn.sheets, strict=True), 1)
    )
    return LabelPlan(
        0, draw.panel, draw.key, wish.annotators, wish.double_share, wish.guideline,
        assignments, made_by, bench.clock.now(),
    )  # fmt: skip


def _said(plan: LabelPlan) -> tuple[object, ...]:
    return plan.annotators, plan.double_share, plan.guideline


def assigned(
    seed: int, pairs: Sequence[PairKey], annotators: Sequence[str], double_share: float
) -> tuple[tuple[str, ...], ...]:
    """Who labels each pair, in the order of the pairs.

    The first annotator is the next in turn. The pairs that are labelled twice are those first in
    the order of a hash of seed and pair; of these, too, the second is the next of the others.
    """
    twice = math.ceil(Fraction(str(double_share)) * len(pairs))
    ranked = sorted(
        range(len(pairs)), key=lambda at: content_key([seed, "double", pairs[at].identity])
    )
    doubled = {at: turn for turn, at in enumerate(sorted(ranked[:twice]))}
    count = len(annotators)
    found: list[tuple[str, ...]] = []
    for at in range(len(pairs)):
        first = at % count
        who = [annotators[first]]
        if at in doubled:
            who.append(annotators[(first + 1 + doubled[at] % (count - 1)) % count])
        found.append(tuple(who))
    return tuple(found)


def annotators_of(text: str) -> tuple[str, ...]:
    """Names of a list with commas or line ends between them; AccessError for what is no name."""
    parts = text.replace("\n", ",").split(",")
    return tuple(person_name(part) for part in parts if part.strip())


def _checked(wish: PlanWish) -> PlanWish:
    """The wish; UnfitError where no plan can be made of it."""
    names = wish.annotators
    guideline = wish.guideline.strip()
    if not 1 <= len(names) <= MOST_ANNOTATORS:
        raise UnfitError(
            f"annotators: got {len(names)} names; expected 1 to {MOST_ANNOTATORS}, with commas "
            "between them"
        )
    if len({name.casefold() for name in names}) != len(names):
        raise UnfitError(f"annotators {', '.join(names)[:200]}: a name stands there twice")
    if not 1 <= len(guideline) <= _LONGEST_GUIDELINE:
        raise UnfitError(
            f"guideline: got {len(guideline)} characters; expected the version of the rules, such "
            f"as 2026-12, at most {_LONGEST_GUIDELINE} characters"
        )
    if not 0 <= wish.double_share <= 1:
        raise UnfitError(f"share labelled twice {wish.double_share}: expected 0 to 1")
    if wish.double_share > 0 and len(names) < 2:
        raise UnfitError(
            f"share labelled twice {wish.double_share}: that takes a second annotator; name one, "
            "or have 0 labelled twice"
        )
    return PlanWish(names, guideline, wish.double_share, wish.pairs, wish.engine, wish.seed)
