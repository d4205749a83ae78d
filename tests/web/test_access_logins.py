"""Logging in: passwords, sessions and when they end, waiting after failures, where it goes on."""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from argon2 import PasswordHasher, Type, extract_parameters

from monitor.domain.access import Role
from monitor.errors import AccessError
from monitor.pipeline import accounts as changing
from monitor.pipeline import passwords
from monitor.store import accounts, audit, logins
from monitor.store.tables import login_failure, web_session
from monitor.web.access.logins import local_path
from tests.web.people import (
    HERE,
    PASSWORD,
    add,
    app_of,
    browser,
    log_in,
    mark,
    post,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OTHER = "beeches grow slowly"


@pytest.fixture
def app(bench):
    add(bench)
    return app_of(bench)


async def opens(client, path="/access"):
    """Whether a page is shown rather than the login."""
    return (await client.get(path)).status_code == 200


def rows(bench, table):
    return bench.read(lambda c: c.execute(table.select()).all())


async def test_a_login_opens_the_page_that_was_asked_for(app):
    async with browser(app) as client:
        asked = await client.get("/access/audit?rows=7")
        assert asked.headers["location"] == "/login?next=%2Faccess%2Faudit%3Frows%3D7"
        form = await client.get(asked.headers["location"])
        assert 'name="next" value="/access/audit?rows=7"' in form.text
        got = await log_in(client, next="/access/audit?rows=7")
        assert (got.status_code, got.headers["location"]) == (303, "/access/audit?rows=7")
        assert await opens(client)
        assert "Log out" in (await client.get("/who")).text


async def test_the_cookie_is_kept_from_scripts_and_other_sites_and_rotated(bench, app):
    async with browser(app) as client:
        await client.get("/login")
        before = client.cookies["monitor-8750"]
        got = await log_in(client)
        after = client.cookies["monitor-8750"]
    flags = got.headers["set-cookie"].lower()
    assert {"httponly", "samesite=lax", "path=/", "max-age=604800"} <= set(flags.split("; "))
    assert "secure" not in flags
    assert before != after
    (kept,) = rows(bench, web_session)
    assert after not in str(kept)
    assert len(kept.token_hash) == 64


async def test_over_https_the_cookie_is_of_this_host_alone(bench):
    add(bench)
    async with browser(app_of(bench), address="https://127.0.0.1:8750") as client:
        got = await log_in(client)
    assert got.headers["set-cookie"].startswith("__Host-monitor=")
    assert "secure" in got.headers["set-cookie"].lower()


async def test_a_wrong_password_and_an_unknown_name_read_the_same(app):
    async with browser(app) as client:
        wrong = await log_in(client, password=OTHER)
        unknown = await log_in(client, "nobody", OTHER)
        odd = await log_in(client, "\x00 \ud7ff" * 100, "x" * 9000)
        assert [one.status_code for one in (wrong, unknown, odd)] == [401] * 3
        assert all("Name or password is wrong" in one.text for one in (wrong, unknown, odd))
        assert not await opens(client)


async def test_an_unknown_name_costs_a_hash_as_a_known_one_does(app, monkeypatch):
    verified = []
    hasher = passwords._hasher()

    class Counting:
        hash, check_needs_rehash = hasher.hash, hasher.check_needs_rehash

        def verify(self, stored, given):
            verified.append(stored)
            return hasher.verify(stored, given)

    monkeypatch.setattr(passwords, "_hasher", Counting)
    async with browser(app) as client:
        await log_in(client, password=OTHER)
        await log_in(client, "nobody", OTHER)
    assert len(verified) == 2
    assert all(one.startswith("$argon2id$") for one in verified)


async def test_a_disabled_account_opens_nothing_by_its_right_password(bench, app):
    add(bench, "bo")
    changing.set_enabled(bench, HERE, "bo", enabled=False)
    async with browser(app) as client:
        assert (await log_in(client, "bo")).status_code == 401


async def test_five_failures_of_a_name_make_it_wait_from_every_address(bench, app):
    async with browser(app) as one, browser(app, peer="127.0.0.9") as other:
        for _ in range(5):
            assert (await log_in(one, password=OTHER)).status_code == 401
        for client in (one, other):
            got = await log_in(client)
            assert got.status_code == 429
            # The fifth failure back is some seconds old at most: 15 minutes less those.
            assert 890 < int(got.headers["retry-after"]) <= 900
        bench.clock.ahead = timedelta(minutes=15, seconds=1)
        assert (await log_in(other)).status_code == 303


async def test_fifty_failures_from_an_address_make_it_wait_for_every_name(bench, app):
    async with browser(app, peer="127.0.0.9") as one, browser(app) as other:
        at = bench.clock.now()
        for number in range(49):
            name, address = f"?{number}", "127.0.0.9"
            wait = bench.write(partial(logins.begin_try, name=name, address=address, at=at))
            assert wait is None
        assert (await log_in(one, "nobody", OTHER)).status_code == 401
        assert (await log_in(one)).status_code == 429
        assert (await log_in(other)).status_code == 303


async def test_a_success_forgets_only_failures_of_its_own_name_and_address(bench, app):
    async with browser(app) as one, browser(app, peer="127.0.0.9") as other:
        await log_in(one, password=OTHER)
        await log_in(one, "nobody", OTHER)
        await log_in(other, password=OTHER)
        await log_in(one)
    left = sorted((row.name[:3], row.address) for row in rows(bench, login_failure))
    assert [one for one in left if one[0] == "ada"] == [("ada", "127.0.0.9")]
    assert [one[1] for one in left if one[0] != "ada"] == ["127.0.0.1"]


def test_who_goes_on_failing_waits_longer():
    def after(count, each):
        return logins.waiting([NOW - n * each for n in range(count)], NOW)

    minute = timedelta(minutes=1)
    assert after(4, minute) == timedelta()
    # The fifth failure back was 4 minutes ago, and counts for 15.
    assert after(5, minute) == 11 * minute
    # The tenth was 9 minutes ago, and counts for 120.
    assert after(10, minute) == 111 * minute
    # The twentieth was 19 minutes ago, and counts for a day.
    assert after(20, minute) == 1440 * minute - 19 * minute
    # One failure in five minutes: of any 15 minutes three, of two hours 24; the tenth is 45 old.
    assert after(10, 5 * minute) == 75 * minute


def test_tries_are_counted_before_they_are_checked(bench):
    at = bench.clock.now()
    waits = [
        bench.write(lambda c: logins.begin_try(c, "ada", "127.0.0.1", at=at)) for _ in range(7)
    ]
    assert waits == [None] * 5 + [timedelta(minutes=15)] * 2


def test_another_password_from_an_admin_ends_the_waiting(bench, app):
    at = bench.clock.now()
    for _ in range(5):
        bench.write(lambda c: logins.begin_try(c, "ada", "127.0.0.1", at=at))
    changing.change_password(bench, HERE, "ada", OTHER)
    assert bench.write(lambda c: logins.begin_try(c, "ada", "127.0.0.2", at=at)) is None


@pytest.mark.parametrize(
    ("ahead", "seen_each", "is_open"),
    [
        (timedelta(hours=11), timedelta(hours=11), True),
        (timedelta(hours=13), timedelta(hours=13), False),
        (timedelta(days=6, hours=23), timedelta(hours=6), True),
        (timedelta(days=7), timedelta(hours=6), False),
    ],
)
async def test_a_session_ends_unused_after_12_hours_and_used_after_7_days(
    bench, app, ahead, seen_each, is_open
):
    async with browser(app) as client:
        await log_in(client)
        while bench.clock.ahead + seen_each < ahead:
            bench.clock.ahead += seen_each
            assert await opens(client)
            bench.write(lambda c: None)
        bench.clock.ahead = ahead
        assert await opens(client) is is_open


@pytest.mark.parametrize(
    "change",
    [
        lambda bench: changing.change_password(bench, HERE, "bo", OTHER),
        lambda bench: changing.change_role(bench, HERE, "bo", Role.VIEWER),
        lambda bench: changing.set_enabled(bench, HERE, "bo", enabled=False),
    ],
)
async def test_a_changed_or_disabled_account_ends_its_sessions(bench, app, change):
    add(bench, "bo")
    async with browser(app) as bos, browser(app) as adas:
        await log_in(bos, "bo")
        await log_in(adas)
        assert await opens(bos)
        change(bench)
        assert not await opens(bos)
        assert await opens(adas)


async def test_logging_out_ends_the_session_for_whoever_has_the_cookie(bench, app):
    async with browser(app) as client:
        await log_in(client)
        cookie = client.cookies["monitor-8750"]
        got = await post(client, "/logout", "/who")
        assert (got.status_code, got.headers["location"]) == (303, "/login")
        assert "monitor-8750" not in client.cookies
        assert not await opens(client)
    async with browser(app, cookies={"monitor-8750": cookie}) as client:
        assert not await opens(client)
    assert rows(bench, web_session) == []


async def test_an_own_new_password_takes_the_current_one_and_ends_other_sessions(app):
    async with browser(app) as one, browser(app) as other:
        await log_in(one)
        await log_in(other)
        change = {"password": OTHER, "again": OTHER}
        wrong = await post(one, "/who/password", "/who", current="beeches!!!!!!", **change)
        unlike = {"password": OTHER, "again": PASSWORD}
        differ = await post(one, "/who/password", "/who", current=PASSWORD, **unlike)
        assert (wrong.status_code, differ.status_code) == (403, 400)
        assert await opens(other)
        right = await post(one, "/who/password", "/who", current=PASSWORD, **change)
        assert right.status_code == 303
        assert await opens(one)
        assert not await opens(other)
        assert (await log_in(other)).status_code == 401
        assert (await log_in(other, password=OTHER)).status_code == 303


ELSEWHERE = (
    "//evil.example", "/\\evil.example", "\\\\evil.example", "https://evil.example/", "evil",
    "/\t/evil.example", "\t//evil.example", "/\n/evil", "javascript:alert(1)", "", " /x",
    "/%s" % ("x" * 5000), "/\x7f", "http:evil", "///evil.example", "/ok\r\nSet-Cookie: x=1",
)  # fmt: skip


@pytest.mark.parametrize("odd", ELSEWHERE)
def test_only_own_pages_are_gone_on_to(odd):
    assert local_path(odd) == "/"


async def test_a_login_goes_on_to_no_other_host(app):
    async with browser(app) as client:
        for odd in ("//evil.example", "/\\evil.example", "https://evil.example/"):
            got = await log_in(client, next=odd)
            assert (got.status_code, got.headers["location"]) == (303, "/")


@pytest.mark.parametrize("own", ["/", "/runs/run:trees:2026-01?engine=x&page=2", "/prompts/ä"])
def test_own_pages_are_gone_on_to(own):
    assert local_path(own) == own


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("elevenchars", "11 characters; expected 12"), ("", "0 characters"),
        ("aaaaaaaaaaaaaaaa", "repeats"), ("ada lovelace", "the name"), ("x1y2" * 400, "1024 at most"),
    ],
)  # fmt: skip
def test_passwords_that_could_be_guessed_are_refused(password, why):
    with pytest.raises(AccessError, match=why):
        passwords.require_good(password, "Ada Lovelace")


