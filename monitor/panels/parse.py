"""A panel file as text -> Panel, or every problem in it with its line."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from monitor.config.validation import problems_of
from monitor.config.yaml import Document, Problem, read_yaml
from monitor.domain.panel import (
    EnginePlan,
    Panel,
    PanelOutline,
    Prompt,
    Recall,
    Risk,
    Schedule,
)
from monitor.panels.checks import FamilyOf, check_panel, listed, outline_of, prompt_ids
from monitor.panels.cron import cron_problem

_LOCALE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2}|-[0-9]{3})?")
_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_HOST = re.compile(r"(?!-)[\w-]+(\.[\w-]+)+")
_MOST = 2**31 - 1
"""Whole numbers are stored in four bytes."""


def _slug(value: str) -> str:
    if not _SLUG.fullmatch(value):
        raise ValueError("expected small letters, digits, - and _, at most 64")
    return value


def _locale(value: str) -> str:
    if not _LOCALE.fullmatch(value):
        raise ValueError("not a language tag; expected for example 'en-GB'")
    return value


def _words(value: str) -> str:
    if not value.strip():
        raise ValueError("expected some words")
    return value


def _cron(value: str) -> str:
    problem = cron_problem(value)
    if problem:
        raise ValueError(problem)
    return value


def _timezone(value: str) -> str:
    if value in {"localtime", "posixrules", "Factory"} or value.startswith("right/"):
        raise ValueError("not the same zone on every machine; expected for example 'Europe/London'")
    try:
        ZoneInfo(value)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError("unknown time zone; expected for example 'Europe/London'") from error
    return value


def _host(value: str) -> str:
    bare = value.strip().lower()
    if not _HOST.fullmatch(bare):
        raise ValueError("expected a bare host such as 'example.org'")
    return bare


Slug = Annotated[str, AfterValidator(_slug)]
Locale = Annotated[str, AfterValidator(_locale)]
Words = Annotated[str, AfterValidator(_words)]
Host = Annotated[str, AfterValidator(_host)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class _ScheduleFile(_Part):
    cron: Annotated[str, AfterValidator(_cron)]
    timezone: Annotated[str, AfterValidator(_timezone)]


class _ClientFile(_Part):
    domains: tuple[Host, ...] = ()


class _EnginePlanFile(_Part):
    prompts: Annotated[tuple[Slug, ...], Field(min_length=1)] | None = None
    repeats: int | None = Field(default=None, ge=1, le=50)


class _PromptFile(_Part):
    id: Slug
    text: Annotated[Words, Field(max_length=8000)]
    locale: Locale | None = None
    persona: Annotated[Words, Field(max_length=2000)] | None = None
    intent: str | None = Field(default=None, max_length=200)
    topic: str | None = Field(default=None, max_length=200)
    risk: Risk | None = None
    freshness_matters: bool = False
    recall: Recall = Recall.CLAIM_EVIDENCE


class PanelFile(_Part):
    """The keys a panel file may have."""

    panel: Slug
    version: int = Field(ge=1, le=_MOST)
    repeats: int = Field(default=3, ge=1, le=50)
    locale: Locale
    engines: tuple[str, ...] = Field(min_length=1)
    schedule: _ScheduleFile | None = None
    client: _ClientFile = _ClientFile()
    watch: tuple[Words, ...] = ()
    risk: Risk = Risk.STANDARD
    engine_plan: dict[str, _EnginePlanFile] = {}
    prompts: tuple[_PromptFile, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class ParsedPanel:
    """A panel, or None with the problems that prevent it; warnings come with a panel."""

    panel: Panel | None
    problems: tuple[Problem, ...]
    prompt_lines: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Prompt id -> its line, as far as the file could be read at all."""
    engine_lines: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Engine name -> its line."""
    outline: PanelOutline | None = None
    """What its baseline is held against; None where the file could not be read at all."""


def parse_panel(
    text: str, file: str, engines: Collection[str], *, family_of: FamilyOf | None = None
) -> ParsedPanel:
    """Panel of a file's text; `engines` are the engine names that exist.

    `family_of` places what the panel watches; without it, that is not looked at.
    """
    document = read_yaml(text, file)
    if isinstance(document, Problem):
        return ParsedPanel(None, (document,))
    if document.value is None:
        empty = document.problem((), "the file is empty; expected panel, version, prompts ...")
        return ParsedPanel(None, (empty,))
    problems = [*document.problems, *check_panel(document, engines, family_of)]
    read: PanelFile | None = None
    try:
        read = PanelFile.model_validate(document.value)
    except ValidationError as error:
        problems += problems_of(error, document, PanelFile)
    sound = read is not None and all(p.warning for p in problems)
    return ParsedPanel(
        panel=_panel(read) if sound and read is not None else None,
        problems=tuple(problems),
        prompt_lines=_lines(document, "prompts", dict(prompt_ids(document))),
        engine_lines=_lines(document, "engines", dict(_numbered(document.value))),
        outline=outline_of(document),
    )


def _numbered(value: Any) -> list[tuple[int, str]]:
    """(index, name) of every engine of a file."""
    named = enumerate(listed(value, "engines"))
    return [(index, name) for index, name in named if isinstance(name, str)]


def _lines(document: Document, key: str, words: Mapping[int, str]) -> Mapping[str, int]:
    """Word -> line of the item it names."""
    found = {word: document.line((key, index)) or 1 for index, word in words.items()}
    return MappingProxyType(found)


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
