"""Pages as inert HTML in a real Chromium: what was visible is told, what runs is left out."""

from collections.abc import Iterator
from datetime import date
from urllib.parse import quote

import pytest

from monitor.capture import snapshot
from monitor.capture.live.looking import Eyes
from monitor.domain.engine import Role
from monitor.domain.turn import Document, Form, Panel
from monitor.engines.surfaces.selectors import Selector, Selectors
from monitor.markup.shown import is_asked, shown_in
from monitor.markup.trees import parse_html
from tests.replica import answers
from tests.replica.chromium import Browsing, browsing, real
from tests.replica.modes import MODES, Times
from tests.replica.server import Replica
from tests.replica.surface import known_replica, replica_turns

pytestmark = [pytest.mark.browser, real]

DAY = date(2026, 11, 1)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browsing]:
    with browsing() as found:
        yield found


@pytest.fixture(scope="module")
def page(chromium):
    opened = chromium.page()
    yield opened
    chromium.close(opened)


@pytest.fixture(scope="module")
def replica() -> Iterator[Replica]:
    with Replica(times=Times(step=0, pause=0, gap=0)) as server:
        yield server


def taken(chromium, page, html, css=None):
    chromium.run(page.set_content(html))
    return chromium.run(snapshot.take(page, css))


def seen_words(found):
    """Words of a snapshot that count as shown, by the reader of snapshots."""
    tree = parse_html(found.html, full=True)
    shown = shown_in(tree)
    assert is_asked(tree)
    words = []
    for element in tree.iter():
        parent = element.getparent()
        words += [element.text] if isinstance(element.tag, str) and shown(element) else []
        words += [element.tail] if parent is not None and shown(parent) else []
    return " ".join(" ".join(filter(None, words)).split())


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ('<p>a</p><p style="display:none">b</p>', "a"),
        ("<p>a</p><p hidden>b</p>", "a"),
        # A chip that is hidden has a box all the same.
        ('<p>a</p><button style="visibility:hidden">b</button>', "a"),
        ('<p>a</p><div style="opacity:0"><i>b</i></div>', "a"),
        ('<p style="visibility:hidden">b<b style="visibility:visible">a</b>c</p>', "a"),
        ('<div style="display:contents">a<i>b</i></div>', "a b"),
        ("<details><summary>a</summary>b<p>c</p></details>", "a"),
        ("<details open><summary>a</summary>b</details>", "a b"),
        ('<i style="position:absolute;width:1px;height:1px;overflow:hidden">b</i>a', "a"),
        ('<div style="height:0;overflow:hidden"><p>b</p></div>a', "a"),
        ('<div style="content-visibility:hidden"><p>b</p></div>a', "a"),
        # Further down the page is no hiding place.
        ('<div style="height:3000px">a</div><div style="content-visibility:auto">b</div>', "a b"),
        ("<div popover>b</div><dialog>c</dialog>a", "a"),
    ],
)
def test_what_a_reader_does_not_see_does_not_count(chromium, page, html, words):
    assert seen_words(taken(chromium, page, html)) == words


def test_nothing_that_runs_or_styles_or_hides_a_secret_is_kept(chromium, page):
    found = taken(
        chromium,
        page,
        "<style>p{color:red}</style><script>var a</script><p onclick=\"x()\" style='color:red' "
        "data-x='1'>words</p><a href=' javascript:x()' title=t>l</a><noscript>n</noscript>"
        "<template>t</template><input type=hidden value=token><input type=password value=pass>"
        "<input value=said><iframe srcdoc='<b>f</b>'></iframe><img src='data:image/png;base64,x'>"
        "<!-- a note -->",
    )
    assert found.html == (
        '<html><body data-monitor-asked=""><p data-x="1">words</p><a title="t">l</a>'
        '<input type="hidden" data-monitor-hidden=""><input type="password"><input value="said">'
        "<iframe></iframe><img><!-- a note --></body></html>"
    )


def test_the_language_of_the_page_is_kept(chromium, page):
    found = taken(chromium, page, "<!doctype html><html lang='de\"&'><p>a</p></html>")
    tree = parse_html(found.html, full=True)
    assert tree.get("lang") == 'de"&'
    assert is_asked(tree)


def test_the_page_is_not_touched(chromium, page):
    html = "<div id=a><p hidden>x</p><script>var b</script></div>"
    chromium.run(page.set_content(html))
    before = chromium.run(page.content())
    chromium.run(snapshot.take(page, None))
    chromium.run(snapshot.take(page, "p"))
    assert chromium.run(page.content()) == before


