"""Pairs of a claim and the readable texts it cites: what a run has of them, before any is drawn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from monitor.domain.assessment import AssessedCapture, AssessedStatement, CitedPage
from monitor.domain.claim import Claim
from monitor.domain.keys import content_key, text_key
from monitor.pipeline.assessing import assess_run
from monitor.pipeline.bench import Bench
from monitor.pipeline.book import UnaskedBook
from monitor.pipeline.removed import text_of
from monitor.pipeline.run_pages import RunPages, load_pages
from monitor.pipeline.splitting import Splits
from monitor.scoring.citations import cited_pages, is_unmapped
from monitor.store import runs
from monitor.store.support_labels import PairKey
from monitor.store.verdicts import VerdictKey


@dataclass(frozen=True, slots=True)
class Resting:
    """One claim of one answer that rests on a pair."""

    engine: str
    prompt: str
    prompt_text: str
    statement: str
    pages: tuple[CitedPage, ...]
    """All pages that its statement cites, unreadable ones too."""


@dataclass(frozen=True, slots=True)
class CitedPair:
    """A claim and the readable texts it cites, with every claim of the run that is this pair."""

    key: PairKey
    claim: str
    evidence: tuple[str, ...]
    """Hashes of the texts."""
    claims: tuple[Resting, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """All pairs of a run that could be drawn, by identity, and claims that need no label."""

    pairs: Mapping[str, CitedPair]
    broken: Mapping[tuple[str, str], int]
    """(engine, prompt) -> claims whose markers map to no URL: unsupported without any reading."""
    texts: Callable[[str], str | None]

    def of(self, engine: str | None) -> tuple[CitedPair, ...]:
        """Pairs of one engine, or of all, in the order of their identities."""
        found = (self.pairs[one] for one in sorted(self.pairs))
        return tuple(p for p in found if engine in {None, *(c.engine for c in p.claims)})

    def key(self, engine: str | None) -> str:
        """Hash of the pairs of one engine, or of all: another one where anything changed."""
        return content_key([one.key.identity for one in self.of(engine)])


def cited_frame(bench: Bench, run: runs.Run) -> Frame:
    """The pairs that a run's scorecards rest on, from stored evidence, without any judge."""
    assessed = assess_run(bench, run, UnaskedBook(), None, splits=Splits.kept(bench, run))
    pages = load_pages(bench, run)
    claims: dict[str, list[Resting]] = {}
    made: dict[str, CitedPair] = {}
    broken: dict[tuple[str, str], int] = {}
    for capture in assessed:
        if is_unmapped(capture):
            continue
        for statement in capture.statements:
            if not statement.pages and statement.statement.unmapped:
                place = (capture.engine, capture.prompt.id)
                broken[place] = broken.get(place, 0) + len(statement.claims)
            for pair, one in statement_pairs(capture, statement, pages):
                made.setdefault(pair.key.identity, pair)
                claims.setdefault(pair.key.identity, []).append(one)
    whole = {key: _with_claims(pair, claims[key]) for key, pair in made.items()}
    return Frame(whole, broken, lru_cache(64)(partial(text_of, bench)))


def _with_claims(pair: CitedPair, claims: Sequence[Resting]) -> CitedPair:
    return CitedPair(pair.key, pair.claim, pair.evidence, tuple(claims))


def statement_pairs(
    capture: AssessedCapture, statement: AssessedStatement, pages: RunPages
) -> Iterator[tuple[CitedPair, Resting]]:
    """Claims of a cited statement with their texts; none where no cited page can be read."""
    cited = cited_pages(capture, statement)
    texts = [pages.texts.get(page.page_key) for page in cited if page.readable]
    evidence = tuple(text.sha256 for text in texts if text is not None)
    if not evidence:
        return
    rests = Resting(
        capture.engine, capture.prompt.id, capture.prompt.text, statement.statement.text, cited
    )
    for assessed in statement.claims:
        yield _pair(assessed.claim, evidence), rests


def _pair(claim: Claim, evidence: tuple[str, ...]) -> CitedPair:
    key = VerdictKey(text_key(claim.text), evidence, "")
    return CitedPair(PairKey(key.claim, key.evidence_hash), claim.text, evidence, ())
