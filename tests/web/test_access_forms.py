"""Forms that only our own pages send, how much they may carry, and what admins do by them."""

import csv
import io

import pytest

from monitor.domain.access import Role, Visitor, Way
from monitor.store import accounts, audit, tokens
from tests.own_forms import MARK, cookies, headers
from tests.web.people import (
    HERE,
    PASSWORD,
    add,
    app_of,
    browser,
    log_in,
    mark,
    post,
    set_up,
)

FIELDS = {"name": "x", "role": "viewer"}


@pytest.fixture
def app(bench):
    return app_of(bench)


def made(bench):
    """Names of the tokens that there are."""
    return [one.name for one in bench.read(tokens.list_tokens)]


async def test_the_mark_of_another_browser_is_refused(bench, app):
    async with browser(app) as one, browser(app) as other:
        of_other = await mark(other, "/access")
        await mark(one, "/access")
        got = await one.post("/access/tokens", data=FIELDS | {"csrf": of_other})
        assert got.status_code == 403
        assert made(bench) == []
        assert (await post(one, "/access/tokens", "/access", **FIELDS)).status_code == 200
    assert made(bench) == ["x"]


async def test_the_mark_goes_by_a_header_too_and_by_no_address(bench, app):
    async with browser(app, cookies=cookies()) as client:
        by_address = await client.post(f"/access/tokens?csrf={MARK}", data=FIELDS)
        assert by_address.status_code == 403
        got = await client.post("/access/tokens", data=FIELDS, headers=headers())
        assert got.status_code == 200


async def test_a_mark_without_a_cookie_is_refused(app):
    async with browser(app) as client:
        got = await client.post("/access/tokens", data=FIELDS | {"csrf": MARK})
        assert got.status_code == 403
    async with browser(app, cookies=cookies("short")) as client:
        got = await client.post("/access/tokens", data=FIELDS | {"csrf": MARK})
        assert got.status_code == 403


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"origin": "http://127.0.0.1:8750"}, 200),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "http://127.0.0.1"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:8750@evil.example"}, 403),
        ({"origin": "http://127.0.0.1:x"}, 403),
        ({"sec-fetch-site": "same-origin", "origin": "null"}, 200),
        ({"sec-fetch-site": "none"}, 200),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "cross-site", "origin": "http://127.0.0.1:8750"}, 403),
        ({}, 200),
    ],
)  # fmt: skip
async def test_what_a_browser_says_of_the_sending_page_is_believed(app, said, status):
    async with browser(app, cookies=cookies()) as client:
        got = await client.post("/access/tokens", data=FIELDS, headers=headers() | said)
    assert got.status_code == status


async def test_a_page_under_a_name_of_the_settings_is_own(bench):
    app = app_of(set_up(bench, hosts=["monitor.example.org"]))
    said = headers() | {"origin": "https://monitor.example.org"}
    async with browser(app, cookies=cookies()) as client:
        assert (await client.post("/access/tokens", data=FIELDS, headers=said)).status_code == 200


@pytest.mark.parametrize("kind", ["text/plain", "", "application/octet-stream", "text/json"])
async def test_bodies_of_kinds_that_no_form_of_ours_sends_are_refused(app, kind):
    sent = headers() | {"content-type": kind}
    async with browser(app, cookies=cookies()) as client:
        got = await client.post("/access/tokens", content=b'{"name": "x"}', headers=sent)
    assert got.status_code == 415


async def test_a_body_of_more_than_a_mebibyte_is_refused_also_in_pieces(bench, app):
    seen = []

    async def pieces():
        yield b"name="
        for _ in range(100):
            seen.append(1)
            yield b"x" * 65_536

    kind = {"content-type": "application/x-www-form-urlencoded"}
    async with browser(app, cookies=cookies(), headers=headers() | kind) as client:
        for body in (b"name=" + b"x" * 2**20, pieces()):
            got = await client.post("/access/tokens", content=body)
            assert (got.status_code, "more than 1 MiB" in got.text) == (413, True)
        # 16 pieces of 64 KiB are a mebibyte.
        assert len(seen) <= 18
        got = await client.post("/access/tokens", content=b"role=viewer&name=x&pad=" + b"x" * 2**19)
        assert got.status_code == 200
    assert made(bench) == ["x"]


async def test_whoever_may_not_is_told_so_before_the_body_is_read(bench, app):
    add(bench)
    read = []

    async def pieces():
        read.append(1)
        yield b"x"

    kind = {"content-type": "application/x-www-form-urlencoded"}
    async with browser(app, cookies=cookies(), headers=headers() | kind) as client:
        got = await client.post("/access/tokens", content=pieces())
    assert (got.status_code, read) == (401, [])


