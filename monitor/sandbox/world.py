"""The fictional world as values: sites, pages, facts, prompts, engines and faults."""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

FOLDER = Path(__file__).parent / "world"
SCENES = ("2026-09", "2026-10")
CHAT_HOST = "chat.sandbox.example"
NOTICE = "Fictional page, made for a sandbox: no person, place, product or rule here is real."


class PageKind(StrEnum):
    """How a page of the world is written."""

    ARTICLE = "article"
    PDF = "pdf"
    SCRIPT_ONLY = "script_only"
    """Its text appears only where JavaScript runs."""
    HOSTILE = "hostile"


class FaultKind(StrEnum):
    """What an API stand-in does instead of answering."""

    RATE_LIMIT = "rate_limit"
    SERVER = "server"
    IN_BODY = "in_body"
    REFUSAL = "refusal"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True)
class Byline:
    """Who signed a page and when; empty where not said."""

    author: str = ""
    published: str = ""
    updated: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the world; `also` are its other URLs."""

    id: str
    url: str
    title: str
    body: str
    byline: Byline
    kind: PageKind = PageKind.ARTICLE
    canonical: str | None = None
    also: tuple[str, ...] = ()
    status: int = 200
    until: str | None = None
    """First scene in which it is gone (404); None for pages that stay."""
    meta_robots: str | None = None
    copy_of: str | None = None

    def gone(self, scene: str) -> bool:
        """Whether the page answers 404 in this scene."""
        return self.until is not None and scene >= self.until


@dataclass(frozen=True, slots=True)
class Redirect:
    """A URL that answers with another place."""

    url: str
    to: str
    status: int


@dataclass(frozen=True, slots=True)
class Site:
    """A host of the world with its furniture."""

    host: str
    aliases: tuple[str, ...]
    name: str
    nav: tuple[str, ...]
    footer: str
    robots: str | None


@dataclass(frozen=True, slots=True)
class Fact:
    """A baseline claim, how answers word it, and what they cite."""

    id: str
    claim: str
    say: str
    sources: Mapping[str, tuple[str, ...]]
    """Group (off, com, oth) -> page ids; a listed page need not hold the fact."""
    wrong: str | None
    lost: str | None
    category: str
    required: bool


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt of the panel with the facts of its answers."""

    id: str
    text: str
    facts: tuple[str, ...]
    queries: tuple[str, ...]
    loose: str
    """A sentence that no page supports."""


@dataclass(frozen=True, slots=True)
class Voice:
    """How one engine picks its sources, and the model it claims to be."""

    name: str
    models: Mapping[str, str]
    """Scene -> served model."""
    weights: Mapping[str, Mapping[str, float]]
    """Scene -> source group -> chance that a sentence cites it."""
    pause: frozenset[str]
    """Prompt ids whose answers need a continuation."""
    stray_marker: frozenset[str]
    """`scene/prompt/repeat` of answers with a marker that maps to no source."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A planned failure of an API stand-in."""

    scene: str
    engine: str
    prompt: str
    kind: FaultKind
    times: int
    retry_after: int | None


@dataclass(frozen=True, slots=True)
class World:
    """Everything that the sandbox serves, read once."""

    sites: Mapping[str, Site]
    """Every host name (aliases too) -> its site."""
    pages: Mapping[str, Page]
    by_url: Mapping[str, Page | Redirect]
    """`host/path` -> what stands there; redirects win over pages."""
    facts: Mapping[str, Fact]
    questions: Mapping[str, Question]
    voices: Mapping[str, Voice]
    faults: tuple[Fault, ...]

    @property
    def hosts(self) -> tuple[str, ...]:
        """All host names, the chat page's and bare domains included, sorted."""
        bare = {h.removeprefix("www.") for h in self.sites}
        return tuple(sorted({*self.sites, *bare, CHAT_HOST}))

    def question(self, text: str) -> Question | None:
        """Question whose text is, or stands in, what is asked; else None."""
        wanted = text.strip()
        exact = [q for q in self.questions.values() if q.text == wanted]
        inside = [q for q in self.questions.values() if q.text in wanted]
        return next(iter(exact or inside), None)


def place(url: str) -> str:
    """Where a URL points in the world: host and path, without query and fragment."""
    parts = urlsplit(url)
    return f"{parts.hostname}{parts.path or '/'}"


