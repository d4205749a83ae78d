"""Anthropic Claude with its web search tool, through the Messages API.

Where citations live. The answer is cut into many text blocks; a block with `citations[]` is itself
the claim, and each citation names `url`, `title` and `cited_text` (about 150 characters of the
page). There are no offsets: a block's place is the running length of the text before it. Blocks
are joined without a separator, or sentences break.
What is visible. Text blocks, except those that come before the last search and cite nothing ("I'll
search for that"). Thinking and tool blocks are not answer. Several citations of one page on
one block are several marks.
Retrieval. `web_search_tool_result.content[]` lists every page found, cited or not: exposed. An
empty list means nothing was found; an object with `error_code` means the search failed inside an
HTTP 200. The content list records every call, so a finished message without one did not search.
Continuation. `stop_reason: pause_turn` asks for the same call again with the assistant's blocks
appended unchanged; citations of the continuation point at results of the earlier message, so all
messages of a capture are one answer. A forced search is not forced again.
Oddities. With `web_search_20260209` results pass through code execution and citations may be
missing; plain capture asks for `web_search_20250305`. A search switched off for the organisation
is an HTTP 400.
Locale. `user_location` takes the country, and city, region and timezone as options; language
follows the prompt.

Options: `max_tokens`, `max_uses`, `city`, `region`, `timezone`, `force_search`, `allowed_domains`,
`blocked_domains`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from monitor.domain.engine import (
    Access,
    Auth,
    Engine,
    EngineSettings,
    Exchanges,
    Outcome,
    Reading,
    Request,
    Retrieval,
    Retrieved,
    Role,
    Span,
    SpanKind,
    Surface,
    Usage,
)
from monitor.domain.panel import Prompt
from monitor.engines.shapes.address import country, endpoint, known_options
from monitor.engines.shapes.anthropic_turns import Turn, read_turn
from monitor.engines.shapes.citing import Mark, distinct, distinct_words, gather
from monitor.engines.shapes.payload import (
    last_exchange,
    list_at,
    mapping_at,
    optional_int,
    optional_string,
    requested_model,
    require,
    string_at,
)
from monitor.errors import PayloadError

NAME = "anthropic"
DEFAULT_MODEL = "claude-sonnet-5"
MAX_CALLS = 4
"""Calls of one capture, continuations included; a turn still paused after them is truncated."""

_BASE = "https://api.anthropic.com/v1"
_OPTIONS = {
    "max_tokens",
    "max_uses",
    "city",
    "region",
    "timezone",
    "force_search",
    "allowed_domains",
    "blocked_domains",
}
_PLAIN_ENDS = frozenset({"end_turn", "stop_sequence"})
_SILENT = frozenset({"thinking", "redacted_thinking", "container_upload", "fallback"})

Node = Mapping[str, Any]


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """One question with the search tool offered, from the prompt's country where it has one."""
    options = known_options(NAME, settings, _OPTIONS)
    tool: dict[str, Any] = {
        "type": "web_search_20250305",
        "name": "web_search",
        "max_uses": options.get("max_uses", 5),
    }
    place = {key: options[key] for key in ("city", "region", "timezone") if options.get(key)}
    if code := country(prompt, settings):
        place["country"] = code
    if place:
        tool["user_location"] = {"type": "approximate", **place}
    tool |= {k: options[k] for k in ("allowed_domains", "blocked_domains") if options.get(k)}
    body: dict[str, Any] = {
        "model": settings.model or DEFAULT_MODEL,
        "max_tokens": options.get("max_tokens", 4096),
        "messages": [{"role": "user", "content": prompt.text}],
        "tools": [tool],
    }
    if prompt.persona:
        body["system"] = prompt.persona
    if options.get("force_search"):
        body["tool_choice"] = {"type": "tool", "name": "web_search"}
    url = endpoint(_BASE, "/messages", settings.base_url)
    return Request("POST", url, body, headers=(("anthropic-version", "2023-06-01"),))


