"""What is kept of a finished answer: the page and its text first, then pictures, then panels."""

from playwright.async_api import Error

from monitor.capture import snapshot
from monitor.capture.live.looking import ANSWER, UNFOLDING, Look
from monitor.capture.live.opening import open_popovers, open_sources
from monitor.capture.live.talk import Talk
from monitor.capture.pictures import mhtml
from monitor.domain.screenshot import Snapshot, SnapshotKind

MOST_UNFOLDED = 8
"""Things that are opened before an answer is read, at most."""


async def take_answer(talk: Talk, look: Look) -> None:
    """Read the answer, picture it, and open what belongs to it; the answer is safe first."""
    record = talk.record
    record.finish()
    record.user_turn, record.turn_id = look.user, look.turn
    with talk.forgiving("the citations in view are not known"):
        pills = await talk.eyes.mark()
        record.in_view = [number for number, one in enumerate(pills) if one.in_view]
    with talk.forgiving("no picture of the window"):
        record.screenshots.append(await talk.pictures.viewport())
    await _unfold(talk)
    await _read(talk)
    await _beside(talk)


async def _beside(talk: Talk) -> None:
    """Pictures and panels: where the browser ends over them, the answer still stands."""
    try:
        await _picture(talk)
        await open_popovers(talk)
        await open_sources(talk)
    except Error as error:
        talk.record.notes.append(f"the page was gone after the answer was read: {error.name}")


async def _unfold(talk: Talk) -> None:
    """Open what must be opened before the answer is read; each thing once."""
    for _ in range(MOST_UNFOLDED):
        if talk.css("expand") is None or not await talk.eyes.unfold():
            return
        with talk.forgiving("a part of the answer could not be unfolded"):
            limit = talk.milliseconds(talk.patience.panel)
            await talk.page.locator(UNFOLDING).first.click(timeout=limit)
            await _settle(talk)


async def _settle(talk: Talk) -> None:
    """Wait until the answer stays as it is again, at most as long as a panel may take."""
    until = talk.now() + talk.patience.panel
    text, since = None, talk.now()
    while talk.now() < until:
        look = await talk.eyes.try_look()
        if look is not None and look.text != text:
            text, since = look.text, talk.now()
        elif talk.now() - since >= talk.patience.stable / 2:
            return
        await talk.pause()


async def _read(talk: Talk) -> None:
    """The page with its marks, and the answer's text; from here on the capture is complete."""
    record = talk.record
    # The text above the fold may have been cut short before it was unfolded.
    await talk.eyes.mark()
    page = await snapshot.take(talk.page, None, without=talk.css("account"))
    answer = await snapshot.take(talk.page, ANSWER)
    about = await talk.eyes.about()
    record.html, record.text = page.html, answer.text
    record.hidden_text = {
        "rendered_chars": answer.rendered_chars,
        "dom_chars": answer.dom_chars,
    }
    record.searched, record.model = about["searched"], about["model"]
    record.complete = True
    await keep(talk, SnapshotKind.DOM, page.html.encode())
    await keep(talk, SnapshotKind.TEXT, answer.text.encode())


async def _picture(talk: Talk) -> None:
    with talk.forgiving("no picture of the whole answer"):
        shots = await talk.pictures.whole(ANSWER, talk.css("scroller"))
        talk.record.screenshots += shots


async def keep(talk: Talk, kind: SnapshotKind, content: bytes, name: str | None = None) -> None:
    """Store bytes of the page beside its pictures."""
    taken_at = talk.record.clock.now()
    sha256 = await talk.put(content)
    talk.record.snapshots.append(Snapshot(kind, sha256, taken_at, name))


async def keep_mhtml(talk: Talk) -> None:
    """Keep the whole page as MHTML."""
    with talk.forgiving("no MHTML of the page"):
        await keep(talk, SnapshotKind.MHTML, await mhtml(talk.page))


async def keep_evidence(talk: Talk) -> None:
    """A picture and the page as it stands, of a capture without an answer.

    Nothing where the page still shows what was there before the question: that would be kept
    under this one.
    """
    if not talk.record.moved or not talk.page.url.startswith(("http://", "https://")):
        return
    with talk.forgiving("no picture of what stood in the way"):
        talk.record.screenshots.append(await talk.pictures.barrier())
    with talk.forgiving("the page that stood in the way is not kept"):
        page = await snapshot.take(talk.page, None, without=talk.css("account"))
        await keep(talk, SnapshotKind.DOM, page.html.encode())
