"""Accounts, tokens and browsers for tests of who may do what."""

import re
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import httpx
from argon2 import PasswordHasher

from monitor.domain.access import Role, Visitor, Way
from monitor.pipeline import accounts as changing
from monitor.pipeline import passwords
from monitor.web.app import make_app
from monitor.web.desk import Desk
from monitor.web.health import HealthWatch

ADDRESS = "http://127.0.0.1:8750"
HERE = Visitor(None, Role.ADMIN, Way.COMMAND)
PASSWORD = "oaks grow slowly"
MARK = re.compile(r'name="csrf" value="([0-9a-f]{64})"')


class Later:
    """A clock that is ahead by as much as a test says."""

    def __init__(self, clock):
        self._clock, self.ahead = clock, timedelta()

    def now(self):
        return self._clock.now() + self.ahead

    def __getattr__(self, name):
        return getattr(self._clock, name)


def cheaply(monkeypatch):
    """Hash passwords at hardly any cost."""
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(passwords, "_hasher", lambda: hasher)


def add(bench, name="ada", role=Role.ADMIN, password=PASSWORD):
    """An account with a password."""
    return changing.add_account(bench, HERE, name, role=role, password=password)


def token(bench, role, name=None):
    """The Authorization header of a new token."""
    secret = changing.add_token(bench, HERE, name or f"{role.value} program", role)
    return {"authorization": f"Bearer {secret}"}


def set_up(bench, **part):
    """The bench under other settings of the web door, and under a clock that can be put ahead."""
    web = bench.settings.web.model_validate(bench.settings.web.model_dump() | part)
    settings = bench.settings.model_copy(update={"web": web})
    return replace(bench, settings=settings, clock=Later(bench.clock))


_SHELL = []


def app_of(bench):
    """The application over a bench: one in a process, since making it takes long, moved to it."""
    watch = HealthWatch(bench, holds=0.0)
    if not _SHELL:
        _SHELL.append(make_app(watch))
    (app,) = _SHELL
    app.state.desk = Desk(bench, watch)
    app.state.web = bench.settings.web
    return app


@asynccontextmanager
async def browser(app, *, peer="127.0.0.1", address=ADDRESS, **more):
    """A browser with cookies of its own, from an address."""
    transport = httpx.ASGITransport(app=app, client=(peer, 50_000))
    async with httpx.AsyncClient(transport=transport, base_url=address, **more) as client:
        yield client


async def mark(client, page="/login"):
    """What the forms of a page carry."""
    got = await client.get(page)
    return MARK.search(got.text)[1]


async def log_in(client, name="ada", password=PASSWORD, **more):
    """Send the login form."""
    fields = {"csrf": await mark(client), "name": name, "password": password}
    return await client.post("/login", data=fields | more)


async def post(client, path, page, **fields):
    """Send a form of a page."""
    return await client.post(path, data={"csrf": await mark(client, page)} | fields)
