"""Pages that an answer cites: each in a line, and the chosen one with its passages."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.claim import Support
from monitor.report.answer_view import AnswerView, CitingView, FetchView
from monitor.report.claim_gaps import told_gaps
from monitor.report.evidence import PageLine, Passage, passage_of
from monitor.report.reasons import judged_words, without_named
from monitor.report.screens.links import (
    capture_address,
    family_address,
    page_bytes_address,
    source_address,
)
from monitor.report.view import BaselineSourceView, PageView
from monitor.report.words import reason_words, support_words


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A cited page."""

    page: PageView
    state: str
    """Whether its text could be read, in words."""
    statements: tuple[int, ...]
    """Numbers of the statements that cite it."""
    family_href: str | None
    href: str
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class CitingLine:
    """A statement that cites the chosen page, in words."""

    number: int
    text: str
    href: str
    together: str
    together_shape: str
    alone: str
    """Empty where the page was not asked by itself."""
    alone_shape: str
    without: str
    """What all other pages say without it; empty where that was not asked."""
    without_shape: str
    passage: Passage | None
    gaps: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class EvidencedClaim:
    """A claim of the baseline for which the chosen page is the best evidence."""

    id: str
    text: str
    shape: str
    word: str


@dataclass(frozen=True, slots=True)
class ChosenSource:
    """The cited page that was chosen."""

    line: SourceLine
    graded_by: BaselineSourceView | None
    """What the baseline says of it; None where it grades it not, or through its publisher."""
    fetch: FetchView | None
    fetch_text: str
    citing: tuple[CitingLine, ...]
    claims: tuple[EvidencedClaim, ...]
    text_href: str | None
    """Its text with the quotes marked; None where there is none."""
    bytes_href: str | None
    """Its bytes as they were fetched; None where there are none."""
    earlier: str | None
    later: str | None


def source_lines(
    one: AnswerView, pages: Sequence[PageLine], chosen: int | None
) -> tuple[SourceLine, ...]:
    """Every cited page, by the number of its chip."""
    citing: dict[int, list[int]] = {}
    for number, statement in enumerate(one.view.statements, start=1):
        for chip in statement.chips:
            citing.setdefault(chip, []).append(number)
    return tuple(_line(one, line, citing.get(line.view.number, []), chosen) for line in pages)


def _line(
    one: AnswerView, line: PageLine, statements: Sequence[int], chosen: int | None
) -> SourceLine:
    page = line.view
    return SourceLine(
        page=page,
        state=line.state,
        statements=tuple(statements),
        family_href=family_address(page.family, run=one.run) if page.family else None,
        href=capture_address(one.view.id, source=page.number),
        is_chosen=page.number == chosen,
    )


def chosen_source(
    one: AnswerView, pages: Sequence[PageLine], number: int | None, citing: Sequence[CitingView]
) -> ChosenSource | None:
    """The cited page of a number; None where nothing is cited."""
    if number is None:
        return None
    line = source_lines(one, pages, number)[number - 1]
    fetch, own = one.fetches.get(number), one.view.id
    text, body = (fetch.text, fetch.body) if fetch else (None, None)
    return ChosenSource(
        line=line,
        graded_by=_graded(one, line.page),
        fetch=fetch,
        fetch_text=reason_words(fetch.status) if fetch else reason_words(line.page.fetch_status),
        citing=tuple(_citing(own, number, view) for view in citing),
        claims=tuple(
            EvidencedClaim(c.id, c.text, c.evidence.value, support_words(c.evidence.value))
            for c in one.view.claims
            if c.evidence_page == number and c.evidence in {Support.FULL, Support.PARTIAL}
        ),
        text_href=source_address(own, number) if text else None,
        bytes_href=page_bytes_address(own, number) if body and not body.removed_at else None,
        earlier=capture_address(own, source=number - 1) if number > 1 else None,
        later=capture_address(own, source=number + 1) if number < len(pages) else None,
    )


def _graded(one: AnswerView, page: PageView) -> BaselineSourceView | None:
    """What the baseline says of a page: of the page itself, else of its publisher."""
    sources = one.view.sources
    exact = (s for s in sources if s.key == page.page_key)
    broad = (s for s in sources if page.family is not None and s.key == page.family)
    found = next(exact, None) or next(broad, None)
    return found if found is not None and found.grade is page.grade else None


def _citing(own: int, number: int, view: CitingView) -> CitingLine:
    asked = view.alone or view.together
    return CitingLine(
        number=view.statement + 1,
        text=view.text,
        href=capture_address(own, source=number, statement=view.statement + 1),
        together=support_words(view.together.value if view.together else None),
        together_shape=view.together.value if view.together else "none",
        alone=_word(view.alone),
        alone_shape=view.alone.value if view.alone else "none",
        without=_word(view.without),
        without_shape=view.without.value if view.without else "none",
        passage=passage_of(view.quote) if view.quote else None,
        gaps=told_gaps(view.text, view.gaps, asked),
        why=judged_words(without_named(view.reasons, view.gaps)),
    )


def _word(support: Support | None) -> str:
    return support_words(support.value) if support else ""
