"""Which judge a run is judged by: the one it began with, else that of the settings."""

from monitor.config.settings import Settings
from monitor.errors import JudgeError
from monitor.pipeline.bench import Bench
from monitor.pipeline.judges_at_hand import (
    AUTO,
    FALLBACK,
    LLM,
    PAID,
    free_judge,
    has_budget,
    llm_problem,
)
from monitor.pipeline.planning import run_caps
from monitor.pipeline.run_judge import JudgeChoice, RunJudge
from monitor.pipeline.unasked import priced_judge, unasked_model
from monitor.store import runs
from monitor.store.runs import Caps


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
        money = has_budget(settings, caps or run_caps(settings))
        return LLM if money and llm_problem(settings.judge.llm) is None else FALLBACK
    may_split = splits and settings.judge.split == LLM and settings.judge.name != AUTO
    _require(settings, wanted, splits=may_split)
    return wanted


def auto_words(settings: Settings, name: str | None = None, caps: Caps | None = None) -> str | None:
    """What `auto` chooses for a run that begins now, and why; None where a judge is named."""
    if (name or settings.judge.name) != AUTO:
        return None
    chosen = chosen_judge(settings, AUTO, caps)
    problem = llm_problem(settings.judge.llm)
    if chosen == LLM:
        why = f"{settings.judge.llm.model} can be asked, and there is a budget"
    elif problem is not None:
        why = problem.partition(":")[0]
    else:
        why = "a cap of 0 lets no call be made"
    return f"judge: {chosen} (auto: {why})"


def judge_choice(bench: Bench, run: runs.Run, named: str | None = None) -> JudgeChoice:
    """The judge of a run: the one it began with, else that of the settings.

    `named` changes it on purpose. JudgeError where the settings of now would make another version
    of it, which would mix two judges in one scorecard or pay for the same verdicts twice.
    """
    if named is not None or run.judge is None:
        name = chosen_judge(bench.settings, named, run.caps)
        return _identified(bench.settings, name, splits=_splits(bench.settings, run.caps))
    try:
        made = _identified(bench.settings, run.judge, splits=run.splitter_version is not None)
    except JudgeError as error:
        raise JudgeError(
            f"{run.public_id} began with the judge {run.judge_version or run.judge}, which the "
            f"settings of now cannot make ({error}); put them back, or say --judge "
            f"{bench.settings.judge.name} (or another NAME) to change its judge on purpose"
        ) from error
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
    return llm_problem(settings.judge.llm) is None and has_budget(settings, caps)


def require_judge(settings: Settings, choice: JudgeChoice) -> None:
    """JudgeError where a judge cannot be asked under these settings, before anything is paid."""
    _require(settings, choice.name, splits=choice.splitting is not None)


def _require(settings: Settings, name: str, *, splits: bool) -> None:
    problem = llm_problem(settings.judge.llm) if name in PAID or splits else None
    if problem is not None:
        raise JudgeError(problem)
    if name not in PAID:
        free_judge(name, settings)


def _identified(settings: Settings, name: str, *, splits: bool) -> JudgeChoice:
    """A judge with its versions; nobody is asked, and no key is read."""
    free = None if name in PAID else free_judge(name, settings)
    if free is not None and not splits:
        return JudgeChoice(name, free.version)
    judge, splitter = unasked_model(settings)
    version = judge.version if free is None else free.version
    return JudgeChoice(name, version, splitter.version if splits else None)


def priced_choice(settings: Settings, named: str | None, caps: Caps) -> RunJudge | None:
    """The judge that a run would begin with, nobody being asked; None where it costs nothing."""
    name = chosen_judge(settings, named, caps)
    choice = _identified(settings, name, splits=_splits(settings, caps))
    if name not in PAID and choice.splitting is None:
        return None
    return priced_judge(settings, choice)
