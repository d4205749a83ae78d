"""Every mode of the replica in a real Chromium: outcome, text, counts, what is kept of it."""

import asyncio
from dataclasses import replace

import pytest

from monitor.capture.chromium import find_chromium
from monitor.capture.live.barriers import needs_a_person
from monitor.domain.engine import Outcome, Role
from monitor.domain.screenshot import ScreenshotKind, SnapshotKind
from monitor.domain.turn import Document, Form, Panel
from tests.live import PATIENCE, LiveReplica
from tests.replica.answers import PROMPT
from tests.replica.modes import MODES, Times
from tests.replica.server import Replica
from tests.replica.surface import known_replica, replica_turns

pytestmark = pytest.mark.browser
AT_ONCE = 6
ANSWERED = sorted(m for m, one in MODES.items() if one.expected.outcome is Outcome.ANSWERED)
OTHERS = sorted(MODES.keys() - set(ANSWERED))
# Whoever waits for an answer has time on a slow machine, too; whoever waits for none does not wait.
PATIENT = replace(
    PATIENCE, navigate=30, ready=20, first_text=20, complete=40, panel=10, whole=90, stable=0.6
)
HASTY = {
    "unknown_layout": replace(PATIENT, ready=1.5),
    "stale_previous_answer": replace(PATIENT, first_text=1.5),
    "never_ends": replace(PATIENT, first_text=2, complete=2),
}
"""Of modes in which the page never has what is waited for, however long."""
TIMES = Times(pause=900)


@pytest.fixture(scope="module")
def everything():
    """Every mode captured once, some side by side, and contexts and pages open afterwards."""
    if find_chromium() is None:
        pytest.skip("no Chromium here")

    async def capture_all():
        live, places = LiveReplica(patience=PATIENT), asyncio.Semaphore(AT_ONCE)

        async def one(mode):
            async with places:
                return await live.capture(replica.at(mode), patience=HASTY.get(mode))

        try:
            found = await asyncio.gather(*map(one, MODES))
            made = dict(zip(MODES, found, strict=True))
            return made, sum(len(c.pages) + 1 for c in live.contexts)
        finally:
            await live.close()

    with Replica(times=TIMES) as replica:
        return asyncio.run(capture_all())


@pytest.fixture(scope="module")
def captured(everything):
    return everything[0]


def test_no_context_and_no_page_is_left_open(everything):
    """playwright 6319 and 19953, playwright-mcp 1636: memory grows with what is left open."""
    assert len(everything[0]) > 30
    assert everything[1] == 0


def last_turn(bundle):
    """The answer, read again from what the payload has of the page."""
    told = bundle.payload
    panels = tuple(Panel(**one) for one in told["panels"])
    document = Document(told["html"].encode(), Form.DOM, told["url"], panels)
    with known_replica():
        return replica_turns(document)[-1]


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_comes_to_its_outcome_and_text(captured, mode):
    reading, expected = captured[mode].reading, MODES[mode].expected
    assert (reading.outcome, reading.reason, reading.text) == (
        expected.outcome,
        expected.reason,
        expected.text,
    ), captured[mode].payload["detail"]


@pytest.mark.parametrize("mode", ANSWERED)
def test_every_answer_has_its_counts(captured, mode):
    bundle, expected = captured[mode], MODES[mode].expected
    roles = [one.role for one in bundle.reading.citations]
    layout = last_turn(bundle).layout
    opened = tuple(dict.fromkeys(one["name"] for one in bundle.payload["panels"]))
    assert (roles.count(Role.DISPLAYED), layout.shown, layout.in_document) == (
        expected.displayed,
        expected.marks,
        expected.in_document,
    )
    assert (roles.count(Role.LISTED), roles.count(Role.LINK)) == (expected.listed, expected.links)
    assert (bundle.reading.hidden_citations, opened) == (expected.hidden, expected.panels)


@pytest.mark.parametrize("mode", ANSWERED)
def test_every_answer_is_bound_to_its_question_and_timed(captured, mode):
    payload = captured[mode].payload
    times = payload["times"]
    order = [times[n] for n in ("opened_at", "submitted_at", "first_text_at", "completed_at")]
    assert payload["user_turn"] == PROMPT
    assert payload["turn_id"].startswith("answer-")
    assert not payload["turn_id"].endswith("-pending")
    assert order == sorted(order)
    assert times["wait_ms"] > 0
    # A panel that did not close in time on a slow machine is noted, and nothing else.
    assert (
        payload["detail"] is None or "opened" in payload["detail"] or "close" in payload["detail"]
    )


