"""Write the pages of docs/ that are made from code: `python -m tools.docs` (or `make docs`).

A test fails while a page differs from what this would write.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner

from monitor.cli import build
from monitor.domain.engine import Engine
from monitor.engines import ENGINES
from monitor.engines.prices import PRICES, Price, used_micros
from monitor.judge.llm.prices import PRICES as JUDGE_PRICES
from tools.judges import judges_page
from tools.made import MADE
from tools.settings_page import settings_page

DOCS = Path(__file__).resolve().parent.parent / "docs"
WIDTH = 100

CLI_HEAD = """# The command

Every command has `--help`. Commands that print for people take `--json` for programs; fields may be
added, never renamed, and `schemas/` describes those of `parse`, `urls`, `judge`, `judge-report`,
`evaluate`, `agreement`, `compare`, `spend`, `status`, `schedule list`, `alerts list`,
`alerts deliveries` and `export`, and `/health` of `serve`.
Without `--config` the settings are `config.yaml` in the folder you are in, or the file that
`MONITOR_CONFIG` names ([settings](settings.md)).

| exit code | meaning |
|---|---|
| 0 | fine |
| 1 | changes found (`compare`), alerts open (`alerts list`) |
| 2 | something you can put right; the message says what |
| 3 | incomplete run: `monitor resume` goes on; nothing changed, not all comparable (`compare`) |
| 70 | a fault of ours, with its traceback |
| 130 | stopped by hand; nothing that was answered is lost |

"""

ENGINES_HEAD = """# Engines

One row per engine, from the table `ENGINES`. The name is what panels and `config.yaml` say. An
engine without its key is left out of a plan and named as skipped. Each key may also be given as a
file: `NAME_FILE=/path`. The price here is the flat estimate, which stands where neither the vendor
nor the table of [prices](prices.md) says more.

"""

PRICES_HEAD = """# Prices

What a call costs, in this order: what the vendor reports for it (in USD), what you set in
`engines.NAME.call_micros`, what it used at the list price of its day, the engine's flat estimate.
Before a call, its estimated price is reserved: yours, else the list price of typical use, else the
flat estimate ([engines](engines.md)). `monitor engines` and `monitor run --dry-run` name the row
they used; `monitor spend` shows what a month came to.

List prices leave out free allowances, discounts for cached input and batch rates, and count every
search call the payload shows, so sums err on the high side. They were looked up on the day in the
table, some of them in what others quote: hold them against your bills. A model that no row names is
priced by the flat estimate; a date or `-latest` after a model's name makes no other model of it. A
vendor's cost in another currency is never added up as USD; the answer then carries a warning.

Prices are in USD; tokens by the million.

"""

JUDGE_PRICES_HEAD = """
## Models as judges

A call of the judge `llm` costs what the vendor counted at these prices, or at those of
`judge.llm.input_micros` and `judge.llm.output_micros`, which go first; models of the table above
cost the same here. A model that nobody names a price for is reserved at a high one, and
`monitor run --dry-run` shows what the judging may come to. What is reserved before a call is the
most it can use: every third byte a token, and the longest reply. A server of your own costs nothing
where both settings are 0.

"""


def cli_page() -> str:
    """docs/cli.md: the help text of every command."""
    app = build(None)
    root = typer.main.get_command(app)
    parts = [MADE, CLI_HEAD, _help(app, ())]
    parts += [_help(app, path) for path in command_paths(root)]
    return "".join(parts).rstrip() + "\n"


def command_paths(group: Any, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command as the words that call it, groups before their members."""
    for name, command in group.commands.items():
        yield (*before, name)
        if hasattr(command, "commands"):
            yield from command_paths(command, (*before, name))


def _help(app: typer.Typer, path: tuple[str, ...]) -> str:
    """One command's section."""
    shown = CliRunner().invoke(
        app, [*path, "--help"], prog_name="monitor", terminal_width=WIDTH, color=False
    )
    if shown.exit_code != 0:
        raise RuntimeError(f"monitor {' '.join(path)} --help ended with {shown.exit_code}")
    lines = "\n".join(line.rstrip() for line in shown.output.strip().splitlines())
    title = " ".join(("monitor", *path))
    return f"## `{title}`\n\n```text\n{lines}\n```\n\n"


def engines_page() -> str:
    """docs/engines.md: the table of engines, then what each module says of its vendor."""
    rows = "".join(_engine_row(engine) for engine in ENGINES.values())
    head = (
        "| engine | for readers | access | default model | key | USD a call | what it searched |\n"
        "|---|---|---|---|---|---|---|\n"
    )
    sections = "".join(_engine_section(engine) for engine in ENGINES.values())
    return f"{MADE}{ENGINES_HEAD}{head}{rows}\n{sections}".rstrip() + "\n"


def _engine_row(engine: Engine) -> str:
    keys = ", ".join(f"`{name}`" for name in engine.auth.variables) if engine.auth else "none"
    cells = (
        f"`{engine.name}`",
        engine.label,
        engine.access.value,
        f"`{engine.default_model}`" if engine.default_model else "",
        keys,
        f"{engine.call_micros / 1e6:.4f}",
        "told" if engine.exposes_retrieved else "not told",
    )
    return f"| {' | '.join(cells)} |\n"


def _engine_section(engine: Engine) -> str:
    """What the module's docstring says; its indented parts stay as they are."""
    module = inspect.getmodule(engine.parse)
    assert module is not None
    text = inspect.cleandoc(module.__doc__ or "")
    return f"## `{engine.name}`: {engine.label}\n\n{text}\n\n"


def prices_page() -> str:
    """docs/prices.md: the table of list prices."""
    head = (
        "| engine | model | since | call | input | output | search | typical call | looked up "
        "| source |\n|---|---|---|---|---|---|---|---|---|---|\n"
    )
    judges = (
        "| provider | model | since | input | output | looked up | source |\n"
        "|---|---|---|---|---|---|---|\n"
    )
    engines = f"{head}{''.join(map(_price_row, PRICES))}"
    models = f"{judges}{''.join(map(_judge_price_row, JUDGE_PRICES))}"
    return f"{MADE}{PRICES_HEAD}{engines}{JUDGE_PRICES_HEAD}{models}".rstrip() + "\n"


def _judge_price_row(price: Price) -> str:
    cells = (
        f"`{price.engine}`",
        f"`{price.model}`",
        str(price.since),
        _usd(price.input),
        _usd(price.output),
        str(price.looked_up),
        price.source,
    )
    return f"| {' | '.join(cells)} |\n"


def _price_row(price: Price) -> str:
    typical = used_micros(price, price.typical) if price.typical or not price.by_usage else None
    cells = (
        f"`{price.engine}`",
        f"`{price.model}`" if price.model else "any",
        str(price.since),
        *(_usd(one) for one in (price.call, price.input, price.output, price.search)),
        "" if typical is None else _usd(typical),
        str(price.looked_up),
        price.source,
    )
    return f"| {' | '.join(cells)} |\n"


def _usd(micros: int) -> str:
    """Millionths of a USD as USD, nothing for nothing."""
    return f"{micros / 1e6:.6f}".rstrip("0").rstrip(".") if micros else ""


PAGES: Mapping[str, Callable[[], str]] = {
    "cli.md": cli_page,
    "engines.md": engines_page,
    "judges.md": judges_page,
    "prices.md": prices_page,
    "settings.md": settings_page,
}
"""File in docs/ -> what writes it."""


def main() -> None:
    """Write every page that is made from code."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
