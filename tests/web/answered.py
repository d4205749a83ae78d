"""Answers of a run in a store of its own, scored by a judge of words, and their pages."""

from dataclasses import replace

import lxml.html

from monitor.domain.panel import Prompt
from monitor.pipeline.tallying import score_run
from monitor.store import captures, runs
from tests.stored import PANEL, WordJudge, answer, keep_answers, keep_page, planned
from tests.web.conftest import asking
from tests.web.people import app_of

JUDGE = WordJudge()
OAKS, ELMS = "https://oaks.example/growth", "https://elms.example/leaves"
SLOW, FAST = "Oaks grow slowly in shade.", "Elms grow fast in the sun."


def panel_of(prompts, repeats=1):
    """The panel of trees with so many prompts."""
    asked = (PANEL.prompts[0], *(Prompt(f"p{n}", f"Oaks, {n}?", "en-GB") for n in range(2, 99)))
    return replace(PANEL, prompts=asked[:prompts], repeats=repeats)


def told(bench, *bodies, slot="2026-01", pages=()):
    """A scored run whose prompts were answered by these payloads; its captures by id."""
    run = planned(bench, slot, panel_of(len(bodies)))
    for url, text, *more in pages:
        keep_page(bench, run, url, text, **dict(more))
    keep_answers(bench, run, *bodies)
    run = bench.read(lambda c: runs.load_run_by_id(c, run.id))
    score_run(bench, run, JUDGE)
    done = bench.write(
        lambda c: runs.set_run_state(c, run.id, runs.RunState.DONE, at=bench.clock.now())
    )
    return done, [one.id for one in bench.read(lambda c: captures.load_captures(c, run.id))]


def marked(text, *urls):
    """A payload in which `[1]` and so on point at these pages."""
    return answer(text, *((f"[{n}]", url) for n, url in enumerate(urls, start=1)))


def plain(*statements):
    """A payload that says statements, a list item each, with the pages that each cites."""
    urls = list(dict.fromkeys(url for _, *cited in statements for url in cited))
    lines = (
        f"- {said}" + "".join(f" [{urls.index(url) + 1}]" for url in cited)
        for said, *cited in statements
    )
    return marked("\n".join(lines), *urls)


def visiting(bench):
    """A client of the application over a store."""
    return asking(app_of(bench))


async def page(client, address):
    """A page that must be there, as a tree."""
    got = await client.get(address)
    assert got.status_code == 200, got.text[:2000]
    return lxml.html.document_fromstring(got.content)


def words(elements):
    """Text of the first of some elements, spaces squeezed."""
    return " ".join(elements[0].text_content().split())


def twin(path):
    """Address of a page's JSON."""
    return f"/api/v1{path}"
