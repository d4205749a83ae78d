"""S11-S14 and manners: bombs, drips, truncation, redirects, robots, over loopback servers."""

import asyncio
import gzip
import random
import time
import tracemalloc

import pytest

from monitor.domain.page import FetchStatus
from monitor.pages.fetch import Caps
from tests.edges.pages_site import FakeConnector, FakeResolver, fetcher, http, names, page, site

HTML = {"Content_Type": "text/html; charset=utf-8"}


async def fetch(scripts, url="http://site.example/", **settings):
    async with site(scripts) as running, fetcher(names(running.port), **settings) as fetching:
        return await fetching.fetch(url), running


async def status_of(answer, **settings):
    return (await fetch({"/": answer}, **settings))[0].status


async def test_a_page_is_kept_as_received():
    body = "<p>Grüße</p>".encode("latin-1")
    got, running = await fetch({"/": http(200, body, Content_Type='Text/HTML; charset="latin-1"')})
    assert (got.status, got.body, got.http_status) == (FetchStatus.OK, body, 200)
    assert (got.media_type, got.charset) == ("text/html", "latin-1")
    assert (got.final_url, got.hops) == ("http://site.example/", ("http://site.example/",))
    assert "accept-encoding: gzip, identity" in running.heads[0].lower()
    assert "host: site.example\r\n" in running.heads[0].lower()


async def test_gzip_is_decoded_members_and_padding_included():
    body = gzip.compress(b"<p>one") + gzip.compress(b" two</p>") + b"\x00" * 10
    got, _ = await fetch({"/": http(200, body, Content_Encoding="x-gzip", **HTML)})
    assert (got.status, got.body) == (FetchStatus.OK, b"<p>one two</p>")


async def test_a_gzip_bomb_is_too_large_and_never_unfolds():
    bomb = gzip.compress(b"\x00" * (64 * 1024 * 1024), 9)
    tracemalloc.start()
    status = await status_of(http(200, bomb, Content_Encoding="gzip", **HTML))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert status is FetchStatus.TOO_LARGE
    assert peak < 15 * 1024 * 1024


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "deflate", "compress", "gzip,br"])
async def test_other_and_stacked_encodings_are_refused(coding):
    status = await status_of(http(200, b"x" * 809, Content_Encoding=coding, **HTML))
    assert status is FetchStatus.UNSUPPORTED_ENCODING


async def test_a_body_that_only_claims_gzip_is_refused():
    status = await status_of(http(200, b"<p>plain</p>", Content_Encoding="gzip", **HTML))
    assert status is FetchStatus.UNSUPPORTED_ENCODING


async def test_a_body_over_the_cap_is_too_large_with_and_without_a_length():
    caps = Caps(max_bytes=1000, total_seconds=3.0)
    told = await status_of(http(200, b"x" * 1001, **HTML), caps=caps)
    untold = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + b"x" * 200_000
    assert (told, await status_of(untold, caps=caps)) == (FetchStatus.TOO_LARGE,) * 2
    assert await status_of(http(200, b"x" * 1000, **HTML), caps=caps) is FetchStatus.OK


async def drip(writer):
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    while not writer.is_closing():
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.05)


async def test_a_drip_ends_at_the_total_deadline_and_delays_nobody():
    caps = Caps(total_seconds=0.5)
    async with (
        site({"/": drip, "/page": page()}) as running,
        fetcher(names(running.port), caps=caps) as fetching,
    ):
        started = time.monotonic()
        slow = asyncio.create_task(fetching.fetch("http://site.example/"))
        other = await fetching.fetch("http://site.example/page")
        between = time.monotonic() - started
        got = await slow
        took = time.monotonic() - started
    assert (got.status, other.status) == (FetchStatus.TIMEOUT_TOTAL, FetchStatus.OK)
    assert between < 0.4
    assert took < 2.0


TRUNCATED = {
    "length": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<p>ab",
    "chunk": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n<p>",
    "gzip": http(200, gzip.compress(b"<p>" + bytes(range(256)) * 9)[:-20], Content_Encoding="gzip", **HTML),
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(TRUNCATED))
async def test_a_truncated_body_is_incomplete_after_one_retry(kind):
    got, running = await fetch({"/": TRUNCATED[kind]})
    assert (got.status, got.body) == (FetchStatus.INCOMPLETE, b"")
    assert running.asked == ["/", "/"]


