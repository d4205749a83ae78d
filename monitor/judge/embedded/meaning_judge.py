"""The lexical judge with closeness of meaning: same rules and gaps, other probabilities."""

from collections.abc import Callable, Sequence
from functools import partial

from monitor.judge.embedded.case import Read
from monitor.judge.embedded.features import features
from monitor.judge.embedded.judge import VERSION as RULES
from monitor.judge.embedded.judge import EmbeddedJudge
from monitor.judge.embedded.meaning import Meaning, closeness, load_reader
from monitor.judge.embedded.weights import load_meaning_weights

VERSION = RULES.replace("embedded@", "embedded_embed@") + ".1"
"""Version of the rules, then of what is added to them."""


def meaning_features(
    read: Read, evidence: Sequence[str], reader: Callable[[str], Meaning]
) -> dict[str, float]:
    """Features of words and of meaning by name."""
    windows = [
        [evidence[number][one.start : one.end] for one in passage]
        for number, passage in read.found.windows
    ]
    return features(read.found) | closeness(read.case.claim.text, windows, reader)


def meaning_judge() -> EmbeddedJudge:
    """The judge with the weights of this version; JudgeError without the extra."""
    reading = partial(meaning_features, reader=load_reader())
    return EmbeddedJudge(load_meaning_weights(), reading, VERSION)
