"""`monitor eligibility`: may engines' crawlers fetch and read what the baseline asks for?"""

import json
from collections.abc import Iterator, Mapping
from typing import Annotated

import typer

from monitor.cli.console import OUT, Bars, table
from monitor.cli.options import AsJson, Config
from monitor.config.settings import load_settings
from monitor.domain.eligibility import ClaimPassage, SourceCheck, Standing
from monitor.domain.score import Measured, Rate
from monitor.pages.eligibility_crawlers import load_crawlers
from monitor.pipeline.bench import open_bench
from monitor.pipeline.checking import panel_named
from monitor.pipeline.eligibility import Eligibility, check_eligibility
from monitor.pipeline.eligibility_json import eligibility_json
from monitor.pipeline.eligibility_sources import EngineStanding, ListedSource
from monitor.pipeline.reaching import require_sandbox
from monitor.report.numbers import percent
from monitor.report.words import reason_words

_NOT_THE_CRAWLER = (
    "This is what sites ask for and what one fetch of ours saw, not what a crawler did "
    "(docs/eligibility.md)."
)


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("eligibility")(eligibility)


def eligibility(
    panel: Annotated[str, typer.Argument(metavar="PANEL", help="Name or file of a panel.")],
    limit: Annotated[
        int | None, typer.Option(min=1, help="Pages to look at; those seen longest ago first.")
    ] = None,
    no_render: Annotated[
        bool, typer.Option("--no-render", help="Leave the scripts of pages alone: no browser.")
    ] = False,
    config: Config = None,
    as_json: AsJson = False,
) -> int:
    """Check whether AI crawlers may read the baseline's pages.

    Every page is fetched once, with its robots.txt, and its scripts are run where there is a
    browser. What was seen is stored; reports and exports show it as the first stage of a funnel.
    """
    settings = load_settings(config)
    require_sandbox(settings)
    files = panel_named(panel, settings)
    with Bars() as bars, open_bench(settings, bars) as bench:
        found = check_eligibility(bench, files, limit=limit, render=not no_render)
    if as_json:
        print(json.dumps(eligibility_json(found), ensure_ascii=True, allow_nan=False))
    else:
        _show(found)
    return 0


def _show(found: Eligibility) -> None:
    """Engines, then sources with what keeps crawlers out, then the passages of claims."""
    own = [one for one in found.engines if one.engine in found.panel.engines]
    rows = [_engine_row(one) for one in own]
    header = ("engine", "crawlers", "not eligible", "not assessable", "eligible")
    table(f"{found.panel.name}, baseline {found.baseline.label}", header, rows, texts=4)
    OUT.print()
    sources = [_source_row(one, own, found.checks.get(one.page_key or "")) for one in found.sources]
    table("", ("source", "page", "kept out", "not assessable", "deciding line"), sources, texts=5)
    keys = dict.fromkeys(one.page_key or "" for one in found.sources)
    checks = [found.checks[key] for key in keys if key in found.checks]
    passages = [row for one in checks for row in _passage_rows(one)]
    if passages:
        OUT.print()
        table(
            "best passage of each claim",
            ("claim", "page", "support", "qualifier", "without scripts", "words before"),
            passages,
            texts=5,
        )
    OUT.print()
    if found.no_browser is not None:
        OUT.print(f"scripts of pages were not run: {found.no_browser}")
    OUT.print(f"{found.checked} pages looked at now. {_NOT_THE_CRAWLER}")


def _engine_row(one: EngineStanding) -> tuple[str, ...]:
    crawlers = ", ".join(c.token for c in load_crawlers().deciding(one.engine))
    rate = one.rate
    unknown = rate.not_assessable if isinstance(rate, Rate) else {}
    return (
        one.engine,
        crawlers or "none known",
        _counted(one.barred),
        _counted(unknown),
        _rate(rate),
    )


def _counted(reasons: Mapping[str, float]) -> str:
    """Reasons with their counts; `none` without any."""
    return ", ".join(f"{reason} {n:g}" for reason, n in reasons.items()) or "none"


def _rate(rate: Measured) -> str:
    """Counts and share; in words where there is none."""
    if not isinstance(rate, Rate):
        return f"not measured: {reason_words(rate.reason.value)}"
    if rate.value is None:
        return "not measured: nothing could be assessed"
    return f"{rate.hits:g} of {rate.total:g}, {percent(rate.value)}"


def _source_row(
    one: ListedSource, engines: list[EngineStanding], check: SourceCheck | None
) -> tuple[str, ...]:
    """One source: engines whose crawlers are kept out, and why."""
    return (
        one.clean_url or one.source.key,
        _page(one, check),
        "; ".join(_held(one, engines, Standing.NOT_ELIGIBLE)) or "nobody",
        "; ".join(_held(one, engines, Standing.NOT_ASSESSABLE)),
        "; ".join(_lines(engines, check)),
    )


def _held(one: ListedSource, engines: list[EngineStanding], wanted: Standing) -> Iterator[str]:
    """`engine: reasons` of each engine with which a source stands so."""
    for engine in engines:
        for listed, stood in engine.stood:
            if listed is one and stood.standing is wanted:
                yield f"{engine.engine}: {', '.join(stood.reasons)}"


def _page(one: ListedSource, check: SourceCheck | None) -> str:
    """What became of a page's fetch."""
    if one.page_key is None:
        return "no page named"
    if check is None:
        return "not looked at"
    code = "" if check.http_status is None else f" ({check.http_status})"
    return f"{check.fetch_status.value}{code}"


def _lines(engines: list[EngineStanding], check: SourceCheck | None) -> Iterator[str]:
    """Lines of robots.txt that keep out a crawler which decides for one of the engines."""
    crawlers = load_crawlers()
    tokens = dict.fromkeys(c.token for e in engines for c in crawlers.deciding(e.engine))
    shut = [check.ruling(token) for token in tokens] if check is not None else []
    for ruling in shut:
        if ruling is not None and not ruling.allowed:
            where = f"robots.txt:{ruling.line} [{ruling.group}] {ruling.rule}"
            yield f"{ruling.token}: {where if ruling.line else ruling.because.value}"


def _passage_rows(check: SourceCheck) -> Iterator[tuple[str, ...]]:
    for one in check.passages:
        yield (
            f"{one.prompt_id}/{one.claim_id}",
            check.url,
            one.support,
            one.qualifier.value,
            _sent(one),
            f"{one.word_offset} ({percent(one.share_before)})",
        )


def _sent(one: ClaimPassage) -> str:
    """Whether a passage is there before scripts run."""
    return {True: "yes", False: "no", None: "not known"}[one.without_scripts]
