"""Write the pages of docs/ that are made from code: `python -m tools.docs` (or `make docs`).

A test fails while a page differs from what this would write.
"""

import ast
import inspect
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from typer.testing import CliRunner

from monitor.cli import build
from monitor.config import alerting as alerting_module
from monitor.config import channels as channels_module
from monitor.config import judging as judging_module
from monitor.config import parts as parts_module
from monitor.config import settings as settings_module
from monitor.config import surfaces as surfaces_module
from monitor.config.settings import PREFIX, Settings
from monitor.domain.engine import Engine
from monitor.engines import ENGINES
from monitor.engines.prices import PRICES, Price, used_micros
from monitor.judge.llm.prices import PRICES as JUDGE_PRICES
from tools.judges import judges_page

DOCS = Path(__file__).resolve().parent.parent / "docs"
MADE = "<!-- Made by `make docs`; edit the code it is made from. -->\n\n"
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

SETTINGS_HEAD = f"""# Settings

`config.yaml` holds what an operator may choose; an unknown key is an error that names the nearest
known one. Every setting may also come from a variable, which wins over the file: `{PREFIX}` and the
path with double underscores. `MONITOR_CONFIG` names another file. Keys of engines are not settings:
they come from their own variables ([engines](engines.md)) and are never stored.

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


def settings_page() -> str:
    """docs/settings.md: every setting with its kind, bounds, default and meaning."""
    modules = (
        settings_module, parts_module, surfaces_module, judging_module, alerting_module,
        channels_module,
    )  # fmt: skip
    notes = _notes("\n".join(map(inspect.getsource, modules)))
    parts = [_table("", Settings, notes, tables=False)]
    for name, part, repeated in settings_parts():
        prefix = _REPEATED[name][0] if repeated else name
        summary = inspect.cleandoc(part.__doc__ or "")
        parts.append(f"## `{name}`\n\n{summary}\n\n{_table(prefix, part, notes, tables=True)}")
        if part is alerting_module.AlertsPart:
            parts += _channel_tables(notes)
        if repeated:
            parts += _optional_tables(prefix, part, notes)
    return f"{MADE}{SETTINGS_HEAD}{''.join(parts)}".rstrip() + "\n"


def _channel_tables(notes: Mapping[str, str]) -> Iterator[str]:
    """A table of what every channel has, and one of what each kind of channel has besides."""
    prefix = f"{channels_module.__name__.rpartition('.')[2]}.NAME"
    shared = channels_module.ChannelPart
    for part in (shared, *channels_module.CHANNELS):
        kind = part.model_fields.get("kind")
        title = f"alerts.{prefix}" + (f"`, kind `{_tag(kind)}" if kind else "")
        summary = inspect.cleandoc(part.__doc__ or "")
        own = part.model_fields.keys() - (shared.model_fields.keys() if kind else set())
        table = _table(f"alerts.{prefix}", part, notes, tables=True, only=own)
        yield f"### `{title}`\n\n{summary}\n\n{table}"


def _optional_tables(prefix: str, part: type[BaseModel], notes: Mapping[str, str]) -> Iterator[str]:
    """A table of each section of a section that may be left out."""
    for name, field in part.model_fields.items():
        inner = next((one for one in map(_part, get_args(field.annotation)) if one), None)
        if inner is not None:
            path, summary = f"{prefix}.{name}", inspect.cleandoc(inner.__doc__ or "")
            yield f"### `{path}`\n\n{summary}\n\n{_table(path, inner, notes, tables=True)}"


def _tag(field: FieldInfo) -> str:
    """The only word that a field may have."""
    return str(get_args(field.annotation)[0])


def settings_parts() -> Iterator[tuple[str, type[BaseModel], bool]]:
    """Sections of the settings: name, its model, and whether there is one per name."""
    for name, field in Settings.model_fields.items():
        kind = field.annotation
        if (part := _part(kind)) is not None:
            yield name, part, False
            yield from _parts_within(name, part)
        elif name in _REPEATED:
            yield name, _REPEATED[name][1], True


_REPEATED: Mapping[str, tuple[str, type[BaseModel]]] = {
    "engines": ("engines.ENGINE", parts_module.EnginePart),
    "surfaces": ("surfaces.NAME", surfaces_module.SurfacePart),
}
"""Section with one part per name -> how its path is written, and the part."""


def _parts_within(name: str, part: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel], bool]]:
    """Sections of a section: `judge.llm` within `judge`."""
    for inner, field in part.model_fields.items():
        kind = _part(field.annotation)
        if kind is not None:
            yield f"{name}.{inner}", kind, False


def _part(kind: Any) -> type[BaseModel] | None:
    """A section's model; None for a plain setting."""
    return kind if inspect.isclass(kind) and issubclass(kind, BaseModel) else None


