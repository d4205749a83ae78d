"""The page: self-contained, inert to hostile text, every link resolves, every number travels."""

import re
import time
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest

from monitor.domain.claim import Gap, GapKind, Support
from monitor.domain.engine import Cost, Role
from monitor.report.page import render_report
from monitor.report.view import ClaimView, PageView, QuoteView
from monitor.report.words import open_link, visible
from tests.unit.report.synthetic_report import FAMILIES, LABELS, NOTES, report, with_capture

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    '<a href="jav\tascript:alert(1)">x</a>',
    '"><script>alert(1)</script>',
    "{{ 7 * 7 }}{% raw %}",
    "</style></script><svg onload=alert(1)>",
)
VOID = {"meta", "br", "img", "link", "input", "hr"}


class Page(HTMLParser):
    """Tags with their attributes, ids, and whether every tag is closed in order."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.open, self.faults = [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append((tag, self.getpos()))

    def values(self, name):
        return [attrs[name] for _, attrs in self.tags if name in attrs]


@pytest.fixture(scope="module")
def view():
    return report(prompt_count=6, repeats=2)


@pytest.fixture(scope="module")
def html(view):
    return render_report(view)


@pytest.fixture(scope="module")
def page(html):
    return Page(html)


def hostile_view(view, text):
    """Every text that comes from outside replaced by one hostile text."""
    capture = view.captures[0]
    bad_page = PageView(
        1, text, text, text, text, capture.pages[0].grade, Role.DISPLAYED, 1, "ok", text, text, text
    )
    bad_statement = replace(
        capture.statements[0], text=text, reasons=(text,), chips=(1,),
        quote=QuoteView(1, text, 0, 3), gaps=(Gap(GapKind.NAME, 0, 3, text, text),),
        claims=(ClaimView(text, Support.FULL, (text,)), ClaimView(text, None)),
    )  # fmt: skip
    return with_capture(
        view, prompt_text=text, queries=(text,), warnings=(text,), served_model=text,
        judges=(text,),
        statements=(bad_statement,), pages=(bad_page,),
        sources=tuple(replace(s, key=text, url=text, reason=text) for s in capture.sources),
        claims=tuple(replace(c, text=text, evidence_page=None) for c in capture.claims),
    )  # fmt: skip


def test_the_page_asks_nothing_of_any_server(html, page):
    loaded = [a for t, a in page.tags if t in {"img", "script", "link", "iframe", "object"}]
    sources = [a["src"] for a in loaded if "src" in a]
    assert sources
    assert all(source.startswith("data:image/") for source in sources)
    assert not {t for t, _ in page.tags} & {"link", "iframe", "object", "embed", "form", "base"}
    assert not re.search(r"@import|url\((?!data:)", html)


def test_the_policy_allows_nothing_but_our_own_script(html):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)[1]
    assert unescape(policy).startswith("default-src 'none'; ")
    assert html.count("<script>") == 1
    assert html.index("Content-Security-Policy") < html.index("<style>")


def test_every_link_within_the_page_resolves(page):
    ids = page.values("id")
    inner = {href[1:] for href in page.values("href") if href.startswith("#")}
    assert inner <= set(ids)
    assert len(ids) == len(set(ids))


def test_every_tag_is_closed_in_order(page):
    assert page.faults == []
    assert page.open == []


def test_links_out_are_plain_web_addresses_without_a_way_back(page):
    out = [a for t, a in page.tags if t == "a" and not a["href"].startswith("#")]
    assert out
    assert all(a["href"].startswith(("https://", "http://")) for a in out)
    assert {a["rel"] for a in out} == {"noopener noreferrer nofollow"}


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_and_never_runs(view, page, text):
    bad = Page(render_report(hostile_view(view, text)))
    assert {t for t, _ in bad.tags} == {t for t, _ in page.tags}
    assert not [n for _, attrs in bad.tags for n in attrs if n.startswith("on")]
    assert not [h for h in bad.values("href") if "script:" in h]
    assert bad.faults == []


def test_hostile_text_stays_readable(view):
    html = render_report(hostile_view(view, HOSTILE[0]))
    assert "&lt;img src=x onerror=alert(1)&gt;" in html
    assert HOSTILE[0] not in html


def test_a_hostile_family_is_inert_in_table_and_chart(view):
    engine = view.engines[0]
    families = (replace(engine.card.families[0], family=HOSTILE[0]), *engine.card.families[1:])
    card = replace(engine.card, families=families)
    html = render_report(replace(view, engines=(replace(engine, card=card), *view.engines[1:])))
    assert HOSTILE[0] not in html
    assert "&lt;img src=x" in html


def test_direction_and_control_characters_are_made_visible(view):
    html = render_report(with_capture(view, prompt_text="a\u202eb\x00c\ud800d\x1b[1m\n"))
    assert "a[U+202E]b[U+0000]c[U+D800]d[U+001B][1m" in html
    html.encode("utf-8")


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)", "jav\tascript:alert(1)", "data:text/html,x", "//evil.example/",
        "/relative", "https://user:pw@evil.example/", "https:///x", "http://[bad", "ftp://a.example",
        "https://a.example/ b", "https://a.example\\@b.example", " https://a.example", None, "",
    ],
)  # fmt: skip
def test_only_plain_web_addresses_become_links(url):
    assert open_link(url) is None


def test_a_plain_web_address_is_kept_as_it_is():
    assert open_link("https://a.example/b?c=%20#d") == "https://a.example/b?c=%20#d"
    assert visible("é ‍ 漢\n") == "é ‍ 漢\n"


def test_every_number_of_the_matrix_opens_its_rows(view, page):
    ids = set(page.values("id"))
    wanted = {f"rows-{e.name}-{name}" for e in view.engines for name in NOTES}
    assert wanted <= ids
    assert {f"capture-{c.id}" for c in view.captures} <= ids


def test_counts_stand_before_every_percentage_of_the_matrix(html):
    matrix = html[html.index('<section id="matrix">') : html.index('<details id="measures">')]
    numbers = re.findall(
        r'class="number"[^>]*><b>([^<]+)</b> <span class="value">\(([^)]+)\)', matrix
    )
    assert len(numbers) > 60
    assert all(re.fullmatch(r"[\d.]+ of [\d.]+", counted) for counted, _ in numbers)


def test_undefined_is_words_with_a_reason(html):
    assert '<span class="none">not measured</span>' in html
    assert "the engine does not tell" in html
    assert not re.search(r">\s*(?:None|nan|NaN|null|inf)\s*<", html)


def test_every_chart_has_its_table(html):
    charts = len(re.findall(r'<figure class="(?:chart|panes)">', html))
    assert charts == len(LABELS)
    twins = re.findall(r'</figure>\s*<details class="twin" open><summary>Table: ', html)
    assert len(twins) == charts


def test_every_support_is_a_word_and_a_shape(html):
    for support, word in [
        ("full", "supported"),
        ("partial", "partly supported"),
        ("unsupported", "not supported"),
        ("contradicted", "contradicted"),
        ("not_assessable", "not assessable"),
    ]:
        assert f'<i class="shape {support}"></i>{word}' in html


def test_the_quote_is_marked_in_its_passage(html):
    assert "in Velmora <mark>must stop at 27 km/h</mark>. Bicycles" in html


def test_verdict_words_are_the_five_and_never_stable(html):
    words = set(re.findall(r'class="verdict v-[a-z-]+">([^<]+)<', html))
    assert words <= {
        "changed", "watch", "no clear change", "not enough data", "not comparable", "not compared",
    }  # fmt: skip
    assert "stable" not in html


def test_every_signature_stands_on_the_page(view, html):
    text = unescape(html)
    assert all(text.count(engine.card.signature) >= 3 for engine in view.engines)


def test_a_fictional_run_says_so_above_everything(view, html):
    assert html.index("<b>Fictional.</b>") < html.index('id="main"')
    assert "Fictional." not in render_report(replace(view, fictional=False))


def test_a_run_without_anything_still_renders(view):
    bare = report(prompt_count=3, engines=("openai",), repeats=1, compared=False)
    empty = replace(
        bare, captures=(), tallies={}, baseline=None, drawn_blind=None, overlaps=(), shared=(),
        bounded=(), skipped=(), trends=(), manifests=(), alerts=(),
    )  # fmt: skip
    html = render_report(empty)
    assert Page(html).faults == []
    assert "nothing to compare with yet" in html


def test_absent_values_of_a_capture_are_said_in_words(view):
    capture = view.captures[0]
    bare_page = replace(
        capture.pages[0], clean_url=None, title=None, family=None, copy_of=None, text_sha256=None
    )
    html = render_report(
        with_capture(
            view, asked_at=None, served_model=None, cost_micros=None, payloads=(("ab", None),),
            pages=(bare_page,), statements=(), claims=(), sources=(),
        )
    )  # fmt: skip
    assert "time not known" in html
    assert "HTTP status not known" in html
    assert "not resolved" in html


def test_a_picture_that_is_none_is_not_shown(view):
    shot = next(c for c in view.captures if c.screenshots).screenshots[0]
    html = render_report(with_capture(view, screenshots=(replace(shot, jpeg=b"<svg onload=x>"),)))
    assert "neither JPEG nor PNG" in html


def test_the_same_view_gives_the_same_bytes(view, html):
    assert render_report(view) == html


def test_families_are_named_in_every_engine_table(html):
    section = html[html.index('<section id="families">') : html.index('<section id="between">')]
    assert all(section.count(f">{family}</a>") >= 1 for family in FAMILIES)


def test_a_large_run_renders_quickly_and_small():
    # 4 engines x 38 prompts x 3 repeats = 456 captures
    large = report(prompt_count=38, compared=False)
    assert len(large.captures) == 456
    start = time.process_time()
    html = render_report(large)
    assert time.process_time() - start < 5
    assert len(html.encode("utf-8")) < 8_000_000


def test_the_edition_for_print_leaves_answers_out_and_names_the_file_that_has_them(view):
    printed = render_report(view, evidence_in="<b>synthetic</b>.html")
    page = Page(printed)
    assert not [i for i in page.values("id") if i.startswith(("capture-", "rows-", "cites-"))]
    assert "&lt;b&gt;synthetic&lt;/b&gt;.html" in printed
    assert "<script" not in printed
    assert page.faults == []
    assert {h[1:] for h in page.values("href") if h.startswith("#")} <= set(page.values("id"))


@pytest.mark.parametrize("level", ["0.01", "0.002"])
def test_what_alerts_are_held_to_is_said_as_the_rules_have_it(view, level):
    html = render_report(replace(view, strict_level=float(level)))
    plain = " ".join(unescape(html).split())
    assert "stricter rule than what stands here" not in plain
    assert f"several earlier runs pooled to an adjusted p of at most {level}" in plain
    assert "that the settings do not name (<code>alerts.measures</code>) are never told" in plain


def test_the_edition_for_print_names_the_command_that_writes_the_very_file(view):
    plain = unescape(render_report(view, evidence_in="synthetic.html"))
    assert f"<code>monitor report {view.run}</code> writes" in plain
    chosen = unescape(render_report(view, evidence_in="my report.html", is_named=True))
    assert f"<code>monitor report {view.run} --out 'my report.html'</code> writes" in chosen


def test_the_edition_for_print_opens_what_is_folded_but_signatures(view):
    folded = [a for t, a in Page(render_report(view, evidence_in="a.html")).tags if t == "details"]
    assert len(folded) > len(LABELS)
    assert {a.get("class") for a in folded if "open" not in a} <= {"signatures"}


def test_the_edition_for_print_shows_the_same_numbers(view, html):
    # Whatever the matrix says, number by number, with and without its ways to the rows.
    def matrix(page):
        return re.findall(r"<b>([\d.]+ of [\d.]+)</b>", page[page.index('<section id="matrix">') :])

    printed = matrix(render_report(view, evidence_in="a.html"))
    assert len(printed) > 60
    assert printed == matrix(html)[: len(printed)]


def test_the_appendix_has_every_signature_seed_and_hash(view):
    printed = unescape(render_report(view, evidence_in="a.html"))
    appendix = printed[printed.index('<section id="appendix">') :]
    for engine in view.engines:
        assert {engine.card.signature, engine.before.signature} <= set(
            re.findall(r"<code>([^<]+)</code>", appendix)
        )
        assert f"seed:{engine.comparison.seed}" in appendix
    assert "cd" * 32 in appendix
    asked = [c for c in view.captures if c.slot == view.slot]
    assert asked
    assert all(sha in appendix for c in asked for sha, _ in c.payloads)


def test_a_note_says_what_interval_bounds_and_p_mean_and_where_false_alarms_are_measured(html):
    note = html[html.index('<section id="uncertainty">') : html.index('<section id="gaps">')]
    for word in ("Interval", "Bounds", "p and adjusted p", "False alarms", "docs/statistics.md"):
        assert word in note


def test_a_long_table_is_cut_on_paper_and_says_where_the_rest_is():
    # 120 prompts: 100 rows on paper in each of two tables, 20 more in the HTML report.
    long = report(prompt_count=120, engines=("openai",), repeats=1, compared=False)
    printed = render_report(long, evidence_in="a.html")
    assert printed.count("20 more prompts stand in the HTML report.") == 2
    assert "more prompts stand" not in render_report(long)
    assert "prompt-119" in render_report(long)


def test_many_engines_stand_in_tables_that_fit_a_sheet(view):
    many = replace(view, engines=tuple(replace(view.engines[0], name=f"e{n}") for n in range(7)))
    printed = render_report(many, evidence_in="a.html")
    matrix = printed[
        printed.index('<section id="matrix">') : printed.index('<section id="families">')
    ]
    heads = re.findall(r"<thead>.*?</thead>", matrix)
    assert [head.count('class="engine"') for head in heads] == [5, 2]
    assert render_report(many).count('<table class="fold matrix">') == 1


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"counted": Cost(14_930, basis="priced")}, "cost: 0.014930 USD, by list price"),
        ({"counted": Cost(6_200)}, "cost: 0.006200 USD, told by the engine"),
        ({"counted": None, "cost_micros": None}, "cost: nothing was counted"),
    ],
)
def test_a_capture_tells_what_it_was_counted_at_and_who_says_so(view, more, words):
    assert words in render_report(with_capture(view, **more))
