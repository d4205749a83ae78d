"""Which sources of a baseline are looked at, and how each stands with each engine."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from monitor.domain.baseline import Baseline, BaselineSource
from monitor.domain.eligibility import SourceCheck, Standing, Stood
from monitor.domain.panel import Panel
from monitor.domain.score import Measured
from monitor.domain.source import UrlIdentity
from monitor.pages.eligibility_crawlers import Crawlers
from monitor.pipeline.eligibility_passages import PromptClaim, claims_of
from monitor.scoring.funnel import (
    FAMILY_ALONE,
    NO_CRAWLER,
    barring,
    eligibility,
    id_of,
    standing,
    wanted_sources,
)


@dataclass(frozen=True, slots=True)
class ListedSource:
    """A source of a baseline that somebody wants seen, once for all prompts that name it."""

    source: BaselineSource
    """As the first of those prompts grades it."""
    prompts: tuple[str, ...]
    clean_url: str | None
    """Address to ask for; None for a publisher of which no page is named."""
    page_key: str | None
    claims: tuple[PromptClaim, ...]
    """Claims that it is to evidence."""


@dataclass(frozen=True, slots=True)
class EngineStanding:
    """How the sources of an engine's prompts stand with it."""

    engine: str
    rate: Measured
    barred: Mapping[str, int]
    """Reason -> sources that are not eligible for it."""
    stood: tuple[tuple[ListedSource, Stood], ...]

    def eligible_keys(self) -> frozenset[str]:
        """Keys of the pages that the engine's crawlers may fetch and read."""
        return frozenset(
            one.page_key
            for one, stood in self.stood
            if one.page_key is not None and stood.standing is Standing.ELIGIBLE
        )


def listed_sources(
    baseline: Baseline, identify: Callable[[str], UrlIdentity]
) -> tuple[ListedSource, ...]:
    """Required, acceptable and optional sources of a baseline, in its order, each once.

    A publisher's home page is not assumed to be what its answers would be drawn from: without a
    URL in the baseline there is no page to look at.
    """
    found: dict[tuple[str, str], ListedSource] = {}
    for prompt_id, prompt in baseline.prompts.items():
        for source in wanted_sources(prompt):
            claims = tuple((prompt_id, c) for c in claims_of(source.supports, prompt.claims))
            before = found.get(id_of(source)) or _listed(source, identify)
            found[id_of(source)] = replace(
                before, prompts=(*before.prompts, prompt_id), claims=(*before.claims, *claims)
            )
    return tuple(found.values())


def _listed(source: BaselineSource, identify: Callable[[str], UrlIdentity]) -> ListedSource:
    place = identify(source.url) if source.url is not None else None
    if place is None or place.page_key is None:
        return ListedSource(source, (), None, None, ())
    return ListedSource(source, (), place.clean_url, place.page_key, ())


def engine_standing(
    engine: str,
    panel: Panel,
    sources: Iterable[ListedSource],
    *,
    checks: Mapping[str, SourceCheck],
    crawlers: Crawlers,
) -> EngineStanding:
    """An engine with the sources of the prompts it is asked; an engine the panel lacks has all."""
    deciding = crawlers.deciding(engine)
    if not deciding:
        return EngineStanding(engine, NO_CRAWLER, {}, ())
    asked = {one.id for one in panel.plan(engine)[0]}
    stood = []
    for one in sources:
        if not asked.isdisjoint(one.prompts):
            is_named = one.page_key is not None
            check = checks.get(one.page_key or "")
            family = Stood(Standing.NOT_ASSESSABLE, (FAMILY_ALONE,))
            stood.append((one, standing(check, deciding) if is_named else family))
    states = [state for _, state in stood]
    return EngineStanding(engine, eligibility(states), barring(states), tuple(stood))
