"""S01-S10: hostile addresses against a fake resolver and connector; no connect may happen."""

import json

import httpcore
import httpx
import pytest

from monitor.domain.page import FetchStatus
from monitor.errors import BlockedAddressError, ConfigError
from monitor.pages.guard import GuardedBackend, guarded_client
from tests.corpora import corpora
from tests.edges.pages_site import FakeConnector, FakeResolver, fetcher, http, names, page, site

PUBLIC = "93.184.216.34"

BLOCKED = [
    "http://127.0.0.1/", "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/",
    "http://192.168.1.1/", "http://2130706433/", "http://0x7f000001/", "http://127.1/", "http://0/",
    "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:100.64.0.1]/",
    "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://[fec0::1]/",
    "http://[fd00:ec2::254]/", "http://100.100.100.200/", "http://168.63.129.16/",
    "http://192.88.99.1/", "http://017700000001/", "http://0177.0.0.1/", "http://127.0.0.1./",
    "http://localhost/", "http://LOCALHOST./", "http://intranet/", "http://a.local/",
    "http://metadata.google.internal/", "http://x.onion/", "http://x.test/", "http://x.example/",
    "http://[::127.0.0.1]/", "http://[2001:0:7f00:1::]/", "http://[3fff::1]/", "http://[ff02::1]/",
    "http://224.0.0.1/", "http://255.255.255.255/", "http://①②⑦.0.0.1/", "http://127。0。0。1/",
]  # fmt: skip
INVALID = [
    "http://127.0.0.1\\@example.com/", "http://example.com\\@127.0.0.1/", "http://exa mple.com/",
    "http://example.com/\r\nX: y", "http://example.com/\x00", "http://user:pw@example.com/",
    "//example.com/", "example.com", "", "http://", "http:///x", "http://exam\ud800ple.com/",
    "http://[::1/", "http://a..b%00.com/",
]  # fmt: skip
PORTS = ["http://8.8.8.8:6379/", "http://example.com:22/", "http://example.com:99999/",
         "http://example.com:0/", "http://example.com:0000000000000000080000/"]  # fmt: skip
SCHEMES = ["file:///etc/passwd", "ftp://example.com/", "javascript:alert(1)", "data:text/html,x",
           "gopher://example.com/"]  # fmt: skip


async def refused(url: str):
    resolver = FakeResolver({"localhost": [("127.0.0.1",)]})
    connector = FakeConnector(page())
    async with fetcher(resolver=resolver, connector=connector) as fetching:
        got = await fetching.fetch(url)
    return got, resolver.lookups, connector.connects


@pytest.mark.parametrize("url", BLOCKED)
async def test_private_targets_are_refused_without_any_connect(url):
    got, lookups, connects = await refused(url)
    assert (got.status, got.body, lookups, connects) == (FetchStatus.BLOCKED_ADDRESS, b"", [], [])


@pytest.mark.parametrize("url", INVALID)
async def test_broken_urls_are_refused_before_any_lookup(url):
    got, lookups, connects = await refused(url)
    assert (got.status, got.url, lookups, connects) == (FetchStatus.INVALID_URL, url, [], [])


@pytest.mark.parametrize("url", PORTS)
async def test_other_ports_are_refused_before_any_lookup(url):
    got, lookups, connects = await refused(url)
    assert (got.status, lookups, connects) == (FetchStatus.BLOCKED_PORT, [], [])


@pytest.mark.parametrize("url", SCHEMES)
async def test_other_schemes_are_refused_before_any_lookup(url):
    got, lookups, connects = await refused(url)
    assert (got.status, lookups, connects) == (FetchStatus.UNSUPPORTED_SCHEME, [], [])


@pytest.mark.corpora
@pytest.mark.parametrize(
    ("case", "status"),
    [("S01", "blocked_address"), ("S02", "blocked_address"), ("S03", "blocked_address"),
     ("S04", "blocked_address"), ("S08", "invalid_url"), ("S09", "blocked_port")],
)  # fmt: skip
async def test_listed_bad_inputs_get_their_status_without_a_connect(case, status):
    cases = json.loads(corpora("faults/bad_inputs.json").read_text())["cases"]
    urls = next(row["input"] for row in cases if row["id"] == case)
    seen = [await refused(url) for url in urls]
    assert [(got.status, connects) for got, _, connects in seen] == [(status, [])] * len(urls)


async def test_one_private_record_blocks_the_whole_name():
    resolver = FakeResolver({"mixed.com": [(PUBLIC, "10.0.0.5")]})
    connector = FakeConnector(page())
    async with fetcher(resolver=resolver, connector=connector) as fetching:
        got = await fetching.fetch("http://mixed.com/")
    assert (got.status, connector.connects) == (FetchStatus.BLOCKED_ADDRESS, [])
    assert "10.0.0.5" in got.detail


