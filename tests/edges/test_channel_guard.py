"""S23: a channel is told at public addresses only, unless its settings opt it in by name.

Hostile addresses meet a fake resolver and a fake connector; no connect may happen.
"""

from contextlib import asynccontextmanager

import pytest

from monitor.config.channels import is_address
from monitor.config.settings import read_settings
from monitor.pipeline.sending import channel_problem
from tests.edges.pages_site import FakeConnector, FakeResolver, http
from tests.edges.test_pages_guard import BLOCKED, INVALID, PORTS, PUBLIC, SCHEMES
from tests.receivers import Box, listening, mail_box
from tests.stored import bench_in
from tests.told import digest

MORE_PORTS = ["http://hooks.example.org:8080/x", "https://hooks.example.org:22/x"]
MAIL = "host: '{host}', port: {port}, sender: monitor@example.org, to: [ops@example.org]"
MAIL_HOSTS = [
    "127.0.0.1", "localhost", "10.0.0.5", "169.254.169.254", "2130706433", "0x7f000001", "127.1",
    "::1", "fd00:ec2::254", "mail.internal", "mail", "mail.local", "192.168.1.1", "100.100.100.200",
]  # fmt: skip


@pytest.fixture
def boxed(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        yield lambda lines: Box(bench, f"alerts: {{channels: {{ops: {{{lines}}}}}}}")


class Dials:
    """Whoever connects mail servers; nobody is reached."""

    def __init__(self):
        self.places = []

    async def __call__(self, host, port):
        self.places.append((host, port))
        raise ConnectionRefusedError


def web(url, **more):
    """Lines of a webhook at an address, which YAML reads as it is."""
    plain = url.replace("\\", "\\\\").replace('"', '\\"')
    return ", ".join([f'kind: webhook, url: "{plain}"', *(f"{k}: {v}" for k, v in more.items())])


HOSTILE = [
    url
    for url in (*BLOCKED, *PORTS, *MORE_PORTS, *INVALID, *SCHEMES)
    if "\ud800" not in url  # no file of settings can hold it
]


@pytest.mark.parametrize("url", [url for url in HOSTILE if is_address(url)])
async def test_no_hostile_address_is_connected_to(boxed, url):
    box = boxed(web(url))
    resolver = FakeResolver({"localhost": [("127.0.0.1",)]})
    connector = FakeConnector(http(200))
    box.announce(digest())
    assert await box.deliver(resolver=resolver, connector=connector) == 0
    assert (resolver.lookups, connector.connects) == ([], [])
    assert box.only().state == "given_up"
    assert "the guard refused" in box.only().error
    assert "private: true" in box.only().error


def test_what_settings_do_not_take_for_an_address_is_never_sent_to():
    """Logins, other schemes and control characters end where the settings are read."""
    refused = {url for url in HOSTILE if not is_address(url)}
    assert set(SCHEMES) <= refused
    assert {"http://user:pw@example.com/", "http://example.com\\@127.0.0.1/"} <= refused


@pytest.mark.parametrize("url", [url for url in HOSTILE if is_address(url)])
def test_check_refuses_what_sending_would_refuse(boxed, url):
    box = boxed(web(url))
    (channel,) = box.bench.settings.alerts.channels.values()
    assert "the guard refused" in channel_problem("ops", channel)


async def test_a_public_address_is_resolved_once_and_that_address_connected_to(boxed):
    box = boxed(web("http://hooks.rebind.com/5ecret"))
    resolver = FakeResolver({"hooks.rebind.com": [(PUBLIC,), ("127.0.0.1",)]})
    connector = FakeConnector(http(200))
    box.announce(digest())
    assert await box.deliver(resolver=resolver, connector=connector) == 1
    assert (resolver.lookups, connector.connects) == (["hooks.rebind.com"], [(PUBLIC, 80)])


@pytest.mark.parametrize("answers", [("127.0.0.1",), (PUBLIC, "10.0.0.5"), ("fd00:ec2::254",)])
async def test_a_name_that_leads_inside_is_refused(boxed, answers):
    box = boxed(web("http://hooks.rebind.com/5ecret"))
    resolver = FakeResolver({"hooks.rebind.com": [answers]})
    connector = FakeConnector(http(200))
    box.announce(digest())
    assert await box.deliver(resolver=resolver, connector=connector) == 0
    assert connector.connects == []
    assert box.only().state == "given_up"
    assert "5ecret" not in box.only().error


async def test_a_rebound_name_is_refused_at_the_next_try(boxed):
    box = boxed(web("http://hooks.rebind.com/5ecret"))
    resolver = FakeResolver({"hooks.rebind.com": [(PUBLIC,), ("169.254.169.254",)]})
    connector = FakeConnector(http(503))
    box.announce(digest())
    await box.deliver(resolver=resolver, connector=connector)
    box.clock.seconds += 60
    await box.deliver(resolver=resolver, connector=connector)
    assert connector.connects == [(PUBLIC, 80)]
    assert box.only().state == "given_up"


@pytest.mark.parametrize(
    "where", ["http://169.254.169.254/latest/meta-data/", "//127.0.0.1/x", "file:///etc/passwd"]
)
async def test_a_redirect_to_inside_is_not_followed(boxed, where):
    box = boxed(web("http://hooks.rebind.com/5ecret"))
    resolver = FakeResolver({"hooks.rebind.com": [(PUBLIC,)]})
    connector = FakeConnector(http(302, Location=where))
    box.announce(digest())
    assert await box.deliver(resolver=resolver, connector=connector) == 0
    assert connector.connects == [(PUBLIC, 80)]
    assert box.only().state == "given_up"
    assert "a redirect is not followed" in box.only().error


async def test_a_name_without_an_address_is_tried_again(boxed):
    box = boxed(web("http://hooks.gone.com/5ecret"))
    box.announce(digest())
    await box.deliver(resolver=FakeResolver(), connector=FakeConnector(http(200)))
    assert (box.only().state, box.only().error) == ("waiting", "no connection (ConnectError)")


async def test_private_opts_in_one_channel_and_no_other(tmp_path, monkeypatch):
    async with receiver() as (port, taken):
        with bench_in(tmp_path, monkeypatch) as bench:
            box = Box(bench, f"""
alerts:
  channels:
    mine: {{kind: webhook, url: "http://127.0.0.1:{port}/mine", private: true}}
    other: {{kind: webhook, url: "http://127.0.0.1:{port}/other"}}
    third: {{kind: slack, url: "https://127.0.0.1:{port}/third"}}
""")  # fmt: skip
            box.announce(digest())
            assert await box.deliver() == 1
            states = {one.message.target: one.state for one in box.kept()}
    assert states == {
        "channel:mine": "sent", "channel:other": "given_up", "channel:third": "given_up",
    }  # fmt: skip
    assert taken == ["/mine"]


async def test_a_private_channel_follows_no_redirect_either(boxed):
    async with receiver(http(307, Location="/elsewhere")) as (port, taken):
        box = boxed(web(f"http://127.0.0.1:{port}/mine", private="true"))
        box.announce(digest())
        assert await box.deliver() == 0
    assert (taken, box.only().state) == (["/mine"], "given_up")


@asynccontextmanager
async def receiver(answer=None):
    """A receiver on loopback: its port, and the paths it was posted to."""
    taken = []

    async def serve(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        taken.append(head.split()[1].decode())
        writer.write(answer or http(200))
        await writer.drain()

    async with listening(serve) as port:
        yield port, taken


@pytest.mark.parametrize("host", MAIL_HOSTS)
async def test_no_inner_mail_server_is_connected_to(boxed, host):
    box = boxed(f"kind: smtp, {MAIL.format(host=host, port=587)}")
    resolver = FakeResolver({"localhost": [("127.0.0.1",)], "mail": [("10.0.0.1",)]})
    dials = Dials()
    box.announce(digest())
    assert await box.deliver(resolver=resolver, dial=dials) == 0
    assert (resolver.lookups, dials.places) == ([], [])
    assert box.only().state == "given_up"
    assert "the guard refused: only public mail servers" in box.only().error
    (channel,) = box.bench.settings.alerts.channels.values()
    assert "refused" in channel_problem("ops", channel)


@pytest.mark.parametrize("port", [22, 80, 443, 6379, 11211])
async def test_no_other_port_is_spoken_to_as_a_mail_server(boxed, port):
    box = boxed(f"kind: smtp, {MAIL.format(host='mail.public.com', port=port)}")
    resolver, dials = FakeResolver({"mail.public.com": [(PUBLIC,)]}), Dials()
    box.announce(digest())
    await box.deliver(resolver=resolver, dial=dials)
    assert (resolver.lookups, dials.places, box.only().state) == ([], [], "given_up")


async def test_a_mail_server_is_resolved_once_and_that_address_connected_to(boxed):
    box = boxed(f"kind: smtp, {MAIL.format(host='mail.public.com', port=465)}, security: tls")
    resolver = FakeResolver({"mail.public.com": [(PUBLIC,), ("127.0.0.1",)]})
    dials = Dials()
    box.announce(digest())
    await box.deliver(resolver=resolver, dial=dials)
    assert (resolver.lookups, dials.places) == (["mail.public.com"], [(PUBLIC, 465)])
    assert box.only().state == "waiting"
    box.clock.seconds += 60
    await box.deliver(resolver=resolver, dial=dials)
    assert (dials.places, box.only().state) == ([(PUBLIC, 465)], "given_up")


async def test_a_private_mail_server_is_spoken_to_at_any_port(boxed):
    async with mail_box() as server:
        lines = MAIL.format(host="127.0.0.1", port=server.port)
        box = boxed(f"kind: smtp, {lines}, security: none, private: true")
        box.announce(digest())
        assert await box.deliver() == 1
    assert len(server.mails) == 1


def test_apprise_is_never_taken_for_guarded(boxed):
    box = boxed("kind: apprise, url: 'json://127.0.0.1/x', unguarded: true")
    (channel,) = box.bench.settings.alerts.channels.values()
    assert channel_problem("ops", channel) is None
    bare = "alerts: {channels: {ops: {kind: apprise, url: 'json://x'}}}"
    settings, problems = read_settings(bare, "config.yaml")
    assert settings is None
    assert "nothing here can guard it" in str(problems[0])