def test_a_page_cannot_pretend_that_the_browser_was_asked(chromium, page):
    found = taken(chromium, page, "<p data-monitor-hidden data-monitor-asked>seen</p>", "p")
    assert found.html == '<p data-monitor-asked="">seen</p>'
    # Nor that something inside what is hidden was seen.
    hides = '<p>seen <b style="display:none"><i data-monitor-shown>not</i></b></p>'
    assert "data-monitor-shown" not in taken(chromium, page, hides, "p").html


@pytest.mark.parametrize(
    "forged",
    [
        # Made by scripts: no parser would make these trees, and none gives them back.
        "e = document.createComment('--><p>forged</p>')",
        "e = document.createComment('--!><p>forged</p>')",
        "e = document.createComment('><p>forged</p>'); document.body.append(make('b', 'a'))",
        "e = document.createComment('-><p>forged</p>'); document.body.append(make('b', 'a'))",
        "e = make('xmp', '</xmp><p>forged</p>', true)",
        "e = make('plaintext', 'not', true)",
        "e = make('noembed', '</noembed><p>forged</p>')",
        "e = make('noframes', '</noframes><p>forged</p>')",
        "e = make('textarea', '</textarea><p>forged</p>', true)",
        "e = make('table', 'forged', true)",
        "e = make('p', '', true); e.append(make('div', 'not'), 'forged')",
        "e = make('a', '', true); e.append(make('a', 'not'), 'forged')",
        "e = make('h1', '', true); e.append(make('p', 'not'), 'forged')",
        "e = make('button', '', true); e.append(make('button', 'not'), 'forged')",
        "e = make('form', '', true); e.append(make('form', 'not'), 'forged', make('i', 'not'))",
        "e = make('ul', '', true); e.append(make('li', 'not'), 'forged')",
    ],
)
def test_no_tree_that_scripts_make_shows_words_that_nobody_saw(chromium, page, forged):
    make = (
        "const make = (name, text, gone) => { const e = document.createElement(name); "
        "e.append(text); if (gone) e.style.display = 'none'; return e; }; let e;"
    )
    html = f"<p>a</p><script>{{{make}{forged}; document.body.append(e, make('p', 'c'))}}</script>"
    found = taken(chromium, page, html)
    assert seen_words(found) in {"a c", "a a c"}
    assert found.text.split() in (["a", "c"], ["a", "a", "c"])


def test_words_of_what_is_not_drawn_are_no_words_of_the_page(chromium, page):
    assert taken(chromium, page, "<p style='display:none'>b</p>", "p").text == ""


def test_a_page_that_changes_what_scripts_call_is_not_believed(chromium, page):
    lies = """<script>
      Element.prototype.checkVisibility = () => true;
      window.getComputedStyle = () => ({ display: "block", visibility: "visible" });
      Element.prototype.getClientRects = () => [{ width: 9, height: 9 }];
      Object.defineProperty(HTMLElement.prototype, "innerText", { get: () => "forged" });
      Array.prototype.filter = Array.prototype.map = () => [];
      JSON.stringify = () => "{}";
    </script>"""
    html = f'{lies}<main>a<p style="display:none" class="captcha">b</p></main>'
    opened = chromium.page()
    try:
        found = taken(chromium, opened, html, "main")
        assert (seen_words(found), found.text) == ("a", "a")
        walls = Selectors("s", (Selector("captcha", ".captcha", DAY, "own", "high"),), None, "1")
        assert chromium.run(Eyes(opened, walls).look()).walls == ()
    finally:
        chromium.close(opened)


def test_a_form_whose_fields_are_named_like_what_is_asked_hides_nothing(chromium, page):
    names = ("shadowRoot", "childNodes", "attributes", "localName", "checkVisibility", "nodeType",
             "children", "parentNode", "matches", "getBoundingClientRect")  # fmt: skip
    fields = "".join(f"<input name={one}>" for one in names)
    found = taken(chromium, page, f"<form id=f>a<b hidden>b</b>{fields}</form>")
    assert '<form id="f">a<b hidden="" data-monitor-hidden="">b</b><input ' in found.html
    walls = Selectors("s", (Selector("captcha", "form b", DAY, "own", "high"),), None, "1")
    assert chromium.run(Eyes(page, walls).look()).walls == ()


