"""`monitor eligibility` and imported retrieval logs, by the commands that their page shows."""

import json
import re
import shlex

import jsonschema
import pytest

from tests.eligible import baseline, oak_site, write_panel
from tests.house import ROOT

PAGE = ROOT / "docs" / "eligibility.md"
SCHEMA = json.loads((ROOT / "docs/schemas/eligibility.schema.json").read_text("utf-8"))
MORE = (
    "      - {family: trees.example, grade: acceptable, reason: x}\n"
    '      - {url: "http://oaks.example/shop", grade: out_of_scope, match: page, reason: x}\n'
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Settings, a panel and its baseline of four pages and a publisher; the site runs."""
    with oak_site() as running:
        urls = ("/plain", "/news/oaks", "/noindex", "/gone")
        write_panel(tmp_path, running, baseline(*urls, more=MORE))
        monkeypatch.chdir(tmp_path)
        tmp_path.joinpath("site.txt").write_text(str(running.port))
        yield tmp_path, running


def test_the_table_tells_engines_sources_lines_and_passages(folder, call):
    code, out, err = call("eligibility", "oaks", "--no-render")
    assert (code, err.strip().startswith("sources: 4 of 4")) == (0, True)
    said = " ".join(out.split())
    # OpenAI: of four pages the news are shut, one is not to be indexed, one is gone.
    assert "OAI-SearchBot noindex 1, not_found 1, robots 1 family_item 1 1 of 4, 25 %" in said
    assert "PerplexityBot noindex 1, not_found 1 family_item 1 2 of 4, 50 %" in said
    assert "xai none known none none not measured: no crawler is known" in said
    assert "OAI-SearchBot: robots.txt:6 [oai-searchbot] Disallow: /news" in said
    assert "growth/frost http://oaks.example/plain full inside not known 0 (0 %)" in said
    assert "not what a crawler did (docs/eligibility.md)" in said
    assert "/shop" not in folder[1].asked


def test_json_is_as_its_schema_says(folder, call):
    code, out, _ = call("eligibility", "oaks", "--no-render", "--json")
    told = json.loads(out)
    assert code == 0
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(told)
    assert set(told) == set(SCHEMA["properties"])
    openai = told["engines"]["openai"]
    assert (openai["eligibility"]["hits"], openai["eligibility"]["total"]) == (1, 4)
    assert told["engines"]["xai"]["eligibility"] == {"value": None, "undefined": "no_crawler"}
    # Engines that the panel does not ask are told too, and are marked.
    assert told["engines"]["copilot_web"]["in_panel"] is False
    news = next(one for one in told["sources"] if one["url"].endswith("/news/oaks"))
    ruling = next(r for r in news["check"]["rulings"] if r["token"] == "OAI-SearchBot")
    assert (ruling["line"], ruling["rule"], ruling["group"]) == (
        6, "Disallow: /news", "oai-searchbot",
    )  # fmt: skip
    assert {r["token"] for r in news["check"]["rulings"]} == {c["token"] for c in told["crawlers"]}


def test_a_limit_goes_on_where_the_last_call_ended(folder, call):
    _, running = folder
    shown = []
    for _ in range(2):
        told = json.loads(call("eligibility", "oaks", "--no-render", "--limit", 2, "--json")[1])
        shown.append(told["engines"]["perplexity"]["eligibility"]["not_assessable"])
    assert shown == [{"family_item": 1, "not_checked": 2}, {"family_item": 1}]
    asked = [path for path in running.asked if path != "/robots.txt"]
    assert sorted(asked) == ["/gone", "/news/oaks", "/noindex", "/plain"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("elms",), "no panel 'elms'"),
        (("oaks", "--limit", 0), "greater than or equal to 1"),
    ],
)
def test_what_cannot_be_looked_at_is_said(folder, call, words, said):
    code, _, err = call("eligibility", *words)
    assert (code, said in err) == (2, True)


def test_a_panel_without_a_baseline_says_what_to_do(folder, call):
    (folder[0] / "panels" / "oaks.baseline.yaml").unlink()
    code, _, err = call("eligibility", "oaks")
    assert code == 2
    assert "no baseline beside this panel" in err
    assert "docs/panels.md" in err


def test_the_log_of_the_page_is_imported_once(folder, call):
    """The lines and the command that the page shows, for a panel of that name."""
    path, _ = folder
    page = PAGE.read_text("utf-8")
    (lines,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    (command,) = re.findall(r"^monitor (import --retrieval-log .*)$", page, re.MULTILINE)
    panel = (path / "panels" / "oaks.yaml").read_text()
    panel = panel.replace("id: growth", "id: brew-time").replace("panel: oaks", "panel: tea")
    (path / "panels" / "tea.yaml").write_text(panel)
    (path / "searched.jsonl").write_text(lines)
    words = shlex.split(command)
    code, out, err = call(*words)
    assert (code, err) == (0, "")
    assert out == "2 lines stored, 0 known already; 1 prompts, engines: perplexity\n"
    told = json.loads(call(*words, "--json")[1])
    assert (told["retrieval_log"]["new"], told["retrieval_log"]["lines"]) == (0, 2)


@pytest.mark.parametrize("more", [(), ("x.html", "--retrieval-log", "y.jsonl")])
def test_a_log_is_imported_by_itself(folder, call, more):
    code, _, err = call("import", "--panel", "oaks", *more)
    assert (code, "name files, or a log with --retrieval-log FILE" in err) == (2, True)


def test_bad_lines_are_named_by_the_command(folder, call):
    (folder[0] / "bad.jsonl").write_text('{"prompt": "growth"}\n')
    code, _, err = call("import", "--panel", "oaks", "--retrieval-log", "bad.jsonl")
    assert code == 2
    assert "bad.jsonl:1: engine: expected text, got none" in err
