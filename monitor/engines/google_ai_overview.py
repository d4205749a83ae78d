"""Google AI Overview, read through SerpApi's Google Search API.

Where citations live. `ai_overview.text_blocks[]` is a tree; blocks and list entries point with
0-based `reference_indexes` at `references[].index`. There are no offsets: the block is the place.
The order a reader meets them is that of the tree, not of the reference list (seen 2025-06:
0,3,8,5,6,4,1,2,7,10,9). The same page may be listed twice under two indexes.
What is visible. The blocks, and the tray of references. A reference that nobody indexes is
`listed`; on some days no block has an index at all (2026-08-11) and everything is only listed.
`related_questions[]` of type `ai_overview` belong to other questions and are not read.
States. Inline; deferred (`page_token`, single use, good for a minute or so: fetched by a second,
billed call that has no query and no place of its own); an `error` ("Can't generate an AI overview
right now"); absent. Absent is a finding (2 of 27 daily captures). The `error` text is Google's own,
shown where the overview would stand: the engine was asked and declined, so it is `declined` and
not `absent`. A deferred overview whose second call is missing was not heard: error/empty.
Retrieval. A tray shows that pages were used; it is what Google shows, not what it searched, so
nothing is exposed. Queries, models and money are not told. Links keep `#:~:text=` fragments.
Locale. `gl` is the country (Google's `uk` for GB), `hl` the language; `location` as an option. A
persona cannot be sent.

Options: `location`, `device`, `google_domain`, `no_cache` (default true).
"""

from collections.abc import Mapping
from typing import Any

from monitor.domain.engine import (
    Access,
    Engine,
    EngineSettings,
    Exchange,
    Exchanges,
    Outcome,
    Reading,
    Request,
    Retrieval,
    Surface,
)
from monitor.domain.panel import Prompt
from monitor.engines.shapes.google_blocks import read_blocks
from monitor.engines.shapes.payload import (
    describe,
    last_exchange,
    mapping_at,
    optional_string,
)
from monitor.engines.shapes.serpapi import AUTH, SEARCH_MICROS, call, read_search, search
from monitor.errors import PayloadError

NAME = "google_ai_overview"
FOLLOW_UP_ENGINE = "google_ai_overview"

_PAGE_KEYS = frozenset(
    {
        "search_metadata",
        "search_parameters",
        "search_information",
        "organic_results",
        "related_questions",
    }
)

Node = Mapping[str, Any]


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """A Google search whose page may hold an overview."""
    return search(NAME, prompt, settings, "google")


def follow_up(
    prompt: Prompt,  # noqa: ARG001 - the second call knows only its token
    settings: EngineSettings,
    exchanges: Exchanges,
) -> Request | None:
    """The call that fetches a deferred overview; None where nothing is left to fetch."""
    if not exchanges:
        return None
    try:
        token = _open_token(exchanges[-1])
    except PayloadError:
        return None
    return call({"engine": FOLLOW_UP_ENGINE, "page_token": token}, settings) if token else None


def parse(exchanges: Exchanges) -> Reading:
    """Reading of the last page that came: the search itself or the deferred overview."""
    exchange = last_exchange(NAME, exchanges)
    page = read_search(NAME, exchange)
    if isinstance(page, Reading):
        return page
    overview = _overview(page)
    if overview is None:
        return _absent(page)
    if overview.get("error") is not None and not overview.get("text_blocks"):
        words = optional_string(overview["error"]) or describe(overview["error"])
        return Reading(Outcome.NO_ANSWER, "declined", warnings=(words[:300],))
    if _token(overview):
        again = _is_second_call(page, exchange)
        late = "deferred once more" if again else "deferred, and its second call is missing"
        return Reading(Outcome.ERROR, "empty", warnings=(f"the overview was {late}",))
    return _read(overview, page)


def _open_token(exchange: Exchange) -> str | None:
    page = read_search(NAME, exchange)
    if isinstance(page, Reading) or _is_second_call(page, exchange):
        return None
    return _token(_overview(page))


def _is_second_call(page: Node, exchange: Exchange) -> bool:
    asked = page.get("search_parameters")
    named = asked.get("engine") if isinstance(asked, Mapping) else None
    sent = dict(exchange.request.query).get("engine") if exchange.request else None
    return FOLLOW_UP_ENGINE in (named, sent)


def _overview(page: Node) -> Node | None:
    """The overview of a page, or the page itself where only the overview was kept."""
    if page.get("ai_overview") is not None:
        return mapping_at(NAME, page["ai_overview"], "$.ai_overview") or None
    if "ai_overview" not in page and "text_blocks" in page:
        asked = page.get("search_parameters")
        if isinstance(asked, Mapping) and asked.get("engine") == "google_ai_mode":
            raise PayloadError(NAME, "$.search_parameters.engine", "a page of Google AI Mode")
        return page
    return None


def _token(overview: Node | None) -> str | None:
    if overview is None or overview.get("text_blocks"):
        return None
    return optional_string(overview.get("page_token"))


def _absent(page: Node) -> Reading:
    """Absence, said only by a page that is known to be a finished search."""
    if "ai_overview" in page or _PAGE_KEYS & page.keys():
        return Reading(Outcome.NO_ANSWER, "absent")
    raise PayloadError(NAME, "$.ai_overview", f"no such key in {describe(page)}")


def _read(overview: Node, page: Node) -> Reading:
    if "text_blocks" not in overview and "references" not in overview:
        raise PayloadError(
            NAME, "$.ai_overview.text_blocks", f"no such key in {describe(overview)}"
        )
    read = read_blocks(NAME, overview, "$" if overview is page else "$.ai_overview")
    if not read.text.strip():
        if overview.get("text_blocks") or read.tray:
            raise PayloadError(
                NAME, "$.ai_overview.text_blocks", "references or blocks, but no text"
            )
        return Reading(Outcome.NO_ANSWER, "absent")
    return Reading(
        Outcome.ANSWERED,
        text=read.text,
        citations=read.citations,
        retrieved=read.tray,
        retrieval=Retrieval.USED if read.tray else Retrieval.UNKNOWN,
        warnings=read.warnings,
        shopping=bool(overview.get("products") or overview.get("shopping_results")),
    )


ENGINE = Engine(
    name=NAME,
    label="Google AI Overview (SerpApi)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=follow_up,
    parse=parse,
    auth=AUTH,
    default_model=None,
    call_micros=SEARCH_MICROS,
    max_calls=2,
    lists_sources=True,
)