@cache
def load_world() -> World:
    """World read from the files beside this module."""
    tables = [_read(path) for path in sorted((FOLDER / "sites").glob("*.toml"))]
    pages = {p.id: p for table in tables for p in _pages(table)}
    pages = {p.id: _printed(p, pages) for p in pages.values()}
    by_url: dict[str, Page | Redirect] = {
        place(url): p for p in pages.values() for url in (p.url, *p.also)
    }
    by_url |= {place(r.url): r for table in tables for r in _redirects(table)}
    sites = [_site(table) for table in tables]
    return World(
        sites={host: site for site in sites for host in (site.host, *site.aliases)},
        pages=pages,
        by_url=by_url,
        facts={key: _fact(key, row) for key, row in _read(FOLDER / "facts.toml").items()},
        questions={k: _question(k, row) for k, row in _read(FOLDER / "prompts.toml").items()},
        voices={key: _voice(key, row) for key, row in _read(FOLDER / "engines.toml").items()},
        faults=tuple(_fault(row) for row in _read(FOLDER / "faults.toml")["fault"]),
    )


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _site(table: Mapping[str, Any]) -> Site:
    return Site(
        host=table["host"],
        aliases=tuple(table.get("aliases", ())),
        name=table["name"],
        nav=tuple(table["nav"]),
        footer=table["footer"],
        robots=table.get("robots"),
    )


def _pages(table: Mapping[str, Any]) -> Iterator[Page]:
    for row in table.get("page", ()):
        url = f"https://{table['host']}{row['path']}"
        flags = [kind for kind in PageKind if row.get(kind.value)]
        yield Page(
            id=row["id"],
            url=url,
            title=row["title"],
            body=row.get("body", row.get("intro", "")),
            byline=Byline(row.get("author", ""), row["published"], row.get("updated", "")),
            kind=flags[0] if flags else PageKind.ARTICLE,
            canonical=url if row.get("canonical") else None,
            also=tuple(row.get("also", ())),
            status=row.get("paywall", 200),
            until=row.get("until"),
            meta_robots=row.get("meta_robots"),
            copy_of=_copy_of(row),
        )


def _copy_of(row: Mapping[str, Any]) -> str | None:
    """Id of the copied page; a leading `=` says that the copy names its original."""
    mark = "=" if row.get("copy_canonical") else ""
    return f"{mark}{row['copy_of']}" if "copy_of" in row else None


def _printed(page: Page, pages: Mapping[str, Page]) -> Page:
    """Page as printed: a syndicated copy takes the text of its original."""
    if page.copy_of is None:
        return page
    original = pages[page.copy_of.removeprefix("=")]
    return Page(
        id=page.id,
        url=page.url,
        title=page.title,
        body=f"{page.body}\n\n{original.body.strip()}\n",
        byline=page.byline,
        canonical=original.url if page.copy_of.startswith("=") else None,
        copy_of=original.id,
    )


def _redirects(table: Mapping[str, Any]) -> Iterator[Redirect]:
    for row in table.get("redirect", ()):
        yield Redirect(f"https://{table['host']}{row['path']}", row["to"], row["status"])


def _fact(key: str, row: Mapping[str, Any]) -> Fact:
    return Fact(
        id=key,
        claim=row["claim"],
        say=row["say"],
        sources={group: tuple(row[group]) for group in ("off", "com", "oth")},
        wrong=row.get("wrong"),
        lost=row.get("lost"),
        category=row.get("category", "core_fact"),
        required=row.get("required", True),
    )


def _question(key: str, row: Mapping[str, Any]) -> Question:
    return Question(key, row["text"], tuple(row["facts"]), tuple(row["queries"]), row["loose"])


def _voice(key: str, row: Mapping[str, Any]) -> Voice:
    models = dict.fromkeys(SCENES, row["model"]) | row.get("models", {})
    return Voice(
        name=key,
        models=models,
        weights=row["weights"],
        pause=frozenset(row["pause"]),
        stray_marker=frozenset(row.get("stray_marker", ())),
    )


def _fault(row: Mapping[str, Any]) -> Fault:
    return Fault(
        scene=row["scene"],
        engine=row["engine"],
        prompt=row["prompt"],
        kind=FaultKind(row["kind"]),
        times=row["times"],
        retry_after=row.get("retry_after"),
    )
