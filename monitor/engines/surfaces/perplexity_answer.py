"""Where an entry of a Perplexity stream or thread has its answer, sources and outcome.

The answer stands in one of these, looked up in this order: `ask_text` (answer, else its chunks;
to 2026-07-31), the texts of `workflow_root` whose variant is `answer` (since 2026-08-04), or the
older `text` field, JSON within JSON. `ask_text_0_markdown` and its like are the same text cut up.
A stream is finished where its last message says so (`final_sse_message`, status COMPLETED);
`text_completed` does not.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from monitor.domain.engine import Outcome, Reading, Retrieval
from monitor.domain.turn import Completeness, Layout, Turn
from monitor.engines.shapes.citing import distinct_words
from monitor.engines.shapes.payload import clean_text, optional_string
from monitor.engines.surfaces.perplexity_entries import Entry
from monitor.engines.surfaces.perplexity_sources import (
    Source,
    cite,
    plain_answer,
    retrieved_of,
    web_source,
)
from monitor.errors import PayloadError


@dataclass(frozen=True, slots=True)
class _Workflow:
    """What the steps of `workflow_root` hold."""

    text: str | None
    """The answer; None where no step has one."""
    queries: tuple[str, ...]
    sources: tuple[Source, ...]
    asks_back: str | None
    """Title of questions that nobody answered yet."""


def read_entry(engine: str, entry: Entry, index: int, *, ended: bool) -> Turn:
    """The answer of an entry; `ended` tells whether no more of it was to come.

    PayloadError where a finished entry has its answer in none of the places we know.
    """
    steps = _workflow(entry)
    older_text, older_rows = _older(entry.fields.get("text"))
    raw = _first(_ask_text(entry), steps.text, older_text)
    text = plain_answer(raw or "")
    rows = _rows(entry) or older_rows
    sources = [web_source(row) for row in rows]
    outcome, reason = _outcome(entry, steps, text, ended=ended)
    if raw is None and outcome is Outcome.ERROR and reason == "empty":
        known = sorted(entry.blocks)
        raise PayloadError(engine, "$.blocks", f"no block that holds an answer, only {known}")
    shown = text if outcome in {Outcome.ANSWERED, Outcome.TRUNCATED} else ""
    cited = cite(shown, {str(number): one for number, one in enumerate(sources, 1)})
    asked, served = _models(entry)
    reading = Reading(
        outcome,
        reason,
        text=shown,
        citations=cited.citations,
        retrieved=retrieved_of([*sources, *steps.sources]),
        queries=steps.queries,
        retrieval=_retrieval(entry, searched=bool(sources or steps.sources or steps.queries)),
        requested_model=asked,
        served_model=served,
        warnings=(*cited.warnings, *_warnings(entry, steps, (asked, served), text)),
    )
    return Turn(
        index=index,
        id=_words(entry, "backend_uuid") or _words(entry, "uuid"),
        prompt=_words(entry, "query_str"),
        reading=reading,
        completeness=Completeness(
            hidden_citations=0,
            offsets_exact=True,
            model_known=served is not None,
            locale_known=False,
            retrieved_known=bool(rows or steps.sources),
        ),
        answered_at=_time(entry),
        layout=Layout(
            in_document=sum(one.marks for one in reading.displayed),
            shown=sum(one.marks for one in reading.displayed),
            coverage=1.0 if shown else None,
        ),
    )


def _outcome(
    entry: Entry, steps: _Workflow, text: str, *, ended: bool
) -> tuple[Outcome, str | None]:
    status = str(entry.fields.get("status") or "").upper()
    if steps.asks_back is not None and not text:
        return Outcome.NEEDS_INPUT, None
    if status == "FAILED":
        return Outcome.ERROR, "server"
    if ended and status == "COMPLETED":
        return (Outcome.ANSWERED, None) if text else (Outcome.ERROR, "empty")
    return (Outcome.TRUNCATED, None) if text else (Outcome.TIMEOUT, None)


def _first(*texts: str | None) -> str | None:
    """The first text with words, else an empty one, else None."""
    told = [text for text in texts if text is not None]
    return next((text for text in told if text.strip()), told[0] if told else None)


def _ask_text(entry: Entry) -> str | None:
    if not entry.has("ask_text"):
        return None
    return _written(entry.block("ask_text", "markdown_block"), "answer")


def _written(block: Mapping[str, Any], key: str) -> str:
    """A text that stands whole under a key, or in pieces."""
    whole = block.get(key)
    if isinstance(whole, str) and whole.strip():
        return whole
    return "".join(one for one in _list(block.get("chunks")) if isinstance(one, str))


def _workflow(entry: Entry) -> _Workflow:
    texts: list[str] = []
    queries: list[str] = []
    sources: list[Source] = []
    asks_back: str | None = None
    for kind, payload in _steps(entry):
        if kind == "WORKFLOW_ITEM_TEXT":
            block = _mapping(payload.get("text_payload"))
            if block.get("variant") == "answer":
                texts.append(_written(block, "text"))
        elif kind == "WORKFLOW_ITEM_QUERIES":
            told = _list(_mapping(payload.get("queries_payload")).get("queries"))
            queries += [clean_text(one) for one in told if isinstance(one, str)]
        elif kind == "WORKFLOW_ITEM_SOURCES":
            rows = _list(_mapping(payload.get("sources_payload")).get("sources"))
            sources += [web_source(row) for row in rows]
        elif kind == "WORKFLOW_ITEM_USER_QUESTIONS":
            title = _mapping(payload.get("user_questions_payload")).get("title")
            asks_back = optional_string(title) or "no title"
        elif kind == "WORKFLOW_ITEM_USER_RESPONSE":
            # Time passed without an answer leaves one with none in it: the question still stands.
            told = _list(_mapping(payload.get("user_response_payload")).get("responses"))
            asks_back = None if told else asks_back
    written = "\n\n".join(text for text in texts if text.strip())
    return _Workflow(written if texts else None, distinct_words(queries), tuple(sources), asks_back)


def _steps(entry: Entry) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Kind and payload of everything in the steps of a workflow."""
    for step in _list(entry.block("workflow_root", "workflow_block").get("steps")):
        for part in _list(_mapping(step).get("items")):
            yield _mapping(part).get("type"), _mapping(_mapping(part).get("payload"))


