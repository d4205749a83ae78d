"""What leaves this place: whole files or none, and none in which a secret of ours stands."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident

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


@contextmanager
def drafted(path: Path) -> Iterator[Path]:
    """A file beside a path that is put in its place when all went well, and removed otherwise.

    MonitorError where that cannot be; a folder, link target or device is never replaced by a file.
    """
    target = Path(os.path.realpath(path))
    if str(path) == "-" or (os.path.lexists(target) and not target.is_file()):
        raise MonitorError(f"{path}: not a plain file, nothing was written; name a file")
    draft = target.with_name(f".{target.name[:100]}.{os.getpid()}-{get_ident()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield draft
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise MonitorError(
            f"{path}: cannot be written ({error.strerror}), nothing was kept there; "
            "name a place with room that you may write to"
        ) from error
