"""Drafts of baselines: begun for a panel as it reads now, graded and written by people."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path

from monitor.baseline.assembling import GradedSource, graded_sources
from monitor.config.settings import Settings
from monitor.config.yaml import read_file
from monitor.domain.access import person_name
from monitor.domain.baseline import Baseline
from monitor.domain.drafted import (
    DraftPlan,
    PooledSource,
    SourceRuling,
    source_subject,
)
from monitor.domain.keys import content_key
from monitor.domain.panel import Panel
from monitor.errors import PanelError, StoreError, UnfitError
from monitor.panels import ParsedPanel
from monitor.pipeline.bench import Also, Bench
from monitor.pipeline.checking import BASELINE_SUFFIX, read_panel
from monitor.store import Connection, answers_seen, drafts, panels, pools, source_labels
from monitor.store.drafts import ClaimEdit, Draft, DraftStart

_NAMED = re.compile(r"^panel:[ \t]*[\"']?([A-Za-z0-9_-]{1,64})", re.MULTILINE)
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MOST_ANNOTATORS = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody asks a draft to begin with."""

    version: str
    guideline: str
    annotators: tuple[str, ...]
    double_share: float = 0.2
    seed: int | None = None
    """None makes one of panel and version."""
    starts_from: str | None = None


def panel_names(bench: Bench) -> tuple[str, ...]:
    """Panels of the store and of the folder of panels, by name."""
    stored = [panel.name for panel in bench.read(panels.list_panels)]
    return tuple(sorted({*stored, *_panel_files(Path(bench.settings.panels))}))


def _panel_files(folder: Path) -> dict[str, Path]:
    """Panel -> its file in a folder, by a look at files that may have mistakes."""
    found: dict[str, Path] = {}
    for path in sorted(folder.glob("*.yaml")):
        text = "" if path.name.endswith(BASELINE_SUFFIX) else read_file(path)
        named = _NAMED.search(text) if isinstance(text, str) else None
        if named:
            found.setdefault(named[1], path)
    return found


def panel_now(bench: Bench, name: str) -> Panel:
    """A panel as its file reads, else as it was stored last; PanelError where neither is sound."""
    path = _panel_files(Path(bench.settings.panels)).get(name)
    if path is not None:
        about = path.stat()
        families = json.dumps(bench.settings.model_dump(mode="json")["families"], sort_keys=True)
        file = _File(path, (about.st_mtime_ns, about.st_size), families, bench.settings)
        read = _panel_in(file)
        if read.panel is None:
            raise PanelError("\n".join(map(str, read.problems)))
        return read.panel
    try:
        return bench.read(lambda c: panels.load_panel(c, name))
    except StoreError as error:
        raise PanelError(
            f"no panel {name[:200]!r} in {bench.settings.panels} nor in the store"
        ) from error


@dataclass(frozen=True, slots=True)
class _File:
    """A panel's file as it stands: another stamp, another panel."""

    path: Path
    stamp: tuple[int, int]
    families: str
    settings: Settings = field(compare=False)


@lru_cache(64)
def _panel_in(file: _File) -> ParsedPanel:
    return read_panel(file.path, file.settings)


def begin(
    bench: Bench, name: str, asked: Asked, *, by: str | None, also: Also | None = None
) -> int:
    """Id of a new draft, with the claims of the version that it starts from.

    `also` writes in the same transaction.
    """
    asked = replace(asked, annotators=_people(asked.annotators))
    _refuse(asked)
    panel = panel_now(bench, name)
    at = bench.clock.now()

    def save(connection: Connection) -> int:
        if panels.load_baseline(connection, name, asked.version) is not None:
            raise StoreError(
                f"panel {name} has a stored baseline of version {asked.version!r}, which never "
                "changes; give the draft another version"
            )
        start = _stored(connection, name, asked.starts_from)
        seed = asked.seed
        if seed is None:
            seed = int(content_key([name, asked.version], 8), 16)
        plan = DraftPlan(panel, asked.annotators, asked.double_share, seed, asked.starts_from)
        begun = DraftStart(asked.version, asked.guideline, plan, by)
        draft_id = drafts.begin_draft(connection, begun, at=at)
        if start is not None:
            drafts.add_claims(connection, _claims(draft_id, start, panel), at=at)
        if also is not None:
            also(connection)
        return draft_id

    return bench.write(save)


