"""The pages of a bundle that people read: no script, no request, and every word is only text.

They are renderings of the files beside them, and say so.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import jinja2

from monitor.report.words import visible

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class CitationSheet:
    """A citation of an answer, as a reader sees it."""

    raw: str
    clean_url: str | None
    """Address that is safe to open."""
    title: str | None
    role: str
    marks: int
    family: str | None


@dataclass(frozen=True, slots=True)
class FileSheet:
    """A file beside the page."""

    href: str
    """Path from the page, made by us; empty where retention removed the file."""
    path: str
    kind: str
    sha256: str
    size: int | None
    note: str = ""
    """When retention removed it, or what was done to a picture."""


@dataclass(frozen=True, slots=True)
class PageSheet:
    """A cited page that was fetched."""

    url: str
    status: str
    fetched_at: str | None
    files: tuple[FileSheet, ...]


@dataclass(frozen=True, slots=True)
class CaptureSheet:
    """A capture as a bundle shows it."""

    id: int
    run: str
    fictional: bool
    engine: str
    access: str
    """How the answer was obtained, in words."""
    prompt: str
    prompt_id: str
    locale: str
    locale_state: str
    outcome: str
    asked_at: str | None
    models: str
    answer: str
    citations: tuple[CitationSheet, ...]
    hidden_citations: int | None
    warnings: tuple[str, ...]
    files: tuple[FileSheet, ...]
    pages: tuple[PageSheet, ...]
    manifest_sha256: str
    key_id: str | None
    stamped_at: str | None

    @property
    def pictures(self) -> tuple[FileSheet, ...]:
        """Pictures that are there to be shown."""
        return tuple(one for one in self.files if one.kind == "screenshot" and one.href)


def capture_page(sheet: CaptureSheet, name: str) -> bytes:
    """The page of one capture; `name` is that of the bundle's file, for the command to check it."""
    return _render("capture.html.j2", sheet=sheet, name=name)


def index_page(run: str, sheets: tuple[CaptureSheet, ...], name: str) -> bytes:
    """The first page of a bundle: which captures it holds, and how it is checked."""
    return _render("index.html.j2", run=run, sheets=sheets, name=name)


def readme(run: str, captures: int, *, signed: bool) -> bytes:
    """What a bundle is and the one command that checks it, as plain text."""
    return (
        _environment()
        .get_template("readme.txt.j2")
        .render(run=run, captures=captures, signed=signed)
        .encode("utf-8")
    )


def _render(template: str, **values: object) -> bytes:
    return _environment().get_template(template).render(**values).encode("utf-8", "replace")


@cache
def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=jinja2.select_autoescape(enabled_extensions=("html.j2",)),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = visible
    made.filters["web"] = _web
    return made


def _web(address: str | None) -> str:
    """An address that a click may open; nothing for any other scheme."""
    try:
        is_web = address is not None and urlsplit(address).scheme in {"http", "https"}
    except ValueError:
        return ""
    return address if is_web and address is not None else ""
