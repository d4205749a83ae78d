"""AI Mode through SerpApi: the same tree at the top of a page."""

import pytest

from monitor.domain.engine import EngineSettings, Exchange, Outcome, Role
from monitor.engines import google_ai_mode
from monitor.errors import PayloadError
from tests.unit.engines.payloads_b import AI_MODE, PROMPT, exchange, references


def parse(value, status=200):
    return google_ai_mode.parse([exchange(value, status)])


def test_answer_is_the_blocks_at_the_top():
    reading = parse(AI_MODE)
    assert reading.outcome is Outcome.ANSWERED
    assert reading.text.startswith("Der Turm 🗼 ist alt.\n## Height\n- Tall: 42 m")
    assert [c.title for c in reading.displayed] == ["Page 2", "Page 0", "Page 3", "Page 1"]


def test_viewer_pages_are_displayed_and_the_sites_are_links():
    viewer = references(1)[0] | {"link": "https://www.google.com/searchviewer/10?svid=x"}
    block = {"type": "paragraph", "snippet": "Ask Tower Ltd.", "reference_indexes": [0],
             "snippet_links": [{"text": "Tower Ltd", "link": "https://tower.example/"}]}  # fmt: skip
    reading = parse(AI_MODE | {"text_blocks": [block], "references": [viewer]})
    assert [c.role for c in reading.citations] == [Role.DISPLAYED, Role.LINK]


def test_product_cards_are_told():
    assert parse(AI_MODE | {"shopping_results": [{"title": "Lamp"}]}).shopping is True
    assert parse(AI_MODE).shopping is False


def test_an_empty_page_is_absent():
    reading = parse({"text_blocks": [], "search_metadata": {"status": "Success"}})
    assert (reading.outcome, reading.reason) == (Outcome.NO_ANSWER, "absent")


def test_quota_is_told_by_its_words():
    reading = parse({"error": "Your account has run out of searches."}, 429)
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "quota")


def test_a_web_page_with_a_captcha_is_blocked():
    body = b"<html>Our systems have detected unusual traffic</html>"
    reading = google_ai_mode.parse([Exchange(body, 429)])
    assert (reading.outcome, reading.reason) == (Outcome.BLOCKED, "captcha")


@pytest.mark.parametrize(
    "body", [{"search_metadata": {"status": "Success"}}, AI_MODE | {"text_blocks": []}]
)
def test_a_drifted_shape_is_never_an_empty_answer(body):
    with pytest.raises(PayloadError, match="text_blocks"):
        parse(body)


def test_request_asks_ai_mode_in_place_and_language():
    asked = dict(google_ai_mode.request(PROMPT, EngineSettings()).query)
    assert (asked["engine"], asked["gl"], asked["hl"]) == ("google_ai_mode", "uk", "en")
