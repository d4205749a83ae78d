"""Every route of the application: which role it takes, and that it really asks for it."""

import re

import pytest

from monitor.domain.access import Role
from monitor.web.access.acts import own_form
from monitor.web.app import make_app
from monitor.web.health import HealthWatch
from tests.crawled import all_routes
from tests.own_forms import cookies, headers
from tests.stored import bench_in
from tests.web.people import add, browser, cheaply, set_up, token

ROLES = {
    "/access/accounts": Role.ADMIN,
    "/access/accounts/disable": Role.ADMIN,
    "/access/accounts/enable": Role.ADMIN,
    "/access/accounts/password": Role.ADMIN,
    "/access/accounts/role": Role.ADMIN,
    "/access/tokens": Role.ADMIN,
    "/access/tokens/revoke": Role.ADMIN,
    "/adjudicate/{panel}/{pair}": Role.ADMIN,
    "/alerts/{alert_id}/accept": Role.ADMIN,
    "/api/v1/labels": Role.ANNOTATOR,
    "/api/v1/imports": Role.ANNOTATOR,
    "/baselines": Role.ADMIN,
    "/baselines/drafts/{draft}/adjudicate": Role.ADMIN,
    "/baselines/drafts/{draft}/discard": Role.ADMIN,
    "/baselines/drafts/{draft}/freeze": Role.ADMIN,
    "/baselines/drafts/{draft}/pool": Role.ADMIN,
    "/baselines/drafts/{draft}/prompts/{prompt}/claims": Role.ANNOTATOR,
    "/baselines/drafts/{draft}/prompts/{prompt}/grade": Role.ANNOTATOR,
    "/baselines/drafts/{draft}/prompts/{prompt}/undo": Role.ANNOTATOR,
    "/baselines/{panel}/drafts": Role.ADMIN,
    "/label/plans": Role.ADMIN,
    "/label/{plan}/{position}": Role.ANNOTATOR,
    "/label/{plan}/{position}/undo": Role.ANNOTATOR,
    "/login": None,
    "/logout": Role.VIEWER,
    "/upload": Role.ANNOTATOR,
    "/upload/{upload}/drop": Role.ANNOTATOR,
    "/upload/{upload}/store": Role.ANNOTATOR,
    "/who": Role.VIEWER,
    "/who/password": Role.VIEWER,
}
"""Route that changes something -> the least role that may; None for who is not known yet."""

OPEN = {"/health", "/login", "/static/icon.svg", "/static/monitor.js", "/static/style.css"}
"""What anybody may read, also where everybody else must log in."""

OF_THE_MACHINE = {"/metrics"}
"""What a scraper at the machine may read without login."""

FOR_ADMINS = {"/access", "/access/audit", "/api/v1/access", "/api/v1/access/audit"}


READING = {"GET", "HEAD", "OPTIONS"}


def acting(app):
    """Routes by which something changes."""
    return [one for one in all_routes(app) if set(one.methods) - READING]


def reading(app):
    """Routes that only answer."""
    return [one for one in all_routes(app) if not set(one.methods) - READING]


def path_of(route):
    """An address of a route; what stands in it names nothing."""
    return re.sub(r"\{[^}]*\}", "1", route.path)


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A bench over a store without accounts."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("routes")
        with bench_in(folder, patch) as one:
            yield set_up(one)


@pytest.fixture(scope="module")
def app(opened):
    return make_app(HealthWatch(opened))


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """A bench over a store with an account."""
    with pytest.MonkeyPatch.context() as patch:
        cheaply(patch)
        folder = tmp_path_factory.mktemp("closed")
        with bench_in(folder, patch) as one:
            add(one)
            yield set_up(one)


@pytest.fixture(scope="module")
def closed(bench):
    """The application once there is an account."""
    return make_app(HealthWatch(bench))


@pytest.fixture(scope="module")
def shown(bench):
    """Role -> the header of a program that has it."""
    return {role: token(bench, role) for role in Role}


def role_of(route):
    roles = [one.dependency.role for one in route.dependencies if hasattr(one.dependency, "role")]
    return roles[0] if roles else None


