"""Files that were handed in -> answers to the prompts of a panel; nothing is stored here.

All files of a command are read before anything of them is kept, so that one that cannot be taken
leaves no half of a command behind.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO

from monitor.capture.imports.opening import open_source
from monitor.capture.imports.parts import (
    Caps,
    Container,
    Counts,
    FoundDocument,
    ImportFileError,
    added,
    shown_bytes,
)
from monitor.capture.imports.pictures import read_picture
from monitor.domain.panel import Panel, Prompt
from monitor.domain.turn import Turn
from monitor.errors import MonitorError
from monitor.pipeline.importing_asked import Questions
from monitor.pipeline.importing_documents import (
    UNREADABLE,
    KeptDocument,
    ReadDocument,
    Readers,
    kept_document,
    read_document,
)
from monitor.pipeline.importing_found import (
    FileFindings,
    Found,
    FoundAnswer,
    FoundPicture,
    HandedFile,
    Unmatched,
    Wanted,
)
from monitor.pipeline.importing_joined import once_each, with_pictures
from monitor.pipeline.importing_typed import copied_answer
from monitor.pipeline.plain_files import changed_at, open_plain

LISTED = 20
"""Unmatched answers that are listed by name; the others are counted."""
AHEAD = timedelta(days=1)
"""How far clocks of two machines may differ."""
_EARLIEST = datetime(2022, 1, 1, tzinfo=UTC)
"""Before this no surface gave answers."""
_SHOWN = 160
_TOLD = 5
"""Documents that could not be taken and are named; the others are counted."""
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class ImportDesk:
    """What every file of a command is read with."""

    questions: Questions
    wanted: Wanted
    readers: Readers
    caps: Caps = field(default_factory=Caps)
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    names: Mapping[Path, Path] = field(default_factory=lambda: MappingProxyType({}))
    """File -> what it was called by whoever handed it in, where it lies under another name."""

    def called(self, path: Path) -> Path:
        """What a file is called; never opened."""
        return self.names.get(path, path)

    def believed(self, *moments: datetime | None) -> datetime | None:
        """The first moment at which an answer can have been seen; None where none is one."""
        latest = self.now + AHEAD
        return next((one for one in moments if one and _EARLIEST <= one <= latest), None)

    @classmethod
    def of(
        cls,
        panel: Panel,
        wanted: Wanted,
        readers: Readers,
        names: Mapping[Path, Path] = MappingProxyType({}),
    ) -> "ImportDesk":
        """The desk of a panel; MonitorError where a prompt or engine that is named is not known."""
        questions = Questions.of(panel)
        if wanted.prompt is not None:
            questions.named(wanted.prompt)
        if wanted.engine is not None and wanted.engine not in readers:
            known = ", ".join(sorted(readers))
            raise MonitorError(
                f"nothing is imported for engine {wanted.engine[:100]!r}; engines that answers "
                f"are handed in of: {known}"
            )
        return cls(questions, wanted, readers, names=names)


def read_files(desk: ImportDesk, paths: Sequence[Path], *, skip_bad: bool = False) -> Found:
    """What all files come to; ImportFileError names every file that cannot be taken, and why.

    With `skip_bad` those are left out, unless nothing is left.
    """
    files: dict[str, HandedFile] = {}
    findings: list[FileFindings] = []
    problems, notes = [], []
    for path in paths:
        try:
            file, found = _read_file(desk, path, known=files)
        except (MonitorError, OSError) as error:
            problems.append(f"{_shown(desk.called(path))}: {_said(error)}")
            continue
        if file.sha256 in files:
            same = _shown(files[file.sha256].path)
            notes.append(f"{_shown(file.path)}: the same file as {same}; read once")
            continue
        files[file.sha256] = file
        findings.append(found)
    if problems and (not skip_bad or not findings):
        raise ImportFileError("\n".join(problems))
    return _joined(desk, tuple(files.values()), findings, notes=notes, skipped=problems)


def _joined(
    desk: ImportDesk,
    files: tuple[HandedFile, ...],
    findings: Sequence[FileFindings],
    *,
    notes: Sequence[str],
    skipped: Sequence[str],
) -> Found:
    """Findings of all files as one, each answer once."""
    answers = [answer for one in findings for answer in one.answers]
    pictures = [picture for one in findings for picture in one.pictures]
    whole = with_pictures(answers, pictures, desk.questions, desk.wanted, caps=desk.caps)
    kept, told = once_each(whole)
    unmatched = [one for found in findings for one in found.unmatched]
    return Found(
        files=files,
        answers=kept,
        unmatched=tuple(unmatched[:LISTED]),
        unmatched_count=sum(one.unmatched_count for one in findings),
        unread=sum(one.unread for one in findings),
        foreign=sum(one.foreign for one in findings),
        dropped=added(*(one.dropped for one in findings), *_once(kept)),
        notes=(*notes, *(note for one in findings for note in one.notes), *told),
        skipped=tuple(skipped),
    )


def _once(answers: Sequence[FoundAnswer]) -> list[Counts]:
    """What was dropped of every document, however many of its answers were taken."""
    return list({one.kept_sha256: one.dropped for one in answers}.values())


def _shown(path: Path) -> str:
    """A path on one line, whatever is in its name."""
    name = str(path)
    return name if name.isprintable() else ascii(name)


def _said(error: Exception) -> str:
    """What is wrong with a file, in words."""
    if isinstance(error, OSError):
        return f"cannot be read ({error.strerror}); check the path"
    return str(error)


def _read_file(
    desk: ImportDesk, path: Path, *, known: dict[str, HandedFile]
) -> tuple[HandedFile, FileFindings]:
    """A file and what it comes to; one that is known already is not read again."""
    with open_plain(path) as file:
        handed = _handed(path, file, desk)
        if handed.sha256 in known:
            return handed, FileFindings()
        with open_source(file, desk.caps) as source:
            handed = replace(handed, container=source.container)
            if source.container is Container.PICTURE:
                (document,) = source.documents
                picture = FoundPicture(handed, document.body, read_picture(document.body))
                return handed, FileFindings(pictures=(picture,))
            sheet = _Sheet(desk, handed)
            for document in source.documents:
                sheet.take(document)
            found = sheet.findings()
    told = (*(f"{_shown(handed.path)}: {note}" for note in source.notes), *found.notes)
    return handed, replace(found, dropped=source.dropped, notes=told)


def _handed(path: Path, file: BinaryIO, desk: ImportDesk) -> HandedFile:
    """A file's hash, size and time; ImportFileError where it is too large."""
    about = os.fstat(file.fileno())
    most = desk.caps.archive_bytes
    if about.st_size > most:
        raise ImportFileError(
            f"{shown_bytes(about.st_size)}, at most {shown_bytes(most)} are taken"
        )
    digest = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    changed = changed_at(about.st_mtime, desk.now)
    return HandedFile(desk.called(path), digest.hexdigest(), about.st_size, changed, Container.TEXT)