def follow_up(prompt: Prompt, settings: EngineSettings, exchanges: Exchanges) -> Request | None:
    """The same question with everything said so far, where the last message only paused."""
    try:
        turns = _turns(exchanges)
    except PayloadError:
        return None
    last = turns[-1] if turns else None
    heard = [turn for turn in turns if isinstance(turn, Turn)]
    if len(heard) >= MAX_CALLS or not isinstance(last, Turn) or last.stop != "pause_turn":
        return None
    said = [block for turn in heard for block in turn.blocks]
    first = request(prompt, settings)
    body = {k: v for k, v in first.json.items() if k != "tool_choice"}
    body["messages"] = [*body["messages"], {"role": "assistant", "content": said}]
    return replace(first, json=body)


def parse(exchanges: Exchanges) -> Reading:
    """Reading of all messages of one capture as one answer; a retried failure does not count."""
    asked = requested_model(last_exchange(NAME, exchanges))
    turns = _turns(exchanges)
    heard = tuple(turn for turn in turns if isinstance(turn, Turn))
    last = turns[-1]
    if not heard and isinstance(last, Reading):
        return replace(last, requested_model=asked)
    reading = _merged(heard)
    if isinstance(last, Reading):
        why = f"the continuation failed: {last.outcome}/{last.reason}"
        reading = replace(reading, warnings=(*reading.warnings, why, *last.warnings))
        if not reading.text.strip():
            reading = replace(reading, outcome=last.outcome, reason=last.reason)
    return replace(reading, requested_model=asked)


def _turns(exchanges: Exchanges) -> tuple[Turn | Reading, ...]:
    """Messages in order; one that follows a message which did not pause replaces it (a retry)."""
    turns: list[Turn | Reading] = []
    for exchange in exchanges:
        turn = read_turn(NAME, exchange)
        if turns and isinstance(before := turns[-1], Turn) and before.stop != "pause_turn":
            turns.pop()
        turns.append(turn)
    return tuple(turns)


def _merged(turns: Sequence[Turn]) -> Reading:
    blocks = tuple(block for turn in turns for block in turn.blocks)
    shown, warnings = _shown(blocks)
    text = "".join(words for _, words in shown)
    marks, left_out = _marks(shown)
    stop = turns[-1].stop
    outcome, reason = _outcome(stop, text)
    usage = _usage(turns)
    return Reading(
        outcome,
        reason,
        text=text,
        citations=gather(marks),
        retrieved=distinct(_results(blocks)),
        queries=distinct_words(_queries(blocks)),
        retrieval=_retrieval(blocks, usage, outcome),
        served_model=turns[-1].model,
        usage=usage,
        warnings=(*warnings, *_failures(blocks), *left_out, *_ending(stop)),
    )


def _outcome(stop: str | None, text: str) -> tuple[Outcome, str | None]:
    if stop == "refusal":
        return Outcome.NO_ANSWER, "declined"
    if stop == "pause_turn":
        return Outcome.TRUNCATED, None
    if not text.strip():
        return Outcome.ERROR, "empty"
    return (Outcome.ANSWERED, None) if stop in _PLAIN_ENDS else (Outcome.TRUNCATED, None)


def _ending(stop: str | None) -> tuple[str, ...]:
    if stop is None:
        return ("ended without a stop_reason",)
    return () if stop in _PLAIN_ENDS | {"max_tokens"} else (f"stop_reason {stop}",)


def _is_result(block: Node) -> bool:
    return str(block.get("type")).endswith("_tool_result")


def _is_search(block: Node) -> bool:
    """Whether a block belongs to a server's tool: what comes before it was no answer yet."""
    return _is_result(block) or block.get("type") == "server_tool_use"


def _shown(blocks: Sequence[Node]) -> tuple[tuple[tuple[Node, str], ...], tuple[str, ...]]:
    """Visible text blocks with their words, and a warning for every kind of block unknown to us."""
    last = max((n for n, block in enumerate(blocks) if _is_search(block)), default=-1)
    shown: list[tuple[Node, str]] = []
    unknown: dict[str, None] = {}
    for n, block in enumerate(blocks):
        path = f"$.content[{n}]"
        kind = string_at(NAME, require(NAME, block, "type", path), f"{path}.type")
        if kind == "text":
            words = string_at(NAME, require(NAME, block, "text", path), f"{path}.text")
            if n > last or block.get("citations"):
                shown.append((block, words))
        elif not (kind in _SILENT or kind.endswith(("tool_use", "_tool_result"))):
            unknown[f"content of type {kind!r} left out"] = None
    return tuple(shown), tuple(unknown)


