"""Checks of pages over the wire: loopback sites and fakes, nothing private is ever connected to."""

import asyncio
from unittest.mock import patch

import pytest

from monitor.config.parts import StorePart
from monitor.config.settings import Settings
from monitor.domain.eligibility import Because, Qualifier, Rendering, RobotsState, Standing
from monitor.domain.page import FetchStatus
from monitor.pages.robots import parse_robots
from monitor.pipeline.bench import open_bench
from monitor.pipeline.checking import panel_named
from monitor.pipeline.eligibility import check_eligibility, ruling_on_the_way
from monitor.store import eligibility as store
from tests.edges.pages_site import FakeConnector, FakeResolver, fetcher, http, names, page, site
from tests.eligible import FILLER, TEXT, baseline, html, oak_site, write_panel

PUBLIC = "93.184.216.34"


@pytest.fixture(scope="module")
def oaks():
    with oak_site() as running:
        yield running


@pytest.fixture
def checked(oaks, tmp_path):
    """Checks of pages, by path; `pages` are put on the site first. No scripts are run."""
    kept = dict(oaks.pages)

    def check(*urls, pages=None, more="", limit=None, rounds=1):
        oaks.pages.update(pages or {})
        oaks.asked.clear()
        config = write_panel(tmp_path, oaks, baseline(*urls, more=more))
        with open_bench(settings_of(config, oaks)) as bench:
            files = panel_named("oaks", bench.settings)
            for _ in range(rounds):
                found = check_eligibility(bench, files, limit=limit, render=False)
        return found

    yield check
    oaks.pages.clear()
    oaks.pages.update(kept)


def settings_of(config, oaks):
    folder = config.parent
    place = StorePart(database=f"sqlite:///{folder}/m.db", artifacts=f"{folder}/artifacts")
    return Settings(store=place, panels=str(folder / "panels"), sandbox=oaks.settings)


def only(found):
    (one,) = found.checks.values()
    return one


def standing_of(found, engine):
    stood = next(one for one in found.engines if one.engine == engine).stood
    return [(state.standing.value, *state.reasons) for _, state in stood]


def test_a_page_is_asked_for_once_and_its_robots_file_once_an_origin(checked, oaks):
    found = checked("/plain", "/long")
    assert sorted(oaks.asked) == ["/long", "/plain", "/robots.txt"]
    assert oaks.agents == {one.own_agent for one in found.checks.values()}
    assert {one.fetch_status for one in found.checks.values()} == {FetchStatus.OK}


def test_a_page_that_we_may_not_fetch_is_not_asked_for_and_its_rulings_stand(checked, oaks):
    found = checked("/closed/oaks")
    assert oaks.asked == ["/robots.txt"]
    one = only(found)
    assert (one.fetch_status, one.page, one.passages) == (FetchStatus.ROBOTS, None, ())
    ruling = one.ruling("PerplexityBot")
    assert (ruling.allowed, ruling.group, ruling.line, ruling.rule) == (
        False, "*", 3, "Disallow: /closed/",
    )  # fmt: skip
    assert standing_of(found, "perplexity") == [("not_eligible", "robots")]
    # The file names OAI-SearchBot, whose own group says nothing of this folder.
    assert standing_of(found, "openai") == [("not_assessable", "robots")]


@pytest.mark.parametrize(
    ("status", "state", "expected"),
    [
        (404, RobotsState.ABSENT, "eligible"),
        (403, RobotsState.ABSENT, "eligible"),
        (500, RobotsState.SERVER_ERROR, "not_eligible"),
        (503, RobotsState.SERVER_ERROR, "not_eligible"),
        (429, RobotsState.RATE_LIMITED, "not_assessable"),
    ],
)
def test_the_status_of_a_robots_file_decides(checked, status, state, expected):
    found = checked("/plain", pages={"/robots.txt": (status, "text/plain", "no", {})})
    assert only(found).robots is state
    assert standing_of(found, "openai")[0][0] == expected


def test_the_best_passage_has_its_place_its_support_and_its_qualifier(checked):
    found = checked("/long", pages={"/long": (200, "text/html", html(FILLER + " " + TEXT), {})})
    frost = next(one for one in only(found).passages if one.claim_id == "frost")
    assert "late frost unless they are covered" in frost.text
    assert (frost.support, frost.qualifier) == ("full", Qualifier.INSIDE)
    # 30 sentences of 15 words stand before the text. Seven make a passage of 105; the fifth
    # passage begins with the last two of them.
    assert frost.word_offset == 4 * 7 * 15
    words = only(found).page.words
    assert frost.share_before == pytest.approx(frost.word_offset / words)
    assert frost.without_scripts is None
    pace = next(one for one in only(found).passages if one.claim_id == "pace")
    assert pace.qualifier is Qualifier.NONE


def test_a_publisher_without_a_page_is_not_assessable_and_its_home_is_not_asked_for(checked, oaks):
    found = checked("/plain", more="      - {family: trees.example, grade: required, reason: x}\n")
    assert standing_of(found, "openai") == [("eligible",), ("not_assessable", "family_item")]
    rate = found.engines[0].rate
    assert (rate.hits, rate.total, rate.not_assessable) == (1, 1, {"family_item": 1})
    assert "/" not in oaks.asked


