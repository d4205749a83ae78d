"""A small panel of two engines in a store of its own, scored by words: for pages of one room."""

from dataclasses import replace
from pathlib import Path

from monitor.domain.panel import Prompt
from monitor.pipeline.checking import PanelFiles
from monitor.pipeline.line import start_run
from monitor.pipeline.planning import make_plan
from monitor.pipeline.tallying import score_run
from monitor.store import runs
from tests.stored import MADE_AT, NO_CAPS, PANEL, WordJudge, answer, keep_answers
from tests.web.conftest import asking
from tests.web.people import app_of

TREES = replace(
    PANEL,
    prompts=(
        Prompt("oaks", "How do oaks grow?", "en-GB", topic="growth"),
        Prompt("elms", "How do elms grow?", "en-GB", topic="growth"),
        Prompt("pests", "What eats pines?", "en-GB", topic="pests"),
    ),
    client_domains=("oak.example",),
    watch=("never.example",),
)
OAK, ELM, LATE = "https://oak.example/a", "https://elm.example/b", "https://late.example/c"


def told(*urls):
    """An answer with one statement for each address."""
    said = " ".join(f"Trees grow [{n}]." for n, _ in enumerate(urls, start=1))
    return answer(said, *((f"[{n}]", url) for n, url in enumerate(urls, start=1)))


def scored(bench, slot, *bodies, panel=TREES):
    """A run of a slot whose captures got these payloads, ended and scored."""
    files = PanelFiles(Path("trees.yaml"), panel, None, None, None, ())
    run = start_run(bench, files, make_plan(panel, bench.settings), slot=slot, caps=NO_CAPS)
    keep_answers(bench, run, *bodies)
    score_run(bench, run, WordJudge())
    return bench.write(lambda c: runs.set_run_state(c, run.id, runs.RunState.DONE, at=MADE_AT))


async def told_by(bench, path, **query):
    """What the twin of a page tells."""
    async with asking(app_of(bench)) as client:
        got = await client.get(f"/api/v1{path}", params=query)
    assert got.status_code == 200, got.text
    return got.json()
