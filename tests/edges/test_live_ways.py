"""Ways of surfaces that differ: a question in the address, no end mark, another place, MHTML."""

import asyncio
from urllib.parse import quote

import pytest

from monitor.capture.chromium import find_chromium
from monitor.config.surfaces import PlacePart, SurfacePart
from monitor.domain.engine import Outcome
from monitor.domain.screenshot import SnapshotKind
from tests.live import LiveReplica
from tests.replica.answers import PROMPT
from tests.replica.modes import MODES
from tests.replica.server import Replica

pytestmark = pytest.mark.browser
WHOLE = MODES["normal"].expected.text
ADDRESSED = ("prompt", "send")
ELSEWHERE = SurfacePart(
    session="anonymous",
    timezone="Asia/Tokyo",
    place=PlacePart(latitude=35.5, longitude=139.75),
    egress_country="DE",
    keep_mhtml=True,
)
SURFACES = {
    "addressed": {"without": ADDRESSED},
    "unmarked": {"without": ("end_mark",)},
    "elsewhere": {"surface": ELSEWHERE},
}
"""What is different about each surface."""
WAYS = {
    "addressed": ("normal", "addressed"),
    "addressed_wall": ("sorry_429", "addressed"),
    "addressed_absent": ("absent", "addressed"),
    "unmarked": ("mid_stream_pause", "unmarked"),
    "elsewhere": ("normal", "elsewhere"),
}
"""Way -> mode of the replica, and surface."""


@pytest.fixture(scope="module")
def captured():
    """One capture of every way."""
    if find_chromium() is None:
        pytest.skip("no Chromium here")

    async def every():
        surfaces = {name: LiveReplica(**options) for name, options in SURFACES.items()}
        try:
            return await asyncio.gather(
                *(surfaces[at].capture(address(replica, mode, at)) for mode, at in WAYS.values())
            )
        finally:
            for surface in surfaces.values():
                await surface.close()

    with Replica() as replica:
        made = asyncio.run(every())
        return dict(zip(WAYS, made, strict=True)) | {"asked": list(replica.asked)}


def address(replica, mode, surface):
    query = f"&q={quote(PROMPT)}" if surface == "addressed" else ""
    return f"{replica.at(mode)}{query}"


def test_question_in_the_address_is_answered_and_sent_once(captured):
    made = captured["addressed"]
    assert (made.reading.outcome, made.reading.text) == (Outcome.ANSWERED, WHOLE)
    assert made.payload["user_turn"] == PROMPT
    times = made.payload["times"]
    assert times["submitted_at"] <= times["opened_at"] <= times["completed_at"]
    asked = [path for path in captured["asked"] if path.startswith("/?mode=normal&q=")]
    assert len(asked) == 1


def test_wall_before_a_question_in_the_address_is_its_own_outcome(captured):
    reading = captured["addressed_wall"].reading
    assert (reading.outcome, reading.reason) == (Outcome.BLOCKED, "captcha")


def test_page_that_is_whole_without_an_answer_has_none(captured):
    reading = captured["addressed_absent"].reading
    assert (reading.outcome, reading.reason) == (Outcome.NO_ANSWER, "absent")


def test_answer_without_an_end_mark_must_be_still_five_times_as_long(captured):
    made = captured["unmarked"]
    assert made.reading.text == WHOLE
    assert made.payload["times"]["wait_ms"] >= 5 * 600


def test_place_and_time_zone_are_what_the_page_sees_and_the_address_is_not_moved(captured):
    environment = captured["elsewhere"].payload["environment"]
    assert environment["timezone"] == "Asia/Tokyo"
    assert environment["geolocation"] == [35.5, 139.75]
    assert environment["egress_country"] == "DE"


def test_whole_page_is_kept_as_mhtml_where_that_is_asked_for(captured):
    made = captured["elsewhere"]
    (mhtml,) = [one for one in made.evidence.snapshots if one.kind is SnapshotKind.MHTML]
    assert made.artifacts.get(mhtml.sha256).startswith(b"From: <Saved by Blink>")
