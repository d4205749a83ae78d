"""`monitor engines`, `monitor browser` and `monitor db`: what this installation has."""

import json
from contextlib import closing
from typing import Annotated

import typer

from monitor.capture.chromium import find_chromium, install_chromium
from monitor.cli.console import table
from monitor.cli.options import AsJson, Config
from monitor.config.settings import load_settings
from monitor.domain.engine import Engine
from monitor.engines import ENGINES
from monitor.pipeline.planning import price_of_call, skip_reason
from monitor.store import check, open_database, upgrade


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("engines")(engines)
    browser = typer.Typer(help="Find or install the browser.", no_args_is_help=True)
    browser.command("install")(browser_install)
    browser.command("find")(browser_find)
    app.add_typer(browser, name="browser")
    database = typer.Typer(help="Bring the store up to date.", no_args_is_help=True)
    database.command("upgrade")(db_upgrade)
    database.command("check")(db_check)
    app.add_typer(database, name="db")


def engines(
    config: Config = None,
    as_json: AsJson = False,
) -> int:
    """List engines, the price of a call, and keys you lack."""
    settings = load_settings(config)
    prices = {name: price_of_call(engine, settings) for name, engine in ENGINES.items()}
    rows = [
        {
            "engine": name,
            "label": engine.label,
            "access": engine.access.value,
            "keys": _keys(engine),
            "model": settings.engine(name).model or engine.default_model,
            "call_micros": prices[name].micros,
            "price": prices[name].note,
            "retrieved_exposed": engine.exposes_retrieved,
            "ready": skip_reason(engine, settings, no_browser=False) is None,
        }
        for name, engine in ENGINES.items()
    ]
    if as_json:
        print(json.dumps({"schema": 1, "engines": rows}, ensure_ascii=True))
        return 0
    table(
        "",
        ("engine", "access", "model", "USD a call", "price", "key", "ready"),
        [
            (
                str(r["engine"]),
                str(r["access"]),
                str(r["model"] or ""),
                f"{prices[str(r['engine'])].micros / 1e6:.4f}",
                str(r["price"]),
                " ".join(_keys(ENGINES[str(r["engine"])])),
                "yes" if r["ready"] else "no",
            )
            for r in rows
        ],
    )
    return 0


def _keys(engine: Engine) -> list[str]:
    """Variables that an engine's keys come from."""
    return list(engine.auth.variables) if engine.auth else []


def browser_install(
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Do nothing: go on without a browser.")
    ] = False,
) -> int:
    """Make sure that there is a Chromium, and print which.

    Playwright's own is taken, a system one, or Debian's package.
    """
    if no_browser:
        print("no browser: browser surfaces will be left out")
        return 0
    print(f"browser: {install_chromium()}")
    return 0


def browser_find() -> int:
    """Print which Chromium is used."""
    print(find_chromium() or "none; `monitor browser install` gets one")
    return 0


def db_upgrade(config: Config = None) -> int:
    """Bring the store to the newest revision."""
    with closing(open_database(load_settings(config).store.database)) as database:
        upgrade(database)
    print("store is up to date")
    return 0


def db_check(config: Config = None) -> int:
    """Say whether the store is at the newest revision."""
    with closing(open_database(load_settings(config).store.database)) as database:
        stale = check(database)
    print(stale or "store is up to date")
    return 2 if stale else 0