def test_a_limit_looks_at_pages_never_seen_first_and_keeps_the_newest_check(checked, oaks):
    found = checked("/plain", "/long", "/noindex", limit=2, rounds=1)
    assert (found.checked, len(found.checks)) == (2, 2)
    assert found.engines[0].rate.not_assessable == {"not_checked": 1}
    assert [stood[1].standing for stood in found.engines[0].stood][2] is Standing.NOT_ASSESSABLE


def test_every_check_is_kept_and_the_newest_counts(oaks, tmp_path):
    config = write_panel(tmp_path, oaks, baseline("/turn"))
    plain, told = (200, "text/html", html(), {}), {"X-Robots-Tag": "noindex"}
    with open_bench(settings_of(config, oaks)) as bench:
        files = panel_named("oaks", bench.settings)
        for headers in ({}, told):
            oaks.pages["/turn"] = (*plain[:3], headers)
            found = check_eligibility(bench, files, render=False)
        rows = bench.read(lambda c: c.execute(store.eligibility.select()).all())
    assert standing_of(found, "openai") == [("not_eligible", "noindex")]
    assert [row.panel for row in rows] == ["oaks", "oaks"]


def test_a_panel_without_a_browser_says_so(checked):
    assert only(checked("/plain")).page.rendering is Rendering.NOT_WANTED


@pytest.mark.timeout(60)
async def test_ten_megabytes_of_robots_are_read_to_a_half_and_in_a_moment():
    line = b"Disallow: /a\n"
    body = b"User-agent: *\n" + line * (10_000_000 // len(line)) + b"Disallow: /\n"
    async with (
        site({"/robots.txt": http(200, body), "/x": page()}) as running,
        fetcher(hosts=names(running.port), respect_robots=True) as fetching,
    ):
        robots = await fetching.robots("http://site.example/x")
    assert robots.is_cut
    assert robots.allows("bot", "/x")
    assert not robots.allows("bot", "/a")


@pytest.mark.parametrize(
    "target", ["http://10.0.0.1/", "http://169.254.169.254/latest", "//[::1]/"]
)
async def test_a_redirect_to_a_private_address_is_refused_and_no_connect_is_made(target, tmp_path):
    answer = http(302, Location=target)
    connector = FakeConnector(answer)
    resolver = FakeResolver({"oaks.com": [(PUBLIC,)]})
    text = baseline("/a").replace("oaks.example", "oaks.com")
    with oak_site() as running:
        config = write_panel(tmp_path, running, text)
        found = await asyncio.to_thread(checks_with, config, running, resolver, connector)
    one = only(found)
    assert one.fetch_status is FetchStatus.BLOCKED_ADDRESS
    assert standing_of(found, "openai") == [("not_assessable", "blocked_address")]
    assert {ip for ip, _ in connector.connects} == {PUBLIC}


def checks_with(config, running, resolver, connector):
    """Checks through a fetcher with fakes for names and connections."""
    made = fetcher(resolver=resolver, connector=connector, respect_robots=True)
    with (
        patch("monitor.pipeline.eligibility.guarded_fetcher", return_value=made),
        open_bench(settings_of(config, running)) as bench,
    ):
        return check_eligibility(bench, panel_named("oaks", bench.settings), render=False)


async def test_a_site_that_does_not_answer_is_not_assessable_though_the_rules_forbid_all(tmp_path):
    connector = FakeConnector(None)
    resolver = FakeResolver({"oaks.com": [(PUBLIC,)]})
    text = baseline("/a").replace("oaks.example", "oaks.com")
    with oak_site() as running:
        config = write_panel(tmp_path, running, text)
        found = await asyncio.to_thread(checks_with, config, running, resolver, connector)
    one = only(found)
    assert one.robots is RobotsState.UNREACHABLE
    assert one.ruling("OAI-SearchBot").because is Because.UNREACHABLE
    assert not one.ruling("OAI-SearchBot").allowed
    assert standing_of(found, "openai") == [("not_assessable", "robots_unreachable", "unreachable")]


def test_a_redirect_is_ruled_on_at_every_hop():
    """The second host forbids what the first allows: the crawler is kept out at that hop."""
    rules = [
        ("https://a.example/x", parse_robots("User-agent: *\nAllow: /")),
        ("https://b.example/y", parse_robots("User-agent: bot\nDisallow: /y")),
        ("https://c.example/z", parse_robots("")),
    ]
    assert ruling_on_the_way("bot", rules).url == "https://b.example/y"
    assert not ruling_on_the_way("bot", rules).allowed
    assert ruling_on_the_way("other", rules).url == "https://c.example/z"


async def test_headers_for_crawlers_are_kept_and_no_others():
    head = {"X_Robots_Tag": "noindex", "Link": "</b>; rel=canonical", "Set_Cookie": "a=b"}
    scripts = {"/x": http(200, b"<p>x</p>", Content_Type="text/html", **head)}
    async with site(scripts) as running, fetcher(hosts=names(running.port)) as fetching:
        got = await fetching.fetch("http://site.example/x")
    assert got.headers == (("x-robots-tag", "noindex"), ("link", "</b>; rel=canonical"))
