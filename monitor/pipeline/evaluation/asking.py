"""Work that asks a judge in rounds: what is known after one round says what the next one asks.

An `Asking` yields the questions of its next round and is sent their verdicts; what it returns is
its product. Many of them together ask all that any of them wants in one round, so that a judge
that can work on several questions at once is kept busy.
"""

from collections.abc import Generator, Iterable, Sequence
from itertools import islice
from typing import TypeVar

from monitor.domain.claim import Question, Verdict

T = TypeVar("T")
Asking = Generator[tuple[Question, ...], tuple[Verdict, ...], T]


def together(parts: Sequence[Asking[T]]) -> Asking[list[T]]:
    """All parts at once, round by round; their products in order."""
    ended: dict[int, T] = {}
    wants: dict[int, tuple[Question, ...]] = {}
    for place, part in enumerate(parts):
        _go_on(part, None, place, (wants, ended))
    while wants:
        verdicts = iter((yield tuple(one for asked in wants.values() for one in asked)))
        for place, asked in list(wants.items()):
            del wants[place]
            _go_on(parts[place], tuple(islice(verdicts, len(asked))), place, (wants, ended))
    return [ended[place] for place in range(len(parts))]


def _go_on(
    part: Asking[T],
    verdicts: tuple[Verdict, ...] | None,
    place: int,
    kept: tuple[dict[int, tuple[Question, ...]], dict[int, T]],
) -> None:
    """One step of one part: what it wants next, or what it came to."""
    wants, ended = kept
    try:
        # A part that has not begun takes None alone.
        wants[place] = next(part) if verdicts is None else part.send(verdicts)
    except StopIteration as end:
        ended[place] = end.value


def ask(questions: Iterable[Question]) -> Asking[dict[Question, Verdict]]:
    """One round: each distinct question with its verdict."""
    distinct = tuple(dict.fromkeys(questions))
    if not distinct:
        return {}
    verdicts = yield distinct
    return dict(zip(distinct, verdicts, strict=True))


def tracked(work: Asking[T]) -> Asking[tuple[T, tuple[Question, ...]]]:
    """The same work; its product comes with every question it asked."""
    asked: list[Question] = []
    try:
        questions = next(work)
        while True:
            asked.extend(questions)
            questions = work.send((yield questions))
    except StopIteration as end:
        product: T = end.value
        return product, tuple(asked)
