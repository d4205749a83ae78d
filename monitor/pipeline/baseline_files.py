"""Stored versions of baselines as files, and files as stored versions: the same text both ways."""

from collections.abc import Callable
from dataclasses import dataclass

from monitor.baseline import ParsedBaseline
from monitor.baseline.differences import Difference, baseline_differences
from monitor.baseline.writing import write_baseline
from monitor.config.yaml import MAX_BYTES, Document, read_yaml
from monitor.domain.baseline import Baseline
from monitor.errors import PanelError, StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.drafting import panel_now
from monitor.pipeline.freezing import check_text
from monitor.store import Connection, baselines, panels
from monitor.store.baselines import StoredBaseline


def stored_version(bench: Bench, panel: str, version: str | None) -> Baseline:
    """A stored version; StoreError names those that there are."""
    found = bench.read(lambda c: panels.load_baseline(c, panel, version))
    if found is None:
        there = [one.baseline.version for one in versions_of(bench, panel)]
        named = f"its versions: {', '.join(there[:20])}" if there else "none is stored"
        wanted = f" of version {version[:64]!r}" if version is not None else ""
        raise StoreError(f"panel {panel[:64]!r} has no stored baseline{wanted}; {named}")
    return found


def versions_of(bench: Bench, panel: str) -> tuple[StoredBaseline, ...]:
    """Stored versions of a panel, the one saved last first."""
    return bench.read(lambda c: baselines.list_versions(c, panel))


def version_text(bench: Bench, panel: str, version: str | None) -> str:
    """The file of a stored version: its own text, byte for byte, where it was read from one."""
    baseline = stored_version(bench, panel, version)
    text = bench.read(lambda c: panels.baseline_source_text(c, panel, version))
    return text if text and named_panel(text) is not None else write_baseline(baseline)


def differences(bench: Bench, panel: str, before: str, after: str) -> tuple[Difference, ...]:
    """What two stored versions say differently."""
    return baseline_differences(
        stored_version(bench, panel, before), stored_version(bench, panel, after)
    )


def named_panel(text: str) -> str | None:
    """Panel that the text of a baseline names; None where it cannot be read."""
    if len(text) > MAX_BYTES:
        return None
    document = read_yaml(text, "")
    value = document.value if isinstance(document, Document) else None
    name = value.get("panel") if isinstance(value, dict) else None
    return name if isinstance(name, str) else None


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A baseline's text as it was read, and what storing it would come to."""

    read: ParsedBaseline
    is_stored: bool = False
    """Whether the store has just this version."""
    conflict: str = ""
    """Why a stored version forbids it, and what to do; empty where none does."""
    unbound: str = ""
    """Why it cannot be stored for want of a panel; empty where its panel is known."""


def check_file(bench: Bench, text: str, *, file: str) -> CheckedFile:
    """A baseline's text, checked as `monitor check` does and against the store; nothing is stored.

    Mistakes are in what was read.
    """
    name = named_panel(text)
    panel = None
    if name is not None:
        try:
            panel = panel_now(bench, name)
        except PanelError:
            panel = None
    read = check_text(bench, text, panel, file=file)
    baseline = read.baseline
    if baseline is None:
        return CheckedFile(read)
    if panel is None:
        return CheckedFile(
            read,
            unbound=f"{file}: its panel {baseline.panel!r} is neither in {bench.settings.panels} "
            "nor in the store, so its prompts cannot be bound; nothing was stored",
        )
    is_stored = bench.read(lambda c: panels.stored_same(c, baseline)) is not None
    conflict = bench.read(lambda c: panels.refused_version(c, baseline))
    return CheckedFile(read, is_stored, conflict)


def import_file(
    bench: Bench,
    text: str,
    *,
    file: str,
    also: Callable[[Connection, Baseline], object] | None = None,
) -> ParsedBaseline:
    """Store the baseline of a text under its version; PanelError where its panel is not known.

    StoreError where the version is stored with other content.
    With mistakes nothing is stored: they are in what is returned. `also` writes in the same
    transaction.
    """
    checked = check_file(bench, text, file=file)
    read, baseline = checked.read, checked.read.baseline
    if baseline is None:
        return read
    if checked.unbound:
        raise PanelError(checked.unbound)
    at = bench.clock.now()

    def save(connection: Connection) -> None:
        panels.save_baseline(connection, baseline, text, saved_at=at)
        if also is not None:
            also(connection, baseline)

    bench.write(save)
    return read
