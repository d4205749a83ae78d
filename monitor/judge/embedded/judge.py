"""The default judge: lexical comparison, a small logistic model, and rules for what turns a claim.

It reads words, not meaning. It is a screen: copied and lightly reworded claims and unrelated pages
are told apart well; a page that says the same in other words lands in the unclear band, and only
contradictions by number, denial or a common pair of opposites are seen. No download, no key.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from monitor.domain.claim import NotAssessable, Question, Support, Verdict
from monitor.domain.page import FetchStatus
from monitor.judge.embedded.compare import Comparison, compare
from monitor.judge.embedded.features import features
from monitor.judge.embedded.passages import read_page
from monitor.judge.embedded.weights import Model, Weights, load_weights
from monitor.judge.embedded.words import Words, is_number, is_wide, read_words

VERSION = "embedded@1"
_SURE = 0.6
"""Probability of full support from which the label is full."""
_POOR = 0.4
"""Probability of full support below which the label is not unclear any more."""
_LEAST_COVER = 0.7
"""Cover by passage and title below which a claim is not called full: there it is a coin toss."""
_SOME = 0.6
"""Probability of at least partial support from which a poor claim is partial."""
_CAP = 0.45
"""Highest score of a claim with a part that the passage does not bear out."""
_CAP_TURNED = 0.15
"""Highest score of a claim that its source contradicts."""
_COPIED = 0.97
_MATCHED = 0.75
"""Cover of one sentence above which a turned word means contradiction (numbers aside)."""
_RELATED = 0.5
"""Cover of a passage below which nothing counts as a part of the claim."""
_LONGEST_CLAIM = 4_000
_MISSING_SHOWN = 4


@dataclass(frozen=True, slots=True)
class EmbeddedJudge:
    """Judge without model files; the same input gives the same verdict everywhere."""

    weights: Weights

    @property
    def version(self) -> str:
        """Name and version; raised with every change of rule or weight."""
        return VERSION

    def verdict(self, claim: str, evidence: tuple[str, ...]) -> Verdict:
        """Support of a claim by all evidence texts read together."""
        pages = tuple(read_page(text) for text in evidence)
        if not any(page.sentences for page in pages):
            return self._nothing(FetchStatus.NO_TEXT.value)
        words = read_words(claim[:_LONGEST_CLAIM])
        if not words.stems:
            return self._nothing(NotAssessable.JUDGE_UNCLEAR.value)
        found = compare(words, pages, self._rarity)
        probability = _probability(self.weights.full, features(found))
        some = _probability(self.weights.some, features(found))
        made = self._decide(found, evidence, probability=probability, some=some)
        return replace(made, reasons=tuple(_as_written(r, claim, words) for r in made.reasons))

    def verdicts(self, asked: Iterable[Question]) -> Iterator[Verdict]:
        """Verdicts one by one, in order."""
        return (self.verdict(one.claim, one.evidence) for one in asked)

    @property
    def held(self) -> None:
        """No cap ends what costs nothing."""

    def _rarity(self, stem: str) -> float:
        return self.weights.number if is_number(stem) else self.weights.rarity_of(stem)

    def _nothing(self, reason: str) -> Verdict:
        return Verdict(Support.NOT_ASSESSABLE, (reason,), 0.0, judge=VERSION)

    def _decide(
        self, found: Comparison, evidence: tuple[str, ...], *, probability: float, some: float
    ) -> Verdict:
        """Contradiction first, then parts that are not borne out, then the probabilities."""
        turned = _turned(found)
        if turned:
            score = min(probability, _CAP_TURNED)
            return _quoted(Verdict(Support.CONTRADICTED, turned, score), found, evidence)
        faults = _faults(found)
        if faults:
            score = min(probability, _CAP) if _is_firm(found) else probability
            related = found.best.passage_cover >= _RELATED and some >= _POOR
            support = Support.PARTIAL if related else Support.UNSUPPORTED
            return _quoted(Verdict(support, faults, score), found, evidence)
        score = max(probability, _COPIED) if found.copied else probability
        return _quoted(_by_score(found, score=score, some=some), found, evidence)


def embedded_judge() -> EmbeddedJudge:
    """The judge with the weights of this version."""
    return EmbeddedJudge(load_weights())


def _as_written(reason: str, claim: str, words: Words) -> str:
    """A reason with the claim's own spelling in place of a stem."""
    said, colon, stem = reason.partition(": ")
    if not colon or stem not in words.stems:
        return reason
    place = words.stems.index(stem)
    return f"{said}: {claim[words.starts[place] : words.ends[place]]}"


