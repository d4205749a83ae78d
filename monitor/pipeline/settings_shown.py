"""Settings -> values that anybody may read: secrets are told as set or not set, never shown."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from monitor.config.meanings import meaning_of
from monitor.config.settings import Settings, secret, variable_of
from monitor.config.validation import SHOWN_OF_CHANNELS
from monitor.domain.secrecy import redact
from monitor.engines import ENGINES
from monitor.errors import ConfigError
from monitor.judge.llm import usual_key
from monitor.pipeline.secret_guard import readable_secrets
from monitor.report.screens.settings import SettingGroup, SettingLine
from monitor.report.words import clipped

SET, NOT_SET = "set", "not set"
_CHANNELS = "alerts.channels."
_LONGEST = 400
_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)

Place = tuple[str, ...]


def shown_settings(settings: Settings) -> tuple[SettingGroup, ...]:
    """Every setting by section, in the order of the settings."""
    hide = _Hiding(settings)
    groups = _groups((), settings, hide)
    return tuple(one for one in groups if one.settings)


def shown_keys(settings: Settings) -> tuple[SettingLine, ...]:
    """Variables that hold keys, each set or not set."""
    holders: dict[str, list[str]] = {}
    for engine in ENGINES.values():
        for variable in engine.auth.variables if engine.auth else ():
            holders.setdefault(variable, []).append(engine.name)
    holders.setdefault(usual_key(settings.judge.llm), []).append("judge llm")
    holders.setdefault("PGPASSWORD", []).append("the database")
    return tuple(_key(name, users) for name, users in sorted(holders.items()))


def masked_address(address: str) -> str:
    """An address without what may be a secret in it: login, query and fragment."""
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return SET
    login = "***@" if parts.username or parts.password else ""
    place = f"{login}{host}{f':{port}' if port else ''}"
    more = "?***" if parts.query else ""
    return f"{parts.scheme}://{place}{parts.path}{more}"


def _key(name: str, users: Sequence[str]) -> SettingLine:
    try:
        value = NOT_SET if secret(name) is None else SET
    except ConfigError:
        value = "set, and cannot be read"
    source = "default" if value == NOT_SET else "variable, or the file it names"
    return SettingLine(name, value, source, NOT_SET, f"Key of {', '.join(users)}.")


class _Hiding:
    """Blanks every secret that the settings can name out of what is shown."""

    def __init__(self, settings: Settings) -> None:
        self._secrets = readable_secrets(settings)

    def text(self, value: Any) -> str:
        told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if _ADDRESS.match(told):
            told = masked_address(told)
        body = told.encode("utf-8", "replace")
        for group in self._secrets:
            body, _ = redact(body, group)
        return clipped(body.decode("utf-8", "replace"), _LONGEST)


def _groups(place: Place, part: BaseModel, hide: _Hiding) -> Iterator[SettingGroup]:
    """A section's own settings, then the sections within it."""
    lines: list[SettingLine] = []
    within: list[tuple[Place, BaseModel]] = []
    plain = part.model_dump(mode="json")
    for name, field in type(part).model_fields.items():
        value = getattr(part, name)
        own = (*place, name)
        if isinstance(value, BaseModel):
            within.append((own, value))
        elif _holds_parts(value):
            within += [((*own, key), one) for key, one in value.items()]
        else:
            told = _told(own, field, value, plain.get(name), hide)
            lines.append(_line(own, part, field, told, hide))
    summary = type(part).__doc__ or ""
    heading = ".".join(place) or "general"
    yield SettingGroup(heading, summary.strip().partition("\n")[0], tuple(lines))
    for inner, one in within:
        yield from _groups(inner, one, hide)


def _holds_parts(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and bool(value)
        and all(isinstance(one, BaseModel) for one in value.values())
    )


def _line(place: Place, part: BaseModel, field: FieldInfo, told: str, hide: _Hiding) -> SettingLine:
    name = place[-1]
    return SettingLine(
        path=".".join(place),
        value=told,
        source=_source(place, is_set=name in part.model_fields_set),
        default="" if field.is_required() else _default(place, field, hide),
        meaning=" ".join(meaning_of(type(part), name).split()),
    )


def _source(place: Place, *, is_set: bool) -> str:
    if not is_set:
        return "default"
    variable = variable_of(place)
    return f"variable {variable}" if variable else "file"


def _default(place: Place, field: FieldInfo, hide: _Hiding) -> str:
    default = field.get_default(call_default_factory=True)
    if _is_secret(place, field):
        return NOT_SET
    kept = default.model_dump(mode="json") if isinstance(default, BaseModel) else default
    return hide.text(json.loads(json.dumps(kept, default=str)))


def _told(place: Place, field: FieldInfo, value: Any, plain: Any, hide: _Hiding) -> str:
    """A value in words; a secret is set or not set."""
    if place == ("store", "database"):
        return _database(value)
    if isinstance(value, Mapping) and any(isinstance(one, SecretStr) for one in value.values()):
        return ", ".join(f"{key}: {SET}" for key in value)
    if _is_secret(place, field):
        return SET if value else NOT_SET
    return hide.text(plain)


def _database(url: str) -> str:
    """A database without a password: a login and options are left out whole."""
    return url if url.startswith("sqlite:") else masked_address(url)


def _is_secret(place: Place, field: FieldInfo) -> bool:
    """Whether a value is one, or may be one by mistake, such as the name of a file with a key."""
    if ".".join(place).startswith(_CHANNELS):
        return place[-1] not in SHOWN_OF_CHANNELS
    return "SecretStr" in str(field.annotation) or place[-1].endswith("_file")
