"""Google AI Mode, read through SerpApi's Google AI Mode API.

Where citations live. As in an AI Overview, but at the top of the page: `text_blocks[]` with 0-based
`reference_indexes` into `references[].index`. There are no offsets: the block is the place.
What is visible. The blocks and the reference column; an unindexed reference is `listed`. Answers
about places can have only references to google.com/searchviewer, which are displayed all the same;
the sites themselves then stand in `snippet_links` and are links, not citations (seen 2026-09).
Labels of buttons are glued into snippets ("LlamarCómo llegarSitio web") and left as they are.
Retrieval. The column is what Google shows, not what it searched: nothing is exposed. Models and
money are not told; fan-out queries neither. `reconstructed_markdown` repeats the blocks.
One call is enough: `subsequent_request_token` is for a next question, not for more of this one.
Locale. `gl`, `hl`, and `location` as an option; a persona cannot be sent.

Options: `location`, `device`, `google_domain`, `no_cache` (default true).
"""

from collections.abc import Mapping
from typing import Any

from monitor.domain.engine import (
    Access,
    Engine,
    EngineSettings,
    Exchanges,
    Outcome,
    Reading,
    Request,
    Retrieval,
    Surface,
    no_follow_up,
)
from monitor.domain.panel import Prompt
from monitor.engines.shapes.google_blocks import read_blocks
from monitor.engines.shapes.payload import describe, last_exchange
from monitor.engines.shapes.serpapi import AUTH, SEARCH_MICROS, read_search, search
from monitor.errors import PayloadError

NAME = "google_ai_mode"

_CARDS = ("shopping_results", "inline_products")


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """One question to AI Mode."""
    return search(NAME, prompt, settings, "google_ai_mode")


def parse(exchanges: Exchanges) -> Reading:
    """Reading of an AI Mode page; a page without blocks is a drift unless it says it is empty."""
    page = read_search(NAME, last_exchange(NAME, exchanges))
    if isinstance(page, Reading):
        return page
    if "text_blocks" not in page:
        raise PayloadError(NAME, "$.text_blocks", f"no such key in {describe(page)}")
    read = read_blocks(NAME, page, "$")
    if not read.text.strip():
        return _empty(page)
    return Reading(
        Outcome.ANSWERED,
        text=read.text,
        citations=read.citations,
        retrieved=read.tray,
        retrieval=Retrieval.USED if read.tray else Retrieval.UNKNOWN,
        warnings=read.warnings,
        shopping=any(page.get(key) for key in _CARDS),
    )


def _empty(page: Mapping[str, Any]) -> Reading:
    if page.get("text_blocks") or page.get("references"):
        raise PayloadError(NAME, "$.text_blocks", "references or blocks, but no text")
    return Reading(Outcome.NO_ANSWER, "absent")


ENGINE = Engine(
    name=NAME,
    label="Google AI Mode (SerpApi)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=AUTH,
    default_model=None,
    call_micros=SEARCH_MICROS,
    lists_sources=True,
)
