"""Pictures in a real Chromium: inner scrollers, tiles, what is cut, and a page left as it was."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import quote

import pytest

from monitor.capture import pictures
from monitor.capture.pictures import TILE, PictureTaker, mhtml
from monitor.capture.pictures_sizes import jpeg_size
from monitor.domain.screenshot import ScreenshotKind
from tests.replica import answers
from tests.replica.chromium import Browsing, Bytes, browsing, real
from tests.replica.modes import Times
from tests.replica.server import Replica

pytestmark = [pytest.mark.browser, real]

ANSWER = '[data-part="answer"]'
SCROLLER = '[data-part="scroller"]'
NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
HUES = [
    (239, 168, 168), (239, 204, 168), (239, 239, 168), (204, 239, 168), (168, 239, 168),
    (168, 239, 204), (168, 239, 239), (168, 204, 239), (168, 168, 239), (204, 168, 239),
    (239, 168, 239), (239, 168, 204),
]  # fmt: skip
"""hsl(30 n, 70 %, 80 %): 204 is 80 % of 255; chroma 0.4 * 0.7 = 0.28, so 168.3, 204 and 239.7."""


class Still:
    """A clock that stands."""

    def now(self) -> datetime:
        """Noon."""
        return NOW

    def monotonic(self) -> float:
        """No time passes."""
        return 0.0


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browsing]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def replica() -> Iterator[Replica]:
    with Replica(times=Times(step=0, pause=0, gap=0)) as server:
        yield server


@pytest.fixture
def page(chromium):
    opened = chromium.page()
    yield opened
    chromium.close(opened)


def taker(page, kept, **more):
    size = page.viewport_size
    window = (size["width"], size["height"])
    return PictureTaker(page, kept, Still(), "Chromium 1", window, "en-GB", **more)


async def answered(page, replica, mode):
    """Open a page that has its answer."""
    await page.goto(f"{replica.at(mode)}&q={quote(answers.PROMPT)}")
    await page.wait_for_selector('[data-part="copy"]')


def near(one, other):
    return all(abs(a - b) <= 8 for a, b in zip(one, other, strict=True))


def bands_of(chromium, kept, shots, height):
    """Which band each of the 12 places shows where it should be, top to bottom."""
    each = height // answers.BANDS
    heights = [shot.size[1] for shot in shots]
    points = {}
    for n in range(answers.BANDS):
        # The middle of the band, below the margin of 16 px.
        at = 16 + n * each + each // 2
        number = next(i for i in range(len(shots)) if at < sum(heights[: i + 1]))
        points.setdefault(number, []).append((300, at - sum(heights[:number])))
    return [
        colour
        for number, places in sorted(points.items())
        for colour in chromium.colours(kept.kept[shots[number].sha256], places)
    ]


def test_an_answer_that_scrolls_inside_is_pictured_from_its_first_to_its_last_line(
    chromium, replica, page
):
    chromium.run(answered(page, replica, "inner_scroller"))
    kept = Bytes()
    (shot,) = chromium.run(taker(page, kept).whole(ANSWER, SCROLLER))
    assert (shot.kind, shot.altered, shot.position) == (ScreenshotKind.FULL, None, 0)
    assert shot.size == jpeg_size(kept.kept[shot.sha256])
    # 6,000 px and a margin of 16 px above and below.
    assert shot.size == (320, 6_032)
    found = bands_of(chromium, kept, [shot], 6_000)
    assert [near(a, b) for a, b in zip(found, HUES, strict=True)] == [True] * 12


def test_a_longer_answer_comes_in_tiles_that_leave_nothing_out(chromium, replica, page):
    chromium.run(answered(page, replica, "inner_scroller_tiles"))
    kept = Bytes()
    shots = chromium.run(taker(page, kept).whole(ANSWER, SCROLLER))
    assert [shot.kind for shot in shots] == [ScreenshotKind.TILE] * 3
    assert [shot.position for shot in shots] == [0, 1, 2]
    assert [shot.size[1] for shot in shots] == [TILE, TILE, 30_032 - 2 * TILE]
    assert {shot.altered for shot in shots} == {
        "boxes that scroll were opened to their full height"
    }
    found = bands_of(chromium, kept, shots, 30_000)
    assert [near(a, b) for a, b in zip(found, HUES, strict=True)] == [True] * 12


@pytest.mark.parametrize("mode", ["normal", "inner_scroller_tiles", "shadow_dom"])
def test_the_page_is_afterwards_as_it_was(chromium, replica, page, mode):
    scroll = f"() => document.querySelector('{SCROLLER}').scrollTop"

    async def seen():
        return [await page.content(), page.viewport_size, await page.evaluate(scroll)]

    async def work():
        await answered(page, replica, mode)
        # As far down as the page goes, and typed into: a picture hides the caret.
        await page.evaluate(f"() => document.querySelector('{SCROLLER}').scrollTo(0, 300)")
        await page.focus('[data-part="prompt"]')
        before = await seen()
        own = taker(page, Bytes(), masks='[data-part="account"]')
        await own.viewport()
        await own.whole(ANSWER, SCROLLER)
        await own.panel("answer", ANSWER)
        assert await seen() == before
        assert await page.evaluate("() => document.adoptedStyleSheets.length") == 0

    chromium.run(work())


def test_an_element_that_is_cut_by_its_box_is_pictured_whole(chromium, page):
    html = (
        '<main style="height:100vh;overflow:auto"><div id="long" style="height:4000px;'
        'background:linear-gradient(#f00 50%,#00f 50%)"></div></main>'
    )

    async def work():
        await page.set_content(f'<body style="margin:0">{html}')
        return await taker(page, kept).panel("sources", "#long")

    kept = Bytes()
    shot = chromium.run(work())
    assert (shot.kind, shot.name) == (ScreenshotKind.PANEL, "sources")
    assert shot.size[1] >= 4_000
    top, bottom = chromium.colours(kept.kept[shot.sha256], [(300, 30), (300, 3_980)])
    assert near(top, (255, 0, 0))
    assert near(bottom, (0, 0, 255))


def test_a_panel_of_fixed_height_is_opened_and_that_is_told(chromium, page):
    rows = "".join(f"<p style='height:100px;margin:0'>{n}</p>" for n in range(30))
    html = f'<div id="box" style="position:fixed;top:0;height:200px;overflow:auto">{rows}</div>'

    async def work():
        await page.set_content(html)
        return await taker(page, Bytes()).panel("sources", "#box")

    shot = chromium.run(work())
    assert shot.size[1] >= 3_000
    assert shot.altered == "boxes that scroll were opened to their full height"


def test_bars_that_stick_to_the_edges_lie_over_no_line_of_the_answer(chromium, page):
    bar = "position:sticky;height:100px;background:#000"
    html = (
        f'<main style="height:100vh;overflow:auto"><div style="{bar};top:0"></div>'
        '<div id="answer" style="height:450px;background:#0f0"></div>'
        f'<div style="{bar};bottom:0"></div></main>'
    )

    async def work():
        await page.set_content(f'<body style="margin:0">{html}')
        return await taker(page, kept).whole("#answer", "main")

    kept = Bytes()
    (shot,) = chromium.run(work())
    places = [(300, at) for at in range(20, shot.size[1] - 20, 100)]
    assert shot.size[1] >= 450
    assert all(near(one, (0, 255, 0)) for one in chromium.colours(kept.kept[shot.sha256], places))


def test_a_page_that_scrolls_as_a_whole_is_pictured_whole(chromium, page):
    async def work():
        await page.set_content('<div id="a" style="height:5000px">long</div>')
        return await taker(page, Bytes()).whole("#a", None)

    (shot,) = chromium.run(work())
    assert shot.size[1] >= 5_000
    assert shot.altered is None


def test_content_that_waits_to_be_near_the_window_is_in_the_picture(chromium, page):
    html = (
        '<body style="margin:0"><main style="height:100vh;overflow:auto"><div id="a">'
        '<div style="height:3000px"></div><div id="late" style="height:500px"></div></div></main>'
        "<script>new IntersectionObserver((seen) => { if (seen.some((s) => s.isIntersecting)) "
        "document.getElementById('late').style.background = '#f0f' })"
        ".observe(document.getElementById('late'))</script>"
    )

    async def work():
        await page.set_content(html)
        return await taker(page, kept).whole("#a", "main")

    kept = Bytes()
    (shot,) = chromium.run(work())
    (colour,) = chromium.colours(kept.kept[shot.sha256], [(300, 3_300)])
    assert near(colour, (255, 0, 255))


def test_more_tiles_than_allowed_are_not_taken_and_the_last_says_so(chromium, page, monkeypatch):
    monkeypatch.setattr(pictures, "TILE", 500)
    monkeypatch.setattr(pictures, "MOST_TILES", 2)

    async def work():
        await page.set_content('<body style="margin:0"><div id="a" style="height:1600px"></div>')
        return await taker(page, Bytes()).whole("#a", None)

    first, second = chromium.run(work())
    assert (first.size[1], second.size[1]) == (500, 500)
    # The answer and a margin of 16 px below it; above it there is no room for one.
    assert (first.altered, second.altered) == (None, "616 px below are left out")


def test_a_picture_says_what_it_shows_of_what_and_when(chromium, replica, page):
    chromium.run(answered(page, replica, "normal"))
    kept = Bytes()
    shot = chromium.run(taker(page, kept).viewport())
    assert shot.kind is ScreenshotKind.VIEWPORT
    assert (shot.size, shot.viewport) == ((320, 500), (320, 500))
    assert (shot.browser, shot.locale, shot.taken_at) == ("Chromium 1", "en-GB", NOW)
    assert shot.url == page.url
    assert kept.kept[shot.sha256].startswith(b"\xff\xd8")
    assert chromium.run(taker(page, kept).barrier()).kind is ScreenshotKind.BARRIER


def test_the_page_as_mhtml_holds_its_words(chromium, replica, page):
    chromium.run(answered(page, replica, "normal"))
    kept = chromium.run(mhtml(page))
    assert kept.startswith(b"From: <Saved by Blink>")
    assert b"Wren buoy" in kept


def test_the_size_of_a_picture_is_read_from_its_header():
    # FF D8, a comment of 4 bytes, then SOF0: length 17, 8 bits, height 258, width 513.
    picture = b"\xff\xd8\xff\xfe\x00\x04ab\xff\xc0\x00\x11\x08\x01\x02\x02\x01" + bytes(12)
    assert jpeg_size(picture) == (513, 258)
    assert jpeg_size(b"\x89PNG") is None
    assert jpeg_size(picture[:12]) is None


def test_a_page_that_is_gone_is_an_error_and_nothing_hangs(chromium):
    page = chromium.page()
    chromium.close(page)

    async def work():
        async with asyncio.timeout(5):
            await taker_of_gone(page).whole("p", None)

    def taker_of_gone(page):
        return PictureTaker(page, Bytes(), Still(), "Chromium 1", (1280, 900), "en-GB")

    with pytest.raises(Exception, match="closed"):
        chromium.run(work())