def _probability(model: Model, values: Mapping[str, float]) -> float:
    total = model.constant + sum(w * values[name] for name, w in model.weights.items())
    return 1 / (1 + math.exp(-total))


def _by_score(found: Comparison, *, score: float, some: float) -> Verdict:
    """Label of a claim that no rule objects to."""
    lacking = tuple(f"not in evidence: {stem}" for stem in found.missing[:_MISSING_SHOWN])
    if score >= _SURE and found.titled_cover >= _LEAST_COVER:
        return Verdict(Support.FULL, ("copied",) if found.copied else ("covered",), score)
    if score > _POOR:
        return Verdict(Support.NOT_ASSESSABLE, (NotAssessable.JUDGE_UNCLEAR.value, *lacking), score)
    if some >= _SOME and found.best.passage_cover >= _RELATED:
        return Verdict(Support.PARTIAL, lacking or ("thinly covered",), score)
    return Verdict(Support.UNSUPPORTED, lacking or ("thinly covered",), score)


def _turned(found: Comparison) -> tuple[str, ...]:
    """Why the best sentence contradicts the claim; empty when it does not."""
    reasons: list[str] = []
    rival, wrong = found.numbers.rival, found.numbers.wrong
    if rival is not None and wrong and _matched_but_for_numbers(found):
        reasons.append(f"number {wrong[0]} against {rival}")
    if found.best.sentence_cover >= _MATCHED and not found.missing_names:
        if found.negation:
            reasons.append("negation differs")
        elif found.opposite is not None:
            reasons.append(f"opposites: {found.opposite}")
    elif found.opposite is not None and _matched_but_for_opposite(found):
        reasons.append(f"opposites: {found.opposite}")
    return tuple(reasons)


def _matched_but_for_numbers(found: Comparison) -> bool:
    rest = [stem for stem in found.missing if not is_number(stem)]
    return not rest and found.worded_cover >= _MATCHED


def _matched_but_for_opposite(found: Comparison) -> bool:
    word = (found.opposite or "").split(" / ")[0]
    return set(found.missing) <= {word} and found.order >= _RELATED


def _is_firm(found: Comparison) -> bool:
    """Whether a fault is of a kind that readers rarely forgive.

    Wrong numbers and units, a denial of the claim's own, and wrong characters are. An absent
    name is not: of claims with one, people call a third fully supported
    (attributionbench_dev, 73 of 215).
    """
    firm = bool(found.numbers.wrong or found.units) or found.lone_denial
    return firm or any(is_wide(one) for one in found.missing)


def _faults(found: Comparison) -> tuple[str, ...]:
    """Parts of the claim that the passage does not bear out, in words."""
    faults = [f"number {one} not in evidence" for one in found.numbers.absent]
    faults += [f"number {one} not beside the rest" for one in found.numbers.far]
    faults += [f"number {one} stands elsewhere" for one in found.numbers.displaced]
    faults += [f"unit differs: {one}" for one in found.units]
    faults += [f"name not in evidence: {one}" for one in found.missing_names]
    faults += ["negation not in evidence"] if found.lone_denial else []
    faults += [f"not in evidence: {one}" for one in found.missing if is_wide(one)][:_MISSING_SHOWN]
    if found.best.sentence_cover >= _MATCHED:
        faults += [f"name not beside the rest: {one}" for one in found.far_names]
        faults += ["negation differs"] if found.negation else []
        faults += [f"qualifier lost: {found.hedge}"] if found.hedge else []
    faults += [f"qualifier added: {found.sweeping}"] if found.sweeping else []
    return tuple(faults)


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
