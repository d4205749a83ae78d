"""Captured answers that somebody hands in: the form, and what was recognised in the files."""

from dataclasses import dataclass

from monitor.report.tables import Table
from monitor.report.words import plural


@dataclass(frozen=True, slots=True)
class PromptChoice:
    """A prompt that can be named."""

    panel: str
    prompt: str
    text: str


SAMPLE = """\
# How do oaks grow?

Oaks grow slowly [1], and bear acorns after forty years [2].

Citations:
[1] https://oaks.example/growth
[2] https://oaks.example/acorns
"""


@dataclass(frozen=True, slots=True)
class UploadForm:
    """What can be said beside the files, and what was said last."""

    panels: tuple[str, ...]
    prompts: tuple[PromptChoice, ...]
    engines: tuple[str, ...]
    megabytes: int
    """Most that one upload may hold."""
    panel: str = ""
    prompt: str = ""
    engine: str = ""
    at: str = ""
    turn: str = ""
    urls: str = ""
    text: str = ""
    problems: tuple[str, ...] = ()
    """Why the last one was not taken, a line each."""
    sample: str = SAMPLE
    """A text in a form whose sources are read."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file as it was recognised."""

    name: str
    container: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class FoundLine:
    """One answer that was recognised."""

    file: str
    member: str
    """Part of the file; empty where it is the whole."""
    engine: str
    label: str
    form: str
    prompt: str
    asked: str
    """Whether the document shows that prompt: `matches`, `differs` or `not shown`."""
    turn: int
    outcome: str
    citations: int
    pictures: int
    seen_text: str
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UnmatchedLine:
    """An answer that no prompt of the panel asks for."""

    file: str
    engine: str
    turn: int
    question: str
    nearest: str


@dataclass(frozen=True, slots=True)
class UploadScreen:
    """What the files of an upload come to, before anything of it is stored."""

    name: str
    """Under which it waits; empty where it was stored or is not kept."""
    panel: str
    title: str
    files: tuple[FoundFile, ...]
    answers: tuple[FoundLine, ...]
    unmatched: tuple[UnmatchedLine, ...]
    unmatched_count: int
    dropped_text: str
    """What is private and is not kept, by kind with counts."""
    others_text: str
    """Documents that are of no surface or could not be read."""
    notes: tuple[str, ...]
    skipped: tuple[str, ...]
    """Files that are left out, and why."""
    score_problem: str = ""
    """Why it could be stored and not scored now; empty where nothing hinders that."""


@dataclass(frozen=True, slots=True)
class ImportedScreen:
    """What an import came to."""

    dry_run: bool
    run: str
    """Public id of its run; empty for a dry run."""
    is_new: bool
    """False where these very answers were handed in before."""
    before: tuple[str, ...]
    """Files that other runs hold too, and which."""
    found: UploadScreen


def upload_title(answers: int, prompts: int) -> str:
    """What was recognised, in words."""
    return f"{plural(answers, 'answer')} to {plural(prompts, 'prompt')} recognised"


FOUND_HEADER = (
    "file", "member", "engine", "form", "prompt", "asked", "turn", "outcome", "citations",
    "pictures", "seen", "warnings",
)  # fmt: skip


def upload_table(screen: UploadScreen) -> Table:
    """A row for each answer."""
    return FOUND_HEADER, [
        (
            one.file, one.member, one.engine, one.form, one.prompt, one.asked, one.turn,
            one.outcome, one.citations, one.pictures, one.seen_text, "; ".join(one.warnings),
        )
        for one in screen.answers
    ]  # fmt: skip