@pytest.mark.parametrize("mode", ANSWERED)
def test_every_answer_leaves_pictures_and_snapshots(captured, mode):
    evidence, artifacts = captured[mode].evidence, captured[mode].artifacts
    kinds = [one.kind for one in evidence.screenshots]
    tiled = mode == "inner_scroller_tiles"
    assert kinds[0] is ScreenshotKind.VIEWPORT
    assert (ScreenshotKind.TILE if tiled else ScreenshotKind.FULL) in kinds
    assert [one.kind for one in evidence.snapshots] == [SnapshotKind.DOM, SnapshotKind.TEXT]
    for one in (*evidence.screenshots, *evidence.snapshots):
        assert artifacts.get(one.sha256)


@pytest.mark.parametrize("mode", OTHERS)
def test_what_is_no_answer_is_pictured_unless_the_page_shows_the_previous_question(captured, mode):
    evidence, payload = captured[mode].evidence, captured[mode].payload
    moved = mode != "stale_previous_answer"
    kinds = [one.kind for one in evidence.screenshots]
    assert kinds == ([ScreenshotKind.BARRIER] if moved else [])
    assert [one.kind for one in evidence.snapshots] == ([SnapshotKind.DOM] if moved else [])
    assert payload["html"] is None
    assert (payload["times"]["submitted_at"] is not None) is MODES[mode].expected.asks


def test_walls_that_a_person_must_see_to_stop_the_surface(captured):
    stopped = {mode for mode, one in captured.items() if needs_a_person(one.reading.outcome)}
    assert stopped == {
        "consent_page", "login_wall", "sorry_429", "cloudflare_403", "rate_limit", "geo",
        "late_wall",
    }  # fmt: skip
    assert len(captured["normal"].gate.stops) == len(stopped)
    assert "blocked (captcha)" in captured["normal"].gate.stops


def test_payload_says_where_and_as_what_the_page_was_seen(captured):
    environment = captured["normal"].payload["environment"]
    assert environment["browser"].startswith("Chromium ")
    assert "Chrome" in environment["user_agent"]
    assert environment | {"browser": "", "user_agent": "", "timezone": ""} == {
        "browser": "", "user_agent": "", "timezone": "", "viewport": [1280, 900],
        "locale": "en-GB", "geolocation": None, "color_scheme": "light", "egress_country": None,
        "logged_in": True, "personalised": "no", "session": "anonymous",
    }  # fmt: skip


def test_nothing_of_the_account_is_in_what_is_kept(captured):
    bundle = captured["normal"]
    kept = [bundle.artifacts.get(one.sha256) for one in bundle.evidence.snapshots]
    assert not [one for one in kept if b"Ada Madeup" in one]
    assert "Ada Madeup" not in str(bundle.payload)
    assert all(one.masked for one in bundle.evidence.screenshots[:1])


def test_answer_cut_short_by_an_early_end_mark_is_read_whole(captured):
    """multi-ai-chat PR 14: 39 of 301 characters stood there as the stop button went."""
    bundle = captured["stop_button_early"]
    assert bundle.reading.text == MODES["normal"].expected.text


def test_list_of_sources_is_read_while_its_tab_is_open_and_left_again(captured):
    """obsidian-AI-exporter 293: a lazy tab with a clone that cannot be seen."""
    (panel,) = captured["lazy_tab"].payload["panels"]
    assert panel["html"].count("<a ") == 3
    assert "hidden" not in panel["html"].split("<h2")[0].replace("data-monitor", "")


def test_words_of_a_guard_in_a_healthy_page_are_no_wall(captured):
    """webcmd 264: markers searched in the whole page and its policy."""
    bundle = captured["healthy_with_challenge_words"]
    assert bundle.reading.outcome is Outcome.ANSWERED
    assert "challenges.cloudflare.com" in bundle.reading.text


def test_page_that_polls_for_ever_is_finished_by_our_own_rule(captured):
    """pi-browser-harness 25: the network is never idle."""
    times = captured["endless_poll"].payload["times"]
    assert times["wait_ms"] < 1_000 * PATIENT.complete


def test_wall_is_blocked_and_nothing_of_it_is_parsed(captured):
    """WebSearcher PR 170: a page under /sorry with HTTP 429."""
    bundle = captured["sorry_429"]
    assert (bundle.reading.reason, bundle.reading.text, bundle.reading.citations) == (
        "captcha", "", (),
    )  # fmt: skip
    assert "/sorry" in bundle.payload["url"]
