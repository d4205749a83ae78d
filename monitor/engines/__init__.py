"""Every answer engine as a value: one file per vendor, one table of them all.

An engine module is pure: it describes requests and reads payloads. `capture` sends and stores.
"""

from collections.abc import Mapping
from types import MappingProxyType

from monitor.domain.engine import Engine, Exchanges, Outcome, Reading
from monitor.engines import (
    anthropic,
    chatgpt_web,
    copilot_web,
    gemini,
    gemini_app,
    google_ai_mode,
    google_ai_mode_dataforseo,
    google_ai_mode_web,
    google_ai_overview,
    google_ai_overview_dataforseo,
    google_ai_overview_web,
    mistral,
    openai,
    openai_chat_search,
    openrouter,
    perplexity,
    perplexity_web,
    sandbox_chat,
    xai,
)
from monitor.engines.shapes.payload import requested_model
from monitor.engines.surfaces.reading import SurfaceReader
from monitor.errors import PayloadError

PARSE_VERSION: int = 1
"""Stored with every derived row; raised whenever any `parse` reads the same bytes otherwise."""

ENGINES: Mapping[str, Engine] = MappingProxyType(
    {
        engine.name: engine
        for engine in (
            openai.ENGINE,
            openai_chat_search.ENGINE,
            perplexity.ENGINE,
            xai.ENGINE,
            mistral.ENGINE,
            openrouter.ENGINE,
            gemini.ENGINE,
            anthropic.ENGINE,
            google_ai_overview.ENGINE,
            google_ai_mode.ENGINE,
            google_ai_overview_dataforseo.ENGINE,
            google_ai_mode_dataforseo.ENGINE,
            sandbox_chat.ENGINE,
            perplexity_web.ENGINE,
            google_ai_overview_web.ENGINE,
            google_ai_mode_web.ENGINE,
            chatgpt_web.ENGINE,
            copilot_web.ENGINE,
            gemini_app.ENGINE,
        )
    }
)
"""Every engine by its name, which is also its module's name and the word panels use."""

READERS: Mapping[str, SurfaceReader] = MappingProxyType(
    {
        "perplexity_web": SurfaceReader(perplexity_web.recognise, perplexity_web.turns),
        "google_ai_overview_web": SurfaceReader(
            google_ai_overview_web.recognise, google_ai_overview_web.turns
        ),
        "google_ai_mode_web": SurfaceReader(google_ai_mode_web.recognise, google_ai_mode_web.turns),
        "chatgpt_web": SurfaceReader(chatgpt_web.recognise, chatgpt_web.turns),
        "copilot_web": SurfaceReader(copilot_web.recognise, copilot_web.turns),
        "gemini_app": SurfaceReader(gemini_app.recognise, gemini_app.turns),
    }
)
"""Readers of the surfaces whose documents may be handed in, by engine name."""


def read(name: str, exchanges: Exchanges) -> Reading:
    """Reading of one capture; bytes we cannot read are an error/unreadable, never an answer."""
    try:
        return ENGINES[name].parse(exchanges)
    except PayloadError as error:
        asked = requested_model(exchanges[-1]) if exchanges else None
        return Reading(Outcome.ERROR, "unreadable", requested_model=asked, warnings=(str(error),))
