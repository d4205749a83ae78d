"""An answer handed in on the page is fetched, judged and scored by the server behind it."""

import re
import time

import httpx
import pytest

from tests.e2e.processes import PANEL, place
from tests.e2e.test_serve import serving

pytestmark = pytest.mark.e2e

QUESTION = "How fast may a pedal-assist e-bike go in Velmora?"
MARKDOWN = f"""# {QUESTION}

Motor assistance on a pedal-assist bicycle in Velmora must stop at 27 km/h [1].

Citations:
[1] https://www.transport-velmora.example/cycling/pedal-assist-rules
"""
ANSWER = {"at": "2026-09-20T09:00:00Z", "panel": PANEL}


@pytest.fixture
def client(tmp_path):
    """A visitor of a server whose cited pages the sandbox gives."""
    with place(tmp_path, latency_ms=0, prompts=slice(2)) as here, serving(here) as (_, address):
        origin = address.rstrip("/")
        with httpx.Client(
            base_url=origin, headers={"Origin": origin}, trust_env=False, timeout=30
        ) as one:
            yield one


def sent(client, form, action, **rest):
    """Where a form with its mark leads."""
    mark = re.search(r'name="csrf" value="(\w+)"', client.get(form).text)[1]
    data = rest.pop("data", {}) | {"csrf": mark}
    got = client.post(action, data=data, **rest)
    assert got.status_code == 303, got.text
    return got.headers["location"]


def scored(client, address, within=60):
    """The JSON of a run, once it has numbers."""
    ends = time.monotonic() + within
    while not (told := client.get(f"/api/v1{address}").json())["matrix"]["sections"]:
        assert time.monotonic() < ends, told
        time.sleep(0.2)
    return told


def test_an_answer_handed_in_on_the_page_is_fetched_judged_and_scored(client):
    files = [("files", ("answer.md", MARKDOWN.encode(), "text/markdown"))]
    shown = sent(client, "/upload", "/upload", data=ANSWER, files=files)
    run = sent(client, shown, f"{shown}/store", data={"scores": "true"})

    told = scored(client, run)
    lines = [line for one in told["matrix"]["sections"] for line in one["lines"]]
    (recall,) = (one["numbers"] for one in lines if one["name"] == "citation_recall")
    assert [one["counts"] for one in recall] == ["1 of 1"]
    assert told["headline"] == f"Answers of {PANEL} that were handed in: compared with nothing"
    page = client.get(run).text
    assert "its answers were handed in" in page
    assert "irst run of" not in page
