"""Drawn pairs as people see them: with the passages that matter, as a table or as JSON lines."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from monitor.judge.embedded.passages import best_windows
from monitor.pipeline.cited_pairs import CitedPair, Frame
from monitor.pipeline.removed import unjudgeable
from monitor.report.csv import to_csv
from monitor.store.support_labels import DrawnPair

COLUMNS = (
    "pair", "prompt", "question", "engine", "claim", "statement", "urls", "passages", "texts",
    "support", "annotator", "note",
)  # fmt: skip

PASSAGE_WORDS = 200
"""Words of passages shown of one cited page; its whole text may be had beside the file."""


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


def sheet_of(one: DrawnPair, pair: CitedPair, frame: Frame, texts: dict[str, str]) -> PairSheet:
    """A pair with the passages of its pages that are nearest to the claim."""
    shown = next(c for c in pair.claims if (c.engine, c.prompt) == (one.engine, one.prompt))
    readable = [page for page in shown.pages if page.readable]
    passages = []
    for page, sha256 in zip(readable, pair.evidence, strict=False):
        text = texts[sha256] if sha256 in texts else frame.texts(sha256)
        if text is None:
            raise unjudgeable(sha256)
        texts[sha256] = text
        best = " […] ".join(passages_of(pair.claim, text))
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


def passages_of(claim: str, text: str) -> tuple[str, ...]:
    """The parts of a text that are nearest to a claim, in the order of the text."""
    windows = best_windows(claim, text, words=PASSAGE_WORDS)
    return tuple(text[start:end].strip() for start, end in windows)


def sheets_csv(sheets: Sequence[PairSheet]) -> str:
    """Pairs as a table for a spreadsheet; the last three columns are for people."""
    return to_csv(COLUMNS, (_cells(one) for one in sheets))


def sheets_jsonl(sheets: Sequence[PairSheet]) -> str:
    """Pairs as one JSON object a line."""
    return "".join(f"{json.dumps(_object(one), ensure_ascii=True)}\n" for one in sheets)


def _cells(one: PairSheet) -> tuple[str, ...]:
    """One row; a cell has a line or more for each page."""
    return (
        one.name,
        one.prompt,
        one.prompt_text,
        one.engine,
        one.claim,
        one.statement,
        "\n".join(url for url, _, _ in one.passages),
        "\n\n".join(f"[{n}] {best}" for n, (_, best, _) in enumerate(one.passages, 1)),
        "\n".join(sha256 for _, _, sha256 in one.passages),
        "",
        "",
        "",
    )


def _object(one: PairSheet) -> dict[str, Any]:
    """One pair as JSON values."""
    return {
        "pair": one.name,
        "prompt": one.prompt,
        "question": one.prompt_text,
        "engine": one.engine,
        "claim": one.claim,
        "statement": one.statement,
        "pages": [
            {"url": url, "passages": best, "text_sha256": sha256}
            for url, best, sha256 in one.passages
        ],
        "support": "",
        "annotator": "",
        "note": "",
    }
