"""Channels that alerts are told by: the section `alerts.channels` of the settings.

What is a secret (an address with a key in its path, a password) is kept out of every dump and is
read by `monitor.config.targets` when a message is sent.
"""

import re
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from monitor.config.parts import Part
from monitor.domain.alert import Digest, Severity

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
_MAIL = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
_HOST = re.compile(r"[A-Za-z0-9._:-]{1,253}")
_UNSEEN = re.compile(r"[\x00-\x20\x7f-\x9f\\]")


def _channel_name(value: str) -> str:
    """A name that can stand in keys of messages and in labels of metrics."""
    if not _NAME.fullmatch(value):
        raise ValueError(
            "expected a name of up to 40 small letters, digits, - and _, such as 'ops-chat'"
        )
    return value


def is_address(value: str) -> bool:
    """Whether a text is a web address with a host, and without a login or a fragment."""
    try:
        parts = urlsplit(value)
        fine = parts.scheme in {"http", "https"} and bool(parts.hostname)
        fine = fine and (parts.port is None or parts.port > 0)
    except ValueError:
        return False
    return fine and not (_UNSEEN.search(value) or "@" in parts.netloc or parts.fragment)


def _address(value: SecretStr) -> SecretStr:
    """The address of a channel; a query is part of it, a login never is."""
    if not is_address(value.get_secret_value()):
        raise ValueError(
            "expected an address such as 'https://hooks.example.org/KEY', without login or fragment"
        )
    return value


def _base(value: str | None) -> str | None:
    """An address that file names can be put behind."""
    if value is not None and (not is_address(value) or urlsplit(value).query):
        raise ValueError(
            "expected the address of a folder such as 'https://reports.example.org/monitor', "
            "without login, query or fragment"
        )
    return value if value is None else value.rstrip("/")


def _mail(value: str) -> str:
    """A plain mail address, without a name beside it."""
    if not _MAIL.fullmatch(value):
        raise ValueError("expected one plain mail address such as 'ops@example.org'")
    return value


def _host(value: str) -> str:
    """The name or address of a mail server."""
    if not _HOST.fullmatch(value):
        raise ValueError("expected the name of a mail server such as 'mail.example.org'")
    return value


Address = Annotated[SecretStr, AfterValidator(_address)]
Mail = Annotated[str, AfterValidator(_mail)]
ChannelName = Annotated[str, AfterValidator(_channel_name)]
LinksBase = Annotated[str | None, AfterValidator(_base)]


class ChannelPart(Part):
    """What every channel has."""

    panels: tuple[str, ...] = ()
    """Panels it is told of; none named is all of them."""
    engines: tuple[str, ...] = ()
    """Engines it is told of; none named is all of them."""
    least: Severity = Severity.WARNING
    """It is told of digests whose gravest alert is as grave as this, or graver."""
    private: bool = False
    """Its address may be private or loopback, and may have any port; redirects stay off."""

    def wants(self, digest: Digest) -> bool:
        """Whether it is to be told of a digest."""
        order = tuple(Severity)
        return (
            (not self.panels or digest.panel in self.panels)
            and (not self.engines or digest.engine in self.engines)
            and order.index(digest.severity) <= order.index(self.least)
        )


class _AddressedPart(ChannelPart):
    """A channel at a web address, which is a secret."""

    url: Address | None = Field(default=None, exclude=True, repr=False)
    """Address that messages are posted to; a secret."""
    url_file: str | None = None
    """File that holds the address, where it is not given itself."""

    @model_validator(mode="after")
    def _one_address(self) -> Self:
        _one_of("url", self.url, self.url_file)
        return self


class WebhookChannel(_AddressedPart):
    """JSON posted to an address of yours, signed where a secret is set."""

    kind: Literal["webhook"]
    """Which kind of channel it is."""
    secret: SecretStr | None = Field(default=None, exclude=True, repr=False)
    """Key of the signature (HMAC-SHA256 of `timestamp.body`)."""
    secret_file: str | None = None
    """File that holds the key of the signature, where it is not given itself."""

    @model_validator(mode="after")
    def _one_key(self) -> Self:
        if self.secret is not None or self.secret_file is not None:
            _one_of("secret", self.secret, self.secret_file)
        return self


class SlackChannel(_AddressedPart):
    """An incoming webhook of Slack."""

    kind: Literal["slack"]
    """Which kind of channel it is."""


class TeamsChannel(_AddressedPart):
    """A Workflows webhook of Microsoft Teams."""

    kind: Literal["teams"]
    """Which kind of channel it is."""


class SmtpChannel(ChannelPart):
    """Mail through a server of yours."""

    kind: Literal["smtp"]
    """Which kind of channel it is."""
    host: Annotated[str, AfterValidator(_host)]
    """Mail server."""
    port: int = Field(default=587, ge=1, le=65_535)
    """Its port; without `private` one of 25, 465, 587 and 2525."""
    security: Literal["starttls", "tls", "none"] = "starttls"
    """`starttls` and `tls` check the certificate; `none` only goes with `private`."""
    username: str | None = None
    """Login, where the server wants one."""
    password: SecretStr | None = Field(default=None, exclude=True, repr=False)
    """Password of the login."""
    password_file: str | None = None
    """File that holds the password, where it is not given itself."""
    sender: Mail
    """Address that mails come from."""
    to: tuple[Mail, ...] = Field(min_length=1, max_length=50)
    """Addresses that mails go to."""

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if self.security == "none" and not self.private:
            raise ValueError(
                "security: none sends mail that anybody on the way can read; set starttls or tls, "
                "or private: true for a server of your own network"
            )
        if self.username is None and (self.password or self.password_file):
            raise ValueError("a password without a username; add the username")
        if self.username is not None:
            _one_of("password", self.password, self.password_file)
        return self


class AppriseChannel(ChannelPart):
    """Any service that the library apprise knows; needs the extra `apprise`."""

    kind: Literal["apprise"]
    """Which kind of channel it is."""
    url: SecretStr | None = Field(default=None, exclude=True, repr=False)
    """Address of one service as apprise writes it; a secret."""
    url_file: str | None = None
    """File that holds the address, where it is not given itself."""
    unguarded: bool = False
    """Accepts that apprise follows redirects and connects to wherever they lead."""

    @model_validator(mode="after")
    def _accepted(self) -> Self:
        _one_of("url", self.url, self.url_file)
        if not (self.private or self.unguarded):
            raise ValueError(
                "apprise follows redirects and connects where they lead, also to addresses inside "
                "your network, and nothing here can guard it; set unguarded: true to accept that, "
                "or use kind webhook, slack, teams or smtp"
            )
        return self


CHANNELS: tuple[type[ChannelPart], ...] = (
    WebhookChannel,
    SlackChannel,
    TeamsChannel,
    SmtpChannel,
    AppriseChannel,
)
"""Every kind of channel."""

Channel = Annotated[
    WebhookChannel | SlackChannel | TeamsChannel | SmtpChannel | AppriseChannel,
    Field(discriminator="kind"),
]


def _one_of(name: str, value: object, file: str | None) -> None:
    """ValueError unless exactly one of a value and the file that holds it is given."""
    if not value and not file:
        raise ValueError(f"expected {name}, or {name}_file with a file that holds it")
    if value and file:
        raise ValueError(f"both {name} and {name}_file are given; leave one of them out")