def _people(names: Iterable[str]) -> tuple[str, ...]:
    """Each person once; PanelError for names that people would take for one another."""
    people = tuple(dict.fromkeys(map(person_name, names)))
    if len({name.casefold() for name in people}) != len(people):
        raise PanelError(
            f"annotators {', '.join(people)[:200]}: some differ by capitals alone, as one person's "
            "name would; write each person's name once"
        )
    return people


def _refuse(asked: Asked) -> None:
    """PanelError for what no draft can begin with."""
    if not _VERSION.fullmatch(asked.version):
        raise PanelError(
            f"version: got {asked.version[:80]!r}; expected up to 64 letters, digits and . _ - "
            "such as 2026-11"
        )
    if not asked.guideline.strip() or len(asked.guideline) > 64:
        raise PanelError("guideline: expected the version of the written rules, such as 1")
    if not asked.annotators:
        raise PanelError("annotators: expected at least one name, one a line")
    if len(asked.annotators) > _MOST_ANNOTATORS:
        raise PanelError(f"annotators: expected at most {_MOST_ANNOTATORS} names")
    if not 0 <= asked.double_share <= 1:
        raise PanelError(f"share graded twice: got {asked.double_share}; expected 0 to 1")


def _stored(connection: Connection, panel: str, version: str | None) -> Baseline | None:
    if version is None:
        return None
    found = panels.load_baseline(connection, panel, version)
    if found is None:
        raise UnfitError(f"panel {panel} has no baseline of version {version[:64]!r} to start from")
    return found


def _claims(draft_id: int, start: Baseline, panel: Panel) -> list[ClaimEdit]:
    """First rows of the claims of a version, for prompts that the panel still has."""
    whose = f"version {start.version}"
    return [
        ClaimEdit(draft_id, prompt_id, claim.id, claim, whose, None)
        for prompt_id, one in start.prompts.items()
        if panel.prompt(prompt_id) is not None
        for claim in one.claims
    ]


def load_graded(
    connection: Connection, draft: Draft, prompt: str | None = None
) -> tuple[GradedSource, ...]:
    """Sources of a draft, or of one prompt of it, with their labels and rulings."""
    pool = pools.load_pool(connection, draft.id, prompt)
    labels = source_labels.load_source_labels(connection, draft.id, prompt=prompt)
    return graded_sources(pool, labels, _rulings(connection, draft, pool))


def _rulings(
    connection: Connection, draft: Draft, pool: tuple[PooledSource, ...]
) -> Mapping[tuple[str, str], SourceRuling]:
    places = {
        source_subject(draft.id, one.prompt, one.page_hash): (one.prompt, one.page_hash)
        for one in pool
    }
    found = source_labels.load_rulings(connection, draft.panel)
    return {places[subject]: ruling for subject, ruling in found.items() if subject in places}


def seen_before(connection: Connection, panel: str) -> Mapping[tuple[str, str], datetime]:
    """(annotator, prompt) -> when they first saw what an answer to it cites."""
    return answers_seen.prompts_seen(connection, panel)


@dataclass(frozen=True, slots=True)
class Ruled:
    """How somebody settles a disagreement, over the labels they saw."""

    prompt: str
    page_hash: str
    ruling: SourceRuling


def settle(bench: Bench, draft_id: int, ruled: Ruled, *, also: Also | None = None) -> int:
    """Id of the stored ruling; StoreError where it is settled, or labels changed since shown.

    `also` writes in the same transaction.
    """

    def save(connection: Connection) -> int:
        draft = drafts.hold_open(connection, draft_id)
        graded = load_graded(connection, draft, ruled.prompt)
        found = next((one for one in graded if one.source.page_hash == ruled.page_hash), None)
        if found is None or not found.disagrees:
            raise StoreError("nobody disagrees over this source any more; nothing was stored")
        now = tuple(sorted(label.id for label in found.labels))
        if now != tuple(sorted(ruled.ruling.originals)):
            raise StoreError(
                "a label of this source was given or taken back meanwhile, so nothing was stored: "
                "open the page again and look at what they say now"
            )
        if found.ruled is not None:
            raise StoreError(
                f"{found.ruled.adjudicator} settled this source meanwhile, as "
                f"{found.ruled.grade.value}; nothing was stored"
            )
        if also is not None:
            also(connection)
        return source_labels.save_ruling(connection, draft.panel, ruled.ruling, found.labels)

    return bench.write(save)
