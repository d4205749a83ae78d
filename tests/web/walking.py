"""All routes of an application, also those of routers that it includes."""

import re

from fastapi.routing import APIRoute

READING = {"GET", "HEAD", "OPTIONS"}


def walked(routes):
    """Every route, depth first."""
    for one in routes:
        included = getattr(one, "original_router", None)
        inner = included.routes if included is not None else getattr(one, "routes", None)
        if inner is None:
            yield one
        else:
            yield from walked(inner)


def acting(app):
    """Routes by which something changes."""
    return [one for one in walked(app.routes) if set(one.methods or ()) - READING]


def reading(app):
    """Routes that only answer."""
    return [one for one in walked(app.routes) if not set(one.methods or ()) - READING]


def path_of(route):
    """An address of a route; what stands in it names nothing."""
    assert isinstance(route, APIRoute)
    return re.sub(r"\{[^}]*\}", "1", route.path)
