"""The API keeps to its own document, whatever it is asked: schemathesis within this process."""

from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
import schemathesis
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.routing import compile_path

from monitor.web.access.own import OwnForms
from tests.crawled import all_routes, crawled, named
from tests.web.conftest import ADDRESS, asking, over

KEPT_TO = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
)
BOUNDED = settings(
    deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
SECRET = "s" * 43


@pytest.fixture(scope="module")
def walk(demo_app):
    """What following links finds; asked once."""
    kept = []

    async def crawl():
        if not kept:
            async with asking(demo_app) as client:
                await named(client)
                kept.append(await crawled(client, demo_app, each=2))
        return kept[0]

    return crawl


def samples_of(found):
    """Route -> (path parameters, query) of addresses that pages link to."""
    samples = {}
    for one in found.visits.values():
        pattern, _, convertors = compile_path(one.route)
        parts = urlsplit(one.address)
        texts = pattern.match(httpx.URL(one.address).path).groupdict()
        known = {name: convertors[name].convert(text) for name, text in texts.items()}
        samples.setdefault(one.route, []).append((known, dict(parse_qsl(parts.query))))
    return samples


def operations(document, app):
    """Every operation of a document, to be asked of an application without a socket."""
    schema = schemathesis.openapi.from_dict(document)
    schema.app = app
    return [one.ok() for one in schema.get_all_operations()]


def own_call(case, **more):
    """One request as a page of ours would send it, without following where it leads."""
    headers = {
        "cookie": f"monitor-8750={SECRET}",
        "x-csrf-token": str(OwnForms(SECRET)),
        "sec-fetch-site": "same-origin",
        "host": "127.0.0.1:8750",
    }
    return case.call(base_url=ADDRESS, headers=headers, allow_redirects=False, **more)


def try_out(operation, samples, *, examples, checks):
    """So many requests to one operation: any parameters, or those of addresses that pages have."""
    known = samples.get(operation.path, [])

    @settings(BOUNDED, max_examples=examples)
    @given(operation.as_strategy(), st.sampled_from([None, *known]), st.booleans())
    def check(case, sample, keeps_query):
        if sample is not None:
            case.path_parameters = dict(sample[0])
            if keeps_query:
                case.query = dict(sample[1])
        case.validate_response(own_call(case), checks=list(checks))

    check()


async def test_answers_keep_to_the_document(demo_app, walk):
    samples = samples_of(await walk())
    reading = [one for one in operations(demo_app.openapi(), demo_app) if one.method == "get"]
    assert len(reading) > 20
    for one in reading:
        try_out(one, samples, examples=8, checks=KEPT_TO)


async def test_every_twin_that_a_page_links_to_is_as_documented(demo_app, walk):
    found = await walk()
    documented = {one.path: one for one in operations(demo_app.openapi(), demo_app)}
    twins = [one for one in found.visits.values() if one.route in documented]
    assert {one.answer.status_code for one in twins} == {200}
    for one in twins:
        documented[one.route].validate_response(one.answer)


async def test_no_form_brings_the_application_down(own_store, walk):
    samples = samples_of(await walk())
    with over(own_store) as (_, app):
        every = [one for one in all_routes(app) if isinstance(one, APIRoute)]
        routes = [one for one in every if "POST" in one.methods]
        hidden = [one for one in routes if not one.include_in_schema]
        for one in hidden:
            one.include_in_schema = True
        try:
            document = get_openapi(title="forms", version="1", routes=routes)
        finally:
            for one in hidden:
                one.include_in_schema = False
        forms = operations(document, app)
        assert len(forms) == len(routes) > 8
        reached = {}
        for known, _ in (two for ways in samples.values() for two in ways):
            for name, value in known.items():
                reached.setdefault(name, value)
        for one in forms:
            names = {part[1:-1] for part in one.path.split("/") if part.startswith("{")}
            sample = {one.path: [({n: reached[n] for n in names & reached.keys()}, {})]}
            whole = sample if names <= reached.keys() else {}
            try_out(one, whole, examples=8, checks=(not_a_server_error,))


async def test_the_document_says_who_answers_and_how_it_fails(demo_app):
    document = demo_app.openapi()
    for path, methods in document["paths"].items():
        assert path.startswith("/api/v1/"), path
        for method, one in methods.items():
            assert one["summary"], (method, path)
            assert {"404", "422"} <= one["responses"].keys(), (method, path)
    names = [one["operationId"] for ways in document["paths"].values() for one in ways.values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("path", ["/api/v1/openapi.json"])
async def test_the_document_itself_is_served(client, path):
    got = await client.get(path)
    assert (got.status_code, got.json()["openapi"][:2]) == (200, "3.")
