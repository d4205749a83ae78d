"""Pairs of claim and evidence for people to label: drawn at random, blind, and read back.

A pair is a claim that an answer presents as cited, with the readable texts it cites read together.
The draw is a simple random sample of a run's distinct pairs: prompts need no strata, for pairs of
the same prompt are weighed as one cluster when the labels correct a rate. Pairs are ordered by a
hash of the seed and the pair, so that a larger draw begins with the smaller one.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from monitor.domain.assessment import AssessedCapture, AssessedStatement, CitedPage
from monitor.domain.claim import Claim
from monitor.domain.keys import content_key, text_key
from monitor.errors import StoreError
from monitor.judge.embedded.passages import best_windows
from monitor.pipeline.assessing import assess_run
from monitor.pipeline.bench import Bench
from monitor.pipeline.book import UnaskedBook
from monitor.pipeline.removed import text_of, unjudgeable
from monitor.pipeline.run_pages import RunPages, load_pages
from monitor.pipeline.splitting import Splits
from monitor.scoring.citations import cited_pages, is_unmapped
from monitor.store import runs, scores, support_labels
from monitor.store.support_labels import DrawnPair, LabelDraw, PairKey
from monitor.store.verdicts import VerdictKey

MOST_PAIRS = 5_000
"""Pairs of one draw; more are no person's work."""

PASSAGE_WORDS = 200
"""Words of passages shown of one cited page; its whole text may be had beside the file."""

_SEED_DIGITS = 15
"""Hex digits of a seed that is made from the content: a spreadsheet keeps it exactly as text."""


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


@dataclass(frozen=True, slots=True)
class PairSheet:
    """One pair as a person sees it: nothing of what a judge says of it."""

    name: str
    prompt: str
    prompt_text: str
    engine: str
    claim: str
    statement: str
    passages: tuple[tuple[str, str, str], ...]
    """(URL, best passages, hash of the whole text) of every readable cited page."""


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
            for pair, one in _pairs(capture, statement, pages):
                made.setdefault(pair.key.identity, pair)
                claims.setdefault(pair.key.identity, []).append(one)
    whole = {key: _with_claims(pair, claims[key]) for key, pair in made.items()}
    return Frame(whole, broken, lru_cache(64)(partial(text_of, bench)))


def _with_claims(pair: CitedPair, claims: Sequence[Resting]) -> CitedPair:
    return CitedPair(pair.key, pair.claim, pair.evidence, tuple(claims))


def _pairs(
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


@dataclass(frozen=True, slots=True)
class Drawn:
    """A draw with the sheets that its file shows, and whether it was drawn before."""

    draw: LabelDraw
    sheets: tuple[PairSheet, ...]
    texts: Mapping[str, str]
    """Hash -> whole text of every page on the sheets."""
    is_new: bool


def draw_pairs(
    bench: Bench,
    run: runs.Run,
    *,
    engine: str | None,
    pairs: int,
    seed: int | None,
) -> Drawn:
    """Draw pairs of a run at random, keep the draw, and show each pair without its verdict.

    The seed is made from the run's pairs unless it is given. StoreError where the run has no
    scorecards, where nothing can be drawn, and where retention removed a text.
    """
    if not 1 <= pairs <= MOST_PAIRS:
        raise StoreError(f"--pairs {pairs}: expected 1 to {MOST_PAIRS}")
    _check_scored(bench, run, engine)
    frame = cited_frame(bench, run)
    able = frame.of(engine)
    if not able:
        raise StoreError(
            f"{run.public_id}: no claim there cites a page that could be read, so there is nothing "
            "to label; name another run or engine"
        )
    held = frame.key(engine)
    start = int(content_key([run.public_id, engine, held], _SEED_DIGITS), 16)
    chosen = start if seed is None else seed
    ranked = in_random_order(able, chosen)[:pairs]
    key = content_key([run.public_id, engine, held, chosen, len(ranked)], 12)
    drawn = tuple(_drawn(key, place, one, engine) for place, one in enumerate(ranked, 1))
    draw = LabelDraw(key, run.panel, run.public_id, engine, chosen, held, len(able), drawn)
    texts: dict[str, str] = {}
    sheets = tuple(_sheet(one, pair, frame, texts) for one, pair in zip(drawn, ranked, strict=True))
    at = bench.clock.now()
    is_new = bench.write(lambda c: support_labels.save_draw(c, draw, at=at))
    return Drawn(draw, sheets, texts, is_new)


def in_random_order(pairs: Sequence[CitedPair], seed: int) -> list[CitedPair]:
    """Pairs in an order that depends on the seed and on nothing that they say or come from."""
    return sorted(pairs, key=lambda one: content_key([seed, one.key.identity]))


def _check_scored(bench: Bench, run: runs.Run, engine: str | None) -> None:
    """StoreError where there is no scorecard that the labels could speak of."""
    engines = {one.engine for one in bench.read(lambda c: scores.load_scorecards(c, run.id))}
    if not engines:
        raise StoreError(
            f"{run.public_id} has no scorecards yet; run `monitor resume {run.public_id}`"
        )
    if engine is not None and engine not in engines:
        raise StoreError(
            f"{run.public_id}: no scorecard of engine {engine[:100]!r}; expected one of "
            f"{', '.join(sorted(engines))}"
        )


def _drawn(key: str, place: int, pair: CitedPair, engine: str | None) -> DrawnPair:
    """A pair under the name that its row carries."""
    check = content_key([key, pair.key.identity], 6)
    first = _shown(pair, engine)
    return DrawnPair(
        f"D{key}-{place:04d}-{check}",
        first.prompt,
        first.engine,
        pair.claim,
        pair.evidence,
        pair.key,
    )


def _shown(pair: CitedPair, engine: str | None) -> Resting:
    """The first claim that rests on a pair, of the engine drawn from."""
    return next(one for one in pair.claims if engine in {None, one.engine})


def _sheet(one: DrawnPair, pair: CitedPair, frame: Frame, texts: dict[str, str]) -> PairSheet:
    """A pair with the passages of its pages that are nearest to the claim."""
    shown = next(c for c in pair.claims if (c.engine, c.prompt) == (one.engine, one.prompt))
    readable = [page for page in shown.pages if page.readable]
    passages = []
    for page, sha256 in zip(readable, pair.evidence, strict=False):
        text = texts[sha256] if sha256 in texts else frame.texts(sha256)
        if text is None:
            raise unjudgeable(sha256)
        texts[sha256] = text
        windows = best_windows(pair.claim, text, words=PASSAGE_WORDS)
        best = " […] ".join(text[start:end].strip() for start, end in windows)
        passages.append((page.clean_url or page.page_key, best, sha256))
    return PairSheet(
        one.name,
        one.prompt,
        shown.prompt_text,
        one.engine,
        pair.claim,
        shown.statement,
        tuple(passages),
    )
