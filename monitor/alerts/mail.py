"""Mail: one message with a plain and an HTML form, handed to a server over TLS.

The socket comes from outside, connected to an address that somebody has checked; the certificate
is held against the server's name. What a server says beside its code is never told: it may repeat
addresses and logins.
"""

import asyncio
import hashlib
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import format_datetime

import aiosmtplib
import httpx

from monitor.alerts.posting import SECONDS
from monitor.errors import BlockedAddressError, DeliveryError

Connect = Callable[[str, int], Awaitable[socket.socket]]
"""A connected socket for a host and a port; OSError, or BlockedAddressError where it is refused."""

GUARDED = (
    "the guard refused: only public mail servers at ports 25, 465, 587 and 2525 are asked; set "
    "private: true for this channel if it is meant to be told by a server of your own network"
)


@dataclass(frozen=True, slots=True)
class MailServer:
    """Where mails are handed in, and as whom."""

    host: str
    port: int
    security: str
    """`starttls`, `tls` or `none`."""
    username: str | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Mail:
    """One mail with both of its forms, and the key that it is one by."""

    sender: str
    to: tuple[str, ...]
    subject: str
    text: str
    html: str
    key: str
    """Makes the Message-ID: a duplicate has the same one."""
    at: datetime


def message_of(mail: Mail) -> EmailMessage:
    """The mail as it is sent; its subject is one line, and no part of it an encoded word.

    The standard library decodes encoded words as a header is set, line breaks among them.
    """
    message = EmailMessage(policy=SMTP_POLICY)
    message["From"] = mail.sender
    message["To"] = ", ".join(mail.to)
    message["Subject"] = " ".join(mail.subject.split()).replace("=?", "= ?")
    message["Date"] = format_datetime(mail.at)
    domain = mail.sender.rpartition("@")[2]
    message["Message-ID"] = f"<{hashlib.sha256(mail.key.encode()).hexdigest()[:40]}@{domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text)
    message.add_alternative(mail.html, subtype="html")
    return message


async def send_mail(
    connect: Connect,
    server: MailServer,
    mail: Mail,
    *,
    trust: ssl.SSLContext | None = None,
    seconds: float = SECONDS,
) -> int:
    """Hand a mail in; returns for how many addresses it was refused, where it was not for all.

    DeliveryError where it was taken for none; `trust` is what certificates are held against.
    """
    try:
        async with asyncio.timeout(seconds):
            return await _hand_in(connect, server, mail, trust)
    except BlockedAddressError:
        raise DeliveryError(GUARDED, permanent=True) from None
    except TimeoutError:
        raise DeliveryError(f"no answer within {seconds:g} seconds", permanent=False) from None
    except aiosmtplib.SMTPRecipientsRefused as error:
        codes = [one.code for one in error.recipients]
        raise _refusal(min(codes, default=500), "every address was refused") from None
    except aiosmtplib.SMTPAuthenticationError as error:
        raise _refusal(error.code, "the login was refused") from None
    except aiosmtplib.SMTPResponseException as error:
        raise _refusal(error.code, "the message was refused") from None
    except (aiosmtplib.SMTPException, OSError, ValueError) as error:
        raise _failure(error) from None


async def _hand_in(
    connect: Connect, server: MailServer, mail: Mail, trust: ssl.SSLContext | None
) -> int:
    """The conversation with the server; what goes wrong after it took the mail is no failure."""
    client = aiosmtplib.SMTP(
        hostname=server.host,
        use_tls=server.security == "tls",
        start_tls=server.security == "starttls",
        tls_context=trust or httpx.create_ssl_context(),
        local_hostname=mail.sender.rpartition("@")[2],
        username=server.username,
        password=server.password,
        timeout=None,
    )
    message = message_of(mail)
    joined = await connect(server.host, server.port)
    try:
        await client.connect(sock=joined)
        refused, _ = await client.send_message(
            message, sender=mail.sender, recipients=list(mail.to)
        )
        with suppress(aiosmtplib.SMTPException, OSError, TimeoutError):
            async with asyncio.timeout(1):
                await client.quit()
        return len(refused)
    finally:
        client.close()


def _refusal(code: int, what: str) -> DeliveryError:
    """A code of a mail server: from 500 on it stays as it is."""
    permanent = 500 <= code < 600
    advice = "; check the channel's settings" if permanent else ""
    return DeliveryError(f"mail server: {what} ({code}){advice}", permanent=permanent)


def _failure(error: Exception) -> DeliveryError:
    """What went wrong on the way to a server, by its class."""
    plain = type(error) is aiosmtplib.SMTPException or isinstance(
        error, aiosmtplib.SMTPNotSupported
    )
    if plain:
        return DeliveryError(
            "mail server: it offers no STARTTLS, or no login over it; check security and port",
            permanent=True,
        )
    if isinstance(error.__cause__ or error, ssl.SSLCertVerificationError):
        return DeliveryError("mail server: its certificate does not fit its name", permanent=False)
    return DeliveryError(f"mail server: no connection ({type(error).__name__})", permanent=False)
