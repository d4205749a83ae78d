"""Answers that a person typed or copied: from a text, or off a picture."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from monitor.capture.imports.parts import Caps, ImportFileError, shown_bytes
from monitor.capture.imports.private_words import holds_token
from monitor.domain.turn import NOTHING_TOLD, Turn
from monitor.engines.surfaces.typed import read_typed, typed_payload
from monitor.pipeline.importing_asked import Questions
from monitor.pipeline.importing_found import TYPED, FoundAnswer, FoundPicture, HandedFile, Wanted
from monitor.pipeline.plain_files import read_plain

_LONGEST_URL = 2048
_MOST_URLS = 200


def copied_answer(
    file: HandedFile, body: bytes, questions: Questions, wanted: Wanted, *, caps: Caps
) -> FoundAnswer:
    """The answer that a text file is, with the addresses that were typed beside it."""
    return _typed(file, questions, wanted, text=_text(body, caps))


def pictured_answer(
    pictures: Sequence[FoundPicture], questions: Questions, wanted: Wanted, *, caps: Caps
) -> FoundAnswer:
    """The answer that pictures show, with the addresses and the text that were typed off them.

    ImportFileError where nobody says what it answers, or what it shows.
    """
    if wanted.engine is None or wanted.prompt is None:
        raise ImportFileError(
            "a picture does not say what it shows: name --engine and --prompt, and each source "
            "that it shows by --url"
        )
    if not wanted.urls and wanted.text is None:
        raise ImportFileError(
            "a picture is not read: type each source that it shows by --url, or hand in the text "
            "of the answer by --text"
        )
    text = None
    if wanted.text is not None:
        text = _text(_read(wanted.text, caps), caps)
    one = _typed(pictures[0].file, questions, wanted, text=text, picture=pictures[0].file.sha256)
    return replace(one, pictures=tuple(pictures))


def _read(path: Path, caps: Caps) -> bytes:
    try:
        return read_plain(path, caps.answer_bytes)
    except OSError as error:
        raise ImportFileError(
            f"--text {path}: cannot be read ({error.strerror}); check the path"
        ) from error
    except ImportFileError as error:
        raise ImportFileError(f"--text {path}: {error}") from error


def _text(body: bytes, caps: Caps) -> str:
    """The text of an answer; ImportFileError where it is none."""
    if len(body) > caps.answer_bytes:
        raise ImportFileError(
            f"more than {shown_bytes(caps.answer_bytes)} of copied text, which is the most that "
            "is taken as one answer"
        )
    try:
        text = body.decode("utf-8-sig").replace("\r\n", "\n").strip()
    except UnicodeDecodeError as error:
        raise ImportFileError("the copied text is not UTF-8; save it as UTF-8") from error
    if not text or "\x00" in text:
        raise ImportFileError("the copied text is empty or no text; expected an answer")
    if holds_token(text):
        raise ImportFileError(
            "the copied text holds what looks like a token or key, so that nothing is kept; take "
            "it out"
        )
    return text


def _typed(
    file: HandedFile,
    questions: Questions,
    wanted: Wanted,
    *,
    text: str | None,
    picture: str | None = None,
) -> FoundAnswer:
    assert wanted.engine is not None
    assert wanted.prompt is not None
    prompt = questions.named(wanted.prompt)
    body = typed_payload(
        wanted.engine, prompt.text, text=text, urls=typed_urls(wanted.urls), picture=picture
    )
    turn = Turn(0, None, None, read_typed(wanted.engine, body), NOTHING_TOLD)
    return FoundAnswer(
        file=file,
        engine=wanted.engine,
        prompt=prompt,
        asked="not shown",
        form=TYPED,
        body=body,
        turn=turn,
        declared_at=wanted.at,
        notes=("typed by a person: sources are those the person says are shown",),
    )


def typed_urls(urls: Sequence[str]) -> tuple[str, ...]:
    """Addresses that a person typed, each once; ImportFileError for one that is no web address."""
    if len(urls) > _MOST_URLS:
        raise ImportFileError(f"--url: {len(urls)} addresses, at most {_MOST_URLS} are taken")
    plain = [one.strip() for one in urls]
    for one in plain:
        if not _is_web_address(one):
            raise ImportFileError(
                f"--url {one[:200]!r}: expected a web address as the page shows it, such as "
                "https://example.org/page"
            )
    return tuple(dict.fromkeys(plain))


def _is_web_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return (
        parts.scheme in {"http", "https"}
        and bool(host)
        and parts.username is None
        and len(url) <= _LONGEST_URL
        and not any(char.isspace() for char in url)
    )
