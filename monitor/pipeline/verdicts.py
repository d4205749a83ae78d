"""The book of verdicts: each (claim, evidence, judge version) is judged once and kept.

Stages say what they want; `settle` loads what is known, judges the rest and stores it.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial

from monitor.domain.claim import Judge, NotAssessable, Question, Verdict
from monitor.domain.keys import text_key
from monitor.pipeline.bench import Bench
from monitor.pipeline.book import Evidence, not_assessable
from monitor.pipeline.removed import unjudgeable
from monitor.pipeline.run_judge import RunJudge, is_asked
from monitor.store import verdicts
from monitor.store.verdicts import VerdictKey

LOADED = 5_000
"""Verdicts asked of the store at once."""

STORED = 2_000
"""Verdicts a transaction: a killed process judges so many again at most. Keys are hashes, so each
transaction touches the whole index and few of them keep a large run as cheap as a small one
(`python -m benchmarks score`)."""

STORED_SECONDS = 20.0
"""A judge that takes its time has its verdicts stored this often: a killed process loses few."""

LOOKED_SECONDS = 30.0
"""Verdicts that are wanted longer than this are looked for once more before they are asked for:
another process may have had them judged."""

_ASKED_ALONG = 200
"""Verdicts that are looked for once more together."""

Wanted = Mapping[VerdictKey, tuple[str, tuple[Evidence, ...]]]
"""What is to be judged: claim and texts by what the verdict is known by."""


class VerdictBook:
    """Verdicts of one judge; what was judged before is never judged again."""

    def __init__(self, bench: Bench, judge: Judge, *, lenient: bool = False) -> None:
        """With `lenient`, a verdict whose text retention removed is counted, not an error."""
        self._bench = bench
        self._judge = judge
        self._lenient = lenient
        self.missing = 0
        """Verdicts that nobody can give any more; they stay pending and are not stored."""
        self.pending = 0
        """Verdicts that the judge did not give: it may not be asked, or its money ended."""
        self.pending_micros = 0
        """What those would cost at most, where the judge knows."""
        self.optional = 0
        """Optional verdicts that nobody was asked for, those of removed texts left out."""
        self.optional_micros = 0
        """What those would cost at most, likewise."""
        self.temporary = 0
        """Verdicts given here that a later one may replace: errors of the judge."""
        self._left: set[VerdictKey] = set()
        self._known: dict[VerdictKey, Verdict] = {}
        self._wanted: dict[VerdictKey, tuple[str, tuple[Evidence, ...]]] = {}
        self._key = lru_cache(maxsize=100_000)(text_key)

    @property
    def judge(self) -> str:
        """Name and version of the judge."""
        return self._judge.version

    def want(self, claim: str, evidence: Sequence[Evidence]) -> None:
        """Ask for a verdict; it is there after the next `settle`."""
        if not evidence:
            return
        key = self._place(claim, evidence)
        if key not in self._known:
            self._wanted.setdefault(key, (claim, tuple(evidence)))

    def get(self, claim: str, evidence: Sequence[Evidence]) -> Verdict:
        """Verdict of a claim and the texts read together; pending where it was never settled."""
        if not evidence:
            return not_assessable(NotAssessable.NO_CITATIONS.value, self.judge)
        found = self._known.get(self._place(claim, evidence))
        return found or not_assessable(NotAssessable.PENDING.value, self.judge)

    def settle(self, stage: str, *, optional: bool = False) -> None:
        """Load, judge and store everything wanted so far.

        What is `optional` may stay pending: a text that retention removed is neither an error nor
        counted as missing, and what is not judged is not counted either.
        """
        wanted, self._wanted = self._wanted, {}
        self._load(tuple(wanted))
        left = [key for key in wanted if key not in self._known]
        if not is_asked(self._judge):
            self._leave(wanted, left, optional=optional)
        elif left:
            self._ask(wanted, left, stage, optional=optional)

    def _load(self, keys: Sequence[VerdictKey]) -> None:
        """What the store has of these verdicts."""
        for start in range(0, len(keys), LOADED):
            part = keys[start : start + LOADED]
            self._known.update(self._bench.read(partial(verdicts.load_verdicts, keys=part)))

    def _leave(self, wanted: Wanted, left: Sequence[VerdictKey], *, optional: bool) -> None:
        """Count what nobody is asked for, and what it would cost."""
        fresh = [key for key in left if key not in self._left]
        self._left.update(fresh)
        self.pending += 0 if optional else len(fresh)
        estimate = self._judge.estimate if isinstance(self._judge, RunJudge) else None
        if estimate is None:
            return
        for claim, evidence in (wanted[key] for key in fresh):
            texts = tuple(one.text for one in evidence)
            micros = estimate(Question(claim, tuple(one or "" for one in texts)))
            if not optional:
                self.pending_micros += micros
            elif None not in texts:
                self.optional += 1
                self.optional_micros += micros

    def _ask(
        self, wanted: Wanted, left: Sequence[VerdictKey], stage: str, *, optional: bool
    ) -> None:
        """Have the rest judged, and store it as it comes."""
        clock, done = self._bench.clock, 0
        asked: deque[VerdictKey] = deque()
        fresh: dict[VerdictKey, Verdict] = {}
        stored_at = clock.monotonic()
        try:
            for verdict in self._judge.verdicts(
                self._questions(wanted, left, asked, optional=optional)
            ):
                fresh[asked.popleft()] = verdict
                if len(fresh) >= STORED or clock.monotonic() - stored_at >= STORED_SECONDS:
                    done += len(fresh)
                    self._store(fresh, optional=optional)
                    fresh, stored_at = {}, clock.monotonic()
                    self._bench.progress(stage, done, len(left))
        finally:
            # What a judge gave before it failed was paid for.
            self._store(fresh, optional=optional)
        given = sum(key in self._known for key in left)
        self._bench.progress(stage, given, len(left))

    def _questions(
        self,
        wanted: Wanted,
        left: Sequence[VerdictKey],
        asked: deque[VerdictKey],
        *,
        optional: bool,
    ) -> Iterator[Question]:
        """Questions as the judge wants them, one text after another; `asked` tells their keys."""
        clock = self._bench.clock
        looked_at = clock.monotonic()
        for start in range(0, len(left), _ASKED_ALONG):
            part = left[start : start + _ASKED_ALONG]
            if clock.monotonic() - looked_at >= LOOKED_SECONDS:
                self._load(part)
                looked_at = clock.monotonic()
            for key in part:
                if key in self._known:
                    continue
                claim, evidence = wanted[key]
                texts = self._texts(evidence, optional=optional)
                if texts is None:
                    self.missing += 0 if optional else 1
                    continue
                asked.append(key)
                yield Question(claim, texts)

    def _texts(self, evidence: tuple[Evidence, ...], *, optional: bool) -> tuple[str, ...] | None:
        """The texts; None where one was removed, StoreError unless that is expected."""
        texts = []
        for one in evidence:
            text = one.text
            if text is None and (self._lenient or optional):
                return None
            if text is None:
                raise unjudgeable(one.sha256)
            texts.append(text)
        return tuple(texts)

    def _store(self, fresh: Mapping[VerdictKey, Verdict], *, optional: bool) -> None:
        """Keep verdicts; one that is pending is none."""
        given = {k: v for k, v in fresh.items() if v.reason != NotAssessable.PENDING.value}
        self._known.update(given)
        self.pending += 0 if optional else len(fresh) - len(given)
        self.temporary += sum(verdicts.is_temporary(one) for one in given.values())
        if given and self._bench.keeps:
            made_at = self._bench.clock.now()
            self._bench.write(partial(verdicts.save_verdicts, verdicts=given, made_at=made_at))

    def _place(self, claim: str, evidence: Sequence[Evidence]) -> VerdictKey:
        """Identity of a verdict."""
        return VerdictKey(self._key(claim), tuple(e.sha256 for e in evidence), self.judge)
