"""Panels and engines that an address names: without a run yet, or known to nobody."""

from dataclasses import replace

import pytest

from tests.scheduled import PANEL as FILE
from tests.stored import planned
from tests.web.conftest import asking
from tests.web.people import app_of
from tests.web.rooms import OAK, TREES, scored, told

PAGES = ("/families", "/prompts", "/trends")


@pytest.fixture
async def client(bench, tmp_path):
    """Over a panel with a run, one whose run has not ended, and one that is but a file."""
    folder = tmp_path / "panels"
    folder.mkdir()
    (folder / "tea.yaml").write_text(FILE.format(name="tea", schedule=""), "utf-8")
    part = bench.settings.model_copy(update={"panels": str(folder)})
    bench = replace(bench, settings=part)
    scored(bench, "2026-01", told(OAK), told(OAK), told(OAK))
    planned(bench, "2026-02", replace(TREES, name="shrubs"))
    async with asking(app_of(bench)) as one:
        yield one


@pytest.mark.parametrize("panel", ["shrubs", "tea"])
@pytest.mark.parametrize("path", PAGES)
async def test_a_panel_without_a_run_that_ended_says_so_and_what_to_do(client, path, panel):
    got = await client.get(path, params={"panel": panel})
    assert got.status_code == 200
    assert f"No run of {panel} has ended yet" in got.text
    assert f"<code>monitor run {panel}</code>" in got.text
    assert f'href="/panels/{panel}"' in got.text
    assert "monitor init" not in got.text
    assert (await client.get(f"/api/v1{path}", params={"panel": panel})).json()["run"] is None


@pytest.mark.parametrize("path", [*PAGES, "/", "/label", "/alerts", "/measures"])
async def test_a_panel_that_nobody_knows_is_not_there(client, path):
    got = await client.get(path, params={"panel": "nope"})
    assert got.status_code == 404
    assert "no panel &#39;nope&#39;; there are shrubs, tea, trees" in got.text


@pytest.mark.parametrize("path", [*PAGES, "/", "/label", "/alerts"])
async def test_a_panel_of_no_name_is_every_panel(client, path):
    assert (await client.get(path, params={"panel": ""})).status_code == 200


async def test_an_engine_that_nobody_knows_has_no_alerts_page(client):
    got = await client.get("/alerts?engine=zzz")
    assert got.status_code == 404
    assert "no engine &#39;zzz&#39;; there are" in got.text
    assert (await client.get("/alerts?engine=perplexity")).status_code == 200


async def test_a_family_of_a_panel_without_a_run_names_the_panel(client):
    got = await client.get("/families/oak.example?panel=tea")
    assert got.status_code == 404
    assert "no run of tea has ended yet" in got.text