def _table(
    prefix: str,
    part: type[BaseModel],
    notes: Mapping[str, str],
    *,
    tables: bool,
    only: Collection[str] | None = None,
) -> str:
    sections = {name for name, _, _ in settings_parts()}
    rows = [
        _setting_row(f"{prefix}.{name}".lstrip("."), field, _note(part, name, notes))
        for name, field in part.model_fields.items()
        if (tables or name not in sections)
        and _part(field.annotation) is None
        and (only is None or name in only)
    ]
    return (
        f"| setting | kind | default | meaning |\n|---|---|---|---|\n{''.join(rows)}\n"
        if rows
        else ""
    )


def _note(part: type[BaseModel], name: str, notes: Mapping[str, str]) -> str:
    """What stands under a field, in its class or in the one it comes from."""
    found = (notes.get(f"{one.__name__}.{name}") for one in part.__mro__)
    return next((note for note in found if note), "")


def _setting_row(path: str, field: FieldInfo, note: str) -> str:
    limits = [limit for one in field.metadata if (limit := _limit(one))]
    default = "" if field.is_required() else f"`{_default(field.default)}`"
    cells = (
        f"`{path}`",
        ", ".join((_kind(field.annotation), *limits)),
        default,
        " ".join(note.split()),
    )
    return f"| {' | '.join(cells)} |\n"


def _default(value: Any) -> str:
    """A default as `config.yaml` would say it."""
    return str(value) if isinstance(value, str) else json.dumps(value)


def _kind(annotation: Any) -> str:
    """A type in words; what only validates is left out."""
    inner = get_args(annotation)
    if get_origin(annotation) is Annotated:
        return _kind(inner[0])
    if annotation is None or annotation is type(None):
        return "null"
    if get_origin(annotation) in {Union, UnionType}:
        return " or ".join(dict.fromkeys(map(_kind, inner)))
    if get_origin(annotation) is Literal:
        return "one of " + ", ".join(f"`{one}`" for one in inner)
    if get_origin(annotation) is dict:
        return f"map to {_kind(inner[1])}"
    if inner:
        return f"list of {', '.join(_kind(one) for one in inner if one is not ...)}"
    if inspect.isclass(annotation) and issubclass(annotation, Enum):
        return "one of " + ", ".join(f"`{one.value}`" for one in annotation)
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return "keys with values"
    words = {"str": "text", "int": "whole number", "float": "number", "bool": "true or false",
             "SecretStr": "secret text"}  # fmt: skip
    name = getattr(annotation, "__name__", str(annotation))
    return words.get(name, "anything" if annotation is Any else name)


def _limit(limit: Any) -> str:
    """One bound in words; empty for what is no bound."""
    words = {"ge": "at least", "gt": "more than", "le": "at most", "lt": "less than"}
    told = [f"{said} {getattr(limit, key)}" for key, said in words.items() if hasattr(limit, key)]
    pattern = getattr(limit, "pattern", None)
    return ", ".join(told) or (f"`{pattern}`".replace("|", " or ") if pattern else "")


def _notes(source: str) -> dict[str, str]:
    """`Class.field` -> the string under the field."""
    notes = {}
    for node in ast.parse(source).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for field, after in zip(node.body, node.body[1:], strict=False):
            match field, after:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                    value=ast.Constant(value=str(text))
                ):
                    notes[f"{node.name}.{name}"] = text
    return notes


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
