"""Answers that people handed in -> a run of their own, which is then worked on like any run.

An import is a trial: no scheduled run is held against it, and it raises no alert. Its slot names
the files, so that the same files are the same run; where the same files come to other answers than
before (another prompt was named, or the panel was mended), that is another run.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from monitor.capture.imports.private import IMPORTER
from monitor.domain.engine import EngineSettings
from monitor.domain.keys import content_key
from monitor.domain.screenshot import Screenshot, ScreenshotKind, Snapshot, SnapshotKind
from monitor.engines.surfaces.reading import FORM, TURN, URL
from monitor.errors import PanelError
from monitor.pipeline.bench import Bench
from monitor.pipeline.capturing import save_readings
from monitor.pipeline.checking import PanelFiles
from monitor.pipeline.importing_found import TYPED, Found, FoundAnswer, FoundPicture
from monitor.pipeline.line import run_config
from monitor.pipeline.planning import request_key
from monitor.pipeline.proving import prove_captures, signing_key
from monitor.pipeline.reaching import require_runner
from monitor.store import Connection, captures, imported, panels, runs, schedules, screenshots

_FILES_KEY, _ANSWERS_KEY = 16, 8
"""Hex digits of a slot that stand for the files, and for answers unlike those before."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The run of an import."""

    run: runs.Run
    is_new: bool
    """False where these very answers were handed in before."""
    before: Mapping[str, tuple[str, ...]]
    """File name -> other runs that it was handed in to before."""


def import_found(
    bench: Bench,
    files: PanelFiles,
    found: Found,
    *,
    also: Callable[[Connection, Imported], object] | None = None,
) -> Imported:
    """Store what was found as a run, all of it or nothing; PanelError where nothing was found.

    `also` writes in the same transaction.
    """
    require_runner(bench.settings)
    panel = files.panel
    if panel is None or not found.answers:
        raise PanelError("no answer to any prompt of the panel was handed in")
    key = signing_key(bench.settings)
    for one in found.answers:
        bench.artifacts.put(one.body, lasting=True)
        for picture in one.pictures:
            bench.artifacts.put(picture.body, lasting=True)
    answers = noted_answers(found.answers)
    at = bench.clock.now()

    def save(connection: Connection) -> Imported:
        schedules.plan_alone(connection)
        before = {one.name: imported.runs_of_file(connection, one.sha256) for one in found.files}
        slot, same = _slot(connection, panel.name, found, answers)
        if same is not None:
            return Imported(same, False, _others(before, same))
        panel_id = panels.save_panel(connection, panel, saved_at=at)
        if files.baseline is not None:
            panels.save_baseline(connection, files.baseline, files.baseline_text or "", saved_at=at)
        run, ids = imported.save_import_run(
            connection, panel_id, slot, answers, config=run_config(bench.settings), at=at
        )
        _save_captured(bench, connection, dict(zip(ids, found.answers, strict=True)))
        return Imported(run, True, _others(before, run))

    # Its own transaction, as it waits for other plans: nothing else is to wait with it.
    with bench.database.write() as connection:
        made = save(connection)
        if also is not None:
            also(connection, made)
    if made.is_new:
        stored = bench.read(lambda c: captures.load_captures(c, made.run.id))
        prove_captures(bench, [one.id for one in stored], key)
    return made


def _others(before: Mapping[str, tuple[str, ...]], run: runs.Run) -> dict[str, tuple[str, ...]]:
    """Files that other runs hold too."""
    found = {
        name: tuple(one for one in several if one != run.public_id)
        for name, several in before.items()
    }
    return {name: several for name, several in found.items() if several}


def _slot(
    connection: Connection,
    panel: str,
    found: Found,
    answers: Sequence[imported.ImportedAnswer],
) -> tuple[str, runs.Run | None]:
    """The slot of these answers, and their run where they were handed in before."""
    key = content_key(sorted(one.sha256 for one in found.files), _FILES_KEY)
    wanted = sorted(one.key for one in answers)
    for slot in (key, f"{key}+{content_key(wanted, _ANSWERS_KEY)}"):
        run = runs.load_run(connection, runs.public_id(panel, f"{runs.IMPORTS}{slot}"))
        if run is None:
            return slot, None
        if imported.load_answer_keys(connection, run.id) == wanted:
            return slot, run
    raise PanelError(f"panel {panel}: two imports have the slot {slot}; name files one by one")


def noted_answers(answers: Sequence[FoundAnswer]) -> tuple[imported.ImportedAnswer, ...]:
    """Answers as the store notes them, repeats of a prompt numbered in the order handed in."""
    repeats: Counter[tuple[str, str]] = Counter()
    noted = []
    for one in answers:
        repeats[one.engine, one.prompt.id] += 1
        noted.append(
            imported.ImportedAnswer(
                engine=one.engine,
                prompt=one.prompt,
                repeat=repeats[one.engine, one.prompt.id],
                request_key=request_key(EngineSettings()),
                captured_at=one.captured_at,
                file_name=one.file.name,
                file_sha256=one.file.sha256,
                file_bytes=one.file.size,
                member=one.member,
                kept_sha256=one.kept_sha256,
                form=one.form,
                turn=one.turn.index,
                declared_at=one.declared_at,
                inside_at=one.inside_at,
                file_at=one.file.changed_at,
                importer=IMPORTER,
                completeness=one.completeness,
                dropped=one.dropped,
            )
        )
    return tuple(noted)


def _save_captured(
    bench: Bench, connection: Connection, answers: Mapping[int, FoundAnswer]
) -> None:
    """Payloads, snapshots, pictures and readings of captures, by capture id."""
    payloads = [_payload(capture_id, one) for capture_id, one in answers.items()]
    captures.save_payloads(connection, payloads)
    for capture_id, one in answers.items():
        kept = Snapshot(SnapshotKind.SOURCE, one.kept_sha256, one.captured_at, one.file.name)
        screenshots.save_snapshot(connection, capture_id, kept)
        for position, picture in enumerate(one.pictures):
            shot = _screenshot(one, picture, position)
            screenshots.save_screenshot(connection, capture_id, shot)
    readings = {capture_id: one.turn.reading for capture_id, one in answers.items()}
    save_readings(bench, connection, readings)


def _payload(capture_id: int, one: FoundAnswer) -> captures.StoredPayload:
    """The exchange that a document stands for: what it is, and which of its answers counts."""
    told = [] if one.form == TYPED else [(FORM, one.form), (TURN, str(one.turn.index))]
    if one.url is not None:
        told.append((URL, one.url))
    return captures.StoredPayload(
        capture_id=capture_id,
        seq=0,
        attempt=0,
        sha256=one.kept_sha256,
        headers=tuple(told),
        started_at=one.captured_at,
    )


def _screenshot(one: FoundAnswer, picture: FoundPicture, position: int) -> Screenshot:
    size = picture.picture.width, picture.picture.height
    return Screenshot(
        kind=ScreenshotKind.UPLOAD,
        sha256=picture.file.sha256,
        url=one.url or "",
        taken_at=one.declared_at or picture.file.changed_at,
        browser="not known",
        viewport=size,
        size=size,
        locale=one.prompt.locale,
        position=position,
        name=picture.file.name,
    )
