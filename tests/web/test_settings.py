"""The page of settings: origins that are true, secrets that are nowhere, panels with problems."""

import csv
import io
import json
from pathlib import Path

import pytest

from monitor.config.settings import read_settings
from monitor.pipeline.bench import open_bench
from monitor.pipeline.settings_shown import masked_address, shown_settings
from tests.web import people
from tests.web.conftest import asking

SECRETS = (
    "sk-secret-of-openai", "pass-of-the-database", "hooks-secret-path", "ping-secret-path",
    "mail-secret-word", "secret-file-name", "login-of-nobody",
)  # fmt: skip

CONFIG = """
store:
  artifacts: {folder}/artifacts
panels: {folder}/panels
engines:
  openai:
    model: gpt-of-choice
    options: {{note: sk-secret-of-openai}}
health:
  ping_url: https://ping.example/ping-secret-path
  panel_ping_urls:
    tea: https://ping.example/ping-secret-path
alerts:
  channels:
    chat:
      kind: slack
      url: https://hooks.example/hooks-secret-path
    post:
      kind: smtp
      host: login-of-nobody.example
      sender: a@example.org
      to: [b@example.org]
      username: login-of-nobody
      password_file: /secret-file-name
"""
PANEL = """
panel: tea
version: 1
repeats: 1
locale: en-GB
engines: [openai]
prompts:
  - id: green
    text: How hot is green tea brewed?
"""


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-openai")
    monkeypatch.setenv("MONITOR_BUDGET__CALLS", "77")
    monkeypatch.setenv("MONITOR_STORE__DATABASE", f"sqlite:///{tmp_path}/monitor.db")
    (tmp_path / "panels").mkdir()
    (tmp_path / "panels" / "tea.yaml").write_text(PANEL)
    found, problems = read_settings(CONFIG.format(folder=tmp_path), "config.yaml")
    assert found is not None, problems
    return found


@pytest.fixture
def bench(settings, tmp_path, empty_store):
    (tmp_path / "monitor.db").write_bytes(empty_store)
    with open_bench(settings) as opened:
        yield opened


@pytest.fixture
async def client(bench):
    async with asking(people.app_of(bench)) as one:
        yield one


async def lines(client):
    got = (await client.get("/api/v1/settings")).json()
    return {one["path"]: one for group in got["groups"] for one in group["settings"]}


async def test_values_stand_with_where_they_came_from(client):
    found = await lines(client)
    told = {
        name: (found[name]["value"], found[name]["source"])
        for name in ("engines.openai.model", "budget.calls", "budget.usd")
    }
    assert told == {
        "engines.openai.model": ("gpt-of-choice", "file"),
        "budget.calls": ("77", "variable MONITOR_BUDGET__CALLS"),
        "budget.usd": ("50.0", "default"),
    }
    assert found["budget.calls"]["default"] == "5000"
    assert found["budget.calls"]["meaning"].startswith("Most calls")


async def test_every_setting_with_a_meaning_has_it_on_the_page(settings):
    told = {one.path: one.meaning for group in shown_settings(settings) for one in group.settings}
    assert [path for path, meaning in told.items() if not meaning] == []


@pytest.mark.parametrize("path", ["/settings", "/api/v1/settings", "/api/v1/settings/table.csv"])
async def test_no_secret_is_shown(client, path):
    text = (await client.get(path)).text
    assert "gpt-of-choice" in text
    assert [one for one in SECRETS if one in text] == []


async def test_secrets_are_told_as_set_or_not_set(client):
    found = await lines(client)
    assert {
        name: found[name]["value"]
        for name in (
            "health.ping_url", "health.panel_ping_urls", "health.alive_ping_url",
            "alerts.channels.chat.url", "alerts.channels.post.password_file",
        )
    } == {
        "health.ping_url": "set",
        "health.panel_ping_urls": "tea: set",
        "health.alive_ping_url": "not set",
        "alerts.channels.chat.url": "set",
        "alerts.channels.post.password_file": "set",
    }  # fmt: skip
    keys = {
        one["path"]: one["value"] for one in (await client.get("/api/v1/settings")).json()["keys"]
    }
    assert keys["OPENAI_API_KEY"] == "set"
    assert keys["PERPLEXITY_API_KEY"] == "not set"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://u:pw@host.example:81/x?key=1#f", "https://***@host.example:81/x?***"),
        ("https://host.example/v1", "https://host.example/v1"),
        ("postgresql://u:pw@db/name", "postgresql://***@db/name"),
        ("http://[::1", "set"),
    ],
)
def test_an_address_is_shown_without_what_may_be_secret(address, shown):
    assert masked_address(address) == shown


def test_the_password_of_a_database_is_left_out(settings):
    store = settings.store.model_copy(
        update={"database": "postgresql://ana:pass-of-the-database@db.example/m?sslkey=x"}
    )
    told = shown_settings(settings.model_copy(update={"store": store}))
    (line,) = [one for g in told for one in g.settings if one.path == "store.database"]
    assert line.value == "postgresql://***@db.example/m?***"


async def test_panels_stand_with_their_problems_until_the_file_is_mended(client, settings):
    good = (await client.get("/api/v1/settings")).json()
    assert [one["panel"] for one in good["panels"]] == ["tea, version 1"]
    file = Path(settings.panels) / "tea.yaml"
    file.write_text(PANEL.replace("repeats: 1", "repeats: many"))
    bad = (await client.get("/api/v1/settings")).json()
    assert [one["where"] for one in bad["problems"] if "many" in one["message"]] == [f"{file}:4"]
    page = (await client.get("/settings")).text
    assert "in panels or settings</h1>" in page


async def test_endpoints_and_versions_are_listed(client):
    got = (await client.get("/api/v1/settings")).json()
    assert {"setting": "health.ping_url", "address": "set"} in got["endpoints"]
    assert {"monitor", "python", "scoring"} <= {one["name"] for one in got["versions"]}
    assert json.dumps(got).count("monitor.db") >= 1
    rows = list(csv.DictReader(io.StringIO((await client.get("/api/v1/settings/table.csv")).text)))
    assert "budget.calls" in {one["setting"] for one in rows}