def _rows(entry: Entry) -> list[Any]:
    """Rows that the marks count: of the citation table, else of the sources' tab."""
    table = entry.block("web_results", "web_result_block").get("web_results")
    tab = entry.block("sources_answer_mode", "sources_mode_block").get("web_results")
    return _list(table) or _list(tab)


def _older(text: Any) -> tuple[str | None, list[Any]]:
    """Answer and rows of the `text` field of 2024 and 2025: steps, or the answer at once."""
    told = _parsed(text)
    steps = [_mapping(step) for step in _list(told)]
    final = next((one for one in reversed(steps) if one.get("step_type") == "FINAL"), None)
    answer = _parsed(_mapping(final.get("content")).get("answer")) if final else told
    found = _mapping(answer)
    written = found.get("answer")
    return (written if isinstance(written, str) else None), _list(found.get("web_results"))


def _parsed(text: Any) -> Any:
    if not isinstance(text, str) or not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _retrieval(entry: Entry, *, searched: bool) -> Retrieval:
    if searched:
        return Retrieval.USED
    skipped = _mapping(entry.fields.get("classifier_results")).get("skip_search") is True
    return Retrieval.NOT_USED if skipped else Retrieval.UNKNOWN


def _models(entry: Entry) -> tuple[str | None, str | None]:
    """Model that was asked for and model that answered; they may differ without a word."""
    return _words(entry, "user_selected_model"), _words(entry, "display_model")


def _warnings(
    entry: Entry, steps: _Workflow, models: tuple[str | None, str | None], text: str
) -> Iterator[str]:
    asked, served = models
    if asked and served and asked != served:
        yield f"asked for the model {asked}, answered by {served}"
    if steps.asks_back is not None and not text:
        yield f"the page asks back: {steps.asks_back}"
    if entry.misfits:
        yield f"{entry.misfits} change(s) of the stream fitted nowhere; text may be missing"


def _words(entry: Entry, key: str) -> str | None:
    return optional_string(entry.fields.get(key))


def _time(entry: Entry) -> datetime | None:
    """Last change of the entry; times without zone are UTC."""
    for key in ("entry_updated_datetime", "updated_datetime"):
        try:
            told = datetime.fromisoformat(str(entry.fields.get(key)))
            return (told if told.tzinfo else told.replace(tzinfo=UTC)).astimezone(UTC)
        except (ValueError, OverflowError):
            continue
    return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
