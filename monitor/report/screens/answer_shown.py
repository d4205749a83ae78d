"""An answer as a reader saw it, its statements marked by what their citations are worth."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from monitor.domain.claim import StatementKind
from monitor.report.answer_view import AnswerView, BlockView
from monitor.report.claim_gaps import Piece
from monitor.report.evidence import StatementLine
from monitor.report.screens.links import capture_address
from monitor.report.words import support_words


@dataclass(frozen=True, slots=True)
class Chip:
    """A number in an answer that leads to the page it stands for."""

    number: int
    href: str


@dataclass(frozen=True, slots=True)
class StatementMark:
    """A statement where it stands in the answer."""

    number: int
    shape: str
    word: str
    pieces: tuple[Piece, ...]
    chips: tuple[Chip, ...]
    href: str
    is_chosen: bool
    is_unsourced: bool = False
    """Whether a reader may ask for a source and finds none."""


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A paragraph, a list item or a row of the answer."""

    marks: tuple[StatementMark, ...]
    cells: tuple[str, ...]
    text: str
    is_header: bool


@dataclass(frozen=True, slots=True)
class ShownGroup:
    """Parts of one kind that stand together: a list, a table, one paragraph."""

    kind: str
    """`paragraph`, `heading`, `bullet`, `numbered`, `table` or `aside`."""
    parts: tuple[ShownPart, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """What of an answer its address names: numbers from 1, None where it names none."""

    source: int | None = None
    statement: int | None = None

    def within(self, one: AnswerView) -> "Chosen":
        """The same with the source that its statement cites first, else with the first of all."""
        seen = one.view
        if self.source is not None or not seen.pages:
            return self
        if self.statement is None:
            return Chosen(1, None)
        return Chosen(next(iter(seen.statements[self.statement - 1].chips), None), self.statement)


def shown_groups(
    one: AnswerView, chosen: Chosen, lines: Sequence[StatementLine]
) -> Iterator[ShownGroup]:
    """Blocks of an answer in its order, those of lists and tables together."""

    def kind(block: BlockView) -> str:
        return "table" if block.kind in {"header", "row"} else block.kind

    for name, blocks in groupby(one.blocks, key=kind):
        parts = tuple(_part(one, block, chosen, lines) for block in blocks)
        if name in {"bullet", "numbered", "table"}:
            yield ShownGroup(name, parts)
        else:
            yield from (ShownGroup(name, (part,)) for part in parts)


def _part(
    one: AnswerView, block: BlockView, chosen: Chosen, lines: Sequence[StatementLine]
) -> ShownPart:
    marks = tuple(_mark(one, index, chosen, lines) for index in block.statements)
    return ShownPart(marks, block.cells, block.text, block.kind == "header")


def _mark(
    one: AnswerView, index: int, chosen: Chosen, lines: Sequence[StatementLine]
) -> StatementMark:
    view, number = one.view.statements[index], index + 1
    line = lines[index] if index < len(lines) else None
    return StatementMark(
        number=number,
        shape=view.support.value if view.support else "none",
        word=line.support if line else support_words(view.support.value if view.support else None),
        pieces=line.text if line else (Piece(view.text),),
        chips=tuple(
            Chip(n, capture_address(one.view.id, source=n, statement=number)) for n in view.chips
        ),
        href=capture_address(one.view.id, statement=number),
        is_chosen=number == chosen.statement,
        is_unsourced=view.kind is StatementKind.CLAIM and not view.chips and view.support is None,
    )
