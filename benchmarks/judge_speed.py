"""How fast the embedded judge is beside plain recall of rare words, and that memory stays flat."""

import resource
import subprocess
import sys

from benchmarks.figures import ROOT, Outcome, Ratio, alternating
from benchmarks.judge_fit import BENCH, rows
from monitor.domain.claim import Question
from monitor.judge import make_judge
from monitor.judge.embedded.passages import read_page
from monitor.judge.embedded.weights import load_weights
from monitor.judge.embedded.words import is_number, read_words

ROUNDS = 5
MANY, FEW = 100_000, 10_000
MEMORY = "from benchmarks.judge_speed import streamed; print(streamed({}))"


def run() -> Outcome:
    """Rows a second of the judge over those of recall, and peak memory of 100,000 over 10,000."""
    asked = [Question(row["claim"], tuple(row["passages"])) for row in rows(BENCH)]
    judge = make_judge("embedded")
    ours, plain = alternating((lambda: _judge(judge, asked), lambda: _recall(asked)), ROUNDS)
    few, many = (_memory(count) for count in (FEW, MANY))
    return Outcome(
        (
            f"judge {len(asked) / ours:.0f} rows/s, recall of rare words {len(asked) / plain:.0f}",
            f"peak memory: {few:.0f} MB at {FEW:,} rows, {many:.0f} MB at {MANY:,}",
        ),
        (
            Ratio(
                "rows a second, judge over recall of rare words", plain / ours, 0.6, at_least=True
            ),
            Ratio("peak memory, 100,000 rows over 10,000", many / few, 1.1),
        ),
    )


def _judge(judge, asked):
    read_page.cache_clear()
    for one in asked:
        judge.verdict(one.claim, one.evidence)


def _recall(asked):
    """Best share, over the same windows, of the claim's word weight: what one would try first."""
    read_page.cache_clear()
    weights = load_weights()

    def rarity(stem):
        return weights.number if is_number(stem) else weights.rarity_of(stem)

    for one in asked:
        claim = {stem: rarity(stem) for stem in read_words(one.claim).stems}
        best = 0.0
        for text in one.evidence:
            page = read_page(text)
            for start, end in enumerate(page.reach):
                near = set().union(*(sentence.stems for sentence in page.sentences[start:end]))
                best = max(best, sum(w for stem, w in claim.items() if stem in near))


def streamed(count):
    """Peak memory in MB of a process that judges so many different rows one by one."""
    judge = make_judge("embedded")
    asked = (
        Question(f"Mill {n} grinds {n % 97} sacks of wheat a day.", (_page(n),))
        for n in range(count)
    )
    for _ in judge.verdicts(asked):
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _page(number):
    return f"Mill {number} was built in {1700 + number % 300}. It grinds {number % 89} sacks a day."


def _memory(count):
    command = [sys.executable, "-c", MEMORY.format(count)]
    return float(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)
