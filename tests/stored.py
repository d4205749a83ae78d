"""A run of the past in a store of its own: payloads as an engine sent them, pages as fetched."""

import json
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import httpx

from monitor.config.parts import EnginePart, StorePart
from monitor.config.settings import Settings
from monitor.domain.baseline import Baseline, PromptBaseline
from monitor.domain.claim import Support, Verdict
from monitor.domain.page import Fetched, FetchStatus, PageText
from monitor.domain.panel import Panel, Prompt
from monitor.pipeline.bench import open_bench
from monitor.pipeline.capturing import capture_run, reparse_run
from monitor.pipeline.checking import PanelFiles
from monitor.pipeline.line import start_run
from monitor.pipeline.planning import make_plan
from monitor.store import captures, pages, panels, runs
from tests.unit.engines.payloads_a import message, output_text, responses, search

MADE_AT = datetime(2026, 1, 1, tzinfo=UTC)
PROMPT = Prompt("p1", "How do oaks grow?", "en-GB")
NO_CAPS = runs.Caps()
PANEL = Panel("trees", 1, 1, "en-GB", ("openai",), (PROMPT,))


class WordJudge:
    """Full where the claim's words stand in a text, with the place; else unsupported."""

    def __init__(self, version="words@1"):
        self.version = version

    held = None

    def verdicts(self, asked):
        return (self.verdict(one.claim, one.evidence) for one in asked)

    def verdict(self, claim, evidence):
        for index, text in enumerate(evidence):
            if claim in text:
                start = text.index(claim)
                span = (start, start + len(claim))
                return Verdict(Support.FULL, ("words",), 1.0, claim, span, index, self.version)
        return Verdict(Support.UNSUPPORTED, ("words",), 0.0, judge=self.version)


@contextmanager
def bench_in(folder, monkeypatch, *, database="monitor"):
    """A bench over a fresh store in a folder; nobody is asked."""
    url = f"sqlite:///{folder}/{database}.db"
    with bench_on(url, f"{folder}/artifacts", monkeypatch) as bench:
        yield bench


@contextmanager
def bench_on(database, artifacts, monkeypatch):
    """A bench over a store by its URLs; nobody is asked."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    store = StorePart(database=database, artifacts=str(artifacts))
    quick = {"openai": EnginePart(per_minute=100_000)}
    with open_bench(Settings(store=store, engines=quick)) as bench:
        yield bench


def planned(bench, slot="2026-01", panel=PANEL, caps=NO_CAPS):
    """The run of a slot with its planned captures."""
    files = PanelFiles(Path("trees.yaml"), panel, None, None, None, ())
    plan = make_plan(panel, bench.settings)
    return start_run(bench, files, plan, slot=slot, caps=caps)


def answer(text, *cited):
    """A payload whose answer cites each (words, url) at its words."""
    return json.dumps(responses(search("oaks"), message(output_text(text, *cited)))).encode()


def keep_answers(bench, run, *bodies, attempt=0):
    """The captures of a run, each answered by one payload, or by one more attempt."""
    for one, body in zip(
        bench.read(lambda c: captures.load_captures(c, run.id)), bodies, strict=True
    ):
        payload = captures.StoredPayload(one.id, 0, attempt, bench.artifacts.put(body), status=200)
        bench.write(lambda c, payload=payload: captures.save_payload(c, payload))
    reparse_run(bench, run)


def keep_page(bench, run, url, text, *, status=FetchStatus.OK, canonical=None, title=None):
    """A page as one fetch of a run left it."""
    key = bench.identify(url).page_key
    about = PageText("", title=title or f"About {url}", page_key=canonical) if text else None

    def save(connection):
        ids = pages.save_pages(connection, [(key, url, None)], seen_at=MADE_AT)
        pages.save_fetch(
            connection, run.id, ids[key],
            Fetched(url, status, 200, url, fetched_at=MADE_AT),
            body_sha256=None,
            text_sha256=bench.artifacts.put(text.encode()) if text else None,
            about=about, pages_version=1,
        )  # fmt: skip

    bench.write(save)


def keep_baseline(bench, sources, claims):
    """A frozen baseline of the one prompt."""
    made = Baseline(
        PANEL.name, "2026-01", ("r1",), True, MADE_AT, "1",
        {PROMPT.id: PromptBaseline(PROMPT.id, tuple(sources), tuple(claims))},
        content_key="k", bound={PROMPT.id: PROMPT.version_key},
    )  # fmt: skip
    bench.write(lambda c: panels.save_baseline(c, made, "synthetic", saved_at=MADE_AT))


async def captured(bench, run, body):
    """Every open capture of a run, asked; the vendor always sends this body."""
    transport = httpx.MockTransport(lambda _: httpx.Response(200, content=body))
    client = httpx.AsyncClient(transport=transport)
    with patch("monitor.pipeline.capturing.httpx.AsyncClient", return_value=client):
        return await capture_run(bench, run)
