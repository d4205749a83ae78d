"""Column types that keep one meaning on SQLite and PostgreSQL."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, Integer, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import DontWrapMixin
from sqlalchemy.types import TypeDecorator, TypeEngine

from monitor.errors import StoreError

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")

Id = BigInteger().with_variant(Integer, "sqlite")
"""Integer key; SQLite counts rows by itself only for INTEGER."""


class NaiveTimeError(DontWrapMixin, StoreError):
    """A date-time without zone was to be stored; nobody could say when that was."""


def storable(text: str) -> str:
    """Text with NUL and lone surrogates replaced one for one, so that offsets stay right."""
    return _UNSTORABLE.sub("�", text) if _UNSTORABLE.search(text) else text


def storable_json(value: Any) -> Any:
    """A JSON value whose strings and keys can all be stored."""
    if isinstance(value, str):
        return storable(value)
    if value is None or isinstance(value, (int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [storable_json(part) for part in value]
    if isinstance(value, Mapping):
        return {storable(str(key)): storable_json(part) for key, part in value.items()}
    return value


class CleanText(TypeDecorator[str]):
    """Text of outsiders: NUL and lone surrogates become the replacement character."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Replace what PostgreSQL and UTF-8 cannot hold."""
        return None if value is None else storable(value)


class UtcTime(TypeDecorator[datetime]):
    """A moment in UTC; a naive date-time is refused in both directions of doubt."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> datetime | None:
        """Convert an aware date-time to UTC."""
        if value is None:
            return None
        if value.tzinfo is None or value.utcoffset() is None:
            raise NaiveTimeError(
                f"cannot store the naive date-time {value.isoformat()}: expected an aware one, "
                "pass datetime.now(UTC) or attach its zone"
            )
        return value.astimezone(UTC)

    def process_result_value(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> datetime | None:
        """Give an aware UTC date-time; SQLite keeps no zone, everything there is UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class CleanJson(TypeDecorator[Any]):
    """A JSON document (JSONB on PostgreSQL) whose strings can all be stored; None is NULL."""

    impl = JSON(none_as_null=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Take JSONB where there is one."""
        if dialect.name == "postgresql":
            return dialect.type_descriptor(JSONB(none_as_null=True))
        return dialect.type_descriptor(JSON(none_as_null=True))

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002
        """Replace what PostgreSQL and UTF-8 cannot hold."""
        return storable_json(value)
