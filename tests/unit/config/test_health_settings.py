"""The ping URL: from the file, a variable or a file of its own; never printed, never kept."""

import pytest

from monitor.config.pings import alive_ping_url, ping_url, pings_wanted
from monitor.config.settings import read_settings
from monitor.errors import ConfigError
from monitor.pipeline.line import run_config

URL = "https://ping.example.org/5ecret-uuid"


def settings_of(text):
    settings, problems = read_settings(text, "config.yaml")
    assert problems == ()
    return settings


def told(text):
    settings, problems = read_settings(text, "config.yaml")
    assert settings is None
    return "\n".join(map(str, problems))


def test_the_ping_url_comes_from_a_variable(monkeypatch):
    monkeypatch.setenv("MONITOR_HEALTH__PING_URL", URL)
    monkeypatch.setenv("MONITOR_HEALTH__ALIVE_PING_URL", f"{URL}-alive")
    part = settings_of(None).health
    assert (ping_url(part, "tea"), alive_ping_url(part)) == (URL, f"{URL}-alive")


def test_the_ping_url_comes_from_a_file_that_a_variable_names(monkeypatch, tmp_path):
    (tmp_path / "ping").write_text(f"\ufeff{URL}\n", "utf-8")
    monkeypatch.setenv("MONITOR_HEALTH__PING_URL_FILE", str(tmp_path / "ping"))
    part = settings_of(None).health
    assert pings_wanted(part, "tea")
    assert ping_url(part, "tea") == URL


def test_a_panel_has_its_own_url_before_the_common_one():
    part = settings_of(
        f"health:\n  ping_url: {URL}\n  panel_ping_urls: {{tea: {URL}-tea}}\n"
    ).health
    assert (ping_url(part, "tea"), ping_url(part, "coffee")) == (f"{URL}-tea", URL)


def test_nobody_is_pinged_by_default():
    part = settings_of(None).health
    assert not pings_wanted(part, "tea")
    assert (ping_url(part, "tea"), alive_ping_url(part)) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "health: {ping_url: 5ecret}",
        "health: {ping_url: 'ftp://5ecret.example'}",
        "health: {ping_url: 'https://ping.example/x?key=5ecret'}",
        "health: {ping_url: 'https://me:5ecret@ping.example/x'}",
        "health: {ping_url: [5ecret]}",
        "health: {panel_ping_urls: {tea: 5ecret}}",
        "health: {panel_ping_urls: 5ecret}",
        "health: {alive_ping_url: 5ecret}",
        "health: {ping_url: 'https://ping.example/a 5ecret'}",
        'health: {ping_url: "https://ping.example/a\\n5ecret"}',
        'health: {ping_url: "https://ping.example/\\t5ecret"}',
        "health: {ping_url: ' https://ping.example/5ecret'}",
    ],
)
def test_a_wrong_ping_url_is_named_and_not_shown(text):
    message = told(text)
    assert "health." in message
    assert "5ecret" not in message


def test_a_file_that_is_not_there_is_named_when_it_is_needed():
    part = settings_of("health: {ping_url_file: /nowhere/5ecret}").health
    with pytest.raises(ConfigError, match=r"health\.ping_url_FILE: the file it names") as caught:
        ping_url(part, "tea")
    assert "5ecret" not in str(caught.value)


def test_what_a_run_records_holds_no_ping_url():
    settings = settings_of(
        f"health:\n  ping_url: {URL}\n  alive_ping_url: {URL}\n  panel_ping_urls: {{tea: {URL}}}\n"
    )
    assert "5ecret" not in str(run_config(settings))
    assert "5ecret" not in settings.model_dump_json()
