"""What holds for every page: found by following links from the first one, and from the routes."""

import re
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import pytest

from tests.crawled import API, ASSETS, Crawl, crawled, named, query_names, read_routes
from tests.enriched import add_draft, add_labels, newest
from tests.unchanged import contents
from tests.web.conftest import asking, copied, over

NO_PAGE = "this-is-no-name-of-anything"
EVENTS = re.compile(r"^on[a-z]+$")
VOID_SCHEMES = ("javascript:", "data:", "vbscript:")


@pytest.fixture(scope="module")
def lived_in(made_demo, tmp_path_factory):
    """The application over a demo in which people label and draw up a baseline."""
    with over(copied(made_demo, tmp_path_factory.mktemp("lived-in"))) as (bench, app):
        add_labels(bench, newest(bench))
        add_draft(bench, newest(bench))
        app.state.before = contents(bench)
        yield app


@pytest.fixture
async def client(lived_in):
    async with asking(lived_in) as one:
        await named(one)
        yield one


@pytest.fixture(scope="module")
def walk(lived_in):
    """What following links finds; asked once."""
    kept: list[Crawl] = []

    async def crawl():
        if not kept:
            async with asking(lived_in, raising=False) as client:
                await named(client)
                kept.append(await crawled(client, lived_in))
        return kept[0]

    return crawl


async def test_no_link_leads_to_a_fault_or_nowhere(walk):
    found = await walk()
    broken = [
        (one.answer.status_code, one.address, one.linked_from)
        for one in found.visits.values()
        if one.answer.status_code >= 400
    ]
    assert (broken, found.nowhere) == ([], [])
    assert len(list(found.pages())) > 20


async def test_looking_at_every_page_leaves_the_store_as_it_is(walk, lived_in):
    await walk()
    desk = lived_in.state.desk
    desk.counting.get("after all", lambda: None, patience=300)
    assert contents(desk.bench) == lived_in.state.before


async def test_every_page_forbids_what_it_does_not_need(walk):
    for one in (await walk()).visits.values():
        headers = one.answer.headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy, one.address
        assert "unsafe-" not in policy, one.address
        assert headers["x-content-type-options"] == "nosniff", one.address


async def test_every_page_of_a_demo_says_once_that_it_is_fictional(walk):
    told = [len(one.tree.xpath("//p[@class='fictional']")) for one in (await walk()).pages()]
    assert set(told) == {1}


async def test_no_page_holds_code_style_or_assets_from_elsewhere(walk):
    for one in (await walk()).pages():
        tree, wrong = one.tree, []
        wrong += tree.xpath("//style | //script[not(@src)] | //iframe[not(@sandbox)] | //base")
        wrong += tree.xpath("//*[@style]")
        wrong += [e for e in tree.iter() for name in e.attrib if EVENTS.match(name)]
        loaded = [*tree.xpath("//@src"), *tree.xpath("//link/@href"), *tree.xpath("//@action")]
        wrong += [link for link in loaded if not link.startswith(("/", "?"))]
        wrong += [h for h in tree.xpath("//@href") if h.strip().lower().startswith(VOID_SCHEMES)]
        wrong += [
            a.get("href")
            for a in tree.xpath("//a[starts-with(@href, 'http')]")
            if not {"noopener", "noreferrer"} <= set((a.get("rel") or "").split())
        ]
        assert wrong == [], one.address


async def test_every_page_has_a_title_one_heading_and_names_for_its_controls(walk):
    for one in (await walk()).pages():
        tree = one.tree
        assert tree.findtext("head/title").strip(), one.address
        assert len(tree.xpath("//h1")) == 1, one.address
        ids = tree.xpath("//@id")
        assert [i for i in set(ids) if ids.count(i) > 1] == [], one.address
        named = set(tree.xpath("//label/@for"))
        nameless = [
            control.get("name")
            for control in tree.xpath(
                "//select | //textarea | //input[not(@type='hidden' or @type='submit')]"
            )
            if control.get("id") not in named
            and not control.xpath("ancestor::label")
            and not control.get("aria-label")
            and not control.get("aria-labelledby")
        ]
        assert nameless == [], one.address
        assert tree.xpath("//th[not(@scope)]") == [], one.address
        assert tree.xpath("//img[not(@alt)]") == [], one.address


