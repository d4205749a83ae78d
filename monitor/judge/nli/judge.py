"""Verdicts of an inference model: windows of the evidence as premises, the claim as hypothesis.

Support may stand anywhere, so the best window counts. A contradiction counts only in the window
that is most about the claim: of many windows on other matters some will always look like one.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from monitor.claims.propositions import propositions
from monitor.domain.claim import Gap, GapKind, NotAssessable, Question, Support, Verdict
from monitor.domain.page import FetchStatus
from monitor.judge.nli.network import Chances, Network, Pair
from monitor.judge.nli.windows import Span, Window, about, windows

SURE = 0.6
"""Probability of entailment from which a claim is fully supported."""
POOR = 0.4
"""Probability of entailment below which the model is not unclear any more."""
AGAINST = 0.7
"""Probability of contradiction from which a claim is contradicted."""
_RELATED = 0.5
"""How much the window most about a claim must be about it, to contradict it."""
_CAP = 0.45
"""Highest score of a claim of which a part is not supported."""
_MOST_WINDOWS = 64
"""Windows asked about one claim; of more, those most about it."""
_CLAUSE_WINDOWS = 16
_MOST_CLAUSES = 6
_QUOTABLE = 8
"""Sentences of a window that are asked about alone, to find the one to quote."""
_LEAST_ROOM = 12
"""Tokens that must be left for evidence beside the claim."""

Asking = Generator[list[Pair], list[Chances], Verdict]
"""The judging of one claim: gives pairs, is sent their probabilities, ends with its verdict."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A claim, its evidence, and the windows that are asked about."""

    claim: str
    evidence: tuple[str, ...]
    windows: tuple[Window, ...]
    texts: tuple[str, ...]

    def nearest(self, claim: str, most: int) -> list[int]:
        """Numbers of the windows most about a claim, in reading order."""
        near = about(claim, self.texts)
        return sorted(sorted(range(len(near)), key=lambda n: -near[n])[:most])


@dataclass(frozen=True, slots=True)
class _Found:
    """What the windows say of a claim or of one of its clauses."""

    entailment: float
    window: int
    """The window that entails it most."""
    against: float
    """Contradiction in the window most about it; 0 where none is about it."""
    rival: int
    """That window."""


@dataclass(frozen=True, slots=True)
class NliJudge:
    """Judge by an inference model; the same model gives the same verdict everywhere."""

    network: Network
    version: str
    batch: int
    """Claims worked on together."""

    @property
    def held(self) -> None:
        """No cap ends what costs nothing."""

    def verdict(self, claim: str, evidence: tuple[str, ...]) -> Verdict:
        """Support of a claim by all evidence texts; JudgeError where the model fails."""
        return next(self.verdicts([Question(claim, evidence)]))

    def verdicts(self, asked: Iterable[Question]) -> Iterator[Verdict]:
        """A verdict for each question, in order; a few are worked on together."""
        waiting = iter(asked)
        while held := tuple(islice(waiting, self.batch)):
            judging = [self._asking(_plain(one)) for one in held]
            told = _together(judging, self.network.chances)
            for question, made in zip(held, told, strict=True):
                yield replace(_verbatim(made, question), judge=self.version)

    def _asking(self, question: Question) -> Asking:
        if not any(text.strip() for text in question.evidence):
            return _nothing(FetchStatus.NO_TEXT.value)
        if not question.claim.strip():
            return _nothing(NotAssessable.JUDGE_UNCLEAR.value, "empty claim")
        room = self.network.room(question.claim)
        if room < _LEAST_ROOM:
            return _nothing(NotAssessable.JUDGE_UNCLEAR.value, "claim longer than the model reads")
        found = windows(question.evidence, room, self.network)
        if not found:
            return _nothing(FetchStatus.NO_TEXT.value)
        return _judging(_prepared(question, found))


def _plain(question: Question) -> Question:
    """A question without lone surrogates, which no tokenizer takes; all places stay the same."""
    claim, *evidence = (
        text.encode("utf-8", "replace").decode("utf-8")
        for text in (question.claim, *question.evidence)
    )
    return Question(claim, tuple(evidence))


def _verbatim(made: Verdict, question: Question) -> Verdict:
    """A verdict that quotes the text as it was given."""
    score = round(made.score or 0.0, 4)
    if made.evidence is None or made.quote_span is None:
        return replace(made, score=score)
    start, end = made.quote_span
    return replace(made, score=score, quote=question.evidence[made.evidence][start:end])


def _prepared(question: Question, found: Sequence[Window]) -> _Asked:
    """The windows worth asking about."""
    texts = tuple(one.text(question.evidence) for one in found)
    whole = _Asked(question.claim, question.evidence, tuple(found), texts)
    kept = whole.nearest(question.claim, _MOST_WINDOWS)
    return replace(
        whole, windows=tuple(found[n] for n in kept), texts=tuple(texts[n] for n in kept)
    )


