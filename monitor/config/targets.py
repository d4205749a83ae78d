"""Addresses, keys and passwords of channels: read when a message is sent, kept nowhere."""

from pydantic import SecretStr

from monitor.config.channels import (
    AppriseChannel,
    SlackChannel,
    SmtpChannel,
    TeamsChannel,
    WebhookChannel,
    is_address,
)
from monitor.config.settings import secret
from monitor.errors import ConfigError

Addressed = WebhookChannel | SlackChannel | TeamsChannel


def channel_url(name: str, channel: Addressed) -> str:
    """Where a channel's messages are posted to; ConfigError says which setting is wrong."""
    url = _given(name, "url", channel.url, channel.url_file)
    if url is None or not is_address(url):
        raise ConfigError(
            f"alerts.channels.{name}.url_file: expected a file with one address such as "
            "'https://hooks.example.org/KEY', without login or fragment"
        )
    is_chat = not isinstance(channel, WebhookChannel)
    if is_chat and not channel.private and not url.lower().startswith("https:"):
        raise ConfigError(
            f"alerts.channels.{name}.url: the address of a chat is a secret, and http would show "
            "it to everybody on the way; write https"
        )
    return url


def channel_key(name: str, channel: WebhookChannel) -> str | None:
    """The key that a webhook's messages are signed with; None where they are not signed."""
    return _needed(name, "secret", channel.secret, channel.secret_file)


def channel_password(name: str, channel: SmtpChannel) -> str | None:
    """The password of a mail server; None where it wants none."""
    return _needed(name, "password", channel.password, channel.password_file)


def channel_service(name: str, channel: AppriseChannel) -> str:
    """Address of a service as apprise writes it."""
    return _needed(name, "url", channel.url, channel.url_file) or ""


def _needed(name: str, key: str, value: SecretStr | None, file: str | None) -> str | None:
    """A secret; ConfigError where a file is named for it that holds none."""
    found = _given(name, key, value, file)
    if found is None and file:
        raise ConfigError(f"alerts.channels.{name}.{key}_file: the file it names is empty")
    return found


def _given(name: str, key: str, value: SecretStr | None, file: str | None) -> str | None:
    """The secret itself, or what the file holds; no error repeats either."""
    if value is not None:
        return value.get_secret_value()
    place = f"alerts.channels.{name}.{key}"
    try:
        return secret(place, {f"{place}_FILE": file or ""})
    except ConfigError as error:
        raise ConfigError(str(error).replace("_FILE:", "_file:", 1)) from None
