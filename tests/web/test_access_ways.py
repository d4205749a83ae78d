"""Ways by which a visitor is known: this machine, a trusted proxy, a token of a program."""

import re
from datetime import timedelta

import pytest
from fastapi import Request
from pydantic import ValidationError

from monitor.config.parts import WebPart
from monitor.domain.access import Role, Way
from monitor.errors import ConfigError, StoreError
from monitor.pipeline import accounts as changing
from monitor.store import accounts, audit, tokens
from monitor.web.access.visiting import visitor
from monitor.web.guard import require_safe_address
from tests.web.people import HERE, add, app_of, browser, log_in, post, set_up, token

PROXY = {"trusted_proxy": True, "proxy_user_header": "X-Forwarded-User"}


async def role(client, **headers):
    """The role that a visitor is told to have, or the status where there is none."""
    got = await client.get("/who", headers={k.replace("_", "-"): v for k, v in headers.items()})
    shown = [one for one in Role if f"your role is <b>{one.value}</b>" in got.text]
    return shown[0] if shown else got.status_code


async def test_whoever_sits_at_this_machine_may_do_anything_while_there_is_no_account(bench):
    app = app_of(bench)
    async with browser(app) as v4, browser(app, peer="::1", address="http://[::1]:8750") as v6:
        assert [await role(v4), await role(v6)] == [Role.ADMIN] * 2
        add(bench)
        assert [await role(v4), await role(v6)] == [303] * 2


async def test_others_only_look_where_anyone_was_let_in(bench):
    app = app_of(bench)
    async with browser(app, peer="10.0.0.7", address="http://10.0.0.1:8750") as client:
        assert await role(client) is Role.VIEWER
        assert (
            await post(client, "/access/tokens", "/who", name="x", role="admin")
        ).status_code == 403


@pytest.mark.parametrize(
    "passed_on", [{"x_forwarded_for": "10.0.0.7"}, {"forwarded": "for=10.0.0.7"}, {"via": "1.1 x"}]
)
async def test_what_an_untold_proxy_passes_on_is_not_from_this_machine(bench, passed_on):
    async with browser(app_of(bench)) as client:
        assert await role(client, **passed_on) is Role.VIEWER


def test_a_public_name_is_not_this_machine_though_the_proxy_is(bench):
    app = app_of(bench)
    scope = {
        "type": "http", "method": "GET", "path": "/", "query_string": b"", "scheme": "http",
        "headers": [(b"host", b"monitor.example.org")], "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8750), "app": app, "state": {},
    }  # fmt: skip
    assert visitor(Request(scope)).role is Role.VIEWER


async def test_a_name_is_asked_for_once_and_kept(bench):
    async with browser(app_of(bench)) as client:
        await post(client, "/who", "/who", name="  Ada   Lovelace ")
        shown = await client.get("/who")
        assert "<h1>You are Ada Lovelace</h1>" in shown.text
        bench.clock.ahead = timedelta(days=30)
        assert "You are Ada Lovelace" in (await client.get("/who")).text
        got = await post(client, "/who", "/who", name="Bo", next="/label")
        assert got.headers["location"] == "/label"
        assert "You are Bo" in (await client.get("/who")).text
        assert "Another name" in (await client.get("/label")).text
        for odd in ("", " ", "x" * 65, "a\x00b", "a\u202eb", "<script>", "-x"):
            assert (await post(client, "/who", "/who", name=odd)).status_code in {400, 422}, odd
        assert "You are Bo" in (await client.get("/who")).text
        refused = await post(client, "/who", "/who", name="-Cyd", next="/label")
        assert (refused.status_code, "expected 1 to 64 letters" in refused.text) == (400, True)
        assert 'value="-Cyd"' in refused.text
        assert 'name="next" value="/label"' in refused.text


async def test_reading_pages_writes_nothing_and_sets_no_cookie_without_a_form(bench):
    async with browser(app_of(bench)) as client:
        got = await client.get("/access/audit")
        assert "set-cookie" not in got.headers
        got = await client.get("/who")
        assert "set-cookie" in got.headers
        again = await client.get("/who")
        assert "set-cookie" not in again.headers
    assert bench.read(lambda c: audit.list_deeds(c, limit=1)) == ()


async def test_a_name_given_without_account_opens_nothing_once_there_is_one(bench):
    async with browser(app_of(bench)) as client:
        await post(client, "/who", "/who", name="Ada")
        add(bench)
        assert await role(client) == 303