def test_every_route_that_changes_something_is_declared_by_act_and_known_here(app):
    found = {one.path: role_of(one) for one in acting(app)}
    missing = [
        f'add to ROLES of {__name__}:  "{path}": {f"Role.{role.name}" if role else None},'
        for path, role in found.items()
        if path not in ROLES
    ]
    assert not missing, "\n".join(missing)
    assert found == {path: ROLES[path] for path in found}
    for one in acting(app):
        assert own_form in [each.dependency for each in one.dependencies], one.path
        assert type(one).__module__ == "monitor.web.access.acts", one.path
        assert set(one.methods) == {"POST"}, one.path
    gone = sorted(ROLES.keys() - found.keys())
    assert gone == [], f"no such routes any more, take them out of ROLES: {gone}"


async def test_each_is_refused_to_the_role_below_and_not_to_its_own(closed, shown):
    below = {Role.ANNOTATOR: Role.VIEWER, Role.ADMIN: Role.ANNOTATOR}
    tried = 0
    async with browser(closed) as client:
        for one in acting(closed):
            role = role_of(one)
            if role in below:
                lower = await client.post(path_of(one), headers=shown[below[role]])
                assert lower.status_code == 403, one.path
                assert f"takes the role {role.value}" in lower.text, one.path
                tried += 1
            own = await client.post(path_of(one), headers=shown[role or Role.VIEWER])
            assert own.status_code not in {401, 403}, (one.path, own.text)
    assert tried == sum(role in below for role in ROLES.values())


async def test_each_is_refused_without_the_mark_of_an_own_form(app):
    # The visitor at this machine is an admin, so that nothing but the mark is missing.
    async with browser(app, cookies=cookies()) as client:
        for one in acting(app):
            got = await client.post(path_of(one))
            assert (got.status_code, "(csrf) is missing" in got.text) == (403, True), one.path
            got = await client.post(path_of(one), headers=headers("0" * 64))
            assert (got.status_code, "another session" in got.text) == (403, True), one.path


async def test_the_address_of_every_form_leads_to_its_page_when_it_is_loaded(app):
    async with browser(app, cookies=cookies()) as client:
        forms = [path_of(one) for one in acting(app) if not one.path.startswith("/api/")]
        assert len(forms) > 20
        for path in forms:
            got = await client.get(path)
            # 404: there is no such panel, pair or draft here.
            assert got.status_code in {200, 303, 404}, path
        led = await client.get("/label/plans")
        assert (led.status_code, led.headers["location"]) == (303, "/label")
        odd = await client.get("/baselines/a%20%3Fb/drafts")
        assert odd.headers["location"] == "/baselines/a%20%3Fb"
        refused = await client.post("/access/accounts", headers=headers())
        assert "name: missing, and needed; fill it in" in refused.text
        assert '<a href="/access/accounts">Back to the page with the form</a>' in refused.text


async def test_each_is_refused_to_nobody_once_there_is_an_account(closed):
    async with browser(closed, cookies=cookies()) as client:
        for one in acting(closed):
            got = await client.post(path_of(one), headers=headers())
            expected = 422 if one.path == "/login" else 401
            assert got.status_code == expected, one.path


async def test_nothing_but_the_open_list_is_read_by_nobody_once_there_is_an_account(closed):
    async with browser(closed) as client:
        found = {one.path for one in reading(closed)}
        assert found >= OPEN | OF_THE_MACHINE | FOR_ADMINS | {"/api/v1/openapi.json"}
        for path in sorted(found - OPEN - OF_THE_MACHINE):
            got = await client.get(path.replace("{", "").replace("}", ""))
            to_login = got.headers.get("location", "").startswith("/login")
            expected = (401, False) if path.startswith("/api/") else (303, True)
            assert (got.status_code, to_login) == expected, path
        for path in OPEN | OF_THE_MACHINE:
            assert (await client.get(path)).status_code == 200, path


async def test_pages_of_access_are_for_admins(closed, shown):
    async with browser(closed) as client:
        for path in sorted(FOR_ADMINS):
            codes = [(await client.get(path, headers=shown[role])).status_code for role in Role]
            assert codes == [403, 403, 200], path


async def test_every_page_answers_head_as_it_does_get(app):
    async with browser(app) as client:
        for path in ("/login", "/who", "/access", "/api/v1/access", "/health", "/nothing"):
            got, head = await client.get(path), await client.head(path)
            assert (head.status_code, head.content) == (got.status_code, b""), path
            assert head.headers["content-type"] == got.headers["content-type"]


async def test_the_description_of_the_api_names_the_token(app):
    async with browser(app) as client:
        told = (await client.get("/api/v1/openapi.json")).json()
    assert told["components"]["securitySchemes"]["bearer"]["scheme"] == "bearer"
    assert told["security"] == [{}, {"bearer": []}]
