"""A panel file as text -> Panel, or every problem in it with its line."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from monitor.config.yaml import Document, Problem, nearest, problems_of, read_yaml
from monitor.domain.panel import EnginePlan, Panel, Prompt, Recall, Risk, Schedule
from monitor.panels.cron import cron_problem

_LOCALE = re.compile(r"^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2}|-\d{3})?$")
Slug = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _locale(value: str) -> str:
    if not _LOCALE.match(value):
        raise ValueError("not a language tag; expected for example 'en-GB'")
    return value


class _ScheduleFile(_Part):
    cron: str
    timezone: str

    @field_validator("cron")
    @classmethod
    def _cron(cls, value: str) -> str:
        problem = cron_problem(value)
        if problem:
            raise ValueError(problem)
        return value

    @field_validator("timezone")
    @classmethod
    def _timezone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError("unknown time zone; expected for example 'Europe/London'") from error
        return value


class _ClientFile(_Part):
    domains: tuple[str, ...] = ()


class _EnginePlanFile(_Part):
    prompts: tuple[Slug, ...] | None = None
    repeats: int | None = Field(default=None, ge=1, le=50)


class _PromptFile(_Part):
    id: Slug
    text: str = Field(min_length=1, max_length=8000)
    locale: str | None = None
    persona: str | None = Field(default=None, max_length=2000)
    intent: str | None = None
    topic: str | None = None
    risk: Risk | None = None
    freshness_matters: bool = False
    recall: Recall = Recall.CLAIM_EVIDENCE

    @field_validator("text")
    @classmethod
    def _text(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("a prompt needs words")
        return value

    @field_validator("locale")
    @classmethod
    def _tag(cls, value: str | None) -> str | None:
        return None if value is None else _locale(value)


class PanelFile(_Part):
    """The keys a panel file may have."""

    panel: Slug
    version: int = Field(ge=1)
    repeats: int = Field(default=3, ge=1, le=50)
    locale: str
    engines: tuple[str, ...] = Field(min_length=1)
    schedule: _ScheduleFile | None = None
    client: _ClientFile = _ClientFile()
    watch: tuple[str, ...] = ()
    risk: Risk = Risk.STANDARD
    engine_plan: dict[str, _EnginePlanFile] = {}
    prompts: tuple[_PromptFile, ...] = Field(min_length=1)

    @field_validator("locale")
    @classmethod
    def _tag(cls, value: str) -> str:
        return _locale(value)


@dataclass(frozen=True, slots=True)
class ParsedPanel:
    """A panel, or None with the problems that prevent it; warnings come with a panel."""

    panel: Panel | None
    problems: tuple[Problem, ...]


def parse_panel(text: str, file: str, engines: Collection[str]) -> ParsedPanel:
    """Panel of a file's text; `engines` are the engine names that exist."""
    document = read_yaml(text, file)
    if isinstance(document, Problem):
        return ParsedPanel(None, (document,))
    try:
        read = PanelFile.model_validate(document.value)
    except ValidationError as error:
        return ParsedPanel(None, problems_of(error, document, PanelFile))
    problems = [
        *_duplicates(document, [p.id for p in read.prompts]),
        *_unknown_engines(document, read, engines),
        *_unknown_prompts(document, read),
    ]
    if any(not p.warning for p in problems):
        return ParsedPanel(None, tuple(problems))
    return ParsedPanel(_panel(read), tuple(problems))


def _duplicates(document: Document, ids: Sequence[str]) -> list[Problem]:
    """A problem for each prompt id that was used before."""
    first: dict[str, int] = {}
    problems = []
    for index, prompt_id in enumerate(ids):
        if prompt_id in first:
            line = document.line(("prompts", first[prompt_id], "id"))
            problems.append(
                document.problem(
                    ("prompts", index, "id"),
                    f"prompt id {prompt_id!r} is used twice (first on line {line}); "
                    "give one of them another id",
                )
            )
        first.setdefault(prompt_id, index)
    return problems


def _unknown_engines(
    document: Document, read: PanelFile, engines: Collection[str]
) -> list[Problem]:
    """A problem for each engine that does not exist, is named twice or is planned but absent."""
    problems = []
    for index, name in enumerate(read.engines):
        at = ("engines", index)
        if name not in engines:
            problems.append(
                document.problem(at, f"unknown engine {name!r}{nearest(name, engines)}")
            )
        elif name in read.engines[:index]:
            problems.append(document.problem(at, f"engine {name!r} is listed twice"))
    for name in read.engine_plan:
        if name not in read.engines:
            hint = nearest(name, read.engines)
            message = f"engine_plan names {name!r}, which is not among this panel's engines{hint}"
            problems.append(document.problem(("engine_plan", name), message))
    return problems


def _unknown_prompts(document: Document, read: PanelFile) -> list[Problem]:
    """A problem for each prompt id of an engine plan that the panel does not have."""
    known = {p.id for p in read.prompts}
    return [
        document.problem(
            ("engine_plan", name, "prompts", index), f"unknown prompt {one!r}{nearest(one, known)}"
        )
        for name, plan in read.engine_plan.items()
        for index, one in enumerate(plan.prompts or ())
        if one not in known
    ]


def _panel(read: PanelFile) -> Panel:
    """Domain value of a valid file."""
    return Panel(
        name=read.panel,
        version=read.version,
        repeats=read.repeats,
        locale=read.locale,
        engines=read.engines,
        prompts=tuple(_prompt(p, read) for p in read.prompts),
        schedule=Schedule(read.schedule.cron, read.schedule.timezone) if read.schedule else None,
        client_domains=read.client.domains,
        watch=read.watch,
        engine_plans=tuple(
            EnginePlan(name, plan.prompts, plan.repeats) for name, plan in read.engine_plan.items()
        ),
    )


def _prompt(one: _PromptFile, read: PanelFile) -> Prompt:
    """Prompt with the panel's defaults filled in."""
    return Prompt(
        id=one.id,
        text=one.text,
        locale=one.locale or read.locale,
        persona=one.persona,
        intent=one.intent,
        topic=one.topic,
        risk=one.risk or read.risk,
        freshness_matters=one.freshness_matters,
        recall=one.recall,
    )
