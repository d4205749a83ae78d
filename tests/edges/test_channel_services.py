"""Channels through apprise: asked where it is installed, named where not, silent of addresses."""

import logging
import sys
import threading

import apprise
import pytest

from monitor.alerts import services
from monitor.pipeline.sending import channel_problem
from tests.receivers import Box
from tests.stored import bench_in
from tests.told import digest

OF_APPRISE = pytest.mark.filterwarnings("ignore::DeprecationWarning")
"""It imports every plugin it has, and with them what Python 3.13 dropped."""
APPRISE = (
    "alerts: {channels: {ops: {kind: apprise, url: 'json://127.0.0.1/5ecret', unguarded: true}}}"
)


@pytest.fixture
def box(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        yield Box(bench, APPRISE)


@OF_APPRISE
async def test_apprise_is_asked_where_it_is_installed(box, monkeypatch):
    seen = []

    def notify(self, body, title, **more):
        seen.append((title, body, [one.url(privacy=True) for one in self]))
        return len(seen) > 1

    monkeypatch.setattr(apprise.Apprise, "notify", notify)
    box.announce(digest())
    assert await box.deliver() == 0
    assert box.only().error == "apprise could not deliver it, and tells no reason"
    box.clock.seconds += 60
    assert await box.deliver() == 1
    title, body, services_told = seen[0]
    assert title.startswith("tea, openai, 2026-11: another model answers")
    assert "41 of 410" in body
    assert len(services_told) == 1


def test_check_tells_of_the_missing_extra(box, monkeypatch):
    (channel,) = box.bench.settings.alerts.channels.values()
    assert channel_problem("ops", channel) is None
    monkeypatch.setattr(services, "find_spec", lambda _: None)
    assert "citation-monitor[apprise]" in channel_problem("ops", channel)


async def test_without_the_extra_its_name_is_told(box, monkeypatch):
    monkeypatch.setitem(sys.modules, "apprise", None)
    box.announce(digest())
    await box.deliver()
    assert box.only().state == "given_up"
    assert "citation-monitor[apprise]" in box.only().error


@OF_APPRISE
async def test_apprise_says_nothing_of_an_address_it_does_not_know(box, caplog):
    box = Box(box.bench, APPRISE.replace("json://", "nosuch://"))
    box.announce(digest())
    with caplog.at_level(logging.DEBUG):
        await box.deliver()
    assert box.only().state == "given_up"
    assert "apprise knows no service of such an address" in box.only().error
    assert "5ecret" not in box.only().error
    assert not [one for one in caplog.records if "5ecret" in one.getMessage()]


async def test_apprise_that_hangs_is_given_up_in_time(monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(services, "_notify", lambda *_: ended.wait(5))
    with pytest.raises(services.DeliveryError, match=r"no answer within 0\.05 seconds"):
        await services.send_service("json://x", "s", "t", seconds=0.05)
    ended.set()
