"""Drawn pairs as files for people to fill in: a table for a spreadsheet, or JSON lines."""

import json
from collections.abc import Sequence
from typing import Any

from monitor.pipeline.labelling import PairSheet
from monitor.report.csv import to_csv

COLUMNS = (
    "pair", "prompt", "question", "engine", "claim", "statement", "urls", "passages", "texts",
    "support", "annotator", "note",
)  # fmt: skip


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
