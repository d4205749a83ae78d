"""Source sites: pages, robots files, redirects and PDFs of the fictional world."""

import json
import re
import textwrap
from functools import cache

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

from monitor.sandbox.world import FOLDER, NOTICE, Page, PageKind, Redirect, Site, World

_OPEN_ROBOTS = "User-agent: *\nDisallow:\n"


def serve(world: World, host: str, path: str, scene: str) -> Response:
    """What a host of the world answers to a path; else 404."""
    if host not in world.sites:
        return RedirectResponse(f"https://www.{host}{path}", status_code=301)
    site = world.sites[host]
    if path == "/robots.txt":
        return PlainTextResponse(f"# {NOTICE}\n{site.robots or _OPEN_ROBOTS}")
    found = world.by_url.get(f"{host}{path}")
    if isinstance(found, Redirect):
        return RedirectResponse(found.to, status_code=found.status)
    if found is None or found.gone(scene):
        return HTMLResponse(render("missing.html", site=site), status_code=404)
    if found.kind is PageKind.PDF:
        return Response(pdf(found), media_type="application/pdf")
    return HTMLResponse(page_html(site, found), status_code=found.status)


def page_html(site: Site, page: Page) -> str:
    """Whole HTML document of a page with its site's furniture."""
    hostile = page.kind is PageKind.HOSTILE
    return render(
        "page.html",
        site=site,
        page=page,
        heading=Markup(page.title) if hostile else page.title,  # noqa: S704 - hostile on purpose
        body=Markup(body_html(page.body)),  # noqa: S704 - our own files
        script_only=page.kind is PageKind.SCRIPT_ONLY,
        facts=_linked_facts(page),
    )


def body_html(body: str) -> str:
    """Paragraphs, `## ` headings, `**bold**`; blocks that start with `<` stay as they are."""
    blocks = [b.strip() for b in body.strip().split("\n\n")]
    return "\n".join(_block(b) for b in blocks if b)


def pdf(page: Page) -> bytes:
    """One-page PDF of a page's text, made by hand: one font, no compression."""
    lines = [page.title, "", *textwrap.wrap(NOTICE, 88), ""]
    for paragraph in page.body.strip().split("\n\n"):
        lines += [*textwrap.wrap(paragraph, 88), ""]
    shown = " ".join(f"({_escaped(line)}) Tj T*" for line in lines)
    stream = f"BT /F1 11 Tf 50 790 Td 15 TL {shown} ET"
    fonts = "/Resources << /Font << /F1 5 0 R >> >>"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R {fonts} >>",
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    return _numbered(objects)


def _numbered(objects: list[str]) -> bytes:
    """Objects with their numbers, the table of their offsets, and the trailer."""
    text, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(len(text))
        text += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    tail = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return f"{text}{tail}startxref\n{len(text)}\n%%EOF\n".encode("latin-1")


def _escaped(line: str) -> str:
    return re.sub(r"([\\()])", r"\\\1", line)


def _block(block: str) -> str:
    if block.startswith("## "):
        return f"<h2>{block[3:]}</h2>"
    if block.startswith("<"):
        return block
    bold = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", block)
    return f"<p>{bold}</p>"


def _linked_facts(page: Page) -> Markup:
    """JSON-LD of a page: type, dates and whether it is free to read."""
    row = {
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": page.title,
        "datePublished": page.byline.published,
        "dateModified": page.byline.updated or page.byline.published,
        "isAccessibleForFree": page.status != 402,
    }
    return Markup(json.dumps(row).replace("<", "\\u003c"))  # noqa: S704 - escaped for a script


@cache
def _environment() -> Environment:
    return Environment(loader=FileSystemLoader(FOLDER / "templates"), autoescape=True)


def render(template: str, **values: object) -> str:
    """A template of the world filled in; the notice is always at hand."""
    return _environment().get_template(template).render(notice=NOTICE, **values)