async def test_a_token_opens_what_its_role_covers_without_any_form(bench):
    add(bench)
    app = app_of(bench)
    viewer, admin = token(bench, Role.VIEWER), token(bench, Role.ADMIN)
    fields = {"name": "made by a program", "role": "viewer"}
    async with browser(app) as client:
        assert (await client.get("/api/v1/access", headers=viewer)).status_code == 403
        assert (await client.get("/api/v1/access", headers=admin)).status_code == 200
        made = await client.post("/access/tokens", data=fields, headers=admin)
        assert made.status_code == 200
        # What a token of a browser's page says of its site does not matter: it must know a token.
        far = {**admin, "origin": "https://evil.example", "sec-fetch-site": "cross-site"}
        again = await client.post("/access/tokens", data=fields, headers=far)
        assert (again.status_code, "used once" in again.text) == (409, True)
    made_by = bench.read(lambda c: tokens.find_token(c, "made by a program")).made_by
    assert made_by == "admin program"
    newest = bench.read(lambda c: audit.list_deeds(c, limit=1))[0]
    assert (newest.actor, newest.way, newest.action) == ("admin program", Way.TOKEN, "add token")


@pytest.mark.parametrize(
    "shown", ["Bearer mon_wrong", "Bearer ", "bearer x y z", "Bearer " + "x" * 5000]
)
async def test_a_wrong_token_is_refused_though_no_login_would_be_needed(bench, shown):
    async with browser(app_of(bench)) as client:
        got = await client.get("/api/v1/access", headers={"authorization": shown})
    assert (got.status_code, got.headers["www-authenticate"]) == (401, "Bearer")


async def test_a_revoked_token_opens_nothing_from_then_on(bench):
    shown = token(bench, Role.ADMIN, "ci")
    async with browser(app_of(bench)) as client:
        assert (await client.get("/api/v1/access", headers=shown)).status_code == 200
        changing.revoke_token(bench, HERE, "ci")
        assert (await client.get("/api/v1/access", headers=shown)).status_code == 401
    with pytest.raises(StoreError, match="revoked already"):
        changing.revoke_token(bench, HERE, "ci")
    with pytest.raises(StoreError, match="used once"):
        changing.add_token(bench, HERE, "ci", Role.ADMIN)


async def test_the_use_of_a_token_is_noted_once_a_minute_at_most(bench):
    shown = token(bench, Role.VIEWER, "ci")

    async def used():
        await client.get("/api/v1/openapi.json", headers=shown)
        bench.write(lambda c: None)
        return bench.read(lambda c: tokens.find_token(c, "ci")).used_at

    async with browser(app_of(bench)) as client:
        first = await used()
        bench.clock.ahead = timedelta(seconds=50)
        assert await used() == first
        bench.clock.ahead = timedelta(seconds=70)
        assert await used() - first > timedelta(seconds=60)


def test_only_the_hash_of_a_token_is_stored(bench):
    secret = changing.add_token(bench, HERE, "ci", Role.VIEWER)
    assert secret.startswith("mon_")
    assert len(secret) == 4 + 43
    stored = bench.read(lambda c: c.execute(tokens.api_token.select()).all())
    deeds = bench.read(lambda c: audit.list_deeds(c, limit=9))
    assert secret[4:] not in str(stored) + str(deeds)


async def test_a_proxy_names_who_asks_and_an_account_gives_the_role(bench):
    bench = set_up(bench, **PROXY, proxy_role="annotator")
    add(bench)
    changing.add_account(bench, HERE, "bo@example.org", role=Role.ADMIN, password=None)
    changing.add_account(bench, HERE, "cy", role=Role.VIEWER, password=None)
    add(bench, "gone")
    changing.set_enabled(bench, HERE, "gone", enabled=False)
    async with browser(app_of(bench)) as client:
        assert await role(client, x_forwarded_user="bo@example.org") is Role.ADMIN
        assert await role(client, x_forwarded_user="cy") is Role.VIEWER
        assert await role(client, x_forwarded_user="somebody else") is Role.ANNOTATOR
        assert await role(client, x_forwarded_user="gone") == 403
        assert await role(client) == 303
        assert await role(client, x_forwarded_user="<b>") == 400
        twice = [("x-forwarded-user", "bo@example.org"), ("x-forwarded-user", "cy")]
        assert (await client.get("/who", headers=twice)).status_code == 400


async def test_a_proxys_visitor_sends_forms_under_its_own_name(bench):
    bench = set_up(bench, **PROXY, proxy_role="admin")
    async with browser(app_of(bench), headers={"x-forwarded-user": "bo"}) as client:
        assert (
            await client.post("/access/tokens", data={"name": "x", "role": "viewer"})
        ).status_code == 403
        assert (
            await post(client, "/access/tokens", "/access", name="x", role="viewer")
        ).status_code == 200
        assert (await post(client, "/who", "/access", name="Ada")).status_code == 409
    assert bench.read(lambda c: tokens.find_token(c, "x")).made_by == "bo"