async def test_a_retry_that_succeeds_is_the_page():
    answers = iter([TRUNCATED["length"], page("whole")])

    async def flaky(writer):
        writer.write(next(answers))

    assert await status_of(flaky) is FetchStatus.OK


@pytest.mark.parametrize(
    "kind", ["application/pdf", "image/png", "application/octet-stream", "text/xml", "video/mp4"]
)
async def test_types_we_cannot_read_are_unsupported(kind):
    assert await status_of(http(200, b"%PDF", Content_Type=kind)) is FetchStatus.UNSUPPORTED_TYPE


async def test_a_missing_content_type_is_sniffed():
    html, _ = await fetch({"/": http(200, b" <html><p>x</p>")})
    plain, _ = await fetch({"/": http(200, b"just words")})
    assert (html.media_type, plain.media_type) == ("text/html", "text/plain")
    assert await status_of(http(200, b"\x89PNG\x00\x00")) is FetchStatus.UNSUPPORTED_TYPE


@pytest.mark.parametrize(
    ("code", "status"),
    [(404, "not_found"), (410, "not_found"), (401, "blocked_by_site"), (403, "blocked_by_site"),
     (429, "blocked_by_site"), (451, "blocked_by_site"), (402, "paywalled"), (500, "unreachable"),
     (503, "unreachable"), (400, "unreachable"), (204, "no_text"), (206, "incomplete"),
     (304, "unreachable"), (999, "blocked_by_site")],
)  # fmt: skip
async def test_http_statuses_mean_what_the_list_says(code, status):
    got, _ = await fetch({"/": http(code, **HTML)})
    assert (got.status, got.http_status, got.body) == (status, code, b"")


async def test_challenge_pages_are_blocks_whatever_their_status():
    wall = b"<html><head><title>Just a moment...</title></head><body></body></html>"
    assert await status_of(http(503, wall, **HTML)) is FetchStatus.BLOCKED_BY_SITE
    assert await status_of(http(200, wall, **HTML)) is FetchStatus.BLOCKED_BY_SITE
    flagged = http(503, b"x", cf_mitigated="challenge", **HTML)
    assert await status_of(flagged) is FetchStatus.BLOCKED_BY_SITE


async def test_redirects_are_followed_over_hosts_and_kept():
    scripts = {
        "/": http(301, Location="/two#frag"),
        "/two": http(302, Location="//other.example/three"),
        "/three": page("end"),
    }
    async with site(scripts) as running:
        hosts = names(running.port, "site.example", "other.example")
        async with fetcher(hosts) as fetching:
            got = await fetching.fetch("http://site.example/")
    assert got.status is FetchStatus.OK
    assert got.final_url == "http://other.example/three"
    assert got.hops == ("http://site.example/", "http://site.example/two", got.final_url)


async def test_redirect_loops_and_long_chains_end():
    loop, _ = await fetch({"/": http(302, Location="/b"), "/b": http(302, Location="/")})
    chain, running = await fetch(
        {"/": http(302, Location="/0")}
        | {f"/{n}": http(302, Location=f"/{n + 1}") for n in range(20)}
    )
    assert (loop.status, chain.status) == (FetchStatus.UNREACHABLE,) * 2
    assert len(running.asked) == 11


async def test_header_floods_and_garbage_are_unreachable():
    flood = b"HTTP/1.1 200 OK\r\n" + b"X-A: " + b"a" * 300_000 + b"\r\n\r\n"
    assert await status_of(flood) is FetchStatus.UNREACHABLE
    assert await status_of(b"SSH-2.0-OpenSSH_9.6\r\n") is FetchStatus.UNREACHABLE
    assert await status_of(b"") is FetchStatus.UNREACHABLE


async def test_cookies_are_not_carried_from_page_to_page():
    scripts = {"/": http(302, Location="/b", Set_Cookie="id=7; Path=/"), "/b": page()}
    _, running = await fetch(scripts)
    assert "cookie" not in running.heads[1].lower()


async def test_robots_are_respected_and_asked_once():
    rules = b"User-agent: *\nDisallow: /private\n"
    scripts = {"/robots.txt": http(200, rules), "/private/x": page(), "/open": page()}
    async with (
        site(scripts) as running,
        fetcher(names(running.port), respect_robots=True) as fetching,
    ):
        urls = [f"http://site.example/{path}" for path in ("private/x", "open", "open")]
        statuses = [got.status for got in await asyncio.gather(*map(fetching.fetch, urls))]
    assert statuses == [FetchStatus.ROBOTS, FetchStatus.OK, FetchStatus.OK]
    assert sorted(running.asked) == ["/open", "/open", "/robots.txt"]


