"""Addresses of dead-man switches: secrets, read when a ping is sent and kept nowhere."""

from pydantic import SecretStr, TypeAdapter, ValidationError

from monitor.config.parts import HealthPart, PingUrl
from monitor.config.settings import secret
from monitor.errors import ConfigError

_ADDRESS: TypeAdapter[SecretStr] = TypeAdapter(PingUrl)


def ping_url(part: HealthPart, panel: str) -> str | None:
    """The base URL that a panel's runs are told to, or None where nobody is to be told."""
    own = part.panel_ping_urls.get(panel)
    return _given(own or part.ping_url, part.ping_url_file, "health.ping_url")


def alive_ping_url(part: HealthPart) -> str | None:
    """The URL that a living scheduler asks, or None."""
    return _given(part.alive_ping_url, part.alive_ping_url_file, "health.alive_ping_url")


def pings_wanted(part: HealthPart, panel: str) -> bool:
    """Whether a panel's runs are to be told at all, without reading any file."""
    return bool(part.panel_ping_urls.get(panel) or part.ping_url or part.ping_url_file)


def _given(url: SecretStr | None, file: str | None, name: str) -> str | None:
    """The URL itself, or what the file holds; no error repeats it."""
    if url is not None:
        return url.get_secret_value()
    found = secret(name, {f"{name}_FILE": file or ""})
    if found is None:
        return None
    try:
        return _ADDRESS.validate_python(found).get_secret_value()
    except ValidationError:
        raise ConfigError(
            f"{name}_file: expected a file with one base URL such as "
            "'https://ping.example.org/KEY', without login, query or fragment"
        ) from None
