"""Synthetic stored answers: what a run of the past left behind, without asking anybody."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from monitor.domain.baseline import (
    Baseline,
    BaselineClaim,
    BaselineSource,
    ClaimCategory,
    Match,
    PromptBaseline,
)
from monitor.domain.keys import content_key
from monitor.domain.page import Fetched, FetchStatus, PageText
from monitor.domain.panel import Panel
from monitor.domain.source import Grade
from monitor.pages.text import PAGES_VERSION
from monitor.pipeline.bench import Bench
from monitor.store import Connection, captures, pages, panels, runs

CITATIONS = 8
PAGES = 400
BATCH = 500
MADE_AT = datetime(2026, 1, 1, tzinfo=UTC)
_THINGS = ("motor", "battery", "charger", "frame", "brake", "saddle", "helmet", "lock")


def page_url(number: int) -> str:
    """Address of one of the invented pages, a fifth of them of one publisher."""
    site = number % 80
    return f"https://www.maker-{site}.example.org/guides/part-{number}"


def sentence(number: int) -> str:
    """One checkable statement out of a few thousand."""
    thing = _THINGS[number % len(_THINGS)]
    return f"The {thing} of series {number % 4000} weighs {number % 97 + 3} kilograms."


def payload(number: int, pages: int = PAGES) -> bytes:
    """An answer in the shape of the Responses API: eight sentences, each with its own citation.

    They cite some of so many pages.
    """
    said = [number * 7 + place for place in range(CITATIONS)]
    cited = [(sentence(one), page_url(one % pages), f"Guide {one % pages}") for one in said]
    searched = [page_url(number * 7 + n) for n in range(CITATIONS)]
    return response_bytes(number, cited, searched)


def response_bytes(
    number: int,
    cited: Sequence[tuple[str, str, str]],
    searched: Sequence[str],
    *,
    model: str = "synthetic-1",
) -> bytes:
    """A Responses API answer of sentences that each cite a (sentence, URL, title)."""
    text, annotations = "", []
    for words, page, title in cited:
        url = page + "?utm_source=openai"
        link = f"([example.org]({url}))"
        text += f"{' ' if text else ''}{words} "
        end = len(text) + len(link)
        annotations.append(
            {"type": "url_citation", "start_index": len(text), "end_index": end,
             "title": title, "url": url}
        )  # fmt: skip
        text += link
    part = {"type": "output_text", "annotations": annotations, "text": text}
    sources = [{"type": "url", "url": url} for url in searched]
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed",
              "action": {"type": "search", "query": f"part {number}", "sources": sources}}  # fmt: skip
    message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
               "content": [part]}  # fmt: skip
    body = {
        "id": f"resp_{number}", "object": "response", "status": "completed", "error": None,
        "model": model, "output": [search, message],
        "usage": {"input_tokens": 900, "output_tokens": 300, "total_tokens": 1200},
    }  # fmt: skip
    return json.dumps(body).encode()


def keep_payloads(bench: Bench, run: runs.Run) -> None:
    """Bytes and rows of one payload per planned capture."""
    planned = bench.read(lambda c: captures.load_captures(c, run.id))
    stored = [
        captures.StoredPayload(one.id, 0, 0, bench.artifacts.put(payload(number)), status=200)
        for number, one in enumerate(planned)
    ]

    def save(connection: Connection, part: list[captures.StoredPayload]) -> None:
        for one in part:
            captures.save_payload(connection, one)

    for start in range(0, len(stored), BATCH):
        bench.write(partial(save, part=stored[start : start + BATCH]))


def keep_pages(bench: Bench, run: runs.Run, many: int = PAGES, *, sentences: int = 10) -> None:
    """Every cited page as fetched: it says what the statements that cite it say, more or less."""
    ids = bench.write(
        lambda c: pages.save_pages(
            c, [(_key(bench, n), page_url(n), "example.org") for n in range(many)], seen_at=MADE_AT
        )
    )

    def save(connection: Connection) -> None:
        for number in range(many):
            text = "\n".join(sentence(number + many * n) for n in range(sentences))
            fetched = Fetched(
                page_url(number), FetchStatus.OK, 200, page_url(number), fetched_at=MADE_AT
            )
            pages.save_fetch(
                connection,
                run.id,
                ids[_key(bench, number)],
                fetched,
                body_sha256=None,
                text_sha256=bench.artifacts.put(text.encode()),
                about=PageText("", title=f"Guide {number}"),
                pages_version=PAGES_VERSION,
            )

    bench.write(save)


def keep_baseline(bench: Bench, panel: Panel) -> None:
    """Two graded sources and two claims for every prompt."""
    prompts = {
        prompt.id: PromptBaseline(
            prompt.id,
            (
                BaselineSource(_key(bench, n * 7 % PAGES), Match.PAGE, Grade.REQUIRED),
                BaselineSource("example.org", Match.FAMILY, Grade.ACCEPTABLE),
            ),
            (
                BaselineClaim("c1", sentence(n * 7), ClaimCategory.CORE_FACT),
                BaselineClaim("c2", sentence(n * 7 + 1), ClaimCategory.LIMITATION),
            ),
        )
        for n, prompt in enumerate(panel.prompts)
    }
    made = Baseline(
        panel=panel.name,
        version="2026-01",
        annotators=("r1",),
        drawn_blind=True,
        frozen_at=MADE_AT,
        guideline="1",
        prompts=prompts,
        content_key=content_key(sorted(prompts)),
        bound={prompt.id: prompt.version_key for prompt in panel.prompts},
    )
    bench.write(lambda c: panels.save_baseline(c, made, "synthetic", saved_at=MADE_AT))


def _key(bench: Bench, number: int) -> str:
    identity = bench.identify(page_url(number))
    return identity.page_key or identity.raw
