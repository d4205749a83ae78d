"""Uploaded files -> what they come to for a panel, and their import: what `monitor import` does."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monitor.config.settings import Settings
from monitor.domain.engine import Outcome
from monitor.engines import ENGINES, READERS
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench
from monitor.pipeline.checking import PanelFiles
from monitor.pipeline.importing import Imported, import_found
from monitor.pipeline.importing_files import ImportDesk, read_files
from monitor.pipeline.importing_found import Found, FoundAnswer, Wanted
from monitor.pipeline.importing_told import nothing_found, seen_at
from monitor.pipeline.judge_choice import chosen_judge
from monitor.pipeline.reaching import require_sandbox
from monitor.pipeline.spool import Upload
from monitor.report.digest import plain
from monitor.report.screens.uploads import (
    FoundFile,
    FoundLine,
    ImportedScreen,
    UnmatchedLine,
    UploadScreen,
    upload_title,
)
from monitor.report.words import outcome_words
from monitor.store import Connection


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody said beside the files, as he wrote it; empty for nothing."""

    panel: str
    prompt: str = ""
    engine: str = ""
    at: str = ""
    turn: str = ""
    urls: str = ""
    """A source a line, read off a picture or a page."""
    has_text: bool = False
    """Whether the last file is the text that pictures show."""
    skip_bad: bool = False

    def wanted(self, text: Path | None) -> Wanted:
        """The same as the importer takes it; MonitorError where something is no value."""
        turn = self.turn.strip()
        if turn and not (turn.isascii() and turn.isdigit() and 1 <= int(turn[:9]) <= 100_000):
            raise MonitorError(f"--turn {turn[:40]!r}: expected the number of an answer, from 1")
        return Wanted(
            prompt=self.prompt.strip() or None,
            engine=self.engine.strip() or None,
            at=seen_at(self.at.strip() or None),
            turn=int(turn) if turn else None,
            urls=tuple(line.strip() for line in self.urls.splitlines() if line.strip()),
            text=text,
        )


def read_upload(held: PanelFiles, said: Said, upload: Upload) -> Found:
    """What the files of an upload hold for a panel; MonitorError where that is nothing."""
    assert held.panel is not None
    paths = list(upload.files)
    text = paths.pop() if said.has_text and len(paths) > 1 else None
    desk = ImportDesk.of(held.panel, said.wanted(text), READERS, names=upload.files)
    found = read_files(desk, paths, skip_bad=said.skip_bad)
    if not found.answers:
        raise MonitorError(_nothing(found, held.panel.name))
    return found


def _nothing(found: Found, panel: str) -> str:
    """Why nothing was found, with the questions that the files show."""
    asked = [
        f"{one.file}, answer {one.turn}: {one.shown!r}" for one in found.unmatched if one.shown
    ]
    return "\n".join([nothing_found(found, panel), *asked])


def store_upload(
    bench: Bench,
    held: PanelFiles,
    found: Found,
    *,
    scores: bool,
    also: Callable[[Connection, Imported], object],
) -> Imported:
    """Store what was found as a run, all of it or nothing.

    Where it is to be scored, a judge that cannot be had fails before anything is stored. `also`
    writes in the same transaction.
    """
    if scores:
        require_scoring(bench.settings)
    return import_found(bench, held, found, also=also)


def require_scoring(settings: Settings) -> None:
    """MonitorError where an import could not be scored now."""
    chosen_judge(settings)
    require_sandbox(settings)


def scoring_problem(settings: Settings) -> str:
    """Why an import could not be scored now; empty where nothing hinders that."""
    try:
        require_scoring(settings)
    except MonitorError as error:
        return plain(str(error))
    return ""


def upload_screen(found: Found, panel: str, *, name: str = "", problem: str = "") -> UploadScreen:
    """What was found, for people; nothing of it is stored."""
    prompts = len({one.prompt.id for one in found.answers})
    return UploadScreen(
        name=name,
        panel=panel,
        title=upload_title(len(found.answers), prompts),
        files=tuple(
            FoundFile(plain(one.name), one.container.value, one.size, one.sha256)
            for one in found.files
        ),
        answers=tuple(map(_line, found.answers)),
        unmatched=tuple(
            UnmatchedLine(
                plain(one.file),
                one.engine,
                one.turn,
                plain(one.shown) if one.shown else "",
                one.nearest or "",
            )
            for one in found.unmatched
        ),
        unmatched_count=found.unmatched_count,
        dropped_text=counted_words(found.dropped),
        others_text=_others(found),
        notes=tuple(map(plain, found.notes)),
        skipped=tuple(map(plain, found.skipped)),
        score_problem=problem,
    )


def counted_words(counts: Mapping[str, int]) -> str:
    """Kinds with their counts, as `cookies 3, tokens 1`."""
    return ", ".join(f"{kind} {count}" for kind, count in counts.items())


def _others(found: Found) -> str:
    if not found.foreign and not found.unread:
        return ""
    return f"documents of no surface: {found.foreign}; not read: {found.unread}"


def _line(one: FoundAnswer) -> FoundLine:
    reading = one.turn.reading
    outcome = reading.outcome.value + (f"/{reading.reason}" if reading.reason else "")
    engine = ENGINES.get(one.engine)
    return FoundLine(
        file=plain(one.file.name),
        member=plain(one.member or ""),
        engine=one.engine,
        label=engine.label if engine else one.engine,
        form=one.form,
        prompt=one.prompt.id,
        asked=one.asked,
        turn=one.turn.index + 1,
        outcome=outcome_words(outcome),
        citations=len(reading.citations),
        pictures=len(one.pictures),
        seen_text=_seen(one),
        warnings=tuple(map(plain, _warnings(one))),
    )


_DATED = {"declared": "as you say", "inside": "as the file says", "file": "when it was uploaded"}


def _seen(one: FoundAnswer) -> str:
    return f"{one.captured_at:%Y-%m-%d %H:%M} UTC, {_DATED[one.dated_by]}"


def _warnings(one: FoundAnswer) -> Sequence[str]:
    """What a reader must know; an upload has no date of its own."""
    dated = "dated by the upload alone: say when it was seen"
    told = [dated if words.startswith("dated by the file") else words for words in one.warnings]
    reading = one.turn.reading
    if reading.outcome is Outcome.ANSWERED and not reading.citations:
        told.append(_NO_SOURCES)
    return told


_NO_SOURCES = (
    "no citation was read: where sources were shown, drop this, paste the answer as text and type "
    "its sources, one address a line"
)


def imported_screen(done: Imported | None, found: UploadScreen) -> ImportedScreen:
    """What an import came to; None is a dry run."""
    if done is None:
        return ImportedScreen(True, "", False, (), found)
    before = (f"{plain(name)} is in {', '.join(runs)} too" for name, runs in done.before.items())
    return ImportedScreen(False, done.run.public_id, done.is_new, tuple(before), found)


def said_json(said: Said) -> dict[str, Any]:
    """What was said, as JSON values that `Said(**...)` takes."""
    return {name: getattr(said, name) for name in Said.__dataclass_fields__}