async def test_the_checked_address_is_the_connected_one_after_a_single_lookup():
    resolver = FakeResolver({"rebind.com": [(PUBLIC,), ("127.0.0.1",)]})
    connector = FakeConnector(page())
    async with fetcher(resolver=resolver, connector=connector) as fetching:
        got = await fetching.fetch("http://rebind.com/")
    assert got.status is FetchStatus.OK
    assert (resolver.lookups, connector.connects) == (["rebind.com"], [(PUBLIC, 80)])


async def test_a_rebound_name_is_refused_at_its_next_connection():
    resolver = FakeResolver({"rebind.com": [(PUBLIC,), ("127.0.0.1",)]})
    connector = FakeConnector(page())
    async with fetcher(resolver=resolver, connector=connector) as fetching:
        await fetching.fetch("http://rebind.com/")
        again = await fetching.fetch("http://rebind.com/")
    assert (again.status, connector.connects) == (FetchStatus.BLOCKED_ADDRESS, [(PUBLIC, 80)])


@pytest.mark.parametrize(
    ("location", "status"),
    [
        ("http://169.254.169.254/", "blocked_address"),
        ("//127.0.0.1/x", "blocked_address"),
        ("http://2130706433/", "blocked_address"),
        ("http://[::ffff:127.0.0.1]/", "blocked_address"),
        ("file:///etc/passwd", "unsupported_scheme"),
        ("http://public.com:6379/", "blocked_port"),
        ("http://exa mple.com/", "invalid_url"),
        ("http://u:p@public.com/", "invalid_url"),
    ],
)
async def test_every_hop_is_checked_and_the_chain_is_kept(location, status):
    resolver = FakeResolver({"public.com": [(PUBLIC,)]})
    connector = FakeConnector(http(302, Location=location))
    async with fetcher(resolver=resolver, connector=connector) as fetching:
        got = await fetching.fetch("http://public.com/a")
    assert (got.status, got.final_url, connector.connects) == (status, None, [(PUBLIC, 80)])
    assert got.hops[0] == "http://public.com/a"
    assert got.http_status == 302


async def test_proxy_and_netrc_of_the_environment_are_ignored(monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("default login thief password secret\n")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NETRC", str(netrc))
    async with site({"/": page()}) as running, fetcher(names(running.port)) as fetching:
        got = await fetching.fetch("http://site.example/")
        blocked = await fetching.fetch("http://127.0.0.1/")
    assert (got.status, blocked.status) == (FetchStatus.OK, FetchStatus.BLOCKED_ADDRESS)
    assert "authorization" not in running.heads[0].lower()


async def test_the_sandbox_map_serves_names_only():
    hosts = names(9, "site.example")
    connector = FakeConnector(page())
    async with fetcher(hosts, connector=connector) as fetching:
        urls = ["http://127.0.0.1/", "http://2130706433/", "http://[::ffff:127.0.0.1]/"]
        statuses = [(await fetching.fetch(url)).status for url in (*urls, "http://other.example/")]
        mapped = await fetching.fetch("http://SITE.example./")
    assert statuses == [FetchStatus.BLOCKED_ADDRESS] * 4
    assert (mapped.status, connector.connects) == (FetchStatus.OK, [("127.0.0.1", 9)])


@pytest.mark.parametrize(
    "hosts",
    [{"127.0.0.1": ("127.0.0.1", 1, 2)}, {"2130706433": ("127.0.0.1", 1, 2)},
     {"a.example": ("10.0.0.1", 1, 2)}],
)  # fmt: skip
def test_a_host_map_with_literals_or_public_targets_is_an_error(hosts):
    with pytest.raises(ConfigError):
        GuardedBackend(FakeResolver(), hosts)


async def test_the_backend_itself_refuses_ports_and_socket_files():
    backend = GuardedBackend(FakeResolver(), {}, FakeConnector())
    with pytest.raises(BlockedAddressError):
        await backend.connect_unix_socket("/run/docker.sock")
    with pytest.raises(Exception, match="port refused"):
        await backend.connect_tcp("example.com", 6379)


async def test_a_second_public_address_is_tried_when_the_first_fails():
    resolver = FakeResolver({"two.com": [(PUBLIC, "1.1.1.1")]})
    connector = FakeConnector()
    async with fetcher(resolver=resolver, connector=connector) as fetching:
        got = await fetching.fetch("http://two.com/")
    assert (got.status, resolver.lookups) == (FetchStatus.UNREACHABLE, ["two.com"])
    assert connector.connects == [(PUBLIC, 80), ("1.1.1.1", 80)]


async def test_an_unknown_name_is_unreachable():
    async with fetcher() as fetching:
        got = await fetching.fetch("http://no-such-name.com/")
    assert got.status is FetchStatus.UNREACHABLE
    assert "does not resolve" in got.detail


async def test_the_pool_of_the_transport_is_the_guarded_one():
    async with guarded_client(FakeResolver(), {}) as client:
        pool = client._transport._pool
        assert isinstance(pool, httpcore.AsyncConnectionPool)
        assert isinstance(pool._network_backend, GuardedBackend)
        assert (client.trust_env, client.follow_redirects, client._mounts) == (False, False, {})
    assert httpx.__version__.startswith("0.28.")
