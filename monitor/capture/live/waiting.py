"""When an answer is finished: all signs hold together, and go on to hold for a while.

The stop button goes before the last words are drawn, the network is never quiet, and a page may
stop in the middle of an answer; so no sign is enough. A page is looked at anew each time.
"""

from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import urlsplit

from monitor.capture.live.asking import refuse_walls
from monitor.capture.live.barriers import EndedError, Ending
from monitor.capture.live.looking import Look
from monitor.capture.live.talk import Talk
from monitor.domain.engine import Outcome
from monitor.engines.surfaces.live import squeezed


class Kind(StrEnum):
    """What a page seems to have come to."""

    ANSWER = "answer"
    QUIET = "quiet"
    """An answer without its end mark, on a surface that may lack it."""
    OTHER = "other"
    """An answer to another question."""
    STRANGE = "strange"
    """A finished turn without an answer that we can find."""
    EMPTY = "empty"
    DECLINED = "declined"
    ABSENT = "absent"
    NEEDS_INPUT = "needs_input"


@dataclass(frozen=True, slots=True)
class _Standing:
    kind: Kind | None
    """None while it goes on."""
    text: str


async def wait_for_answer(talk: Talk) -> Look:
    """The look at the finished answer; EndedError where there is none, or none in time."""
    asked = talk.now()
    standing, since = _Standing(None, ""), asked
    while True:
        look = await talk.eyes.try_look()
        now = talk.now()
        if look is not None:
            refuse_walls(talk, look)
            talk.record.moved |= _has_moved(talk, look)
            if look.has_turn and look.text.strip():
                talk.record.note("first_text_at")
            await talk.close_overlay(look)
            found = _Standing(_kind(talk, look), look.text)
            if found != standing:
                standing, since = found, now
            elif found.kind is not None and now - since >= _window(talk, found.kind):
                _refuse_other_host(talk)
                return _ended(look, found.kind)
        _refuse_lateness(talk, now - asked, look)
        await talk.pause()


def _has_moved(talk: Talk, look: Look) -> bool:
    """Whether the page shows anything of this question."""
    new = look.has_turn or look.users > talk.users
    return new or talk.address not in {None, talk.page.url}


def _kind(talk: Talk, look: Look) -> Kind | None:
    """What a page seems to have come to; None while it is busy or nothing is known."""
    if look.busy:
        return None
    if look.needs_input:
        return Kind.NEEDS_INPUT
    if look.has_turn and look.text.strip():
        return _kind_of_answer(talk, look)
    if look.declined:
        return Kind.DECLINED
    if look.has_turn and look.ended:
        return Kind.EMPTY if look.has_answer else Kind.STRANGE
    if look.whole and look.loaded and not look.has_turn:
        return Kind.ABSENT
    return None


def _kind_of_answer(talk: Talk, look: Look) -> Kind | None:
    if look.ended:
        kind = Kind.ANSWER
    elif talk.css("end_mark") is None or talk.eyes.selectors.ends_quietly:
        kind = Kind.QUIET
    else:
        return None
    bound = look.user is not None and squeezed(look.user) == squeezed(talk.record.prompt)
    return kind if bound else Kind.OTHER


def _window(talk: Talk, kind: Kind) -> float:
    """Seconds for which a page must stay as it is."""
    return talk.patience.quiet if kind is Kind.QUIET else talk.patience.stable


def _ended(look: Look, kind: Kind) -> Look:
    """The look itself where there is an answer, else EndedError."""
    if kind in {Kind.ANSWER, Kind.QUIET}:
        return look
    endings = {
        Kind.OTHER: Ending(
            Outcome.LAYOUT_UNKNOWN,
            detail=f"the page answers {(look.user or '')[:80]!r}, not the question that was put",
        ),
        Kind.STRANGE: Ending(
            Outcome.LAYOUT_UNKNOWN, detail="the turn is finished and has no answer that we know"
        ),
        Kind.EMPTY: Ending(Outcome.ERROR, "empty", "the answer is finished and has no words"),
        Kind.DECLINED: Ending(Outcome.NO_ANSWER, "declined"),
        Kind.ABSENT: Ending(Outcome.NO_ANSWER, "absent"),
        Kind.NEEDS_INPUT: Ending(Outcome.NEEDS_INPUT, detail="the surface asks back"),
    }
    raise EndedError(endings[kind])


def _refuse_other_host(talk: Talk) -> None:
    """EndedError where the page went to another host than the one that was asked."""
    host = urlsplit(talk.page.url).hostname
    if host != talk.host:
        said = f"the page went from {talk.host} to {host}, which nobody asked"
        raise EndedError(Ending(Outcome.LAYOUT_UNKNOWN, detail=said))


def _refuse_lateness(talk: Talk, seconds: float, look: Look | None) -> None:
    """EndedError where no word came in time, or no end."""
    if seconds > talk.patience.complete:
        signs = "" if look is None else _signs(look)
        said = f"not finished within {talk.patience.complete:g} s{signs}"
        raise EndedError(Ending(Outcome.TIMEOUT, detail=said))
    if "first_text_at" not in talk.record.moments and seconds > talk.patience.first_text:
        said = f"no word of an answer within {talk.patience.first_text:g} s"
        raise EndedError(Ending(Outcome.TIMEOUT, detail=said))


def _signs(look: Look) -> str:
    """What was seen of an answer that did not end."""
    if not look.has_turn:
        return ": no new answer on the page"
    end = "with" if look.ended else "without"
    busy = ", still writing" if look.busy else ""
    return f": {len(look.text)} characters {end} the end mark{busy}"
