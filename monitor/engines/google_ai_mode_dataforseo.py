"""Google AI Mode, read through DataForSEO's live AI Mode results.

Where citations live. In the answer's `markdown`, as `[[n]](url)` markers and bare `[](url)` source
chips; numbers begin at 1 again in every element and index nothing. The item's type is literally
`ai_overview`. Most top-level `references` can be google.com/searchviewer pages while the sites that
the text cites stand only in the references of their elements (seen 2026-07): the inline links are
the displayed citations, all other references are `listed`.
What is visible. The text is the answer's Markdown as sent, pictures left out. Video cards are
recommendations: links, not citations.
Retrieval. References are what Google shows, not what it searched: nothing is exposed. No model and
no queries; `cost` is reported per task in USD. Errors stand on the task inside an HTTP 200.
Locale. A place is required: the country of the locale, or options; the language is the prompt's.

Options: `location_code`, `location_name`, `language_code`, `device`.
"""

from monitor.domain.engine import (
    Access,
    Engine,
    EngineSettings,
    Exchanges,
    Reading,
    Request,
    Surface,
    no_follow_up,
)
from monitor.domain.panel import Prompt
from monitor.engines.shapes import dataforseo
from monitor.engines.shapes.payload import last_exchange

NAME = "google_ai_mode_dataforseo"

_SURFACE = dataforseo.Surface(NAME, "/serp/google/ai_mode/live/advanced", "ai_mode")


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """One question to AI Mode."""
    return dataforseo.ask(_SURFACE, prompt, settings)


def parse(exchanges: Exchanges) -> Reading:
    """Reading of the last task's answer."""
    return dataforseo.read_answer(_SURFACE, last_exchange(NAME, exchanges))


ENGINE = Engine(
    name=NAME,
    label="Google AI Mode (DataForSEO)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=dataforseo.AUTH,
    default_model=None,
    # Estimate of 2026-07: the price of one live AI Mode task.
    call_micros=4_000,
    lists_sources=True,
)
