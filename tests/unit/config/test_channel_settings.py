"""Channels of alerts: what may be said, what is wrong with a line, and secrets that stay secret."""

import pytest

from monitor.config.settings import read_settings
from monitor.config.targets import (
    channel_key,
    channel_password,
    channel_service,
    channel_url,
)
from monitor.domain.alert import AlertRules, Severity
from monitor.errors import ConfigError
from monitor.pipeline.line import run_config

URL = "https://hooks.example.org/5ecret"
EVERY = f"""
alerts:
  critical_change: 0.1
  links: https://reports.example.org/monitor/
  channels:
    hook: {{kind: webhook, url: {URL}, secret: 5ecret-key, panels: [tea], engines: [openai]}}
    chat: {{kind: slack, url: {URL}, least: critical}}
    team: {{kind: teams, url: "{URL}?sig=5ecret", private: true}}
    mail:
      kind: smtp
      host: mail.example.org
      username: monitor
      password: 5ecret-word
      sender: monitor@example.org
      to: [ops@example.org]
    rest: {{kind: apprise, url: "json://5ecret", unguarded: true}}
"""


def settings_of(text):
    settings, problems = read_settings(text, "config.yaml")
    assert problems == ()
    return settings


def told(text):
    settings, problems = read_settings(text, "config.yaml")
    assert settings is None
    return "\n".join(map(str, problems))


def channels(lines):
    return told(f"alerts:\n  channels:\n    ops: {{{lines}}}")


def test_every_kind_of_channel_is_read_and_the_rules_stay():
    alerts = settings_of(EVERY).alerts
    kinds = {name: one.kind for name, one in alerts.channels.items()}
    assert kinds == {
        "hook": "webhook", "chat": "slack", "team": "teams", "mail": "smtp", "rest": "apprise",
    }  # fmt: skip
    assert alerts.rules == AlertRules(critical_change=0.1)
    assert alerts.links == "https://reports.example.org/monitor"
    assert alerts.channels["chat"].least is Severity.CRITICAL
    assert alerts.channels["hook"].least is Severity.WARNING


def test_secrets_of_channels_can_be_read_and_are_in_no_dump_and_no_run():
    settings = settings_of(EVERY)
    ways = settings.alerts.channels
    assert channel_url("chat", ways["chat"]) == URL
    assert channel_url("team", ways["team"]) == f"{URL}?sig=5ecret"
    assert channel_key("hook", ways["hook"]) == "5ecret-key"
    assert channel_password("mail", ways["mail"]) == "5ecret-word"
    assert channel_service("rest", ways["rest"]) == "json://5ecret"
    kept = f"{settings!r}{settings.model_dump()}{settings.model_dump_json()}{run_config(settings)}"
    kept += "".join(f"{one!r}{one}{one.model_dump()}" for one in ways.values())
    assert "5ecret" not in kept
    secrets = {"url", "secret", "password"}
    assert [name for name, one in ways.items() if secrets & one.model_dump().keys()] == []
    assert "channels" not in run_config(settings)["alerts"]


@pytest.mark.parametrize(
    ("key", "read"),
    [("url", channel_url), ("secret", channel_key)],
)
def test_a_secret_may_lie_in_a_file(tmp_path, key, read):
    (tmp_path / "held").write_text(f"{URL}\n", "utf-8")
    other = "" if key == "url" else f"url: {URL}, "
    one = f"hook: {{kind: webhook, {other}{key}_file: {tmp_path / 'held'}}}"
    ways = settings_of(f"alerts: {{channels: {{{one}}}}}").alerts.channels
    assert read("hook", ways["hook"]) == URL


@pytest.mark.parametrize("kind", ["slack", "teams"])
def test_the_address_of_a_chat_goes_through_no_open_network(kind):
    plain = URL.replace("https", "http")
    made = "alerts: {{channels: {{chat: {{kind: {}, url: '{}', private: {}}}}}}}"
    ways = settings_of(made.format(kind, plain, "false")).alerts.channels
    with pytest.raises(ConfigError, match=r"alerts\.channels\.chat\.url.*write https") as caught:
        channel_url("chat", ways["chat"])
    assert "5ecret" not in str(caught.value)
    ways = settings_of(made.format(kind, plain, "true")).alerts.channels
    assert channel_url("chat", ways["chat"]) == plain


@pytest.mark.parametrize("held", ["5ecret, no address", "ftp://5ecret.example/", ""])
def test_a_file_without_an_address_is_named_and_what_it_holds_is_not(tmp_path, held):
    (tmp_path / "held").write_text(held, "utf-8")
    one = f"hook: {{kind: slack, url_file: {tmp_path / 'held'}}}"
    ways = settings_of(f"alerts: {{channels: {{{one}}}}}").alerts.channels
    with pytest.raises(ConfigError, match=r"alerts\.channels\.hook\.url_file") as caught:
        channel_url("hook", ways["hook"])
    assert "5ecret" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "read", "more"),
    [
        ("secret", channel_key, f"kind: webhook, url: {URL}"),
        ("password", channel_password,
         "kind: smtp, host: m.example, username: u, sender: a@b.example, to: [a@b.example]"),
        ("url", channel_service, "kind: apprise, unguarded: true"),
    ],
)  # fmt: skip
def test_an_empty_file_is_no_missing_secret(tmp_path, key, read, more):
    """Else a message would go out unsigned, or a login would be tried without its password."""
    (tmp_path / "held").write_text("", "utf-8")
    one = f"way: {{{more}, {key}_file: {tmp_path / 'held'}}}"
    ways = settings_of(f"alerts: {{channels: {{{one}}}}}").alerts.channels
    with pytest.raises(ConfigError, match=rf"alerts\.channels\.way\.{key}_file"):
        read("way", ways["way"])


