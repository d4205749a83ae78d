"""Account areas in a real Chromium: painted over whatever their boxes say, and nothing else is."""

from collections.abc import Iterator

import pytest

from tests.edges.test_pictures import near, taker
from tests.replica.chromium import Browsing, Bytes, browsing, real

pytestmark = [pytest.mark.browser, real]
GREY = (128, 128, 128)
RED = (255, 0, 0)
WHITE = (255, 255, 255)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browsing]:
    with browsing() as found:
        yield found


@pytest.fixture
def page(chromium):
    opened = chromium.page()
    yield opened
    chromium.close(opened)


def pictured(chromium, page, body, **masks):
    """The window of a page of ours, its bytes, and how many areas were painted over."""
    kept = Bytes()
    chromium.run(page.set_content(f"<style>body{{margin:0}}{STYLE}</style>{body}"))
    shot = chromium.run(taker(page, kept, **masks).viewport())
    return kept.kept[shot.sha256], shot.masked


STYLE = ".red{background:#f00;width:100px;height:100px}"
ACCOUNT = '<div class="red" id="me">Ada Madeup</div>'


def test_an_account_is_painted_over_and_the_rest_is_not(chromium, page):
    body = f'{ACCOUNT}<div class="red"></div>'
    bare, none = pictured(chromium, page, body)
    covered, one = pictured(chromium, page, body, masks="#me")
    assert (none, one) == (0, 1)
    places = [(2, 2), (50, 50), (90, 90), (50, 150)]
    assert all(near(c, RED) for c in chromium.colours(bare, [(90, 90), (50, 150)]))
    grey = chromium.colours(covered, places)
    assert [near(c, GREY) for c in grey] == [True, True, True, False]
    assert near(grey[3], RED)


def test_what_an_account_says_leaves_no_trace_in_the_picture(chromium, page):
    ada, _ = pictured(chromium, page, ACCOUNT, masks="#me")
    eve, _ = pictured(chromium, page, ACCOUNT.replace("Ada Madeup", "Eve Other"), masks="#me")
    shown, _ = pictured(chromium, page, ACCOUNT)
    assert ada == eve
    assert ada != shown


def test_a_box_of_no_height_hides_nothing_that_hangs_out_of_it(chromium, page):
    body = f'<div id="me" style="height:0">{ACCOUNT.replace(" id=", " title=")}</div>'
    picture, masked = pictured(chromium, page, body, masks="#me")
    assert masked == 1
    assert near(chromium.colours(picture, [(50, 50)])[0], GREY)


def test_an_area_without_a_box_of_its_own_is_painted_over(chromium, page):
    body = f'<div id="me" style="display:contents">name{ACCOUNT.replace(" id=", " title=")}</div>'
    picture, masked = pictured(chromium, page, body, masks="#me")
    assert masked == 1
    assert [near(c, GREY) for c in chromium.colours(picture, [(5, 8), (50, 60)])] == [True, True]


def test_what_an_area_clips_does_not_paint_over_the_answer(chromium, page):
    body = (
        '<div id="me" style="height:20px;overflow:hidden"><div class="red"></div></div>'
        '<div class="red">answer</div>'
    )
    picture, _ = pictured(chromium, page, body, masks="#me")
    assert [near(c, RED) for c in chromium.colours(picture, [(50, 10), (50, 70)])] == [False, True]


def test_a_dialog_on_top_of_all_is_painted_over_too(chromium, page):
    body = (
        '<dialog class="red" id="me" style="margin:0;border:0;padding:0">Ada</dialog>'
        "<script>me.showModal()</script>"
    )
    picture, masked = pictured(chromium, page, body, masks="#me")
    assert masked == 1
    assert near(chromium.colours(picture, [(90, 90)])[0], GREY)


def test_an_account_inside_a_shadow_tree_is_painted_over(chromium, page):
    body = (
        "<div id=host></div><script>host.attachShadow({mode:'open'}).innerHTML = "
        "'<div id=me style=\"width:100px;height:100px;background:red\">Ada</div>'</script>"
    )
    picture, masked = pictured(chromium, page, body, masks="#me")
    assert masked == 1
    assert near(chromium.colours(picture, [(50, 50)])[0], GREY)


def test_an_account_that_is_not_shown_is_not_counted(chromium, page):
    body = '<div class="red" id="me" style="visibility:hidden"></div><p id="me" hidden></p>'
    picture, masked = pictured(chromium, page, body, masks="#me")
    assert masked == 0
    assert near(chromium.colours(picture, [(50, 50)])[0], WHITE)


def test_an_account_beside_a_long_answer_is_painted_over_in_its_tile_alone(chromium, page):
    body = (
        '<style>body{margin:0}</style><main style="height:100vh;overflow:auto"><div id="a">'
        '<div style="height:13000px"></div><div id="me" style="height:100px;background:#f00">Ada'
        '</div><div style="height:10000px"></div></div></main>'
    )
    kept = Bytes()
    chromium.run(page.set_content(body))
    first, second = chromium.run(taker(page, kept, masks="#me").whole("#a", "main"))
    assert (first.masked, second.masked) == (0, 1)
    # The tiles begin 16 px above the answer where there is room; here there is none.
    places = [(150, 13_000 - 12_000 + 50), (150, 900)]
    found = chromium.colours(kept.kept[second.sha256], places)
    assert [near(c, GREY) for c in found] == [True, False]
