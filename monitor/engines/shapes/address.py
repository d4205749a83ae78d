"""Where a call goes and what an operator may add to it; pure strings, nothing is looked up."""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from monitor.domain.engine import EngineSettings
from monitor.domain.panel import Prompt
from monitor.errors import ConfigError


def endpoint(default_base: str, path: str, base_url: str | None) -> str:
    """URL of a call; `base_url` replaces scheme and host, and the prefix where it has one."""
    if not base_url:
        return default_base + path
    base = base_url.rstrip("/")
    if urlsplit(base).path:
        return base + path
    return base + urlsplit(default_base).path + path


def country(prompt: Prompt, settings: EngineSettings) -> str | None:
    """Country to ask from, ISO 3166 alpha-2: the setting, else the prompt's locale, else None."""
    return settings.country or prompt.country


def known_options(engine: str, settings: EngineSettings, known: Collection[str]) -> dict[str, Any]:
    """Operator's options by name; ConfigError names an unknown one and the nearest known."""
    for name in settings.options:
        if name not in known:
            nearest = get_close_matches(str(name), sorted(known), 1, 0.0)
            hint = f"did you mean {nearest[0]!r}? " if nearest else ""
            raise ConfigError(
                f"engine {engine}: unknown option {name!r}; {hint}known: {', '.join(sorted(known))}"
            )
    return dict(settings.options)


def chat_messages(prompt: Prompt) -> list[Mapping[str, str]]:
    """Chat messages of a prompt: its persona as the system message, then its text."""
    asked: list[Mapping[str, str]] = [{"role": "user", "content": prompt.text}]
    if prompt.persona:
        asked.insert(0, {"role": "system", "content": prompt.persona})
    return asked