def test_secrets_come_from_variables(monkeypatch):
    monkeypatch.setenv("MONITOR_ALERTS__CHANNELS__OPS__URL", URL)
    settings = settings_of("alerts: {channels: {ops: {kind: slack}}}")
    assert channel_url("ops", settings.alerts.channels["ops"]) == URL


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("kind: webhok, url: 5ecret", "alerts.channels.ops.kind: 'webhok' is not known; did you mean 'webhook'?"),
        ("url: https://5ecret.example", "alerts.channels.ops.kind is missing"),
        ("kind: webhook, url: 5ecret", "alerts.channels.ops.url: expected an address"),
        ("kind: webhook, url: 'https://me:5ecret@x.example/'", "alerts.channels.ops.url: expected an address"),
        ("kind: webhook, url: 'https://x.example/a#5ecret'", "alerts.channels.ops.url: expected an address"),
        ("kind: webhook, url: 'ftp://x.example/5ecret'", "alerts.channels.ops.url: expected an address"),
        ("kind: webhook, url: [5ecret]", "alerts.channels.ops.url: expected text, found something else"),
        ("kind: webhook, urll: 5ecret", "unknown key 'alerts.channels.ops.urll'; did you mean 'url'?"),
        ("kind: webhook", "alerts.channels.ops: expected url, or url_file"),
        (f"kind: webhook, url: {URL}, url_file: x", "both url and url_file are given"),
        (f"kind: slack, url: {URL}, least: warnin", "'warnin' is not known; did you mean 'warning'?"),
        (f"kind: slack, url: {URL}, private: 5", "alerts.channels.ops.private: expected true or false, found 5"),
        ("kind: smtp, host: 'a b', sender: a@b.example, to: [a@b.example]", "alerts.channels.ops.host: expected the name"),
        ('kind: smtp, host: m.example, sender: "a@b.example\\nBcc: x@y.example", to: [a@b.example]',
         "alerts.channels.ops.sender: expected one plain mail address"),
        ("kind: smtp, host: m.example, sender: a@b.example, to: ['Ops <a@b.example>']",
         "alerts.channels.ops.to.0: expected one plain mail address"),
        ("kind: smtp, host: m.example, sender: a@b.example, to: []", "alerts.channels.ops.to: expected 1 or more"),
        ("kind: smtp, host: m.example, sender: a@b.example, to: [a@b.example], security: none",
         "security: none sends mail that anybody on the way can read"),
        ("kind: smtp, host: m.example, sender: a@b.example, to: [a@b.example], password: 5ecret",
         "a password without a username"),
        ("kind: smtp, host: m.example, sender: a@b.example, to: [a@b.example], username: u",
         "expected password, or password_file"),
        ("kind: apprise, url: 'json://5ecret'", "set unguarded: true to accept that"),
        ("kind: apprise, url: ['json://5ecret'], unguarded: true", "alerts.channels.ops.url: expected text"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line_and_no_secret_is_shown(lines, says):
    message = channels(lines)
    assert message.startswith("config.yaml:3: ")
    assert says in message
    assert "5ecret" not in message


@pytest.mark.parametrize(
    "text",
    [
        "alerts: {channels: 'https://x.example/5ecret'}",
        "alerts: {channels: {ops: 'https://x.example/5ecret'}}",
        "alerts: {channels: ['https://x.example/5ecret']}",
    ],
)
def test_an_address_in_a_wrong_place_is_not_shown(text):
    assert "alerts.channels" in told(text)
    assert "5ecret" not in told(text)


@pytest.mark.parametrize("name", ["Ops", "ops chat", "a:b", "x" * 41])
def test_a_channel_has_a_plain_name(name):
    assert "small letters" in told(
        f"alerts: {{channels: {{'{name}': {{kind: slack, url: {URL}}}}}}}"
    )


@pytest.mark.parametrize("base", ["ftp://x.example", "https://x.example/?a=b", "reports"])
def test_links_lead_to_a_folder_of_the_web(base):
    assert "alerts.links: expected the address of a folder" in told(f"alerts: {{links: '{base}'}}")


@pytest.mark.parametrize("place", ["kind", "least", "panels", "private", "port", URL, "engines"])
def test_an_address_in_a_wrong_place_is_not_repeated(place):
    for lines in (f"'{place}': '{URL}'", f"kind: webhook, url: '{URL}', '{place}': '{URL}'"):
        assert "5ecret" not in channels(lines)


@pytest.mark.parametrize(
    "text",
    [
        f"alerts: {{channels: {{'{URL}': {{kind: webhook, url: '{URL}'}}}}}}",
        f"alerts: {{'{URL}': 1}}",
        f"alerts: {{strict_level: '{URL}'}}",
        "alerts: {links: 'https://me:5ecret@reports.example.org'}",
        "alerts: {links: 'https://reports.example.org/?sig=5ecret'}",
        "alerts: {links: 'me:5ecret@reports.example.org'}",
    ],
)
def test_an_address_beside_the_channels_is_not_repeated(text):
    assert "5ecret" not in told(text)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("secret: ''", "expected secret, or secret_file"),
        ("secret_file: ''", "expected secret, or secret_file"),
        ("secret: 5ecret, secret_file: key.txt", "both secret and secret_file are given"),
    ],
)
def test_a_signature_has_exactly_one_key_and_never_an_empty_one(keys, said):
    assert said in channels(f"kind: webhook, url: '{URL}', {keys}")