async def test_a_header_from_another_address_is_refused_and_not_believed(bench):
    bench = set_up(bench, **PROXY, proxies=["10.0.0.0/24"], proxy_role="admin")
    app = app_of(bench)
    async with browser(app) as here, browser(app, peer="10.0.0.9") as proxy:
        assert await role(here, x_forwarded_user="bo") == 403
        assert await role(here) == 303
        assert await role(proxy, x_forwarded_user="bo") is Role.ADMIN


async def test_a_header_is_nothing_unless_the_settings_name_it(bench):
    add(bench)
    async with browser(app_of(bench)) as client:
        assert await role(client, x_forwarded_user="ada") == 303


def test_a_header_without_a_trusted_proxy_is_an_error_of_the_settings():
    with pytest.raises(ValidationError, match="needs trusted_proxy"):
        WebPart(proxy_user_header="X-User")
    with pytest.raises(ValidationError, match="header"):
        WebPart(trusted_proxy=True, proxy_user_header="X User")
    with pytest.raises(ValidationError, match="address or a network"):
        WebPart(proxies=("proxy.example.org",))


async def test_whom_a_proxy_lets_in_without_a_name_has_the_role_of_the_settings(bench):
    async with browser(app_of(set_up(bench, trusted_proxy=True))) as client:
        assert await role(client) is Role.VIEWER
    async with browser(app_of(set_up(bench, trusted_proxy=True, proxy_role="annotator"))) as client:
        assert await role(client) is Role.ANNOTATOR


async def test_a_login_through_a_proxy_counts_the_address_of_the_person(bench):
    bench = set_up(bench, trusted_proxy=True)
    add(bench)
    app = app_of(bench)
    for said in ("203.0.113.9", "198.51.100.1, 203.0.113.9", "203.0.113.9, 127.0.0.1"):
        async with browser(app, headers={"x-forwarded-for": said}) as client:
            await log_in(client, "nobody", "beeches grow")
    counted = bench.read(lambda c: audit.list_deeds(c, limit=3))
    assert [one.body["address"] for one in counted] == ["203.0.113.9"] * 3
    async with browser(app, headers={"x-forwarded-proto": "https"}) as client:
        got = await client.get("/login")
    assert got.headers["set-cookie"].startswith("__Host-monitor=")


async def test_metrics_are_for_scrapers_at_the_machine_and_for_who_logged_in(bench):
    add(bench)
    shown = token(bench, Role.VIEWER)
    far = {"peer": "10.0.0.7", "address": "http://10.0.0.1:8750"}
    app = app_of(bench)
    async with browser(app) as here, browser(app, **far) as client:
        assert (await here.get("/metrics")).status_code == 200
        assert (await client.get("/metrics", headers=shown)).status_code == 200
        assert (await client.get("/metrics")).status_code == 303
    async with browser(app_of(set_up(bench, open_metrics=True)), **far) as client:
        assert (await client.get("/metrics")).status_code == 200


def test_an_account_with_a_password_lets_the_server_listen_anywhere(bench):
    def has_password():
        return bench.read(lambda c: accounts.any_enabled(c, with_password=True))

    changing.add_account(bench, HERE, "bo", role=Role.ADMIN, password=None)
    assert not has_password()
    add(bench)
    assert has_password()
    changing.set_enabled(bench, HERE, "ada", enabled=False)
    assert not has_password()
    require_safe_address("0.0.0.0", WebPart(), open_to_anyone=False, has_password=True)
    with pytest.raises(ConfigError, match="monitor accounts add"):
        require_safe_address("0.0.0.0", WebPart(), open_to_anyone=False, has_password=False)


async def test_a_store_that_is_away_is_told_without_its_address(bench, monkeypatch):
    def away(_):
        raise StoreError("postgresql://me@db.example is away")

    app = app_of(bench)
    monkeypatch.setattr(type(bench), "read", lambda self, work: away(work))
    async with browser(app) as client:
        got = await client.get("/who")
    assert (got.status_code, "db.example" in got.text) == (503, False)


@pytest.mark.parametrize("role", list(Role))
async def test_the_menu_names_no_page_that_the_role_may_not_read(bench, role):
    add(bench)
    headers = token(bench, role)
    async with browser(app_of(bench)) as client:
        page = (await client.get("/", headers=headers)).text
        links = re.findall('<a href="(/[a-z]+)"', page[page.index("<nav") : page.index("</nav>")])
        assert "/families" in links
        codes = {one: (await client.get(one, headers=headers)).status_code for one in links}
    assert set(codes.values()) == {200}
    assert ("/settings" in links, "/upload" in links) == (
        role is Role.ADMIN, role is not Role.VIEWER,
    )  # fmt: skip
