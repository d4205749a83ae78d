"""Every page of an application that links lead to from its first one, a few of each kind."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from urllib.parse import parse_qsl, unquote, urlsplit

import httpx
import lxml.html
from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import Match, Route

from monitor.web.access.acts import Leading

API = "/api/v1"
ASSETS = frozenset({"/static/style.css", "/static/monitor.js", "/static/icon.svg"})


@dataclass(frozen=True, slots=True)
class Visit:
    """One address that was asked for, and the answer."""

    address: str
    route: str
    """Path of the route that answered, its parameters in braces."""
    linked_from: str
    answer: httpx.Response

    @property
    def is_page(self):
        """Whether the answer is HTML of ours."""
        return self.answer.headers.get("content-type", "").startswith("text/html")

    @property
    def tree(self):
        """The page as a tree."""
        return lxml.html.document_fromstring(self.answer.content)


@dataclass(slots=True)
class Crawl:
    """What was visited, by address, and links that no route answers."""

    visits: dict[str, Visit] = field(default_factory=dict)
    nowhere: list[tuple[str, str]] = field(default_factory=list)

    def pages(self) -> Iterator[Visit]:
        """Visits that are HTML."""
        return (one for one in self.visits.values() if one.is_page)

    def routes(self) -> set[str]:
        """Routes that were visited."""
        return {one.route for one in self.visits.values()}

    def of(self, route: str) -> Visit:
        """The first visit of a route."""
        return next(one for one in self.visits.values() if one.route == route)


async def crawled(
    client: httpx.AsyncClient, app: FastAPI, *, first=("/",), each: int = 2, most: int = 500
) -> Crawl:
    """Follow links from the first addresses on, up to so many of each kind and in all.

    A kind is a route with the names of its query: a page with a filter is another one than without.
    Kinds that were visited least come first. Each page leads to its twin, whether it links it or not.
    """
    found, kinds, order = Crawl(), Counter(), count()
    routes = {one.path for one in all_routes(app)}
    seen = set(first)
    waiting = [(0, next(order), one, "") for one in first]
    while waiting and len(found.visits) < most:
        times, _, address, linked_from = heappop(waiting)
        route = route_of(app, address)
        if route is None:
            found.nowhere.append((address, linked_from))
            continue
        kind = route, frozenset(name for name, _ in parse_qsl(urlsplit(address).query))
        if kinds[kind] >= each:
            continue
        if kinds[kind] > times:
            heappush(waiting, (kinds[kind], next(order), address, linked_from))
            continue
        kinds[kind] += 1
        visit = Visit(address, route, linked_from, await client.get(address))
        found.visits[address] = visit
        links = links_of(visit)
        links += [API + address] if API + route in routes else []
        for one in dict.fromkeys(links):
            if one not in seen:
                seen.add(one)
                heappush(waiting, (0, next(order), one, address))
    return found


def links_of(visit: Visit) -> list[str]:
    """Addresses within the application that a page names, or that it is sent on to."""
    if visit.answer.is_redirect:
        return [visit.answer.headers["location"]]
    if not visit.is_page or not visit.answer.content:
        return []
    tree = visit.tree
    named = [*tree.xpath("//@href"), *tree.xpath("//@src")]
    named += tree.xpath("//form[not(translate(@method,'POST','post')='post')]/@action")
    inside = (whole(visit.address, one) for one in named)
    return [one for one in inside if one.startswith("/")]


def whole(address: str, link: str) -> str:
    """A link of a page from the root on, without its fragment; one that leads out stays as it is."""
    link = link.partition("#")[0]
    if link.startswith("?"):
        return address.partition("?")[0] + link
    return link


def route_of(app: FastAPI, address: str) -> str | None:
    """Path of the route that answers a GET of an address, its parameters in braces."""
    path = unquote(urlsplit(address).path)
    scope = {"type": "http", "method": "GET", "path": path, "root_path": "", "headers": []}
    return next((r.path for r in all_routes(app) if r.matches(scope)[0] is Match.FULL), None)


def all_routes(app: FastAPI) -> list[Route]:
    """Every route, those of included routers too, which the library keeps apart."""
    found = []
    for one in app.routes:
        inner = getattr(one, "original_router", None)
        found += [one] if inner is None else inner.routes
    return [one for one in found if isinstance(one, Route)]


def read_routes(app: FastAPI) -> dict[str, APIRoute]:
    """Path -> route, of all that answer a GET and were declared by us, addresses of forms aside."""
    return {
        one.path: one
        for one in all_routes(app)
        if isinstance(one, APIRoute) and "GET" in one.methods and not isinstance(one, Leading)
    }


def query_names(route: APIRoute) -> set[str]:
    """Names of the query of a route, those of its dependencies included."""
    found, left = set(), [route.dependant]
    while left:
        one = left.pop()
        found |= {field.alias for field in one.query_params}
        left += one.dependencies
    return found


async def named(client, name="ana"):
    """The client with a name to label under, as the page that asks for it gives one."""
    asked = await client.get("/who")
    form = lxml.html.document_fromstring(asked.content).xpath("//main//form[@method='post']")[0]
    fields = {one.get("name"): one.get("value", "") for one in form.xpath(".//input[@name]")}
    sent = await client.post(form.get("action") or "/who", data=fields | {"name": name})
    assert sent.status_code == 303, sent.text
