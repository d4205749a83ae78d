"""A baseline file as text -> Baseline, or every problem in it with its line."""

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from monitor.baseline.checks import Identify, Locate, Target, check_baseline, target_of
from monitor.baseline.files import BaselineFile, PromptFile, SourceFile
from monitor.config.validation import problems_of
from monitor.config.yaml import Document, Problem, read_yaml
from monitor.domain.baseline import (
    Baseline,
    BaselineClaim,
    BaselineSource,
    PromptBaseline,
    Relevance,
    SourceRoles,
)
from monitor.domain.keys import content_key
from monitor.domain.panel import Panel, PanelOutline
from monitor.domain.source import Grade


@dataclass(frozen=True, slots=True)
class ParsedBaseline:
    """A baseline, or None with the problems that prevent it; warnings come with a baseline."""

    baseline: Baseline | None
    problems: tuple[Problem, ...]


def parse_baseline(
    text: str,
    file: str,
    panel: Panel | None,
    identify: Identify,
    *,
    outline: PanelOutline | None = None,
    labels: Collection[str] = (),
) -> ParsedBaseline:
    """Baseline of a file's text; without a panel and an outline its prompt ids are not checked.

    `outline` stands for a panel that is itself not sound; `labels` are family names that
    stand for themselves, since a user's family map made them.
    """
    document = read_yaml(text, file)
    if isinstance(document, Problem):
        return ParsedBaseline(None, (document,))
    if document.value is None:
        empty = document.problem((), "the file is empty; expected panel, version, prompts ...")
        return ParsedBaseline(None, (empty,))
    if panel is not None:
        ids = tuple(p.id for p in panel.prompts)
        outline = PanelOutline(panel.name, panel.client_domains, ids)

    def locate(source: SourceFile) -> Target | str:
        return target_of(source, identify, labels)

    found = check_baseline(document, outline, locate=locate)
    problems = (*document.problems, *found)
    try:
        read = BaselineFile.model_validate(_as_written(document))
    except ValidationError as error:
        return ParsedBaseline(None, (*problems, *problems_of(error, document, BaselineFile)))
    if any(not p.warning for p in problems):
        return ParsedBaseline(None, problems)
    baseline = _baseline(read, locate)
    if panel is not None:
        bound = {p.id: p.version_key for p in panel.prompts if p.id in baseline.prompts}
        baseline = replace(baseline, bound=MappingProxyType(bound))
    return ParsedBaseline(baseline, problems)


def _as_written(document: Document) -> Any:
    """The document with its version and guideline as text: 1.10 is not 1.1."""
    if not isinstance(document.value, dict):
        return document.value
    labels = {
        key: document.written[(key,)]
        for key in ("version", "guideline")
        if (key,) in document.written
    }
    return {**document.value, **labels}


def _baseline(read: BaselineFile, locate: Locate) -> Baseline:
    """Domain value of a file whose sources can all be located."""
    return Baseline(
        panel=read.panel,
        version=read.version,
        annotators=read.annotators,
        drawn_blind=read.drawn_blind,
        frozen_at=read.frozen_at,
        guideline=read.guideline,
        prompts=MappingProxyType({k: _prompt(k, one, locate) for k, one in read.prompts.items()}),
        content_key=content_key(read.model_dump(mode="json")),
    )


def _prompt(prompt_id: str, one: PromptFile, locate: Locate) -> PromptBaseline:
    """Sources and claims of one prompt."""
    located = [(source, locate(source)) for source in one.sources]
    return PromptBaseline(
        prompt_id,
        tuple(_source(source, target) for source, target in located if isinstance(target, Target)),
        tuple(BaselineClaim(**{name: getattr(c, name) for name in _CLAIM}) for c in one.claims),
    )


_CLAIM = tuple(field.name for field in fields(BaselineClaim))


def _source(one: SourceFile, target: Target) -> BaselineSource:
    """Domain value of a source."""
    parts = one.relevance
    return BaselineSource(
        key=target.key,
        match=target.match,
        grade=Grade(one.grade.value),
        url=one.url,
        supports=one.supports,
        evidence_type=one.evidence_type,
        published=one.published,
        updated=one.updated,
        jurisdiction=one.jurisdiction,
        known_limitation=one.known_limitation,
        reason=one.reason,
        annotator=one.annotator,
        adjudication=one.adjudication,
        relevance=Relevance(parts.topical_fit, parts.authority, parts.freshness) if parts else None,
        roles=SourceRoles(**dict(one.roles)) if one.roles else None,
    )
