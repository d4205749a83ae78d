"""Answers -> statements with claims: by our rules, or by rules and a language model on top.

A model splits what rules call a claim into smaller ones. Each answer is split once and kept under
a version that names who did it; a statement that the model fails on keeps the claims of the rules.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import count

from monitor.claims import answer_format, statements
from monitor.domain.claim import Claim, Judge, Statement
from monitor.pipeline.bench import Bench
from monitor.pipeline.run_judge import Splitter, claims_version, splitter_of, splitting_of
from monitor.store import Connection, citations, claims, runs
from monitor.store.parts import Part

_AT_ONCE = 200
"""Answers of one transaction."""
_PAID_AT_ONCE = 20
"""The same where a model that is paid splits them: a killed process loses few."""

Pieces = tuple[tuple[str, int, int], ...]
"""Claims of a statement: text, start and end in the statement's text."""
Split = tuple[citations.StoredReading, tuple[Statement, ...]]
"""An answer and the statements it was cut into."""


@dataclass(slots=True)
class Splits:
    """The statements of a run's answers, as its judge is asked of them."""

    bench: Bench
    version: str
    """What split them: part of the signature."""
    by_model: bool = False
    splitter: Splitter | None = None
    """None where rules split, or nobody may be asked."""
    pending: int = 0
    """Answers that the model did not split; their claims are those of the rules meanwhile."""
    _fresh: list[Split] = field(default_factory=list)

    @classmethod
    def of(cls, bench: Bench, judge: Judge) -> "Splits":
        """Those that a judge is asked of."""
        splitting = splitting_of(judge)
        return cls(bench, claims_version(splitting), splitting is not None, splitter_of(judge))

    @classmethod
    def kept(cls, bench: Bench, run: runs.Run) -> "Splits":
        """Those that a run was scored with; nobody is asked."""
        splitting = run.splitter_version
        return cls(bench, claims_version(splitting), splitting is not None)

    def of_run(
        self, run: runs.Run, part: Part, readings: Iterable[citations.StoredReading]
    ) -> Mapping[int, tuple[Statement, ...]]:
        """Statements by reading id, of answers of a part of a run; what is new is kept."""
        known = self.bench.read(
            lambda c: claims.load_run_statements(c, run.id, part, version=self.version)
        )
        kept = {one.reading_id: one.statements for one in known.values()}
        found: dict[int, tuple[Statement, ...]] = {}
        todo: list[citations.StoredReading] = []
        for stored in readings:
            if stored.id in kept:
                found[stored.id] = kept[stored.id]
                continue
            found[stored.id] = statements(stored.reading)
            todo.append(stored)
        if not self.by_model:
            for stored in todo:
                self._keep(stored, found[stored.id], _AT_ONCE)
        elif self.splitter is None:
            self.pending += len(todo)
        else:
            found |= self._by_model(self.splitter, todo, found)
        self._flush()
        return found

    def _by_model(
        self,
        splitter: Splitter,
        todo: Sequence[citations.StoredReading],
        by_rules: Mapping[int, tuple[Statement, ...]],
    ) -> dict[int, tuple[Statement, ...]]:
        """Answers split by the model; those it was kept from by a cap stay as they are."""
        found: dict[int, tuple[Statement, ...]] = {}
        asked = [one.text for stored in todo for one in by_rules[stored.id] if one.claims]
        pieces = iter(splitter.split(asked))
        for number, stored in enumerate(todo, 1):
            rules = by_rules[stored.id]
            taken = {one.index: next(pieces) for one in rules if one.claims}
            if None in taken.values() and splitter.held is not None:
                self.pending += 1
                continue
            found[stored.id] = _joined(rules, taken, stored.reading.text)
            self._keep(stored, found[stored.id], _PAID_AT_ONCE)
            self.bench.progress("claims", number, len(todo))
        return found

    def _keep(
        self, stored: citations.StoredReading, split: tuple[Statement, ...], at_once: int
    ) -> None:
        self._fresh.append((stored, split))
        if len(self._fresh) >= at_once:
            self._flush()

    def _flush(self) -> None:
        """Store what was split."""
        fresh, self._fresh = self._fresh, []
        if fresh and self.bench.keeps:
            made_at = self.bench.clock.now()
            self.bench.write(partial(_save, fresh=fresh, version=self.version, made_at=made_at))


def _save(
    connection: Connection,
    fresh: Sequence[Split],
    version: str,
    made_at: datetime,
) -> None:
    for stored, split in fresh:
        claims.save_statements(
            connection,
            stored.id,
            split,
            answer_format=answer_format(stored.reading),
            claims_version=version,
            made_at=made_at,
        )


def _joined(
    rules: Sequence[Statement], taken: Mapping[int, Pieces | None], answer: str
) -> tuple[Statement, ...]:
    """Statements with the model's claims where it gave some, all counted through the answer."""
    number = count()
    made = []
    for one in rules:
        pieces = taken.get(one.index)
        found = one.claims if not pieces else _claims(one, pieces, answer)
        made.append(replace(one, claims=tuple(replace(c, index=next(number)) for c in found)))
    return tuple(made)


def _claims(statement: Statement, pieces: Pieces, answer: str) -> Iterator[Claim]:
    """A statement's claims; where its own words cannot be found, a claim spans all of it."""
    for text, start, end in pieces:
        words = statement.text[start:end]
        place = answer.find(words, statement.start, statement.end) if words else -1
        span = (statement.start, statement.end) if place < 0 else (place, place + len(words))
        yield Claim(0, statement.index, text, *span)
