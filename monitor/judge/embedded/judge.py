"""The default judge: lexical comparison, a small logistic model, and rules for what turns a claim.

It reads words, not meaning. It is a screen: copied and reworded claims and unrelated pages are told
apart well; a page that says the same in quite other words lands in the unclear band, and of what is
turned round only numbers, dates, units, names, denials, common opposites, limits, lost hedges and
conditions are seen. No download, no key.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from monitor.domain.claim import GapKind, NotAssessable, Question, Support, Verdict
from monitor.judge.embedded.case import Read, read_case
from monitor.judge.embedded.compare import Comparison
from monitor.judge.embedded.faults import Fault, gaps_of
from monitor.judge.embedded.features import features
from monitor.judge.embedded.weights import Model, Weights, load_weights

VERSION = "embedded@2"
_SURE = 0.5
"""Probability of full support from which the label is full."""
_POOR = 0.25
"""Probability of full support below which the label is not unclear any more."""
_FORGIVEN = frozenset({GapKind.NAME})
"""Faults that people often forgive: of claims with one and a score from `_SURE` on, two in three
are fully supported (attributionbench_dev, 31 of 47)."""
_SOME = 0.6
"""Probability of at least partial support from which a poor claim is partial."""
_UNCLEAR = NotAssessable.JUDGE_UNCLEAR.value
_RELATED = 0.5
"""Cover of a passage below which nothing counts as a part of the claim."""
_MISSING_SHOWN = 4


FeaturesOf = Callable[[Read, Sequence[str]], dict[str, float]]
"""Features by name of a claim that was laid beside its evidence texts."""


def word_features(read: Read, evidence: Sequence[str]) -> dict[str, float]:  # noqa: ARG001
    """What the words say; the texts were read already."""
    return features(read.found)


@dataclass(frozen=True, slots=True)
class EmbeddedJudge:
    """Judge of rules and two logistic models; the same input gives the same verdict."""

    weights: Weights
    features_of: FeaturesOf = word_features
    version: str = VERSION
    """Name and version; raised with every change of rule, weight or feature."""

    def verdict(self, claim: str, evidence: tuple[str, ...]) -> Verdict:
        """Support of a claim by all evidence texts read together."""
        read = read_case(claim, evidence, self.weights)
        if not isinstance(read, Read):
            return Verdict(Support.NOT_ASSESSABLE, (read.value,), 0.0, judge=self.version)
        values = self.features_of(read, evidence)
        made = decided(
            read,
            evidence,
            full=probability(self.weights.full, values),
            some=probability(self.weights.some, values),
        )
        return replace(made, judge=self.version)

    def verdicts(self, asked: Iterable[Question]) -> Iterator[Verdict]:
        """Verdicts one by one, in order."""
        return (self.verdict(one.claim, one.evidence) for one in asked)

    @property
    def held(self) -> None:
        """No cap ends what costs nothing."""


def embedded_judge() -> EmbeddedJudge:
    """The judge with the weights of this version."""
    return EmbeddedJudge(load_weights())


def probability(model: Model, values: Mapping[str, float]) -> float:
    """What a logistic model makes of the features."""
    total = model.constant + sum(w * values[name] for name, w in model.weights.items())
    return 1 / (1 + math.exp(-total))


def decided(read: Read, evidence: tuple[str, ...], *, full: float, some: float) -> Verdict:
    """The verdict by the rules and two probabilities: of full, and of at least partial support."""
    return _quoted(_decide(read, score=read.scored(full), some=some), read.found, evidence)


def _decide(read: Read, *, score: float, some: float) -> Verdict:
    """Contradiction first, then parts that are not borne out, then the probabilities."""
    gaps = gaps_of(read.faults, read.case.claim)
    turned = tuple(one.reason for one in read.faults if one.turned)
    if turned:
        return Verdict(Support.CONTRADICTED, turned, score, gaps=gaps)
    reasons = tuple(one.reason for one in read.faults)
    if reasons and score >= _SURE and all(one.kind in _FORGIVEN for one in read.faults):
        return Verdict(Support.NOT_ASSESSABLE, (_UNCLEAR, *reasons), score, gaps=gaps)
    if reasons:
        related = read.found.best.passage_cover >= _RELATED and some >= _POOR
        support = Support.PARTIAL if related else Support.UNSUPPORTED
        return Verdict(support, reasons, score, gaps=gaps)
    return _by_score(read, score=score, some=some)


def _by_score(read: Read, *, score: float, some: float) -> Verdict:
    """Label of a claim that no rule objects to."""
    found = read.found
    if score >= _SURE:
        return Verdict(Support.FULL, ("copied",) if found.copied else ("covered",), score)
    faults = tuple(_lacking(read))
    gaps = gaps_of(faults, read.case.claim)
    reasons = tuple(one.reason for one in faults)[:_MISSING_SHOWN]
    if score > _POOR:
        return Verdict(Support.NOT_ASSESSABLE, (_UNCLEAR, *reasons), score, gaps=gaps)
    partial = some >= _SOME and found.best.passage_cover >= _RELATED
    support = Support.PARTIAL if partial else Support.UNSUPPORTED
    return Verdict(support, reasons or ("thinly covered",), score, gaps=gaps)


def _lacking(read: Read) -> Iterator[Fault]:
    """Content words of the claim that the best passage does not have, rarest first."""
    stems = read.case.claim.words.stems
    for one in read.found.missing:
        at = stems.index(one)
        written = read.case.claim.written(at)
        yield Fault(GapKind.MISSING, at, at, f"not in evidence: {written}")


def _quoted(verdict: Verdict, found: Comparison, evidence: tuple[str, ...]) -> Verdict:
    """The verdict with the sentence that decided, except where nothing supports or denies."""
    named = replace(verdict, judge=VERSION, score=round(verdict.score or 0.0, 4))
    if verdict.support in {Support.UNSUPPORTED, Support.NOT_ASSESSABLE}:
        return named
    text, one = evidence[found.best.page], found.best.sentence
    return replace(
        named,
        quote=text[one.start : one.end],
        quote_span=(one.start, one.end),
        evidence=found.best.page,
    )
