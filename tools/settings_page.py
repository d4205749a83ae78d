"""docs/settings.md, made from the models of the settings and the words beside their fields."""

import inspect
import json
from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from monitor.config import alerting as alerting_module
from monitor.config import channels as channels_module
from monitor.config import parts as parts_module
from monitor.config import surfaces as surfaces_module
from monitor.config.meanings import meaning_of
from monitor.config.settings import PREFIX, Settings
from tools.made import MADE

SETTINGS_HEAD = f"""# Settings

`config.yaml` holds what an operator may choose; an unknown key is an error that names the nearest
known one. Every setting may also come from a variable, which wins over the file: `{PREFIX}` and the
path with double underscores. `MONITOR_CONFIG` names another file. Keys of engines are not settings:
they come from their own variables ([engines](engines.md)) and are never stored.

"""


def settings_page() -> str:
    """docs/settings.md: every setting with its kind, bounds, default and meaning."""
    parts = [_table("", Settings, tables=False)]
    for name, part, repeated in settings_parts():
        prefix = _REPEATED[name][0] if repeated else name
        summary = inspect.cleandoc(part.__doc__ or "")
        parts.append(f"## `{name}`\n\n{summary}\n\n{_table(prefix, part, tables=True)}")
        if part is alerting_module.AlertsPart:
            parts += _channel_tables()
        if repeated:
            parts += _optional_tables(prefix, part)
    return f"{MADE}{SETTINGS_HEAD}{''.join(parts)}".rstrip() + "\n"


def _channel_tables() -> Iterator[str]:
    """A table of what every channel has, and one of what each kind of channel has besides."""
    prefix = f"{channels_module.__name__.rpartition('.')[2]}.NAME"
    shared = channels_module.ChannelPart
    for part in (shared, *channels_module.CHANNELS):
        kind = part.model_fields.get("kind")
        title = f"alerts.{prefix}" + (f"`, kind `{_tag(kind)}" if kind else "")
        summary = inspect.cleandoc(part.__doc__ or "")
        own = part.model_fields.keys() - (shared.model_fields.keys() if kind else set())
        table = _table(f"alerts.{prefix}", part, tables=True, only=own)
        yield f"### `{title}`\n\n{summary}\n\n{table}"


def _optional_tables(prefix: str, part: type[BaseModel]) -> Iterator[str]:
    """A table of each section of a section that may be left out."""
    for name, field in part.model_fields.items():
        inner = next((one for one in map(_part, get_args(field.annotation)) if one), None)
        if inner is not None:
            path, summary = f"{prefix}.{name}", inspect.cleandoc(inner.__doc__ or "")
            yield f"### `{path}`\n\n{summary}\n\n{_table(path, inner, tables=True)}"


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
    *,
    tables: bool,
    only: Collection[str] | None = None,
) -> str:
    sections = {name for name, _, _ in settings_parts()}
    rows = [
        _setting_row(f"{prefix}.{name}".lstrip("."), field, meaning_of(part, name))
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
