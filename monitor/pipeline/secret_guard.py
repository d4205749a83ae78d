"""A guard over what is handed on: no file in which a secret of ours stands leaves this place."""

from collections.abc import Callable, Iterator
from pathlib import Path

from monitor.config.channels import AppriseChannel, SmtpChannel, WebhookChannel
from monitor.config.settings import Settings, secret
from monitor.config.targets import channel_key, channel_password, channel_service, channel_url
from monitor.domain.secrecy import redact
from monitor.engines import ENGINES
from monitor.errors import EvidenceError
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
    found = {secrets_of(engine) for engine in ENGINES.values()}
    others = (*_of_channels(settings), api_key(settings.judge.llm), secret("PGPASSWORD"))
    found |= {(one,) for one in others if one and len(one) >= _SHORTEST_PASSWORD}
    file = settings.evidence.signing_key_file
    if file:
        lines = Path(file).read_text("utf-8", "replace").splitlines()
        found.add(tuple(line for line in lines if line and not line.startswith("-----")))
    return tuple(sorted(one for one in found if one))


def _of_channels(settings: Settings) -> Iterator[str | None]:
    """Keys and passwords of the channels that alerts are sent to, and addresses that are secret."""
    for name, channel in settings.alerts.channels.items():
        if isinstance(channel, SmtpChannel):
            yield channel_password(name, channel)
        elif isinstance(channel, AppriseChannel):
            yield channel_service(name, channel)
        else:
            yield channel_url(name, channel)
        if isinstance(channel, WebhookChannel):
            yield channel_key(name, channel)
