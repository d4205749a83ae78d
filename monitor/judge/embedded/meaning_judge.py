"""The lexical judge with closeness of meaning: same rules and gaps, other probabilities."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from monitor.domain.claim import Question, Support, Verdict
from monitor.judge.embedded.case import Read, read_case
from monitor.judge.embedded.features import features
from monitor.judge.embedded.judge import VERSION as RULES
from monitor.judge.embedded.judge import decided, probability
from monitor.judge.embedded.meaning import Meaning, closeness, load_reader
from monitor.judge.embedded.weights import Weights, load_meaning_weights

VERSION = RULES.replace("embedded@", "embedded_embed@") + ".1"
"""Version of the rules, then of what is added to them."""


@dataclass(frozen=True, slots=True)
class MeaningJudge:
    """Judge that compares words and meanings; needs the extra `embed`, and no download."""

    weights: Weights
    reader: Callable[[str], Meaning]

    @property
    def version(self) -> str:
        """Name and version; raised with every change of rule, weight or model."""
        return VERSION

    def verdict(self, claim: str, evidence: tuple[str, ...]) -> Verdict:
        """Support of a claim by all evidence texts read together."""
        read = read_case(claim, evidence, self.weights)
        if not isinstance(read, Read):
            return Verdict(Support.NOT_ASSESSABLE, (read.value,), 0.0, judge=VERSION)
        values = meaning_features(read, evidence, self.reader)
        made = decided(
            read,
            evidence,
            full=probability(self.weights.full, values),
            some=probability(self.weights.some, values),
        )
        return replace(made, judge=VERSION)

    def verdicts(self, asked: Iterable[Question]) -> Iterator[Verdict]:
        """Verdicts one by one, in order."""
        return (self.verdict(one.claim, one.evidence) for one in asked)

    @property
    def held(self) -> None:
        """No cap ends what costs nothing."""


def meaning_features(
    read: Read, evidence: Sequence[str], reader: Callable[[str], Meaning]
) -> dict[str, float]:
    """Features of words and of meaning by name."""
    windows = [
        [evidence[number][one.start : one.end] for one in passage]
        for number, passage in read.found.windows
    ]
    return features(read.found) | closeness(read.case.claim.text, windows, reader)


def meaning_judge() -> MeaningJudge:
    """The judge with the weights of this version; JudgeError without the extra."""
    return MeaningJudge(load_meaning_weights(), load_reader())
