"""The book of verdicts: each (claim, evidence, judge version) is judged once and kept.

Stages say what they want; `settle` loads what is known, judges the rest and stores it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

from monitor.domain.claim import Judge, NotAssessable, Support, Verdict
from monitor.domain.keys import text_key
from monitor.pipeline.bench import Bench
from monitor.pipeline.removed import unjudgeable
from monitor.store import verdicts
from monitor.store.verdicts import VerdictKey

LOADED = 5_000
"""Verdicts asked of the store at once."""

STORED = 2_000
"""Verdicts a transaction: a killed process judges so many again at most. Keys are hashes, so each
transaction touches the whole index and few of them keep a large run as cheap as a small one
(`python -m benchmarks score`)."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A text that may support claims, under its hash; it is read when somebody wants it."""

    sha256: str
    read: Callable[[str], str | None] = field(compare=False, repr=False)
    """Gives the text of a hash."""

    @property
    def text(self) -> str | None:
        """The text; None where retention removed it: verdicts that were given on it stay."""
        return self.read(self.sha256)

    @classmethod
    def of(cls, text: str) -> "Evidence":
        """Evidence made of a text at hand."""
        return cls(text_key(text), lambda _: text)


def not_assessable(reason: str, judge: str = "") -> Verdict:
    """A verdict that says why nobody could check."""
    return Verdict(Support.NOT_ASSESSABLE, (reason,), judge=judge)


class VerdictBook:
    """Verdicts of one judge; what was judged before is never judged again."""

    def __init__(self, bench: Bench, judge: Judge, *, lenient: bool = False) -> None:
        """With `lenient`, a verdict whose text retention removed is counted, not an error."""
        self._bench = bench
        self._judge = judge
        self._lenient = lenient
        self.missing = 0
        """Verdicts that nobody can give any more; they stay pending and are not stored."""
        self.passing = 0
        """Verdicts given here that a later one may replace: errors of the judge."""
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

    def settle(self, stage: str, *, spare: bool = False) -> None:
        """Load, judge and store everything wanted so far.

        What is `spare` may stay pending: a text that retention removed is neither an error nor
        counted as missing.
        """
        wanted, self._wanted = self._wanted, {}
        keys = tuple(wanted)
        for start in range(0, len(keys), LOADED):
            part = keys[start : start + LOADED]
            self._known.update(self._bench.read(partial(verdicts.load_verdicts, keys=part)))
        missing = [key for key in keys if key not in self._known]
        for start in range(0, len(missing), STORED):
            batch = missing[start : start + STORED]
            asked = ((key, self._judged(*wanted[key], spare=spare)) for key in batch)
            fresh = {key: verdict for key, verdict in asked if verdict is not None}
            self._known.update(fresh)
            self.missing += 0 if spare else len(batch) - len(fresh)
            self.passing += sum(verdicts.is_passing(one) for one in fresh.values())
            made_at = self._bench.clock.now()
            self._bench.write(partial(verdicts.save_verdicts, verdicts=fresh, made_at=made_at))
            self._bench.progress(stage, min(start + STORED, len(missing)), len(missing))

    def _place(self, claim: str, evidence: Sequence[Evidence]) -> VerdictKey:
        """Identity of a verdict."""
        return VerdictKey(self._key(claim), tuple(e.sha256 for e in evidence), self.judge)

    def _judged(self, claim: str, evidence: tuple[Evidence, ...], *, spare: bool) -> Verdict | None:
        """A fresh verdict; None where a text was removed, StoreError unless that is expected."""
        texts = []
        for one in evidence:
            text = one.text
            if text is None and (self._lenient or spare):
                return None
            if text is None:
                raise unjudgeable(one.sha256)
            texts.append(text)
        return self._judge.verdict(claim, tuple(texts))
