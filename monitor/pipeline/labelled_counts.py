"""What judge and people count for each pair of an engine: what a correction by labels rests on."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from monitor.domain.claim import NotAssessable, Support, Verdict
from monitor.domain.score import Rate
from monitor.pipeline.cited_pairs import CitedPair, Resting
from monitor.scoring.credit import joint_verdict, not_assessable
from monitor.statistics.correction import LabelledCounts
from monitor.store.support_labels import PairKey

Credit = Callable[[Verdict, Resting], Rate]
"""What a verdict counts for one claim."""


@dataclass(frozen=True, slots=True)
class JudgedPairs:
    """Pairs of one engine with what the judge and people say of them."""

    engine: str
    pairs: tuple[CitedPair, ...]
    judged: Mapping[PairKey, Verdict | None]
    people: Mapping[PairKey, Support]
    """Settled supports of drawn pairs alone."""


def contradicted(verdict: Verdict, one: Resting) -> Rate:
    """One cited claim: contradicted, not, or not assessable."""
    joint = joint_verdict(verdict, one.pages)
    if joint.reason is not None:
        return not_assessable(joint.reason)
    return Rate(int(joint.support is Support.CONTRADICTED), 1)


def labelled_counts(
    counted: JudgedPairs, credit: Credit, misses: Mapping[str, int]
) -> LabelledCounts:
    """Counts of judge and people for every pair and prompt of one engine."""
    rows: list[tuple[str, int, Rate, Rate | None]] = []
    for pair in counted.pairs:
        verdict = counted.judged[pair.key]
        support = counted.people.get(pair.key)
        claims: dict[str, list[Resting]] = {}
        for one in pair.claims:
            if one.engine == counted.engine:
                claims.setdefault(one.prompt, []).append(one)
        for prompt, resting in claims.items():
            judged = _sum(_guess(verdict, credit, one) for one in resting)
            label = None if support is None else _label(support)
            people = None if label is None else _sum(credit(label, one) for one in resting)
            rows.append((prompt, len(resting), judged, people))
    prompts = sorted({prompt for prompt, *_ in rows} | set(misses))
    place = {prompt: at for at, prompt in enumerate(prompts)}
    return LabelledCounts(
        prompt=[place[prompt] for prompt, *_ in rows],
        claims=[claims for _, claims, *_ in rows],
        judge_hits=[judged.hits for _, _, judged, _ in rows],
        judge_total=[judged.total for _, _, judged, _ in rows],
        human_hits=[np.nan if people is None else people.hits for *_, people in rows],
        human_total=[np.nan if people is None else people.total for *_, people in rows],
        misses=[misses.get(prompt, 0) for prompt in prompts],
    )


def _sum(rates: Iterable[Rate]) -> Rate:
    return sum(rates, Rate(0, 0))


def _label(support: Support) -> Verdict:
    """A label in the shape of a verdict; `not_assessable` of people is no class."""
    reasons = (NotAssessable.JUDGE_UNCLEAR.value,) if support is Support.NOT_ASSESSABLE else ()
    return Verdict(support, reasons)


def _guess(verdict: Verdict | None, credit: Credit, one: Resting) -> Rate:
    """What the judge's verdict counts for; where it left a claim open, its score is the guess.

    The correction holds whatever is guessed; a good guess makes it narrower. So a label on a pair
    that the judge left open is used like any other.
    """
    if verdict is None:
        return Rate(0, 0)
    found = credit(verdict, one)
    is_whole = all(page.readable for page in one.pages)
    if verdict.reason != NotAssessable.JUDGE_UNCLEAR.value or not is_whole:
        return found
    sure = credit(Verdict(Support.FULL), one)
    return Rate((verdict.score or 0.0) * sure.hits, 1)