def test_an_account_with_such_a_password_is_not_made(bench):
    with pytest.raises(AccessError, match="5 characters; expected 12"):
        add(bench, password="short")
    assert bench.read(accounts.list_accounts) == ()


def test_what_is_stored_is_argon2id_and_hashed_again_when_costs_grow(bench, app, monkeypatch):
    ada = bench.read(lambda c: accounts.find_account(c, "ada"))
    cheap = bench.read(lambda c: accounts.password_hash(c, ada.id))
    monkeypatch.setattr(passwords, "_hasher", PasswordHasher)
    found = passwords.checked(cheap, PASSWORD)
    costs = extract_parameters(found.rehashed)
    assert (found.is_right, costs.type, costs.memory_cost) == (True, Type.ID, 65_536)
    assert passwords.checked(found.rehashed, PASSWORD) == passwords.Checked(is_right=True)


async def test_a_login_keeps_the_new_hash_and_the_session(bench, app, monkeypatch):
    monkeypatch.setattr(
        passwords, "_hasher", lambda: PasswordHasher(time_cost=2, memory_cost=8, parallelism=1)
    )
    async with browser(app) as client:
        await log_in(client)
        assert await opens(client)
    ada = bench.read(lambda c: accounts.find_account(c, "ada"))
    assert (
        extract_parameters(bench.read(lambda c: accounts.password_hash(c, ada.id))).time_cost == 2
    )


