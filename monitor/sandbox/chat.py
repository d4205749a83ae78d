"""The chat-like page: its HTML, and the answers its script asks for."""

from starlette.responses import HTMLResponse

from monitor.sandbox.script import Answer, Cited, Sentence, domain
from monitor.sandbox.sites import render
from monitor.sandbox.world import World

HIDDEN_PAGE = "wf-hostile"
"""Page behind the pill that stands in the DOM and is never shown."""
EXTRA_PAGE = "sb-winter"
"""Page that the source list adds where nothing else was searched."""


def page() -> HTMLResponse:
    """The chat page; `?mode=` login, consent, captcha, stall or layout shows a trap."""
    return HTMLResponse(render("chat.html"))


def shown(world: World, answer: Answer) -> dict[str, object]:
    """Answer as the page's script draws it: sentences with pills, and the source list.

    The last cited sentence carries a hidden pill; the list ends with one source without a pill.
    """
    cited = [n for n, sentence in enumerate(answer.sentences) if sentence.cited]
    decoy = Cited(world.pages[HIDDEN_PAGE].url, world.pages[HIDDEN_PAGE])
    last = cited[-1] if cited else None
    rows = [
        _sentence(sentence, decoy if number == last else None)
        for number, sentence in enumerate(answer.sentences)
    ]
    return {"sentences": rows, "sources": _listed(world, answer), "queries": list(answer.queries)}


def _sentence(sentence: Sentence, decoy: Cited | None) -> dict[str, object]:
    marks = [_mark(cited, hidden=False) for cited in sentence.cited]
    marks += [_mark(decoy, hidden=True)] if decoy else []
    return {"text": sentence.text, "marks": marks}


def _mark(cited: Cited, *, hidden: bool) -> dict[str, object]:
    return {
        "url": cited.url,
        "title": cited.page.title,
        "label": domain(cited.url),
        "hidden": hidden,
    }


def _listed(world: World, answer: Answer) -> list[dict[str, str]]:
    shown_first = {c.url: c for sentence in answer.sentences for c in sentence.cited}
    spare = Cited(world.pages[EXTRA_PAGE].url, world.pages[EXTRA_PAGE])
    extra = next((c for c in (*answer.searched, spare) if c.url not in shown_first), spare)
    return [{"url": c.url, "title": c.page.title} for c in (*shown_first.values(), extra)]
