"""Two answers beside each other: sources, statements, support, claims, queries and words."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.claim import Support
from monitor.report.answer_view import AnswerView
from monitor.report.costs import cost_words
from monitor.report.screens.links import capture_address, captures_diff_address, family_address
from monitor.report.tables import Row, Table
from monitor.report.view import PageView, StatementView
from monitor.report.word_diff import DiffPiece, word_diff
from monitor.report.words import outcome_words, plural, support_words, when

_SHOWN = 500
"""Lines of one list; how many more there are is said."""


@dataclass(frozen=True, slots=True)
class DiffHead:
    """One of the two answers."""

    id: int
    name: str
    href: str
    run: str
    prompt_id: str
    prompt_text: str
    outcome_text: str
    asked_at: datetime | None
    served_model: str | None
    cost: str
    """What was counted for all its calls, and who says so."""


@dataclass(frozen=True, slots=True)
class SourceChange:
    """A page that one answer cites, or both."""

    kept: str
    """`added`, `lost` or `kept`."""
    page_key: str
    url: str | None
    title: str | None
    family: str | None
    family_href: str | None
    grade: str
    before: int | None
    """Number of its chip before; None where it is not cited."""
    after: int | None


@dataclass(frozen=True, slots=True)
class StatementChange:
    """A statement that one answer makes, or both."""

    kept: str
    """`added`, `lost`, `kept`, or `support` where only its support is another."""
    text: str
    before: int | None
    after: int | None
    before_shape: str
    before_word: str
    after_shape: str
    after_word: str


@dataclass(frozen=True, slots=True)
class ClaimChange:
    """A claim of the baseline that the answers state or evidence otherwise."""

    id: str
    text: str
    stated_before: str
    stated_after: str
    evidence_before: str
    evidence_after: str


@dataclass(frozen=True, slots=True)
class QueryChange:
    """A search that one answer was made with, or both."""

    kept: str
    text: str


@dataclass(frozen=True, slots=True)
class DiffScreen:
    """What is another in one answer than in another one."""

    title: str
    before: DiffHead
    after: DiffHead
    swapped: str
    """Address of the same the other way round."""
    unlike: tuple[str, ...]
    """Why the two are not of a kind, where they are not."""
    sources: tuple[SourceChange, ...]
    statements: tuple[StatementChange, ...]
    statements_left_out: int
    claims: tuple[ClaimChange, ...]
    queries: tuple[QueryChange, ...]
    words: tuple[DiffPiece, ...]
    words_left_out: int
    counts: Mapping[str, int]
    """How many sources and statements were added, lost and kept."""


def diff_screen(before: AnswerView, after: AnswerView) -> DiffScreen:
    """Two answers beside each other, the first one as the one before."""
    words = word_diff(said(before), said(after))
    sources = tuple(_sources(before, after))
    statements = tuple(_statements(before, after))
    return DiffScreen(
        title=_title(sources, statements),
        before=_head(before, after),
        after=_head(after, before),
        swapped=captures_diff_address(after.view.id, before.view.id),
        unlike=tuple(_unlike(before, after)),
        sources=sources,
        statements=statements[:_SHOWN],
        statements_left_out=max(0, len(statements) - _SHOWN),
        claims=tuple(_claims(before, after)),
        queries=tuple(_queries(before.view.queries, after.view.queries)),
        words=words.pieces,
        words_left_out=words.left_out,
        counts=_counts(sources, statements),
    )


def said(one: AnswerView) -> str:
    """The words of an answer as a reader saw them, a block a line."""
    texts = [s.text for s in one.view.statements]
    if not one.blocks:
        return one.text
    return "\n".join(
        " | ".join(b.cells) if b.cells else " ".join(texts[n] for n in b.statements) or b.text
        for b in one.blocks
    )


def _head(one: AnswerView, other: AnswerView) -> DiffHead:
    seen = one.view
    slot = when(seen.slot, other.view.slot if other.view.slot != seen.slot else None)
    return DiffHead(
        id=seen.id,
        name=f"{one.label}, {slot}, answer {seen.repeat}",
        href=capture_address(seen.id),
        run=one.run,
        prompt_id=seen.prompt_id,
        prompt_text=seen.prompt_text,
        outcome_text=outcome_words(seen.outcome),
        asked_at=seen.asked_at,
        served_model=seen.served_model,
        cost=cost_words(seen.counted, seen.cost_micros),
    )


def _unlike(before: AnswerView, after: AnswerView) -> Iterator[str]:
    a, b = before.view, after.view
    if a.id == b.id:
        yield "This is one answer beside itself."
    if a.prompt_id != b.prompt_id:
        yield "Two different prompts: what differs may be the question, not the engine."
    elif a.prompt_text != b.prompt_text:
        yield "The prompt was edited between the two: they answer other words."
    if a.engine != b.engine:
        yield "Two engines: what differs is no change of either."
    elif before.access != after.access:
        yield f"Two ways to one engine ({before.access}, {after.access}): no comparison joins them."
    if before.locale != after.locale:
        yield f"Two locales: {before.locale} and {after.locale}."
    for one in (before, after):
        if one.view.outcome != "answered":
            yield f"{one.label}, {when(one.view.slot)}: {outcome_words(one.view.outcome)}."


def _title(sources: Sequence[SourceChange], statements: Sequence[StatementChange]) -> str:
    found = Counter(one.kept for one in sources)
    told = Counter(one.kept for one in statements)
    if not any((found["added"], found["lost"], told["added"], told["lost"], told["support"])):
        return "The same sources and statements"
    return (
        f"{plural(found['added'], 'source')} added, {found['lost']} lost; "
        f"{plural(told['added'], 'statement')} added, {told['lost']} lost, "
        f"{told['support']} with another support"
    )


def _counts(
    sources: Sequence[SourceChange], statements: Sequence[StatementChange]
) -> dict[str, int]:
    kinds = (("sources", [s.kept for s in sources]), ("statements", [s.kept for s in statements]))
    return {f"{what}_{kept}": n for what, all_ in kinds for kept, n in Counter(all_).items()}


def _sources(before: AnswerView, after: AnswerView) -> Iterator[SourceChange]:
    """Pages that came, then those that went, then those that stayed."""
    old = {page.page_key: page for page in before.view.pages}
    new = {page.page_key: page for page in after.view.pages}
    yield from (_source("added", None, new[k], after.run) for k in new if k not in old)
    yield from (_source("lost", old[k], None, before.run) for k in old if k not in new)
    yield from (_source("kept", old[k], new[k], after.run) for k in new if k in old)


def _source(kept: str, old: PageView | None, new: PageView | None, run: str) -> SourceChange:
    page = new or old
    assert page is not None
    return SourceChange(
        kept=kept,
        page_key=page.page_key,
        url=page.clean_url,
        title=page.title,
        family=page.family,
        family_href=family_address(page.family, run=run) if page.family else None,
        grade=page.grade.value,
        before=old.number if old else None,
        after=new.number if new else None,
    )


def _statements(before: AnswerView, after: AnswerView) -> Iterator[StatementChange]:
    """Statements in the order of the answer after, then those that are in the one before alone."""
    left: dict[str, list[tuple[int, StatementView]]] = {}
    for number, one in enumerate(before.view.statements, start=1):
        left.setdefault(_key(one), []).append((number, one))
    for number, one in enumerate(after.view.statements, start=1):
        alike = left.get(_key(one))
        yield _statement(alike.pop(0) if alike else None, (number, one))
    rest = sorted((pair for pairs in left.values() for pair in pairs), key=_number)
    yield from (_statement(pair, None) for pair in rest)


def _key(one: StatementView) -> str:
    return " ".join(one.text.casefold().split())


def _number(pair: tuple[int, StatementView]) -> int:
    return pair[0]


def _statement(
    old: tuple[int, StatementView] | None, new: tuple[int, StatementView] | None
) -> StatementChange:
    number_before, before = old or (None, None)
    number_after, after = new or (None, None)
    shown = after or before
    assert shown is not None
    supports = [one.support if one else None for one in (before, after)]
    return StatementChange(
        kept=_how(before, after),
        text=shown.text,
        before=number_before,
        after=number_after,
        before_shape=_shape(supports[0]),
        before_word=support_words(_value(supports[0])) if before else "",
        after_shape=_shape(supports[1]),
        after_word=support_words(_value(supports[1])) if after else "",
    )


def _how(before: StatementView | None, after: StatementView | None) -> str:
    if before is None or after is None:
        return "added" if before is None else "lost"
    return "kept" if before.support is after.support else "support"


def _value(support: Support | None) -> str | None:
    return support.value if support else None


def _shape(support: Support | None) -> str:
    return support.value if support else "none"


def _claims(before: AnswerView, after: AnswerView) -> Iterator[ClaimChange]:
    """Claims of the baseline that are stated or evidenced otherwise; none of two prompts."""
    if before.view.prompt_id != after.view.prompt_id:
        return
    old = {claim.id: claim for claim in before.view.claims}
    for new in after.view.claims:
        one = old.get(new.id)
        if one is None or (one.stated, one.evidence) == (new.stated, new.evidence):
            continue
        yield ClaimChange(
            new.id,
            new.text,
            _word(one.stated),
            _word(new.stated),
            _word(one.evidence),
            _word(new.evidence),
        )


def _word(support: Support | None) -> str:
    return support_words(support.value) if support else "none"


def _queries(before: Sequence[str], after: Sequence[str]) -> Iterator[QueryChange]:
    yield from (QueryChange("added", q) for q in dict.fromkeys(after) if q not in before)
    yield from (QueryChange("lost", q) for q in dict.fromkeys(before) if q not in after)
    yield from (QueryChange("kept", q) for q in dict.fromkeys(after) if q in before)


DIFF_HEADER = ("kind", "change", "before", "after", "text", "family", "support_before",
               "support_after")  # fmt: skip


def diff_table(screen: DiffScreen) -> Table:
    """Sources, statements and queries, one row each."""
    rows: list[Row] = [
        ("source", s.kept, s.before, s.after, s.url or s.page_key, s.family, None, None)
        for s in screen.sources
    ]
    rows += [
        ("statement", s.kept, s.before, s.after, s.text, None, s.before_word, s.after_word)
        for s in screen.statements
    ]
    rows += [("query", q.kept, None, None, q.text, None, None, None) for q in screen.queries]
    return DIFF_HEADER, rows
