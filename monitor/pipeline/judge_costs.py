"""What the judge of a planned run may cost: an estimate from this panel's last run, or a guess."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from monitor.config.settings import Settings
from monitor.domain.claim import Question
from monitor.domain.keys import text_key
from monitor.pipeline.assessing import assess_run
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.book import Evidence, UnaskedBook
from monitor.pipeline.judge_choice import priced_choice
from monitor.pipeline.run_judge import RunJudge
from monitor.pipeline.splitting import Splits
from monitor.store import captures, check, open_database, panels, runs
from monitor.store.parts import parts_of
from monitor.store.runs import Caps

_LOOKED_AT = 200
"""Captures of the last run that are looked at."""
_VERDICTS = 12.0
"""Verdicts an answer, where nothing was asked before: an assumption."""
_STATEMENTS = 8.0
"""Statements an answer, for the same case."""
_PAGES = 6.0
"""Readable pages that an answer shows, for the support matrix in the same case."""
_CLAIM = "word " * 20
_TEXT = "a word of a page " * 300
_ASSUMED = "no run to go by: 12 verdicts an answer, pages of 1,500 words"


@dataclass(frozen=True, slots=True)
class JudgeEstimate:
    """What a judge that is paid may cost in one run."""

    judge: str
    """Name and version."""
    verdicts: float
    """Verdicts an answered capture."""
    calls: int
    micros: int
    basis: str
    """What the figures rest on, in words."""
    likely_micros: int | None = None
    """The same by a guess at common lengths; None where a part of it is not guessed."""
    guessed_price: str = ""
    """That the price of the model is a guess, and what to do; empty where it is none."""

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {
            "judge": self.judge,
            "verdicts_per_answer": round(self.verdicts, 2),
            "calls": self.calls,
            "micros": self.micros,
            "currency": "USD",
            "basis": self.basis,
        }

    @property
    def shown(self) -> str:
        """The same in words."""
        likely = "" if self.likely_micros is None else f", {self.likely_micros / 1e6:.2f} likely"
        guessed = f"; {self.guessed_price}" if self.guessed_price else ""
        return (
            f"judge {self.judge}: about {self.calls} calls, {self.micros / 1e6:.2f} USD at most by "
            f"estimate{likely} ({self.basis}){guessed}"
        )


@dataclass(frozen=True, slots=True)
class _Load:
    """What one answered capture asks of the judge on average."""

    verdicts: float
    micros: float
    splits: float
    basis: str
    likely: float


def judge_estimate(
    settings: Settings, panel: str, planned: int, *, named: str | None, caps: Caps
) -> JudgeEstimate | None:
    """What judging so many captures of a panel may cost, if all are answered.

    None where the judge is free. Nothing is asked, made or migrated.
    """
    judge = priced_choice(settings, named, caps)
    if judge is None:
        return None
    load = _last_load(settings, panel, judge) or _assumed_load(judge, matrix=settings.judge.matrix)
    votes = settings.judge.llm.votes if judge.version.startswith("llm/") else 0
    return JudgeEstimate(
        judge.version,
        load.verdicts,
        round(planned * (load.verdicts * votes + load.splits)),
        round(planned * load.micros),
        load.basis,
        None if judge.split_estimate else round(planned * load.likely),
        judge.guessed_price,
    )


def _assumed_load(judge: RunJudge, *, matrix: bool) -> _Load:
    """A guess for the first run of a panel."""
    verdict = judge.estimate(Question(_CLAIM, (_TEXT,))) if judge.estimate else 0
    split = judge.split_estimate(_CLAIM) if judge.split_estimate else 0
    splits = _STATEMENTS if judge.split_estimate else 0.0
    pairs = _STATEMENTS * _PAGES if matrix else 0.0
    basis = f"{_ASSUMED}; {pairs:.0f} pairs of its support matrix" if matrix else _ASSUMED
    verdicts = _VERDICTS + pairs
    likely = judge.likely(Question(_CLAIM, (_TEXT,))) if judge.likely else 0
    micros = verdicts * verdict + splits * split
    return _Load(verdicts, micros, splits, basis, verdicts * likely)


def _last_load(settings: Settings, panel: str, judge: RunJudge) -> _Load | None:
    """What the last ended run of a panel asks of a judge; None without one."""
    url = settings.store.database
    if url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists():
        return None
    database = open_database(url)
    try:
        if check(database) is not None:
            return None
    finally:
        database.close()
    with open_bench(settings, migrate=False) as bench:
        found = bench.read(
            lambda c: runs.list_runs(c, panel, states=runs.TELLING, limit=1, imports=False)
        )
        return _load_of(bench, found[0], judge) if found else None


def _load_of(bench: Bench, run: runs.Run, judge: RunJudge) -> _Load | None:
    """What a run, or some hundred captures of it, asks of a judge."""
    answered = sum(
        one.answered for one in bench.read(lambda c: captures.coverage(c, run.id)).values()
    )
    part = parts_of(answered, _LOOKED_AT)[0]
    baseline = bench.read(lambda c: panels.load_baseline(c, run.panel))
    asked = _Asked(judge)
    book = UnaskedBook(asked.note)
    made = assess_run(bench, run, book, baseline, splits=Splits.kept(bench, run), part=part)
    mine = [one for one in made if one.statements]
    if not mine:
        return None
    texts = [s.statement.text for one in mine for s in one.statements if s.statement.claims]
    splits = len(texts) if judge.split_estimate else 0
    micros = asked.micros + sum(map(judge.split_estimate, texts) if judge.split_estimate else ())
    return _Load(
        len(asked.keys) / len(mine),
        micros / len(mine),
        splits / len(mine),
        f"{len(mine)} answers of {run.public_id}",
        asked.likely / len(mine),
    )


@dataclass(slots=True)
class _Asked:
    """What would be asked of a judge, and its price."""

    judge: RunJudge
    keys: set[tuple[str, frozenset[str]]] = field(default_factory=set)
    micros: int = 0
    likely: int = 0

    def note(self, claim: str, evidence: Sequence[Evidence]) -> None:
        """Count a verdict and its price, once."""
        key = text_key(claim), frozenset(one.sha256 for one in evidence)
        if evidence and key not in self.keys:
            self.keys.add(key)
            self._price(Question(claim, tuple(one.text or "" for one in evidence)))

    def _price(self, asked: Question) -> None:
        self.micros += self.judge.estimate(asked) if self.judge.estimate else 0
        self.likely += self.judge.likely(asked) if self.judge.likely else 0