@pytest.mark.parametrize(
    ("answer", "status"),
    [(http(404), "ok"), (http(403), "ok"), (http(500), "robots"), (http(429), "robots"),
     (http(302, Location="http://127.0.0.1/"), "ok"), (http(301, Location="/robots.txt"), "ok")],
)  # fmt: skip
async def test_a_robots_file_that_is_not_there_follows_rfc_9309(answer, status):
    scripts = {"/robots.txt": answer, "/": page()}
    assert (await fetch(scripts, respect_robots=True))[0].status == status


async def test_two_places_a_host_and_no_more():
    async def slow(writer):
        await asyncio.sleep(0.05)
        writer.write(page())

    async with site({"/": slow}) as running, fetcher(names(running.port)) as fetching:
        urls = ["http://site.example/"] * 6
        statuses = {got.status for got in await asyncio.gather(*map(fetching.fetch, urls))}
    assert (statuses, running.open_most) == ({FetchStatus.OK}, 2)


async def test_waiting_for_a_place_does_not_use_the_deadline():
    async def slow(writer):
        await asyncio.sleep(0.2)
        writer.write(page())

    async with site({"/": slow}) as running:
        caps = Caps(total_seconds=0.5, per_host=1)
        async with fetcher(names(running.port), caps=caps) as fetching:
            urls = ["http://site.example/"] * 5
            statuses = {got.status for got in await asyncio.gather(*map(fetching.fetch, urls))}
    assert statuses == {FetchStatus.OK}


async def test_an_opaque_redirect_gives_its_target_unasked():
    scripts = {
        "/r/1": http(302, Location="/r/2"),
        "/r/2": http(302, Location="https://pub.com/a?b#c"),
    }
    async with site(scripts) as running, fetcher(names(running.port)) as fetching:
        target = await fetching.resolve_redirect("http://site.example/r/1")
        nothing = await fetching.resolve_redirect("http://site.example/none")
        broken = await fetching.resolve_redirect("http://127.0.0.1/")
    assert (target, nothing, broken) == ("https://pub.com/a?b#c", None, None)


async def test_an_opaque_redirect_to_another_scheme_or_too_far_is_none():
    scripts = {"/f": http(302, Location="file:///etc/passwd")}
    scripts |= {f"/{n}": http(302, Location=f"/{n + 1}") for n in range(5)}
    async with site(scripts) as running, fetcher(names(running.port)) as fetching:
        assert await fetching.resolve_redirect("http://site.example/f") is None
        assert await fetching.resolve_redirect("http://site.example/0") is None
    assert running.asked == ["/f", "/0", "/1", "/2"]


ANSWERS = (
    http(200, b"<p>hello</p>" * 20, Content_Type="text/html; charset*=utf-8''x"),
    http(302, Location="/\xfc?q=\xe4"),
    http(302, Location="http://xn--a.com/"),
    http(200, gzip.compress(b"<p>hello</p>" * 50), Content_Encoding="gzip", **HTML),
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
)  # fmt: skip


def garbled(dice: random.Random) -> bytes:
    answer = bytearray(dice.choice(ANSWERS))
    for _ in range(dice.randint(0, 6)):
        at = dice.randrange(len(answer))
        answer[at : at + dice.randint(0, 4)] = dice.randbytes(dice.randint(0, 4))
    return bytes(answer)


async def test_garbled_answers_always_end_in_a_status():
    dice = random.Random(7)
    resolver = FakeResolver({"public.com": [("93.184.216.34",)]})
    connector = FakeConnector()
    async with fetcher(resolver=resolver, connector=connector) as fetching:
        seen = set()
        for _ in range(150):
            connector.answer = garbled(dice)
            seen.add((await fetching.fetch("http://public.com/")).status)
    assert {FetchStatus.OK, FetchStatus.UNREACHABLE} < seen <= set(FetchStatus)


async def test_a_redirect_to_a_name_that_does_not_parse_is_invalid():
    got, running = await fetch({"/": http(302, Location="http://xn--a.com/")})
    assert (got.status, got.http_status, running.asked) == (FetchStatus.INVALID_URL, 302, ["/"])


async def test_a_redirect_with_spaces_and_letters_is_followed():
    scripts = {"/": http(302, Location="/a b/\xfc"), "/a%20b/%C3%BC": page()}
    assert (await fetch(scripts))[0].status is FetchStatus.OK