def _marks(shown: Sequence[tuple[Node, str]]) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    marks: list[Mark] = []
    warnings: list[str] = []
    start = 0
    for block, words in shown:
        span = Span(start, start + len(words), SpanKind.CLAIM) if words else None
        for citation in list_at(NAME, block.get("citations") or [], "$.content[].citations"):
            node = mapping_at(NAME, citation, "$.content[].citations[]")
            if node.get("type", "web_search_result_location") != "web_search_result_location":
                warnings.append(f"citation of type {node.get('type')!r} left out: no web page")
                continue
            url = string_at(NAME, require(NAME, node, "url", "$.content[].citations[]"), "url")
            title, quote = (
                optional_string(node.get("title")),
                optional_string(node.get("cited_text")),
            )
            marks.append(Mark(url, Role.DISPLAYED, title, span, len(marks), quote))
        start += len(words)
    return tuple(marks), tuple(warnings)


def _results(blocks: Sequence[Node]) -> Iterator[Retrieved]:
    """Pages found, in payload order."""
    for n, block in enumerate(blocks):
        if block.get("type") != "web_search_tool_result":
            continue
        path = f"$.content[{n}].content"
        found = require(NAME, block, "content", f"$.content[{n}]")
        if isinstance(found, Mapping) and "error_code" in found:
            continue
        for at, page in enumerate(list_at(NAME, found, path)):
            node = mapping_at(NAME, page, f"{path}[{at}]")
            url = string_at(NAME, require(NAME, node, "url", f"{path}[{at}]"), f"{path}[{at}].url")
            yield Retrieved(url, optional_string(node.get("title")))


def _failures(blocks: Sequence[Node]) -> Iterator[str]:
    """Searches that failed inside an answer: the answer stands, with less to stand on."""
    for block in blocks:
        found = block.get("content")
        if _is_result(block) and isinstance(found, Mapping) and "error_code" in found:
            yield f"a search failed: {optional_string(found['error_code']) or 'no code given'}"


def _queries(blocks: Sequence[Node]) -> Iterator[str]:
    for block in blocks:
        if block.get("type") == "server_tool_use" and block.get("name") == "web_search":
            asked = mapping_at(NAME, block.get("input") or {}, "$.content[].input")
            yield optional_string(asked.get("query")) or ""


def _retrieval(blocks: Sequence[Node], usage: Usage | None, outcome: Outcome) -> Retrieval:
    called = any(
        block.get("type") == "web_search_tool_result"
        or (block.get("type") == "server_tool_use" and block.get("name") == "web_search")
        for block in blocks
    )
    if called or (usage and usage.searches):
        return Retrieval.USED
    return Retrieval.NOT_USED if outcome is Outcome.ANSWERED else Retrieval.UNKNOWN


def _usage(turns: Sequence[Turn]) -> Usage | None:
    """Counts summed over the messages; input from a cache is input."""
    if not any(turn.usage for turn in turns):
        return None
    read = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return Usage(
        _sum(turn.usage.get(key) for turn in turns for key in read),
        _sum(turn.usage.get("output_tokens") for turn in turns),
        _sum(_inner(turn, "output_tokens_details", "thinking_tokens") for turn in turns),
        _sum(_inner(turn, "server_tool_use", "web_search_requests") for turn in turns),
    )


def _inner(turn: Turn, outer: str, key: str) -> Any:
    node = turn.usage.get(outer)
    return node.get(key) if isinstance(node, Mapping) else None


def _sum(counts: Iterator[Any]) -> int | None:
    known = [count for value in counts if (count := optional_int(value)) is not None]
    return sum(known) if known else None


ENGINE = Engine(
    name=NAME,
    label="Claude (API, web search)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=follow_up,
    parse=parse,
    auth=Auth(("ANTHROPIC_API_KEY",), header="x-api-key", scheme=""),
    default_model=DEFAULT_MODEL,
    # Estimate of 2026-08: two searches at 10 USD per 1,000 and about 15,000 tokens of a Sonnet.
    call_micros=80_000,
    max_calls=MAX_CALLS,
    exposes_retrieved=True,
)