def _together(
    judging: Sequence[Asking], chances: Callable[[Sequence[Pair]], list[Chances]]
) -> list[Verdict]:
    """Verdicts of claims whose pairs are asked about in common, round by round."""
    made: list[Verdict | None] = [None] * len(judging)
    sent: list[list[Chances]] = []
    while True:
        wanted: list[list[Pair]] = [[] for _ in judging]
        for place, one in enumerate(judging):
            if made[place] is None:
                try:
                    wanted[place] = one.send(sent[place]) if sent else next(one)
                except StopIteration as stop:
                    made[place] = stop.value
        if all(one is not None for one in made):
            return [one for one in made if one is not None]
        told = iter(chances([pair for pairs in wanted for pair in pairs]))
        sent = [[next(told) for _ in pairs] for pairs in wanted]


def _nothing(*reasons: str) -> Asking:
    """A claim that cannot be asked about."""
    yield from ()
    return Verdict(Support.NOT_ASSESSABLE, reasons, 0.0)


def _judging(asked: _Asked) -> Asking:
    """The whole claim first, then its clauses where the whole is not borne out."""
    whole = yield from _found(asked, asked.claim, len(asked.windows))
    if whole.entailment >= SURE:
        if whole.against >= AGAINST and whole.rival != whole.window:
            return _unclear(whole.entailment, "one passage supports it, another contradicts it")
        return (yield from _quoted(asked, Support.FULL, ("entailed",), whole))
    if whole.against >= AGAINST and whole.entailment < POOR:
        turned = replace(whole, window=whole.rival)
        return (yield from _quoted(asked, Support.CONTRADICTED, ("contradicted",), turned))
    parts = propositions(asked.claim)[:_MOST_CLAUSES]
    if len(parts) > 1:
        made = yield from _by_clauses(asked, parts, whole)
        if made is not None:
            return made
    if whole.entailment >= POOR:
        return _unclear(whole.entailment, f"entailment {whole.entailment:.2f}")
    return Verdict(Support.UNSUPPORTED, ("not entailed",), whole.entailment)


def _unclear(score: float, why: str) -> Verdict:
    return Verdict(Support.NOT_ASSESSABLE, (NotAssessable.JUDGE_UNCLEAR.value, why), score)


def _found(asked: _Asked, claim: str, most: int) -> Generator[list[Pair], list[Chances], _Found]:
    """What the windows nearest to a claim say of it."""
    places = asked.nearest(claim, most)
    told = yield [(asked.texts[n], claim) for n in places]
    near = about(claim, [asked.texts[n] for n in places])
    best = max(range(len(told)), key=lambda n: told[n].entailment)
    rival = max(range(len(told)), key=lambda n: (near[n], told[n].contradiction))
    return _Found(
        told[best].entailment,
        places[best],
        told[rival].contradiction if near[rival] >= _RELATED else 0.0,
        places[rival],
    )


def _by_clauses(
    asked: _Asked, parts: Sequence[tuple[str, int, int]], whole: _Found
) -> Generator[list[Pair], list[Chances], Verdict | None]:
    """Full where every clause is borne out, partial where some are and others clearly not."""
    found = []
    for clause, _, _ in parts:
        found.append((yield from _found(asked, clause, _CLAUSE_WINDOWS)))
    borne = [one for one in found if one.entailment >= SURE]
    lacking = [part for part, one in zip(parts, found, strict=True) if one.entailment < POOR]
    if len(borne) == len(found):
        weakest = min(found, key=lambda one: one.entailment)
        return (yield from _quoted(asked, Support.FULL, ("each clause entailed",), weakest))
    if not borne or len(borne) + len(lacking) < len(found):
        return None
    strongest = max(borne, key=lambda one: one.entailment)
    reasons = tuple(f"clause not entailed: {clause}" for clause, _, _ in lacking)
    gaps = tuple(Gap(GapKind.MISSING, a, b, asked.claim[a:b]) for _, a, b in lacking)
    capped = replace(strongest, entailment=min(whole.entailment, _CAP))
    made = yield from _quoted(asked, Support.PARTIAL, reasons, capped)
    return replace(made, gaps=gaps)


def _quoted(asked: _Asked, support: Support, reasons: tuple[str, ...], found: _Found) -> Asking:
    """The verdict with the sentence of its window that alone says it best."""
    spans = asked.windows[found.window].spans
    texts = [asked.evidence[one.evidence][one.start : one.end] for one in spans]
    near = about(asked.claim, texts)
    tried = sorted(sorted(range(len(spans)), key=lambda n: -near[n])[:_QUOTABLE])
    best = tried[0]
    if len(tried) > 1:
        told = yield [(texts[n], asked.claim) for n in tried]
        turned = support is Support.CONTRADICTED
        told_of = dict(zip(tried, told, strict=True))
        best = max(
            tried,
            key=lambda n: (told_of[n].contradiction if turned else told_of[n].entailment, near[n]),
        )
    return _with_quote(Verdict(support, reasons, found.entailment), spans[best], texts[best])


def _with_quote(verdict: Verdict, span: Span, quote: str) -> Verdict:
    return replace(verdict, quote=quote, quote_span=(span.start, span.end), evidence=span.evidence)
