"""Google AI Overview, read through DataForSEO's live Google results.

Where citations live. In the overview's `markdown`: `[[n]](url)` markers, whose numbers begin at 1
again in every element, and bare `[](url)` source chips, which count even where the element's own
`references` are empty. Both cover the words before them; their span is the marker itself. Pages of
`references[]` that no marker names are `listed`; a link with words or a video card is a link.
What is visible. The text is the overview's Markdown as sent, pictures left out; element texts
repeat it with chip labels glued on ("www.berico.com +2") and are not read.
States. No item of type `ai_overview`: absent, a finding. An overview that loads later is asked for
with `load_async_ai_overview`; one that still came without text was not heard. Errors stand on the
task inside an HTTP 200. Google's own "can't generate" notice has not been seen in this vendor's
payloads (2026-08).
Retrieval. References are what Google shows, not what it searched: nothing is exposed. No model and
no queries; `cost` is reported per task in USD.
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

NAME = "google_ai_overview_dataforseo"

_SURFACE = dataforseo.Surface(
    NAME,
    "/serp/google/organic/live/advanced",
    "organic",
    (("load_async_ai_overview", True), ("expand_ai_overview", True)),
)


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """A Google search whose overview is loaded and expanded."""
    return dataforseo.ask(_SURFACE, prompt, settings)


def parse(exchanges: Exchanges) -> Reading:
    """Reading of the last task's overview."""
    return dataforseo.read_answer(_SURFACE, last_exchange(NAME, exchanges))


ENGINE = Engine(
    name=NAME,
    label="Google AI Overview (DataForSEO)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=dataforseo.AUTH,
    default_model=None,
    # Estimate of 2026-07: 0.002 USD for a live search and as much again for a late overview.
    call_micros=4_000,
    lists_sources=True,
)
