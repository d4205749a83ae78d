"""Where the subject of a step is named: answers, statements and pages, each with a link."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from monitor.domain.claim import Support
from monitor.domain.source import Grade
from monitor.report.evidence import STATEMENTS_SHOWN
from monitor.report.view import BaselineSourceView, CaptureView, PageView, ReportView
from monitor.report.words import anchor, clipped, short

Link = tuple[str, str]
"""What a link says, and where it leads."""


@dataclass(frozen=True, slots=True)
class Place:
    """One prompt, statement or page, and the answers in which it stands."""

    text: str
    links: tuple[Link, ...]


def source_places(
    view: ReportView, missing: Iterable[tuple[CaptureView, BaselineSourceView]]
) -> tuple[Place, ...]:
    """Answers that leave a source out, by prompt; with what is told of their search."""
    return _grouped(
        (_question(capture), _answer(view, capture, _searched(source)))
        for capture, source in missing
    )


def claim_places(view: ReportView, missing: Iterable[CaptureView]) -> tuple[Place, ...]:
    """Answers without evidence for a claim, by prompt."""
    return _grouped((_question(capture), _answer(view, capture)) for capture in missing)


def contradicted_places(view: ReportView, captures: Iterable[CaptureView]) -> tuple[Place, ...]:
    """Contradicted statements, in order, each with its answer."""
    return tuple(
        Place(clipped(statement.text), ((_name(view, capture, with_prompt=True), href),))
        for capture in captures
        for number, statement in enumerate(capture.statements, start=1)
        if statement.support is Support.CONTRADICTED
        for href in (statement_href(capture, number),)
    )


def statement_href(capture: CaptureView, number: int) -> str:
    """Place of a statement; its answer where the statement is not among those shown."""
    if number > STATEMENTS_SHOWN:
        return f"#{anchor('capture', str(capture.id))}"
    return f"#{anchor('s', str(capture.id), str(number))}"


def page_places(
    view: ReportView, cited: Iterable[tuple[CaptureView, PageView, str]]
) -> tuple[Place, ...]:
    """Pages with what is to be said of them, each with the answers that cite it."""
    return _grouped(
        (
            f"{clipped(page.clean_url or page.page_key)} ({said})",
            (
                _name(view, capture, with_prompt=True),
                f"#{anchor('p', str(capture.id), str(page.number))}",
            ),
        )
        for capture, page, said in cited
    )


def _grouped(pairs: Iterable[tuple[str, Link]]) -> tuple[Place, ...]:
    """Links of one text together, those with most links first."""
    found: dict[str, list[Link]] = {}
    for text, link in pairs:
        found.setdefault(text, []).append(link)
    ordered = sorted(found.items(), key=lambda pair: -len(pair[1]))
    return tuple(Place(text, tuple(links)) for text, links in ordered)


def _question(capture: CaptureView) -> str:
    """A prompt's id with its question."""
    return f"{capture.prompt_id}: {short(capture.prompt_text)}"


def _answer(view: ReportView, capture: CaptureView, note: str = "") -> Link:
    """An answer with a way to it."""
    return f"{_name(view, capture)}{note}", f"#{anchor('capture', str(capture.id))}"


def _name(view: ReportView, capture: CaptureView, *, with_prompt: bool = False) -> str:
    """An answer by its engine and repeat, and by its prompt where that is not said before."""
    prompt = f"{capture.prompt_id}, " if with_prompt else ""
    return f"{prompt}{_labels(view).get(capture.engine, capture.engine)} {capture.repeat}"


def _labels(view: ReportView) -> Mapping[str, str]:
    """Engine -> how it is called."""
    return {engine.name: engine.label for engine in view.engines}


def _searched(source: BaselineSourceView) -> str:
    """Whether the engine's search found a source that it does not show; empty where untold."""
    return {None: "", True: " (found, not shown)", False: " (not found)"}[source.retrieved]


def ungraded_pages(captures: Iterable[CaptureView]) -> Iterator[tuple[CaptureView, PageView, str]]:
    """Citations without a grade, of known publishers, where the baseline grades any."""
    for capture in captures:
        for page in capture.pages if capture.sources else ():
            if page.grade is Grade.UNGRADED and page.family:
                yield capture, page, page.family