async def test_every_page_has_its_twin_and_every_number_its_rows(walk, client):
    found = await walk()
    twins = {one.route: one for one in found.visits.values() if one.route.startswith("/api/")}
    leads: dict[tuple[str, str | None], str] = {}
    for one in twins.values():
        if one.answer.headers["content-type"] == "application/json":
            for number in numbers(one.answer.json()):
                if number["href"] is not None:
                    asked = dict(parse_qsl(urlsplit(number["href"]).query))
                    leads.setdefault((one.route, asked.get("measure")), number["href"])
    assert len(leads) > 15
    for address in leads.values():
        assert (await client.get(address)).status_code == 200, address


def numbers(told):
    """Every number component within a JSON value."""
    if isinstance(told, dict):
        if {"counts", "value_text", "href"} <= told.keys():
            yield told
        for inner in told.values():
            yield from numbers(inner)
    elif isinstance(told, list):
        for inner in told:
            yield from numbers(inner)


async def test_every_route_that_reads_is_reached_by_links(walk, lived_in):
    missed = set(read_routes(lived_in)) - (await walk()).routes() - ASSETS
    twinned = {f"{API}{one}{end}" for one in UNLINKED for end in ("", "/table.csv")}
    assert missed - UNLINKED - twinned == set()


UNLINKED = {
    "/health": "for supervisors",
    "/metrics": "for Prometheus",
    "/api/v1/openapi.json": "for programs",
    "/login": "where there are accounts",
    "/label/{plan}": "where somebody types it",
    "/runs": "where somebody types it",
    "/captures/{capture}/pictures/{sha256}": "where a browser captured",
    "/runs/{run}/progress": "while a run is under way",
    "/upload/{upload}": "once something was handed in",
    "/baselines/{panel}/differences": "once there are two versions",
}.keys()
"""Routes that no page of this store links to -> when one does."""


LONG = {"next"}
"""Parts of a query that hold a whole address."""


def filled(route, values):
    """An address of a route, its parameters by these values or the unknown one."""
    return re.sub(r"\{(\w+)(?::\w+)?\}", lambda m: quote(values.get(m[1], NO_PAGE), safe=""), route)


async def test_what_is_not_there_is_said_and_no_fault(client, lived_in):
    for path in read_routes(lived_in):
        if "{" in path:
            for value in (NO_PAGE, "999999999", "9" * 40, "-1", "%00", "a/b"):
                names = re.findall(r"\{(\w+)", path)
                address = filled(path, dict.fromkeys(names, value))
                got = await client.get(address)
                assert got.status_code in {404, 422}, (got.status_code, address)
                assert got.headers["x-content-type-options"] == "nosniff"


async def test_endless_filters_are_refused_and_late_pages_are_empty(client, lived_in, walk):
    found = await walk()
    for path, route in read_routes(lived_in).items():
        names = query_names(route)
        sample = next((v.address for v in found.visits.values() if v.route == path), None)
        if sample is None or not names:
            continue
        base, _, query = sample.partition("?")
        had = dict(parse_qsl(query))
        for name in sorted(names - LONG):
            long = await client.get(f"{base}?{urlencode(had | {name: 'x' * 5_000})}")
            assert long.status_code in {404, 422}, (long.status_code, base, name)
            assert name in long.text, (base, name)
        if "page" in names:
            late = await client.get(f"{base}?{urlencode(had | {'page': 1_000_000})}")
            assert late.status_code in {200, 404}, (late.status_code, base)
            assert late.status_code == 200 or "page" in late.text, base
