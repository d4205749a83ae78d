"""The one MetaData, its naming convention, and the columns that tables share."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Integer, MetaData

from monitor.store.types import CleanText, Id

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
"""Every constraint has a name: batch mode cannot drop a nameless one."""

metadata = MetaData(naming_convention=NAMING)


def id_column() -> Column[int]:
    """Integer primary key `id`, counted by the database."""
    return Column("id", Id, primary_key=True)


def reference(name: str, table: str, *, index: bool = False, nullable: bool = False) -> Column[int]:
    """Foreign key to the `id` of a table."""
    return Column(name, Id, ForeignKey(f"{table}.id"), index=index, nullable=nullable)


def text_column(name: str, *, nullable: bool = False) -> Column[str]:
    """Text of outsiders, cleaned on the way in."""
    return Column(name, CleanText, nullable=nullable)


def number_column(name: str, *, nullable: bool = False) -> Column[int]:
    """A count or an offset."""
    return Column(name, Integer, nullable=nullable)


def micros_column(name: str, *, nullable: bool = False) -> Column[int]:
    """Money in millionths of its currency unit."""
    return Column(name, Id, nullable=nullable)


def one_of(column: str, *words: str) -> CheckConstraint:
    """Constraint that a column holds one word of a closed list."""
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)
