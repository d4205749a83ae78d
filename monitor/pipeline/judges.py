"""The one place where stages and doors get a judge: its name, settings, key, money and client.

A run keeps the judge it begins with, and that judge's version. Stages that are to pay open the
judge (`opened_judge`); doors that only show take `shown_judge`, which asks nobody that is paid.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from urllib.parse import urlsplit

import httpx

from monitor.capture.clock import SystemClock
from monitor.config.judging import LlmPart, NliPart
from monitor.config.settings import Settings, secret
from monitor.config.words import nearest
from monitor.domain.claim import Judge
from monitor.errors import JudgeError, MonitorError
from monitor.judge import JUDGES, make_judge
from monitor.judge.llm import (
    LlmJudge,
    LlmSplitter,
    Means,
    llm_client,
    llm_judge,
    llm_splitter,
    usual_key,
)
from monitor.judge.nli import nli_judge
from monitor.pipeline.bench import Bench
from monitor.pipeline.closed import Closed
from monitor.pipeline.judge_ledger import RunJudgeLedger
from monitor.pipeline.planning import month_caps, run_caps
from monitor.pipeline.run_judge import RunJudge
from monitor.store import runs
from monitor.store.runs import Caps

AUTO, LLM, NLI, FALLBACK = "auto", "llm", "nli", "embedded"
NAMES = tuple(dict.fromkeys((*JUDGES, "embedded_embed", NLI, LLM, AUTO)))
"""Judges that settings may name."""
PAID = frozenset({LLM})
"""Judges whose verdicts cost money."""
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """The judge that a run is judged by from its beginning to its end."""

    name: str
    version: str
    splitting: str | None = None
    """Version of the model that splits statements; None where rules do."""


def chosen_judge(
    settings: Settings,
    name: str | None = None,
    caps: Caps | None = None,
    *,
    splits: bool = True,
) -> str:
    """Name of the judge that a run would begin with; `auto` is decided here.

    `splits` where it may need a model to split claims, as the settings say. JudgeError or
    ConfigError where it is unknown, or cannot be had under these settings: no model is named, a
    key or an extra is missing.
    """
    wanted = name or settings.judge.name
    if wanted == AUTO:
        money = _has_budget(settings, caps or run_caps(settings))
        return LLM if money and llm_problem(settings.judge.llm) is None else FALLBACK
    may_split = splits and settings.judge.split == LLM and settings.judge.name != AUTO
    if wanted in PAID or may_split:
        problem = llm_problem(settings.judge.llm)
        if problem is not None:
            raise JudgeError(problem)
    if wanted not in PAID:
        free_judge(wanted, settings)
    return wanted


def llm_problem(part: LlmPart) -> str | None:
    """Why the language model of these settings cannot be asked; None where it can."""
    if not part.model:
        return "judge.llm.model names no model: name one, or choose another judge"
    if api_key(part) is not None or (part.base_url is not None and part.key is None):
        return None
    name = usual_key(part)
    return f"no key for the judge llm: set {name} (or {name}_FILE), or choose another judge"


def api_key(part: LlmPart) -> str | None:
    """The key itself; None where there is none.

    A server on this machine is sent a key only where the settings name one for it.
    """
    here = part.base_url is not None and urlsplit(part.base_url).hostname in _LOOPBACK
    return None if here and part.key is None else secret(usual_key(part))


def _has_budget(settings: Settings, caps: Caps) -> bool:
    """Whether any call of a judge that is paid could be made."""
    month, judge = month_caps(settings), settings.judge
    return 0 not in (caps.calls, caps.micros, month.calls, month.micros, judge.calls, judge.usd)


def free_judge(name: str, settings: Settings) -> Judge:
    """A judge that costs nothing; JudgeError lists the names, or says what is missing."""
    if name not in NAMES or name in {LLM, AUTO}:
        raise JudgeError(
            f"no judge is called {name!r}{nearest(name, NAMES)}; expected one of: "
            f"{', '.join(NAMES)}"
        )
    return _inference(settings.judge.nli) if name == NLI else make_judge(name)


@lru_cache(maxsize=2)
def _inference(part: NliPart) -> Judge:
    """The inference model of these settings; loading one takes its time."""
    return nli_judge(part)


def judge_choice(bench: Bench, run: runs.Run, named: str | None = None) -> JudgeChoice:
    """The judge of a run: the one it began with, else that of the settings.

    `named` changes it on purpose. JudgeError where the settings of now would make another version
    of it, which would mix two judges in one scorecard or pay for the same verdicts twice.
    """
    if named is not None or run.judge is None:
        name = chosen_judge(bench.settings, named, run.caps)
        return _identified(bench.settings, name, splits=_splits(bench.settings, run.caps))
    made = _identified(bench.settings, run.judge, splits=run.splitter_version is not None)
    if run.judge_version is None:
        return made
    kept = JudgeChoice(run.judge, run.judge_version, run.splitter_version)
    if made != kept:
        raise JudgeError(
            f"{run.public_id} began with the judge {_shown(kept)}, and the settings of now make it "
            f"{_shown(made)}: put the settings back, or say --judge {run.judge} to change it on "
            "purpose, which judges everything anew under the new one"
        )
    return made


def choice_without_run(bench: Bench, name: str, caps: Caps | None = None) -> JudgeChoice:
    """The judge of a command that works on no run, by its name there; rules split statements."""
    chosen = chosen_judge(bench.settings, name, caps, splits=False)
    return _identified(bench.settings, chosen, splits=False)


def _shown(choice: JudgeChoice) -> str:
    """A judge and who splits for it, in words."""
    return choice.version + (f" with claims by {choice.splitting}" if choice.splitting else "")


def _splits(settings: Settings, caps: Caps) -> bool:
    """Whether a language model splits statements; where `auto` has none to ask, rules do."""
    if settings.judge.split != LLM:
        return False
    if settings.judge.name != AUTO:
        return True
    return llm_problem(settings.judge.llm) is None and _has_budget(settings, caps)


def require_judge(settings: Settings, choice: JudgeChoice) -> None:
    """JudgeError where a judge cannot be asked under these settings, before anything is paid."""
    if choice.name in PAID or choice.splitting is not None:
        problem = llm_problem(settings.judge.llm)
        if problem is not None:
            raise JudgeError(problem)
    if choice.name not in PAID:
        free_judge(choice.name, settings)


def _identified(settings: Settings, name: str, *, splits: bool) -> JudgeChoice:
    """A judge with its versions; nobody is asked, and no key is read."""
    free = None if name in PAID else free_judge(name, settings)
    if free is not None and not splits:
        return JudgeChoice(name, free.version)
    judge, splitter = _unasked_model(settings)
    version = judge.version if free is None else free.version
    return JudgeChoice(name, version, splitter.version if splits else None)


def _unasked_model(settings: Settings) -> tuple[LlmJudge, LlmSplitter]:
    """The language model for what is known of it without asking: its version, its estimates."""
    closed = Closed()
    with httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(503))) as nobody:
        means = Means(closed, closed, SystemClock(), nobody, random.random)
        part, key = settings.judge.llm, "nobody is asked"
        return llm_judge(part, means, key=key), llm_splitter(part, means, key=key)


@contextmanager
def opened_judge(
    bench: Bench, choice: JudgeChoice, *, run_id: int | None, caps: Caps | None = None
) -> Iterator[RunJudge]:
    """A judge that may be asked, while the block lasts.

    What is paid is paid for a run, under its caps, or for none, under `caps`. JudgeError where it
    cannot be asked, or where the settings make another version of it than the chosen one.
    """
    require_judge(bench.settings, choice)
    if choice.name not in PAID and choice.splitting is None:
        free = free_judge(choice.name, bench.settings)
        yield RunJudge(_same(free.version, choice), free)
        return
    ledger = RunJudgeLedger(bench, choice.version, run_id=run_id, caps=caps)
    part, splitter = bench.settings.judge.llm, None
    with llm_client(part) as client:
        means = Means(ledger, bench.artifacts, bench.clock, client, random.random)
        if choice.splitting is not None:
            split = replace(means, ledger=ledger.beside(choice.splitting))
            splitter = llm_splitter(part, split, key=api_key(part))
        if choice.name in PAID:
            judge: Judge = llm_judge(part, means, key=api_key(part))
        else:
            judge = free_judge(choice.name, bench.settings)
        yield RunJudge(
            _same(judge.version, choice), judge, choice.splitting, splitter, stop=ledger.stop
        )


def _same(version: str, choice: JudgeChoice) -> str:
    """The version of a judge; JudgeError where it is not the chosen one."""
    if version != choice.version:
        raise JudgeError(
            f"the judge {choice.name} is {version} under the settings of now, and {choice.version} "
            f"is wanted: put the settings back, or say --judge {choice.name} to change it"
        )
    return version


def shown_judge(bench: Bench, run: runs.Run, *, choice: JudgeChoice | None = None) -> RunJudge:
    """The judge of a run for a door that only shows, and pays nothing.

    One that is paid, and one that is not to be had any more, is not asked: what the store does not
    have is pending.
    """
    made = choice or _kept(run) or judge_choice(bench, run)
    if made.name in PAID:
        return RunJudge(made.version, None, made.splitting)
    try:
        free = free_judge(made.name, bench.settings)
    except MonitorError:
        if choice is not None or run.judge_version is None:
            raise
        return RunJudge(made.version, None, made.splitting)
    return RunJudge(free.version, free, made.splitting)


@contextmanager
def comparing_judge(bench: Bench, run: runs.Run, micros: int | None) -> Iterator[RunJudge]:
    """The judge of a run that others are compared with; asked only where money is given for it."""
    shown = shown_judge(bench, run)
    if micros is None or (shown.judge is not None and shown.splitting is None):
        yield shown
        return
    with opened_judge(
        bench, judge_choice(bench, run), run_id=None, caps=Caps(micros=micros)
    ) as judge:
        yield judge


def _kept(run: runs.Run) -> JudgeChoice | None:
    """The judge that a run began with; None where it did not begin, or nobody noted it."""
    if run.judge is None or run.judge_version is None:
        return None
    return JudgeChoice(run.judge, run.judge_version, run.splitter_version)


def priced_judge(bench: Bench, choice: JudgeChoice) -> RunJudge:
    """A judge that nobody asks, and that knows what its verdicts would cost at most."""
    return _priced(bench.settings, choice)


def _priced(settings: Settings, choice: JudgeChoice) -> RunJudge:
    """A judge that nobody asks, and that knows what its verdicts would cost at most."""
    if choice.name not in PAID and choice.splitting is None:
        return RunJudge(choice.version, None, estimate=lambda _: 0)
    judge, splitter = _unasked_model(settings)
    return RunJudge(
        choice.version,
        None,
        choice.splitting,
        estimate=judge.estimate if choice.name in PAID else lambda _: 0,
        split_estimate=splitter.estimate if choice.splitting else None,
    )


def priced_choice(settings: Settings, named: str | None, caps: Caps) -> RunJudge | None:
    """The judge that a run would begin with, nobody being asked; None where it costs nothing."""
    name = chosen_judge(settings, named, caps)
    choice = _identified(settings, name, splits=_splits(settings, caps))
    if name not in PAID and choice.splitting is None:
        return None
    return _priced(settings, choice)
