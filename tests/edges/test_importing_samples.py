"""Real saved documents through their containers: counts as taken by hand in ui/report.md."""

import json

import pytest

from monitor.domain.engine import Role
from monitor.domain.panel import Panel, Prompt
from tests.corpora import corpora
from tests.edges.importing import found_in, kept_in
from tests.unit.imports import handed

pytestmark = pytest.mark.corpora


def taken(tmp_path, body, engine, *, turn=None):
    """The answer that a file is taken for, whatever it asks."""
    panel = Panel("p", 1, 1, "en-GB", (engine,), (Prompt("any", "Not what it asks?", "en-GB"),))
    path = kept_in(tmp_path, "handed", body)
    (one,) = found_in(path, panel=panel, prompt="any", turn=turn).answers
    assert one.engine == engine
    return one


def displayed(one):
    return [c.url for c in one.turn.reading.citations if c.role is Role.DISPLAYED]


def test_a_conversation_in_an_export_and_its_share_page_tell_the_same(tmp_path):
    decoded = json.loads(
        corpora("ui/samples/chatgpt/chatgpt_share_modern.decoded.json").read_text()
    )
    exported = taken(tmp_path, handed.export(decoded), "chatgpt_web", turn=1)
    shared = taken(
        tmp_path,
        corpora("ui/samples/chatgpt/chatgpt-share-modern.html").read_bytes(),
        "chatgpt_web",
        turn=1,
    )
    for one in (exported, shared):
        # 7 URLs, 730 visible characters; rows of memory and sessions in scripts are dropped.
        assert len(displayed(one)) == 7
        assert len(one.turn.reading.text) == 730
        assert one.dropped
    assert exported.turn.reading.citations == shared.turn.reading.citations


@pytest.mark.parametrize("container", ["file", "mhtml", "single"])
@pytest.mark.parametrize(
    ("name", "engine", "urls"),
    [
        ("google/aio_sky_2026-01-20.trim.html", "google_ai_overview_web", 6),
        ("google/sge_cancer_2025-02-06.trim.html", "google_ai_overview_web", 3),
        ("perplexity/perplexity_dom_spans_2026-08-11.html", "perplexity_web", 2),
    ],
)
def test_a_saved_page_tells_the_same_in_every_container(tmp_path, container, name, engine, urls):
    page = corpora(f"ui/samples/{name}").read_bytes()
    whole = {
        "file": page,
        "mhtml": handed.mhtml(("text/html", "https://x.example/", page, "")),
        "single": b"<!--\n Page saved with SingleFile \n url: https://x.example/\n-->" + page,
    }[container]
    one = taken(tmp_path, whole, engine)
    assert len(one.turn.reading.citations) == urls


@pytest.mark.parametrize("in_har", [False, True])
def test_a_stream_tells_the_same_in_a_har(tmp_path, in_har):
    body = corpora("ui/samples/perplexity/search-complete-2026-07-31.sse").read_bytes()
    ask = "https://www.perplexity.ai/rest/sse/perplexity_ask"
    whole = handed.har(handed.entry(ask, body, "text/event-stream")) if in_har else body
    one = taken(tmp_path, whole, "perplexity_web")
    # 25 marks of 11 pages in 1,679 characters; 15 pages were retrieved.
    assert len(displayed(one)) == 11
    assert len(one.turn.reading.retrieved) == 15


def test_each_answer_of_a_markdown_export_can_be_taken(tmp_path):
    body = corpora("ui/samples/perplexity/perplexity_export_markdown.md").read_bytes()
    marks = [
        sum(c.marks for c in taken(tmp_path, body, "perplexity_web", turn=n).turn.reading.citations)
        for n in (1, 2, 3, 4)
    ]
    assert marks == [6, 6, 4, 12]


def test_a_copied_text_of_gemini_lists_what_the_model_wrote(tmp_path):
    body = corpora("ui/samples/gemini/gemini_copy_text_2026-07-27.md").read_bytes()
    one = taken(tmp_path, body, "gemini_app")
    assert [c.role for c in one.turn.reading.citations] == [Role.LISTED] * 7
