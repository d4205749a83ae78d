"""A run judged again: by its own judge where verdicts are missing, or by another one throughout."""

from dataclasses import dataclass

from monitor.judge.erring import Errors
from monitor.pipeline.assessing import assess_run
from monitor.pipeline.bench import Bench, without_cycle_search
from monitor.pipeline.judges import opened_judge
from monitor.pipeline.run_judge import JudgeChoice
from monitor.pipeline.splitting import Splits
from monitor.pipeline.tallying import score_engines
from monitor.pipeline.unasked import priced_judge
from monitor.pipeline.verdicts import VerdictBook
from monitor.store import panels, runs
from monitor.store.parts import Part


@dataclass(frozen=True, slots=True)
class Unjudged:
    """What of a run is not judged yet, and what that would cost at most."""

    run: str
    judge: str
    verdicts: int
    """Verdicts that are wanted now; each page alone is judged only where several suffice."""
    micros: int
    answers: int = 0
    """Answers that are not split into claims yet by the model that is to do it."""
    pairs: int = 0
    """Pairs of a statement and a page alone that the support matrix lacks beside them."""
    pair_micros: int = 0
    """What those would cost at most."""

    @property
    def shown(self) -> str:
        """The same in words."""
        split = f", and {self.answers} answers are to be split" if self.answers else ""
        if self.pairs:
            split += (
                f"; the support matrix lacks {self.pairs} pairs of a statement and a page, for "
                f"{self.pair_micros / 1e6:.2f} USD at most beside that"
            )
        return (
            f"{self.run}: {self.verdicts} verdicts of {self.judge} are not there yet; they cost "
            f"about {self.micros / 1e6:.2f} USD at most by estimate{split}. Where several pages "
            "suffice together, more are wanted then. Nothing was asked."
        )


def unjudged(bench: Bench, run: runs.Run, choice: JudgeChoice) -> Unjudged:
    """What a judge would be asked of a run; nobody is asked and no verdict is stored."""
    baseline = bench.read(lambda c: panels.load_baseline(c, run.panel))
    judge = priced_judge(bench.settings, choice)
    book, splits = VerdictBook(bench, judge, lenient=True), Splits.of(bench, judge)
    with without_cycle_search():
        for one in bench.read(lambda c: runs.load_plan(c, run.id)):
            assess_run(bench, run, book, baseline, splits=splits, part=Part(engine=one.engine))
    return Unjudged(
        run.public_id,
        choice.version,
        book.pending,
        book.pending_micros,
        splits.pending,
        book.optional,
        book.optional_micros,
    )


@dataclass(frozen=True, slots=True)
class Rejudged:
    """What judging a run again came to."""

    held: str | None
    """Which cap ended the calls; None while none did."""
    errors: Errors
    """Verdicts that are errors of the judge."""


def rejudge_run(
    bench: Bench, run: runs.Run, choice: JudgeChoice, caps: runs.Caps, *, again: bool = False
) -> Rejudged:
    """Judge and score a run under these caps; `again` asks anew what nobody could use."""
    with opened_judge(bench, choice, run_id=run.id, again=again) as judge:
        if caps != run.caps:
            bench.write(lambda c: runs.set_caps(c, run.id, caps))
        change_judge(bench, run, choice)
        score_engines(bench, run, judge)
        return Rejudged(judge.held, judge.errors)


def change_judge(bench: Bench, run: runs.Run, choice: JudgeChoice) -> None:
    """Note the judge that a run is scored with from now on."""
    bench.write(
        lambda c: runs.set_judge(c, run.id, choice.name, choice.version, splitter=choice.splitting)
    )