def test_shadow_trees_stand_where_they_are_shown(chromium, page):
    found = taken(
        chromium,
        page,
        "<div id=host><i slot=end>light</i><b>not given a place</b></div><script>const inner = "
        "host.attachShadow({mode:'open'}); inner.innerHTML = '<style>b{color:red}</style><p>first"
        "</p><p id=inner></p><slot name=end>instead</slot><slot name=none>fallback</slot>'; "
        "inner.getElementById('inner').attachShadow({mode:'open'}).innerHTML = '<u>deep</u>';"
        "</script>",
        "#host",
    )
    assert found.html == (
        '<div id="host" data-monitor-asked=""><p>first</p><p id="inner"><u>deep</u></p>'
        '<slot name="end"><i slot="end">light</i></slot><slot name="none">fallback</slot></div>'
    )
    assert found.text.split() == ["first", "deep", "light", "fallback"] or found.text.split() == [
        "first", "deep", "lightfallback"
    ]  # fmt: skip
    inside = chromium.run(snapshot.take(page, "u"))
    assert (inside.html, inside.text) == ('<u data-monitor-asked="">deep</u>', "deep")


def test_several_parts_come_in_order_and_none_twice(chromium, page):
    found = taken(chromium, page, "<p>a<i class=x>b</i></p><p>c</p>", "p, .x")
    assert found.html == (
        '<p data-monitor-asked="">a<i class="x">b</i></p>\n<p data-monitor-asked="">c</p>'
    )
    assert found.text == "ab\nc"
    nothing = taken(chromium, page, "<p>a</p>", "main")
    assert nothing == snapshot.PageSnapshot("", "", 0, 0)


def test_folded_text_shows_as_a_gap_between_what_is_there_and_what_is_shown(chromium, page):
    # 5 + 1 code points shown of 5 + 1 + 8; the line break between them is a space.
    found = taken(chromium, page, "<p>shown</p>\n<p hidden>not seen</p>\n<p>\U0001f600</p>", "body")
    assert (found.rendered_chars, found.dom_chars) == (7, 16)


def test_a_page_too_long_is_cut_and_says_so(chromium, page, monkeypatch):
    monkeypatch.setattr(snapshot, "MOST_CHARACTERS", 1_000)
    found = taken(chromium, page, "<p>word</p>" * 1_000)
    assert found.cut
    assert len(found.html) < 1_500
    assert not taken(chromium, page, "<p>word</p>").cut


def test_broken_characters_do_not_stop_the_record(chromium, page):
    chromium.run(page.set_content("<p></p>"))
    chromium.run(page.evaluate("() => document.querySelector('p').append('a\\ud800b')"))
    found = chromium.run(snapshot.take(page, "p"))
    assert found.text.encode() == "a\ufffdb".encode()
    assert found.html.encode().decode() == '<p data-monitor-asked="">a\ufffdb</p>'


@pytest.mark.parametrize(
    "mode",
    ["normal", "shadow_dom", "hidden_chips", "mixed_pills", "plus_two_pill", "deferred_overview"],
)
def test_a_snapshot_of_the_replica_reads_as_its_modes_say(chromium, page, replica, mode):
    async def work():
        await page.goto(f"{replica.at(mode)}&q={quote(answers.PROMPT)}")
        await page.wait_for_selector('[data-part="copy"]')
        found = await snapshot.take(page, None)
        panels = ()
        if await page.locator('[data-part="sources-button"]').count():
            await page.click('[data-part="sources-button"]')
            opened = await snapshot.take(page, '[data-part="sources-panel"]')
            panels = (Panel("sources", opened.html),)
        return Document(found.html.encode(), Form.DOM, page.url, panels)

    document = chromium.run(work())
    with known_replica():
        (turn,) = replica_turns(document)
    expected, reading = MODES[mode].expected, turn.reading
    counts = {role: [c for c in reading.citations if c.role is role] for role in Role}
    assert reading.outcome is expected.outcome
    assert reading.text == expected.text
    assert turn.prompt == answers.PROMPT
    assert len(counts[Role.DISPLAYED]) == expected.displayed
    assert sum(one.marks for one in counts[Role.DISPLAYED]) == expected.marks
    assert len(counts[Role.LISTED]) == expected.listed
    assert len(counts[Role.LINK]) == expected.links
    assert reading.hidden_citations == expected.hidden
    assert turn.layout.in_document == expected.in_document
    assert turn.layout.shown == expected.marks
