"""What surfaces share: sentences before marks, sightings, signs of citations nobody read."""

import pytest

from monitor.domain.engine import Placement, Reach, Role, Span, SpanKind
from monitor.engines.surfaces.leftovers import pill_leftover, token_leftover
from monitor.engines.surfaces.sightings import Sighting, gather_sightings
from monitor.engines.surfaces.text import coverage, page_text, sentence_before
from monitor.markup.shown import shown_in
from monitor.markup.trees import parse_html

ONE, TWO = "https://one.example/", "https://two.example/"


def tree(markup):
    found = parse_html(markup, full=True)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("text", "at", "span"),
    [
        ("One is. Two is.", 15, (8, 15)),
        ("One is. Two is.", 7, (0, 7)),
        ("One is.  ", 9, (0, 7)),
        ("One is.\nTwo", 11, (8, 11)),
        ("一つ。二つ。", 6, (3, 6)),
        ("Half of it", 4, (0, 4)),
        ("“One is.” Two", 13, (10, 13)),
        ("Words", 0, None),
        ("Words", 6, None),
        ("   ", 3, None),
        ("", 0, None),
    ],
)
def test_the_sentence_before_a_place(text, at, span):
    found = sentence_before(text, at)
    assert found == (span and Span(*span, SpanKind.CLAIM))


def test_a_tokens_words_stay_out_of_a_pages_text():
    root = tree(
        "<p>So \ue200cite\ue202turn0search0\ue201it \ue200url\ue202the page\ue202x\ue201.</p>"
    )
    text = page_text(root, shown=shown_in(root), is_mark=lambda _: False).text
    assert text == "So it the page."


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (
            "<p>Do:</p><pre><code>a = 1\n  b = 2\n\nc</code></pre>",
            "Do:\n\n```\na = 1\n  b = 2\n\nc\n```",
        ),
        ("<ul><li><p>One</p><p>more</p></li><li><p>Two</p></li></ul>", "- One\nmore\n- Two"),
        ("<h2>Head</h2><p>A  b</p><ol><li>c</ol>", "## Head\n\nA b\n\n- c"),
        (
            "<table><tr><th>x</th><th>y</th></tr><tr><td>1</td><td>2</td></tr></table>",
            "x | y\n1 | 2",
        ),
        ("<p>rates<b class=mark>site+1</b>. Next</p>", "rates. Next"),
    ],
)
def test_blocks_become_lines_and_labels_leave(markup, text):
    root = tree(f"<div>{markup}</div>")

    def is_mark(one):
        return one.get("class") == "mark"

    assert page_text(root, shown=shown_in(root), is_mark=is_mark).text == text


def test_coverage_is_the_part_of_the_visible_words_that_the_text_holds():
    root = tree("<div><p>12345</p><aside>67890</aside><b class=mark>label</b></div>")
    shown = shown_in(root)

    def is_mark(one):
        return one.get("class") == "mark"

    page = page_text(root, shown=shown, is_mark=is_mark, is_left_out=lambda one: one.tag == "aside")
    # 5 of 10 visible characters; the label of a mark is no word to cover.
    assert coverage(root, page, shown=shown, is_mark=is_mark) == 0.5
    hidden = tree("<div hidden>x</div>")
    nothing = page_text(hidden, shown=shown_in(hidden), is_mark=is_mark)
    assert coverage(hidden, nothing, shown=shown_in(hidden), is_mark=is_mark) is None


def test_the_strongest_role_of_an_address_counts_with_its_placement():
    early, late = Span(0, 3, SpanKind.CLAIM), Span(5, 9, SpanKind.CLAIM)
    shown = Placement(Reach.SHOWN, group=0)
    sightings = [
        Sighting(ONE, Role.LISTED, "Listed", placement=Placement(Reach.CLICK)),
        Sighting(TWO, Role.LISTED),
        Sighting(ONE, Role.DISPLAYED, span=late, placement=shown),
        Sighting(ONE, Role.DISPLAYED, span=early),
        Sighting(ONE, Role.DISPLAYED, span=early),
    ]
    first, second = gather_sightings(sightings)
    assert (first.role, first.marks, first.title) == (Role.DISPLAYED, 3, "Listed")
    assert (first.spans, first.placement) == ((early, late), shown)
    assert (second.url, second.role, second.marks) == (TWO, Role.LISTED, 0)


def test_two_spellings_of_an_address_are_one_where_the_surface_says_so():
    sightings = [Sighting(ONE + "?a", Role.LINK), Sighting(ONE, Role.LINK)]
    assert len(gather_sightings(sightings)) == 2
    (one,) = gather_sightings(sightings, address=lambda url: url.split("?")[0])
    assert (one.url, one.marks) == (ONE + "?a", 2)


@pytest.mark.parametrize(
    "text", ["【8†source】", "【1】", "a \ue200 b", "contentReference[oaicite:1]"]
)
def test_words_that_stand_for_a_citation_are_found(text):
    assert token_leftover(text) is not None


@pytest.mark.parametrize("text", ["【公告】新しい", "a [1] b", "5 † dagger", ""])
def test_other_words_are_left_alone(text):
    assert token_leftover(text) is None


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("<p>So<span>Alpha+1</span></p>", "Alpha+1"),
        ("<p>So<button><i>Alpha</i> + 2</button></p>", "Alpha + 2"),
        ("<p>So<span hidden>Alpha+1</span></p>", None),
        ("<p>So<span class=known><span>Alpha+1</span></span></p>", None),
        ("<p>It is UTC+1</p>", None),
        ("<span>3 + 2</span>", None),
        (f"<span>{'words ' * 20}+1</span>", None),
        ("<script>a+1</script>", None),
    ],
)  # fmt: skip
def test_small_labels_that_count_more_are_signs_of_pills(markup, found):
    root = tree(f"<div>{markup}</div>")
    known = {one for one in root.iter() if one.get("class") == "known"}
    assert pill_leftover(root, shown=shown_in(root), is_known=known.__contains__) == found