def test_letters_composed_otherwise_are_the_same_password():
    stored = passwords.hashed("Zoë grows oaks")
    assert passwords.checked(stored, "Zoe\u0308 grows oaks").is_right


async def test_logins_are_noted_without_secrets(bench, app):
    async with browser(app) as client:
        await log_in(client, password=OTHER)
        await log_in(client, "my secret typed here", OTHER)
        await log_in(client)
        await post(client, "/logout", "/who")
        secret = client.cookies.get("monitor-8750", "none")
    deeds = bench.read(lambda c: audit.list_deeds(c, limit=9))[::-1]
    assert [(one.actor, one.action, one.subject) for one in deeds] == [
        (None, "add account", "ada"),
        (None, "fail to log in", "ada"),
        (None, "fail to log in", "a name without account"),
        ("ada", "log in", "ada"),
        ("ada", "log out", "ada"),
    ]
    told = str(deeds) + str(rows(bench, login_failure))
    assert not [word for word in (PASSWORD, OTHER, "my secret", secret) if word in told]


async def test_the_login_says_so_where_nobody_is_asked(bench):
    async with browser(app_of(bench)) as client:
        got = await client.get("/login")
    assert "There is no account yet" in got.text
    assert "password" not in [one for one in got.text.split('"') if one == "password"]


async def test_a_mark_of_before_the_login_is_of_no_use_after_it(app):
    async with browser(app) as client:
        before = await mark(client)
        await log_in(client)
        got = await client.post("/logout", data={"csrf": before})
    assert got.status_code == 403