async def test_admins_make_and_change_accounts(bench, app):
    async with browser(app) as client:

        def first(role):
            return post(
                client, "/access/accounts", "/access", name="ada", role=role, password=PASSWORD
            )

        assert (await first("viewer")).status_code == 400
        assert (await first("admin")).headers["location"] == "/access"
        assert (await client.get("/access")).status_code == 303
        await log_in(client)

        def change(path, **fields):
            return post(client, f"/access/accounts{path}", "/access", **fields)

        bo = {"name": "bo", "role": "annotator", "password": PASSWORD}
        assert (await change("", **bo)).status_code == 303
        assert (await change("", **bo | {"name": "BO"})).status_code == 409
        assert (await change("", **bo | {"name": "cy", "password": "short"})).status_code == 400
        assert (await change("/role", name="bo", role="viewer")).status_code == 303
        assert (await change("/disable", name="bo")).status_code == 303
        assert (await change("/disable", name="nobody")).status_code == 400
        last = await change("/disable", name="ada")
        assert (last.status_code, "last admin" in last.text) == (409, True)
        assert (await change("/role", name="ada", role="viewer")).status_code == 409
        shown = (await client.get("/api/v1/access")).json()
        table = lines(await client.get("/api/v1/access/table.csv"))
    found = [(one["name"], one["role"], one["is_enabled"]) for one in shown["accounts"]]
    assert found == [("ada", "admin", True), ("bo", "viewer", False)]
    assert shown["asks_for_login"]
    told = [(one["kind"], one["name"], one["usable"], one["has_password"]) for one in table]
    assert told == [("account", "ada", "yes", "yes"), ("account", "bo", "no", "yes")]
    assert "$argon2" not in str(shown)


async def test_a_token_is_shown_once_and_what_was_done_is_listed(bench, app):
    async with browser(app) as client:
        got = await post(client, "/access/tokens", "/access", name="<b>ci</b>", role="viewer")
        assert got.status_code == 400
        got = await post(client, "/access/tokens", "/access", name="ci", role="annotator")
        assert got.text.count("mon_") == 1
        secret = got.text.partition("mon_")[2][:43]
        assert secret not in (await client.get("/access")).text
        before = await client.get("/api/v1/access/table.csv")
        await post(client, "/access/tokens/revoke", "/access", name="ci")
        after = await client.get("/api/v1/access/table.csv")
        twin = (await client.get("/api/v1/access/audit")).json()
        page = (await client.get("/access/audit")).text
        table = await client.get("/api/v1/access/audit/table.csv")
    expected = [("revoke token", "ci"), ("add token", "ci")]
    assert [(one["action"], one["subject"]) for one in twin["deeds"]] == expected
    assert [(one["action"], one["subject"]) for one in lines(table)] == expected
    assert page.index("revoke token") < page.index("add token")
    assert [
        [(r["kind"], r["name"], r["role"], r["usable"]) for r in lines(one)]
        for one in (before, after)
    ] == [
        [("token", "ci", "annotator", "yes")],
        [("token", "ci", "annotator", "no")],
    ]
    assert secret not in str(twin) + page + table.text + before.text + after.text


def lines(answer):
    """Rows of a table as a spreadsheet reads them."""
    return list(csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff"))))


def note(bench, who, action, subject, body):
    at = bench.clock.now()
    bench.write(lambda c: audit.note(c, who, action, subject, at=at, body=body))


async def test_what_was_done_is_paged_both_ways(bench, app):
    for number in range(7):
        note(bench, HERE, "try", f"subject {number}", body={"n": number})

    async def page(address):
        got = (await client.get(f"/api/v1{address}")).json()
        return [one["subject"][-1] for one in got["deeds"]], got["newer"], got["older"]

    async with browser(app) as client:
        first, newer, older = await page("/access/audit?rows=3")
        assert (first, newer) == (["6", "5", "4"], None)
        second, newer, last = await page(older)
        assert second == ["3", "2", "1"]
        assert (await page(newer))[0] == ["6", "5", "4"]
        third, back, end = await page(last)
        assert (third, end) == (["0"], None)
        assert (await page(back))[0] == ["3", "2", "1"]
        assert (await page("/access/audit?before=1"))[0] == []
        for odd in ("before=0", "rows=1001", f"before={2**63}", "after=x"):
            assert (await client.get(f"/api/v1/access/audit?{odd}")).status_code == 422, odd


async def test_names_in_the_audit_log_are_text_and_not_markup(bench, app):
    odd = Visitor("<img src=x onerror=alert(1)>", Role.ADMIN, Way.MACHINE)
    note(bench, odd, "label", "<script>alert(1)</script>", body={"why": "<b>"})
    async with browser(app) as client:
        page = (await client.get("/access/audit")).text
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;" in page


def test_a_note_is_undone_with_what_it_tells_of(bench):
    def fail(connection):
        at = bench.clock.now()
        accounts.add_account(connection, "ada", Role.ADMIN, None, at=at)
        audit.note(connection, HERE, "add account", "ada", at=at)
        raise ValueError

    with pytest.raises(ValueError):
        bench.write(fail)
    assert bench.read(lambda c: audit.list_deeds(c, limit=1)) == ()
    assert bench.read(accounts.list_accounts) == ()


async def test_every_answer_closes_what_pages_need_not(app):
    async with browser(app) as client:
        got = await client.get("/who")
    assert "camera=()" in got.headers["permissions-policy"]
    # With no referrer at all, browsers would not say where our own forms come from.
    assert got.headers["referrer-policy"] == "same-origin"
