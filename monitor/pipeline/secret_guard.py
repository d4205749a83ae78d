"""A guard over what is handed on: no file in which a secret of ours stands leaves this place."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from monitor.config.channels import AppriseChannel, SmtpChannel, WebhookChannel
from monitor.config.settings import Settings, secret
from monitor.config.targets import channel_key, channel_password, channel_service, channel_url
from monitor.domain.secrecy import redact
from monitor.engines import ENGINES
from monitor.errors import EvidenceError, MonitorError
from monitor.pipeline.judges_at_hand import api_key
from monitor.pipeline.planning import secrets_of

_SHORTEST_PASSWORD = 12
"""A shorter one may be a word, and would refuse every text that has it."""


class SecretGuard:
    """Refuses to hand on a file in which a configured secret stands."""

    def __init__(self, settings: Settings) -> None:
        self._secrets = configured_secrets(settings)

    def read(self, name: str, read: Callable[[], bytes]) -> bytes:
        """The bytes of a file; EvidenceError names it where a secret of ours is in it."""
        content = read()
        if any(redact(content, one)[1] for one in self._secrets):
            raise EvidenceError(
                f"{name}: holds one of the configured keys or passwords, so nothing was written; "
                "it must not be handed on: change that key, and export without this capture"
            )
        return content


def configured_secrets(settings: Settings) -> tuple[tuple[str, ...], ...]:
    """Every secret that this installation can name, in groups as their calls use them."""
    return _groups(read() for read in _sources(settings))


def readable_secrets(settings: Settings) -> tuple[tuple[str, ...], ...]:
    """The same without those whose file cannot be read, which nothing can be held against."""

    def found() -> Iterator[tuple[str, ...]]:
        for read in _sources(settings):
            with suppress(MonitorError, OSError):
                yield read()

    return _groups(found())


def _groups(found: Iterable[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    return tuple(sorted({one for one in found if one}))


_Source = Callable[[], tuple[str, ...]]


def _sources(settings: Settings) -> Iterator[_Source]:
    """What reads each group of secrets."""
    for engine in ENGINES.values():
        yield partial(secrets_of, engine)
    for read in _single(settings):
        yield partial(_long, read)
    if settings.evidence.signing_key_file:
        yield partial(_key_lines, Path(settings.evidence.signing_key_file))


def _long(read: Callable[[], str | None]) -> tuple[str, ...]:
    """A secret that is no mere word, as a group of its own."""
    found = read()
    return (found,) if found and len(found) >= _SHORTEST_PASSWORD else ()


def _key_lines(file: Path) -> tuple[str, ...]:
    lines = file.read_text("utf-8", "replace").splitlines()
    return tuple(line for line in lines if line and not line.startswith("-----"))


def _single(settings: Settings) -> Iterator[Callable[[], str | None]]:
    """Keys and passwords of judge, database and channels, and addresses that are secret."""
    yield partial(api_key, settings.judge.llm)
    yield partial(secret, "PGPASSWORD")
    for name, channel in settings.alerts.channels.items():
        if isinstance(channel, SmtpChannel):
            yield partial(channel_password, name, channel)
        elif isinstance(channel, AppriseChannel):
            yield partial(channel_service, name, channel)
        else:
            yield partial(channel_url, name, channel)
        if isinstance(channel, WebhookChannel):
            yield partial(channel_key, name, channel)
