"""Mail of alerts against a small server on loopback: TLS, login, codes, duplicates, headers."""

import asyncio
import email
import re
import socket
import ssl
from datetime import UTC, datetime
from email.policy import default

import pytest

from monitor.alerts.mail import Mail, message_of, send_mail
from tests.edges.test_pages_tls import certificate, server_side
from tests.receivers import Box, listening, mail_box
from tests.stored import bench_in
from tests.told import digest, named

__all__ = ["certificate"]

LINES = "kind: smtp, host: {host}, port: {port}, sender: monitor@example.org, to: [{to}]"
OPS = "ops@example.org"


@pytest.fixture
def boxed(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:

        def make(port, *more, to=OPS, host="127.0.0.1"):
            lines = ", ".join([LINES.format(port=port, to=to, host=host), "private: true", *more])
            return Box(bench, f"alerts: {{channels: {{mail: {{{lines}}}}}}}")

        yield make


async def test_a_mail_has_a_plain_and_an_html_form_and_names_what_changed(boxed):
    async with mail_box() as server:
        box = boxed(server.port, "security: none")
        box.announce(digest())
        assert await box.deliver() == 1
    message = email.message_from_string(server.mails[0], policy=default)
    assert message["Subject"].startswith("tea, openai, 2026-11: another model answers")
    assert (message["From"], message["To"]) == ("monitor@example.org", OPS)
    assert message["Auto-Submitted"] == "auto-generated"
    assert "41 of 410 (10 %)" in message.get_body(["plain"]).get_content()
    assert "<h1>tea, openai, 2026-11" in message.get_body(["html"]).get_content()
    assert server.hello == ["example.org"]


async def test_a_duplicate_has_the_same_message_id(boxed):
    async with mail_box(replies={"DATA.": "451 later"}) as server:
        box = boxed(server.port, "security: none")
        box.announce(digest())
        assert await box.deliver() == 0
        assert (box.only().state, box.only().error) == (
            "waiting", "mail server: the message was refused (451)",
        )  # fmt: skip
        server.replies.clear()
        box.clock.seconds += 60
        assert await box.deliver() == 1
        box.announce(digest(engine="gemini"))
        await box.deliver()
    ids = [email.message_from_string(one)["Message-ID"] for one in server.mails]
    assert ids[0] == ids[1] != ids[2]
    assert re.fullmatch(r"<[0-9a-f]{40}@example\.org>", ids[0])


@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_server_is_spoken_to_under_tls_and_logged_in_to(boxed, certificate, security):
    trust = ssl.create_default_context(cafile=certificate)
    async with mail_box(security=security, context=server_side(certificate)) as server:
        box = boxed(server.port, f"security: {security}, username: me, password: 5ecret",
                    host="site.example")  # fmt: skip
        box.announce(digest())
        assert await box.deliver(trust=trust, dial=near) == 1
    assert len(server.logins) == len(server.mails) == 1
    assert server.hello[-1] == "example.org"


async def near(host, port):
    """A socket to the mail server of the test, whatever its name."""
    joined = socket.socket()
    joined.setblocking(False)
    await asyncio.get_running_loop().sock_connect(joined, ("127.0.0.1", port))
    return joined


@pytest.mark.parametrize("security", ["starttls", "tls"])
@pytest.mark.parametrize(("host", "is_known"), [("wrong.example", True), ("site.example", False)])
async def test_a_certificate_that_does_not_fit_is_not_accepted(
    boxed, certificate, security, host, is_known
):
    known = ssl.create_default_context(cafile=certificate if is_known else None)
    async with mail_box(security=security, context=server_side(certificate)) as server:
        box = boxed(server.port, f"security: {security}, username: me, password: 5ecret",
                    host=host)  # fmt: skip
        box.announce(digest())
        assert await box.deliver(trust=known, dial=near) == 0
    assert (server.mails, server.logins, box.only().state) == ([], [], "waiting")
    assert box.only().error == "mail server: its certificate does not fit its name"


async def test_without_starttls_nothing_is_sent_in_the_clear(boxed):
    async with mail_box() as server:
        box = boxed(server.port, "username: me, password: 5ecret")
        box.announce(digest())
        assert await box.deliver() == 0
    assert (server.mails, server.logins) == ([], [])
    assert box.only().state == "given_up"
    assert "it offers no STARTTLS" in box.only().error


@pytest.mark.parametrize(
    ("verb", "reply", "state", "error"),
    [
        ("RCPT", "550 no such user ops@example.org", "given_up",
         "mail server: every address was refused (550); check the channel's settings"),
        ("RCPT", "450 later ops@example.org", "waiting", "mail server: every address was refused (450)"),
        ("MAIL", "530 log in first, 5ecret", "given_up",
         "mail server: the message was refused (530); check the channel's settings"),
        ("AUTH", "535 5ecret is wrong", "given_up",
         "mail server: the login was refused (535); check the channel's settings"),
        ("AUTH", "454 later", "waiting", "mail server: the login was refused (454)"),
        ("DATA.", "554 spam", "given_up",
         "mail server: the message was refused (554); check the channel's settings"),
        ("", "421 busy", "waiting", "mail server: the message was refused (421)"),
        ("", "garbage", "waiting", None),
    ],
)  # fmt: skip
async def test_codes_say_what_is_tried_again_and_words_of_a_server_are_never_told(
    boxed, verb, reply, state, error
):
    async with mail_box(replies={verb: reply}) as server:
        box = boxed(server.port, "security: none, username: me, password: 5ecret")
        box.announce(digest())
        assert await box.deliver() == 0
    kept = box.only()
    assert kept.state == state
    assert kept.error == (error or kept.error)
    assert "5ecret" not in kept.error
    assert OPS not in kept.error


async def test_what_some_addresses_took_is_not_sent_to_them_again(boxed):
    class Picky:
        """A reply to RCPT that depends on its turn."""

        def __init__(self):
            self.turns = ["250 fine", "550 no"]

        def __str__(self):
            return self.turns.pop(0)

    async with mail_box(replies={"RCPT": Picky()}) as server:
        box = boxed(server.port, "security: none", to="ops@example.org, gone@example.org")
        box.announce(digest())
        assert await box.deliver() == 1
    assert (len(server.mails), box.only().state) == (1, "sent")


async def test_a_server_that_ends_after_taking_a_mail_has_taken_it(boxed):
    async with mail_box(replies={"QUIT": "500 what?"}) as server:
        box = boxed(server.port, "security: none")
        box.announce(digest())
        assert await box.deliver() == 1
    assert box.only().state == "sent"


async def test_a_server_that_hangs_is_given_up_in_time(boxed, monkeypatch):
    async def silent(reader, _writer):
        await reader.read()

    monkeypatch.setitem(send_mail.__kwdefaults__, "seconds", 0.2)
    async with listening(silent) as port:
        box = boxed(port, "security: none")
        box.announce(digest())
        assert await box.deliver() == 0
    assert (box.only().state, box.only().error) == ("waiting", "no answer within 0.2 seconds")


async def test_nobody_listening_is_tried_again(boxed):
    async with mail_box() as server:
        port = server.port
    box = boxed(port, "security: none")
    box.announce(digest())
    assert await box.deliver() == 0
    assert box.only().state == "waiting"


@pytest.mark.parametrize(
    "text",
    ["x\r\nBcc: victim@example.org\r\n\r\nhello", "x\nBcc: victim@example.org", "\u2028Bcc: a@b.example",
     "=?utf-8?q?x=0ABcc:_victim@example.org?=", "\x00\x0bBcc: v@example.org", "é" * 300],
)  # fmt: skip
async def test_no_name_of_an_outsider_becomes_a_header_or_a_command(boxed, text):
    async with mail_box() as server:
        box = boxed(server.port, "security: none")
        box.announce(digest(slot=text, alerts=(named(text, says=f"{text}\r\n.\r\nQUIT\r\n"),)))
        assert await box.deliver() == 1
    assert server.sessions == 1
    assert len(server.mails) == 1
    message = email.message_from_string(server.mails[0])
    assert set(message.keys()) == {
        "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
    }  # fmt: skip


def test_a_subject_with_line_breaks_stays_one_header():
    mail = Mail("a@b.example", ("c@d.example",), "x\r\nBcc: v@e.example", "t", "h", "k",
                datetime(2026, 11, 1, tzinfo=UTC))  # fmt: skip
    message = email.message_from_bytes(message_of(mail).as_bytes(), policy=default)
    assert (message["Subject"], message["Bcc"]) == ("x Bcc: v@e.example", None)
