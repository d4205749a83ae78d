"""Who may look and label: accounts, sessions, tokens, and what was done by whom."""

from sqlalchemy import Column, ForeignKey, Index, Table, Text, UniqueConstraint

from monitor.store.tables.base import id_column, metadata, one_of, reference, text_column
from monitor.store.types import CleanJson, Id, UtcTime

account = Table(
    "account",
    metadata,
    id_column(),
    text_column("name"),
    # Argon2id, in its own encoding; NULL for who comes through a proxy alone.
    Column("password_hash", Text),
    Column("role", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    # Sessions that began before are void: another password, another role.
    Column("changed_at", UtcTime, nullable=False),
    Column("disabled_at", UtcTime),
    UniqueConstraint("name"),
    one_of("role", "viewer", "annotator", "admin"),
)

web_session = Table(
    "web_session",
    metadata,
    id_column(),
    Column("token_hash", Text, nullable=False),
    # NULL where no password is asked for: whoever sits at this machine.
    Column("account_id", Id, ForeignKey("account.id"), index=True),
    # The name under which who has no account labels.
    text_column("annotator", nullable=True),
    Column("created_at", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    UniqueConstraint("token_hash"),
    Index(None, "expires_at"),
)

api_token = Table(
    "api_token",
    metadata,
    id_column(),
    text_column("name"),
    Column("token_hash", Text, nullable=False),
    Column("role", Text, nullable=False),
    text_column("made_by", nullable=True),
    Column("created_at", UtcTime, nullable=False),
    Column("used_at", UtcTime),
    Column("revoked_at", UtcTime),
    UniqueConstraint("name"),
    UniqueConstraint("token_hash"),
    one_of("role", "viewer", "annotator", "admin"),
)

login_failure = Table(
    "login_failure",
    metadata,
    id_column(),
    text_column("name"),
    Column("address", Text, nullable=False),
    Column("failed_at", UtcTime, nullable=False),
    Index(None, "name", "failed_at"),
    Index(None, "address", "failed_at"),
)

audit = Table(
    "audit",
    metadata,
    id_column(),
    Column("done_at", UtcTime, nullable=False),
    # NULL: who did it gave no name.
    text_column("actor", nullable=True),
    Column("role", Text, nullable=False),
    Column("way", Text, nullable=False),
    Column("action", Text, nullable=False),
    text_column("subject"),
    Column("body", CleanJson),
    Index(None, "done_at"),
    one_of("way", "machine", "password", "proxy", "token", "command"),
)
"""Insert only. `machine` is somebody at this machine, of whom no password is asked."""

answer_seen = Table(
    "answer_seen",
    metadata,
    id_column(),
    text_column("annotator"),
    text_column("panel"),
    text_column("prompt"),
    reference("capture_id", "capture", index=True),
    Column("seen_at", UtcTime, nullable=False),
    UniqueConstraint("annotator", "capture_id"),
    Index(None, "panel", "prompt"),
)
"""Who looked at which answer first when: what `drawn_blind` of a baseline is told from."""