@dataclass(slots=True)
class _Sheet:
    """One file's answers as they are found, document by document."""

    desk: ImportDesk
    file: HandedFile
    answers: list[FoundAnswer] = field(default_factory=list)
    unmatched: list[Unmatched] = field(default_factory=list)
    unmatched_count: int = 0
    problems: list[str] = field(default_factory=list)
    foreign: list[FoundDocument] = field(default_factory=list)
    foreign_count: int = 0
    documents: int = 0
    candidates: list[tuple[ReadDocument, Turn]] = field(default_factory=list)
    """Answers that show another question than the prompt that was named, each once; two at
    most."""

    def take(self, document: FoundDocument) -> None:
        """Find the answers of one more document of the file; what it lacks is noted."""
        self.documents += 1
        try:
            self._take(document)
        except ImportFileError as error:
            where = f"{document.member}: " if document.member else ""
            self.problems.append(f"{where}{error}")

    def _take(self, document: FoundDocument) -> None:
        wanted = self.desk.wanted
        read = read_document(document, self.desk.readers, engine=wanted.engine)
        if read is None:
            self.foreign_count += 1
            self.foreign = self.foreign or [document]
            return
        matched = [
            (turn, found) for turn in _turns(read, wanted) if (found := self._asked(read, turn))
        ]
        if matched:
            self._keep(read, matched)

    def _asked(self, read: ReadDocument, turn: Turn) -> tuple[Prompt, str] | None:
        """The prompt that a turn answers, and whether it shows it; what answers none is noted."""
        questions, wanted = self.desk.questions, self.desk.wanted
        prompts = questions.asked(turn.prompt)
        if wanted.prompt is not None:
            own = questions.named(wanted.prompt)
            if own in prompts:
                return own, "matches"
            if not any(_is_same(one, (read, turn)) for one in self.candidates):
                self.candidates = [*self.candidates, (read, turn)][:2]
        elif len(prompts) > 1:
            ids = ", ".join(one.id for one in prompts)
            raise ImportFileError(
                f"several prompts ask {turn.prompt!r}: {ids}; say by --prompt which one was asked"
            )
        elif prompts:
            return prompts[0], "matches"
        self._leave(read, turn)
        return None

    def _leave(self, read: ReadDocument, turn: Turn) -> None:
        """Note an answer that no prompt of the panel asks for."""
        self.unmatched_count += 1
        if len(self.unmatched) < LISTED:
            shown = turn.prompt
            nearest = self.desk.questions.nearest(shown) if shown else None
            cut = None if shown is None else " ".join(shown.split())[:_SHOWN]
            self.unmatched.append(
                Unmatched(
                    self.file.name, read.found.member, read.engine, turn.index + 1, cut, nearest
                )
            )

    def _keep(self, read: ReadDocument, matched: Sequence[tuple[Turn, tuple[Prompt, str]]]) -> None:
        """Keep a document for some of its answers."""
        kept = kept_document(read, self.desk.readers[read.engine])
        for turn, (prompt, asked) in matched:
            self.answers.append(self._answer(read, kept, turn, prompt=prompt, asked=asked))

    def _answer(
        self, read: ReadDocument, kept: KeptDocument, turn: Turn, *, prompt: Prompt, asked: str
    ) -> FoundAnswer:
        own = next(one for one in kept.turns if one.index == turn.index)
        return FoundAnswer(
            file=self.file,
            engine=read.engine,
            prompt=prompt,
            asked=asked,
            form=read.form.value,
            body=kept.body,
            turn=own,
            member=read.found.member,
            url=read.found.url,
            inside_at=self.desk.believed(own.answered_at, read.found.inside_at),
            declared_at=self.desk.wanted.at,
            dropped=kept.dropped,
            notes=read.found.notes,
        )

    def findings(self) -> FileFindings:
        """What the file came to; ImportFileError where that is nothing."""
        if not self.answers:
            self._take_what_was_named()
        if not self.answers and not self.unmatched_count:
            self._take_copied()
        if not self.answers and self.problems:
            raise ImportFileError("; ".join(dict.fromkeys(self.problems[:3])))
        if not self.answers and not self.unmatched_count:
            raise ImportFileError(self._foreign())
        return FileFindings(
            answers=tuple(self.answers),
            unmatched=tuple(self.unmatched),
            unmatched_count=self.unmatched_count,
            unread=len(self.problems),
            foreign=self.foreign_count,
            notes=tuple(f"{self.file.name}: left out: {one}" for one in self.problems[:_TOLD]),
        )

    def _foreign(self) -> str:
        """Why a file without a document of a surface is not taken, and what to do."""
        wanted, kind = self.desk.wanted, self.file.container
        if kind is not Container.TEXT and None not in {wanted.engine, wanted.prompt}:
            return (
                f"this is {kind.value}, and no document of {wanted.engine}; a copied answer must "
                "be plain text: begin it with a line of words"
            )
        return (
            "no document of an answer surface that is known here; answers are read of "
            f"{', '.join(sorted(self.desk.readers))}. For a copied answer name --engine and "
            "--prompt"
        )

    def _take_what_was_named(self) -> None:
        """Take the one answer of a file for the prompt that was named, whatever it shows."""
        wanted = self.desk.wanted
        if wanted.prompt is None or not self.candidates:
            return
        if len(self.candidates) > 1:
            raise ImportFileError(
                f"{self.unmatched_count} answers in it, and none shows the text of prompt "
                f"{wanted.prompt}: say by --turn which one, in a file of one conversation"
            )
        read, turn = self.candidates[0]
        asked = "differs" if turn.prompt else "not shown"
        self._keep(read, [(turn, (self.desk.questions.named(wanted.prompt), asked))])
        self.unmatched, self.unmatched_count = [], 0

    def _take_copied(self) -> None:
        """Take a text that is no form of a surface as an answer that somebody copied."""
        desk = self.desk
        copied = self.documents == 1 and self.foreign and self.file.container is Container.TEXT
        if copied and desk.wanted.engine is not None and desk.wanted.prompt is not None:
            body = self.foreign[0].body
            self.answers.append(
                copied_answer(self.file, body, desk.questions, desk.wanted, caps=desk.caps)
            )
            self.foreign_count = 0


def _is_same(one: tuple[ReadDocument, Turn], other: tuple[ReadDocument, Turn]) -> bool:
    """Whether two documents of a file, such as a stream and its thread, hold one answer."""
    (read, turn), (other_read, other_turn) = one, other
    return turn.id is not None and (read.engine, turn.id) == (other_read.engine, other_turn.id)


def _turns(read: ReadDocument, wanted: Wanted) -> tuple[Turn, ...]:
    """Answers of a document that come into question."""
    if wanted.urls:
        raise ImportFileError(
            "--url says what a picture or a copied text shows; this document says itself what it "
            "cites, so leave it out"
        )
    if wanted.turn is None:
        return tuple(one for one in read.turns if one.reading.outcome not in UNREADABLE)
    if not 1 <= wanted.turn <= len(read.turns):
        raise ImportFileError(
            f"--turn {wanted.turn}: {len(read.turns)} answers in it, numbered from 1"
        )
    chosen = read.turns[wanted.turn - 1]
    if chosen.reading.outcome in UNREADABLE:
        raise ImportFileError(f"--turn {wanted.turn}: that answer cannot be read")
    return (chosen,)
