"""What a well-formed baseline can still get wrong against its panel and itself."""

from collections import Counter
from collections.abc import Iterator

from monitor.config.yaml import Document, Problem, nearest
from monitor.domain.baseline import Baseline, Match, PromptBaseline
from monitor.domain.panel import Panel
from monitor.domain.source import Grade


def check_baseline(
    baseline: Baseline, document: Document, panel: Panel | None
) -> tuple[Problem, ...]:
    """Problems and warnings of a baseline, in file order."""
    found: list[Problem] = []
    if panel is not None:
        found += _against_panel(baseline, document, panel)
    if baseline.frozen_at is not None and not baseline.annotators:
        found.append(document.problem(("annotators",), "a frozen baseline names its annotators"))
    for one in baseline.prompts.values():
        found += _claims(one, document)
        found += _sources(one, document)
        if panel is not None:
            found += _wish_list(one, document, panel)
    return tuple(found)


def _against_panel(baseline: Baseline, document: Document, panel: Panel) -> Iterator[Problem]:
    """Names that the panel does not know, and prompts without a baseline."""
    if baseline.panel != panel.name:
        yield document.problem(
            ("panel",), f"this baseline is for {baseline.panel!r}, the panel is {panel.name!r}"
        )
    known = {p.id for p in panel.prompts}
    for prompt_id in baseline.prompts:
        if prompt_id not in known:
            hint = nearest(prompt_id, known)
            yield document.problem(
                ("prompts", prompt_id),
                f"unknown prompt {prompt_id!r} in panel {panel.name!r}{hint}",
            )
    missing = sorted(known - set(baseline.prompts))
    if missing:
        yield document.problem(
            ("prompts",),
            f"{len(missing)} prompts have no baseline and are not measured against one: "
            f"{', '.join(missing[:5])}{' ...' if len(missing) > 5 else ''}",
            warning=True,
        )


def _claims(one: PromptBaseline, document: Document) -> Iterator[Problem]:
    """Claim ids used twice."""
    seen: set[str] = set()
    for index, claim in enumerate(one.claims):
        if claim.id in seen:
            yield document.problem(
                ("prompts", one.prompt_id, "claims", index, "id"),
                f"claim id {claim.id!r} is used twice in prompt {one.prompt_id!r}",
            )
        seen.add(claim.id)


def _sources(one: PromptBaseline, document: Document) -> Iterator[Problem]:
    """Items equally specific for one target, and support of claims that are not there."""
    known = {c.id for c in one.claims}
    counts = Counter((s.match, s.key) for s in one.sources)
    for index, source in enumerate(one.sources):
        at = ("prompts", one.prompt_id, "sources", index)
        if counts[source.match, source.key] > 1:
            yield document.problem(
                at,
                f"two items of prompt {one.prompt_id!r} grade the same {source.match.value} "
                f"{source.key!r}; keep one",
            )
        for place, claim in enumerate(source.supports):
            if claim not in known:
                yield document.problem(
                    (*at, "supports", place),
                    f"supports unknown claim {claim!r}{nearest(claim, known)}",
                )


def _wish_list(one: PromptBaseline, document: Document, panel: Panel) -> Iterator[Problem]:
    """The client's own domain required without a claim that needs it."""
    for index, source in enumerate(one.sources):
        own = any(
            source.key == domain or (source.match is Match.PAGE and f"//{domain}" in source.key)
            for domain in panel.client_domains
        )
        if own and source.grade is Grade.REQUIRED and not source.supports:
            yield document.problem(
                ("prompts", one.prompt_id, "sources", index),
                f"the client's own {source.key!r} is required without a claim that needs it: "
                "a baseline is an evidence standard, not a wish list",
                warning=True,
            )
