"""What every request and every answer goes through: the Host check and the security headers."""

import ipaddress
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from monitor.config.parts import WebPart
from monitor.errors import ConfigError

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Nobody else learns of our addresses, and our own forms say where they come from.
    "referrer-policy": "same-origin",
    "permissions-policy": (
        "camera=(), microphone=(), geolocation=(), payment=(), usb=(), display-capture=(), "
        "browsing-topics=()"
    ),
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Refuses names that are not ours, and puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, hosts: Collection[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            if is_head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        is_head = scope["method"] == "HEAD"
        if is_head:
            # Answered as GET is, without the body.
            scope = {**scope, "method": "GET"}
        given = Headers(scope=scope).getlist("host")
        if len(given) != 1 or not is_ours(given[0], self._hosts):
            refusal = PlainTextResponse("this server does not go by that name\n", status_code=421)
            await refusal(scope, receive, send_guarded)
            return
        await self._app(scope, receive, send_guarded)


def is_ours(host: str, names: Collection[str]) -> bool:
    """Whether a Host header may be ours: an address, localhost, or a name of the settings.

    A page of somebody else can point its own name at this machine, but not an address.
    """
    name = host.lower()
    if name.startswith("["):
        name, _, port = name[1:].partition("]")
        port = port.removeprefix(":")
    else:
        name, _, port = name.partition(":")
    if port and not (port.isascii() and port.isdigit()):
        return False
    return name == "localhost" or name in names or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def require_safe_address(
    host: str, part: WebPart, *, open_to_anyone: bool, has_password: bool = False
) -> None:
    """ConfigError for an address that others can reach, unless something keeps them out.

    That is an account with a password, a trusted proxy, or somebody who takes it upon them.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        raise ConfigError(
            f"--host {host[:100]!r}: expected an address such as 127.0.0.1 or ::1, not a name"
        ) from None
    if address.is_loopback or part.trusted_proxy or open_to_anyone or has_password:
        return
    raise ConfigError(
        f"--host {host}: there is no password yet, and others could read everything there; make an "
        "account with `monitor accounts add NAME --role admin`, or listen on 127.0.0.1, or set "
        "web.trusted_proxy where a proxy in front asks for a password, or pass --open-to-anyone"
    )
