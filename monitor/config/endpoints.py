"""Addresses that an operator wrote in the settings: they skip the check of addresses.

Whoever writes the settings may send the monitor anywhere, inside the network too; so all such
addresses are listed in one place. Redirects from them are not followed.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from monitor.config.channels import ChannelPart
from monitor.config.settings import Settings


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One such address."""

    setting: str
    address: str | None
    """None where the address is a secret."""


def endpoints(settings: Settings) -> tuple[Endpoint, ...]:
    """All of them, in the order of the settings."""
    return tuple(_endpoints(settings))


def _endpoints(settings: Settings) -> Iterator[Endpoint]:
    if "://" in settings.store.artifacts:
        yield Endpoint("store.artifacts", settings.store.artifacts)
    for name, engine in settings.engines.items():
        if engine.base_url:
            yield Endpoint(f"engines.{name}.base_url", engine.base_url)
    for name, surface in settings.surfaces.items():
        if surface.cdp:
            yield Endpoint(f"surfaces.{name}.cdp", surface.cdp)
    if settings.judge.llm.base_url:
        yield Endpoint("judge.llm.base_url", settings.judge.llm.base_url)
    if settings.evidence.timestamp_url:
        yield Endpoint("evidence.timestamp_url", settings.evidence.timestamp_url)
    yield from _pings(settings)
    for name, channel in settings.alerts.channels.items():
        if _is_unguarded(channel):
            yield Endpoint(f"alerts.channels.{name}", None)


def _pings(settings: Settings) -> Iterator[Endpoint]:
    health = settings.health
    if health.ping_url or health.ping_url_file:
        yield Endpoint("health.ping_url", None)
    for panel in health.panel_ping_urls:
        yield Endpoint(f"health.panel_ping_urls.{panel}", None)
    if health.alive_ping_url or health.alive_ping_url_file:
        yield Endpoint("health.alive_ping_url", None)


def _is_unguarded(channel: ChannelPart) -> bool:
    return channel.private or getattr(channel, "unguarded", False) is True
