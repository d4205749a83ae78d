"""How far the judge of a run may be trusted: shipped figures, the panel's labels, corrections.

Labels never change a verdict. They say how often the judge agrees with people, and they correct
the judge's rates as a sample (`monitor.statistics.correction`): the judge's own rate stays what it
is, and no label is counted in it.
"""

from collections.abc import Sequence
from dataclasses import replace

from monitor.domain.score import Scorecard
from monitor.domain.trust import JudgeTrust
from monitor.judge.measured import measured_figures
from monitor.pipeline.adjudicating import adjudicated
from monitor.pipeline.bench import Bench
from monitor.pipeline.correcting import corrections, recipe_of
from monitor.pipeline.label_agreement import panel_labels, settle
from monitor.scoring.segments import EVERYTHING
from monitor.scoring.signature import with_labels
from monitor.store import runs, support_labels


def run_trust(bench: Bench, run: runs.Run, cards: Sequence[Scorecard]) -> JudgeTrust | None:
    """Trust in the judge behind scorecards of a run; None without a scorecard.

    Nothing is judged: verdicts that the store does not have count as left open.
    """
    whole = [card for card in cards if card.segment == EVERYTHING]
    judge = next((judge for card in whole if (judge := judge_of(card))), None)
    if judge is None:
        return None
    labels = bench.read(lambda c: support_labels.load_labels(c, run.panel))
    if not labels:
        return JudgeTrust(judge, measured_figures(judge), None)
    decided = adjudicated(bench, run.panel)
    settled = settle(labels, decided)
    draws = bench.read(lambda c: support_labels.load_draws(c, run.panel))
    here = panel_labels(bench, labels, draws, judge, decided=decided)
    mine = [one for one in draws if one.run == run.public_id]
    corrected, notes = corrections(bench, run, whole, draws=mine, settled=settled)
    return JudgeTrust(judge, measured_figures(judge), here, corrected, notes)


def count_labels(cards: Sequence[Scorecard], trust: JudgeTrust | None) -> tuple[Scorecard, ...]:
    """Scorecards whose signatures say how many labelled pairs correct their engine's rates.

    Those of parts of a panel stay: nothing corrects them.
    """
    labels = {one.engine: one.labelled for one in trust.corrected} if trust else {}
    return tuple(
        replace(card, signature=with_labels(card.signature, labels.get(card.engine, 0)))
        if card.segment == EVERYTHING
        else card
        for card in cards
    )


def judge_of(card: Scorecard) -> str | None:
    """Name and version of a scorecard's judge; None where another version wrote its signature."""
    recipe = recipe_of(card)
    return recipe.judge if recipe else None
