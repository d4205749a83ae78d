"""A message of the outbox -> its channel, as the settings have it at the moment of sending."""

from datetime import datetime
from typing import assert_never

from monitor.alerts import (
    GUARDED,
    Mail,
    MailServer,
    Ping,
    missing_library,
    send_json,
    send_mail,
    send_ping,
    send_service,
)
from monitor.config.alerting import AlertsPart
from monitor.config.channels import (
    AppriseChannel,
    Channel,
    SlackChannel,
    SmtpChannel,
    TeamsChannel,
    WebhookChannel,
)
from monitor.config.logs import log
from monitor.config.pings import ping_url
from monitor.config.settings import Settings
from monitor.config.targets import (
    Addressed,
    channel_key,
    channel_password,
    channel_service,
    channel_url,
)
from monitor.domain.alert import Digest
from monitor.errors import (
    BlockedAddressError,
    ConfigError,
    DeliveryError,
    InvalidUrlError,
    PageError,
    StoreError,
)
from monitor.pages.addresses import literal_address, refused_address, refused_name
from monitor.pages.guard import check_url
from monitor.pipeline.outside import MAIL_PORTS, Outside
from monitor.report.chats import digest_blocks, digest_card
from monitor.report.digest import digest_html, digest_subject, digest_text
from monitor.report.digest_json import digest_json
from monitor.report.files import Links
from monitor.store import codec
from monitor.store.deliveries import Message

PING = "ping"
DIGEST = "digest"

CHANNEL = "channel:"
"""What stands before the name of a channel in a message's target."""


async def send(settings: Settings, outside: Outside, message: Message, *, at: datetime) -> None:
    """Hand a message to its channel, once; DeliveryError or ConfigError where it is not taken."""
    if message.kind == PING:
        await _send_ping(settings, outside, message)
    elif message.kind == DIGEST:
        await _send_digest(settings, outside, message, at)
    else:
        raise DeliveryError(f"no channel of the kind {message.kind!r}", permanent=True)


async def _send_ping(settings: Settings, outside: Outside, message: Message) -> None:
    url = ping_url(settings.health, message.target.removeprefix("panel:"))
    if url is None:
        raise DeliveryError("there is no health.ping_url in the settings any more", permanent=True)
    ping, seconds = Ping[message.body["ping"].upper()], settings.health.ping_timeout_seconds
    await send_ping(outside.plain, url, ping, message.body["text"], seconds=seconds)


async def _send_digest(
    settings: Settings, outside: Outside, message: Message, at: datetime
) -> None:
    name = message.target.removeprefix(CHANNEL)
    channel = settings.alerts.channels.get(name)
    if channel is None:
        raise DeliveryError(
            f"there is no alerts.channels.{name} in the settings any more", permanent=True
        )
    try:
        digest = codec.decode(Digest, message.body["digest"])
    except (StoreError, KeyError):
        raise DeliveryError(
            "the stored digest cannot be read: another version of the monitor wrote it",
            permanent=True,
        ) from None
    told = _Told(digest, links_of(settings), message.key, at, test=bool(message.body.get("test")))
    await told.to(name, channel, outside)


def links_of(settings: Settings) -> Links:
    """Where readers find reports."""
    return Links(settings.alerts.links, settings.reports)


class _Told:
    """A digest about to be told, in the form of each kind of channel."""

    def __init__(self, digest: Digest, links: Links, key: str, at: datetime, *, test: bool) -> None:
        self._digest, self._links, self._key, self._at = digest, links, key, at
        self._test = test

    async def to(self, name: str, channel: Channel, outside: Outside) -> None:
        """Send it by a channel."""
        match channel:
            case WebhookChannel():
                made = digest_json(self._digest, self._links, test=self._test)
                await self._post(name, channel, outside, made, secret=channel_key(name, channel))
            case SlackChannel():
                made = digest_blocks(self._digest, self._links, test=self._test)
                await self._post(name, channel, outside, made)
            case TeamsChannel():
                made = digest_card(self._digest, self._links, test=self._test)
                await self._post(name, channel, outside, made)
            case SmtpChannel():
                await self._mail(name, channel, outside)
            case AppriseChannel():
                await send_service(channel_service(name, channel), self._subject, self._text)
            case _:
                assert_never(channel)

    async def _post(
        self,
        name: str,
        channel: Addressed,
        outside: Outside,
        made: dict[str, object],
        *,
        secret: str | None = None,
    ) -> None:
        url = channel_url(name, channel)
        client = outside.plain if channel.private else outside.guarded
        if not channel.private:
            url = _checked(url)
        await send_json(client, url, made, key=self._key, now=self._at, secret=secret)

    async def _mail(self, name: str, channel: SmtpChannel, outside: Outside) -> None:
        server = MailServer(
            channel.host,
            channel.port,
            channel.security,
            channel.username,
            channel_password(name, channel),
        )
        html = digest_html(self._digest, self._links, test=self._test)
        mail = Mail(
            channel.sender, channel.to, self._subject, self._text, html, self._key, self._at
        )
        refused = await send_mail(outside.mail(channel), server, mail, trust=outside.trust)
        if refused:
            log("mail_refused_for_some", level="warning", kind=name, count=refused)

    @property
    def _subject(self) -> str:
        return digest_subject(self._digest, test=self._test)

    @property
    def _text(self) -> str:
        return digest_text(self._digest, self._links, test=self._test)


def _checked(url: str) -> str:
    """A URL in the form that the guard reads it in; DeliveryError where it is none to ask."""
    try:
        return check_url(url).url
    except (InvalidUrlError, PageError):
        raise DeliveryError(GUARDED, permanent=True) from None


def channel_problem(name: str, channel: Channel) -> str | None:
    """Why a channel could not send anything, found without asking anybody; None where it could."""
    try:
        if isinstance(channel, AppriseChannel):
            channel_service(name, channel)
            return missing_library()
        if isinstance(channel, SmtpChannel):
            channel_password(name, channel)
            return None if channel.private else _mail_problem(channel)
        url = channel_url(name, channel)
        if isinstance(channel, WebhookChannel):
            channel_key(name, channel)
        if not channel.private:
            _check_host(check_url(url).host)
    except (ConfigError, DeliveryError) as error:
        return str(error)
    except (InvalidUrlError, PageError, BlockedAddressError):
        return GUARDED
    return None


def _mail_problem(channel: SmtpChannel) -> str | None:
    """Why the guard would refuse a mail server."""
    if channel.port not in MAIL_PORTS:
        ports = ", ".join(map(str, sorted(MAIL_PORTS)))
        return f"port {channel.port} is not asked; expected one of {ports}, or private: true"
    _check_host(channel.host)
    return None


def _check_host(host: str) -> None:
    """BlockedAddressError for an address or a name that is never public; nothing is resolved."""
    literal = literal_address(host)
    if refused_name(host) if literal is None else refused_address(literal):
        raise BlockedAddressError(f"{host}: refused")


def alerts_problems(alerts: AlertsPart) -> dict[str, str]:
    """Channel -> why it could not send anything."""
    found = {name: channel_problem(name, one) for name, one in alerts.channels.items()}
    return {name: why for name, why in found.items() if why is not None}
