"""What an engine answers: one ask always gives the same words.

Chance is a hash, so runs are repeatable and repeats differ a little. A sentence cites pages by the
engine's weights for the scene; some sentences carry a changed number, lose a qualifier, or say
what no page supports.
"""

import hashlib
from dataclasses import dataclass
from urllib.parse import urlsplit

from monitor.sandbox.world import Fact, Page, Question, World

_OPENINGS = (
    "🚲 Short answer – in plain words:",
    "Here is what the sources say.",
    "This depends on a few details.",
)
_CLOSINGS = (
    "Rules change, so look at the date of a page before you rely on it.",
    "In short, read the conditions first.",
)
_WRONG, _LOST, _UNCITED, _VARIANT = 0.1, 0.88, 0.07, 0.3
_GENERAL = ("speed", "power", "age", "helmet", "paths", "fine", "g-amount", "range")


@dataclass(frozen=True, slots=True)
class Ask:
    """One question put to one engine: everything an answer depends on."""

    scene: str
    engine: str
    prompt: str
    repeat: int

    @property
    def key(self) -> str:
        """`scene/engine/prompt/repeat`, the seed of every chance."""
        return f"{self.scene}/{self.engine}/{self.prompt}/{self.repeat}"


@dataclass(frozen=True, slots=True)
class Cited:
    """A page as one answer cites it; `url` may be a variant."""

    url: str
    page: Page


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence and the pages it cites, possibly none."""

    text: str
    cited: tuple[Cited, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A scripted answer before it takes a vendor's shape."""

    sentences: tuple[Sentence, ...]
    queries: tuple[str, ...]
    searched: tuple[Cited, ...]
    """Everything found, cited pages included, each URL once."""
    bullets: bool = False


def chance(*parts: object) -> float:
    """Number in [0, 1) that depends on the parts alone."""
    digest = hashlib.sha256("|".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56


def compose(world: World, question: Question, ask: Ask) -> Answer:
    """Answer of an engine to a known question: three to six sentences."""
    facts = [world.facts[name] for name in question.facts]
    kept = [f for i, f in enumerate(facts) if i < 2 or chance(ask.key, "keep", f.id) < 0.8]
    sentences = [_stated(world, ask, fact) for fact in kept]
    if chance(ask.key, "loose") < 0.55 or len(kept) < 2:
        sentences.append(_loose(world, ask, question))
    if chance(ask.key, "open") < 0.6 or len(sentences) < 3:
        sentences.insert(0, Sentence(_pick(_OPENINGS, ask.key, "opening")))
    if len(sentences) < 6 and chance(ask.key, "close") < 0.4:
        sentences.append(Sentence(_pick(_CLOSINGS, ask.key, "closing")))
    return Answer(
        sentences=tuple(sentences),
        queries=question.queries,
        searched=_searched(world, ask, facts, sentences),
        bullets=len(facts) > 2,
    )


def improvise(world: World, text: str, ask: Ask) -> Answer:
    """Answer to an unknown question: eight stock sentences with eight distinct citations."""
    sentences = [
        Sentence(fact.say, (_cite(world, ask, page),)) for fact, page in _stock(world, text)
    ]
    searched = tuple(cited for sentence in sentences for cited in sentence.cited)
    return Answer(tuple(sentences), (text[:80],), searched)


def best_line(page: Page, text: str) -> str:
    """Page sentence that shares most words, at most 150 characters."""
    wanted = set(text.lower().split())
    prose = " ".join(line for line in page.body.splitlines() if not line.startswith("## "))
    lines = prose.split(". ")
    found = max(lines, key=lambda line: len(wanted & set(line.lower().split())))
    return found.strip()[:150]


def _stock(world: World, text: str) -> list[tuple[Fact, Page]]:
    facts = [world.facts[name] for name in _GENERAL]
    pages = sorted(world.pages.values(), key=lambda page: chance(text, page.id))
    held = [(f, next(p for p in pages if f.claim in p.body)) for f in facts]
    taken = {page.id for _, page in held}
    spare = (page for page in pages if page.id not in taken)
    used: set[str] = set()
    distinct = []
    for fact, page in held:
        distinct.append((fact, next(spare) if page.id in used else page))
        used.add(page.id)
    return distinct


def _stated(world: World, ask: Ask, fact: Fact) -> Sentence:
    roll = chance(ask.key, "flaw", fact.id)
    text = fact.say
    if fact.wrong and roll < _WRONG:
        text = fact.wrong
    elif fact.lost and roll > _LOST:
        text = fact.lost
    return Sentence(text, _sources(world, ask, fact))


def _sources(world: World, ask: Ask, fact: Fact) -> tuple[Cited, ...]:
    if chance(ask.key, "uncited", fact.id) < _UNCITED:
        return ()
    weights = world.voices[ask.engine].weights[ask.scene]
    groups = [g for g in weights if fact.sources[g]]
    chosen = [g for g in groups if chance(ask.key, g, fact.id) < weights[g]]
    chosen = chosen or [max(groups, key=lambda group: weights[group])]
    ids = [_pick(fact.sources[g], ask.key, "page", g, fact.id) for g in chosen]
    return tuple(_cite(world, ask, world.pages[page]) for page in ids)


def _loose(world: World, ask: Ask, question: Question) -> Sentence:
    if chance(ask.key, "bare") < 0.5:
        return Sentence(question.loose)
    return Sentence(question.loose, _sources(world, ask, world.facts[question.facts[0]]))


def _cite(world: World, ask: Ask, page: Page) -> Cited:
    """Page under its own URL, a mobile, AMP or short form, or with tracking parameters."""
    roll = chance(ask.key, "variant", page.id)
    if page.also and roll < _VARIANT:
        return Cited(_pick(page.also, ask.key, "form", page.id), page)
    if roll > 0.9 and ask.engine in world.voices and not page.copy_of:
        return Cited(f"{page.url}?utm_medium=referral&fbclid=sandbox{int(roll * 1000)}", page)
    return Cited(page.url, page)


def _searched(
    world: World, ask: Ask, facts: list[Fact], sentences: list[Sentence]
) -> tuple[Cited, ...]:
    found = {c.url: c for sentence in sentences for c in sentence.cited}
    shown = {c.page.id for c in found.values()}
    for fact in facts:
        for page in (p for group in fact.sources.values() for p in group):
            if page not in shown and chance(ask.key, "found", page) < 0.8:
                found.setdefault(
                    world.pages[page].url, Cited(world.pages[page].url, world.pages[page])
                )
    return tuple(sorted(found.values(), key=lambda c: chance(ask.key, "order", c.url)))


def _pick(options: tuple[str, ...], *parts: object) -> str:
    return options[int(chance(*parts) * len(options))]


def domain(url: str) -> str:
    """Host of a URL as engines print it, without `www.`."""
    return (urlsplit(url).hostname or "").removeprefix("www.")
