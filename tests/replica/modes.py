"""What the replica does in each mode, and what a capture of it must come to, by hand."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from monitor.domain.engine import Outcome
from tests.replica import answers as say

Step = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds of what the page does, so that tests need not wait as people do."""

    step: int = 10
    """Between two small steps."""
    pause: int = 400
    """Of a writer who stops in the middle, and of what comes late."""
    gap: int = 150
    """From the end that the page shows to the last words."""


@dataclass(frozen=True, slots=True)
class Expected:
    """What a capture must come to."""

    outcome: Outcome = Outcome.ANSWERED
    reason: str | None = None
    text: str = ""
    displayed: int = 0
    """Pages that pills lead to."""
    marks: int = 0
    """Pills that are shown."""
    in_document: int = 0
    """Pills in the document, shown or not."""
    listed: int = 0
    """Pages that only the list of sources has."""
    links: int = 0
    hidden: int = 0
    """Citations that "+N" counts and nothing leads to."""
    panels: tuple[str, ...] = ()
    """Names of what is opened, each once."""
    asks: bool = True
    """Whether the question is sent at all."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One way for the page to behave."""

    expected: Expected
    steps: Callable[[Times], list[Step]] = lambda _: []
    path: str = "/"
    """Where the page is found; another path than "/" is redirected to."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    page: str = "chat"
    """`chat`, or the name of a page that has no place to ask."""
    before: str = ""
    """HTML of turns that stand there before anything is asked."""
    over: str = ""
    """HTML that lies over the page or hides in it."""
    panel: str = say.PANEL
    hover: Mapping[str, list[str]] = field(default_factory=dict)
    poll: bool = False
    rich: bool = False
    """Whether the question is typed into an element that is no form field."""


USER: Step = {"do": "user"}


def _end(*, sources: bool = True, after: int = 0) -> Step:
    return {"do": "end", "after": after, "html": say.COPY + (say.SOURCES if sources else "")}


def _plain(html: str, *, sources: bool = True) -> Callable[[Times], list[Step]]:
    def steps(times: Times) -> list[Step]:
        return [
            USER,
            {"do": "turn", "after": times.step, "html": say.turn()},
            {"do": "write", "after": times.step, "html": html},
            _end(after=times.step, sources=sources),
        ]

    return steps


def _slow(times: Times) -> list[Step]:
    words = [{"do": "word", "after": times.pause // 8, "text": f" {w}"} for w in say.FIRST.split()]
    return [
        USER,
        {"do": "turn", "html": say.turn()},
        {"do": "write", "html": "<p></p>"},
        *words,
        {"do": "within", "html": say.FIRST_PILL},
        {"do": "write", "after": times.step, "html": say.REST},
        _end(after=times.step),
    ]


def _paused(times: Times) -> list[Step]:
    return [
        USER,
        {"do": "turn", "html": say.turn()},
        {"do": "write", "html": say.OPENING},
        {"do": "write", "after": times.pause, "html": say.REST},
        _end(after=times.step),
    ]


def _early(times: Times) -> list[Step]:
    """Everything says that the answer is finished, and then the rest of it is drawn."""
    return [
        USER,
        {"do": "turn", "html": say.turn()},
        {"do": "write", "html": say.OPENING},
        _end(after=times.step),
        {"do": "write", "after": times.gap, "html": say.REST},
    ]


def _redrawn(times: Times) -> list[Step]:
    body = f'<div data-part="answer">{say.WHOLE}</div>'
    return [*_plain(say.BARE)(times), {"do": "redraw", "after": times.gap, "html": body}]


def _tabbed(times: Times) -> list[Step]:
    tabs = (
        '<div role="tablist"><button role="tab" class="invisible" id="clone-trigger-sources">'
        'Sources</button><button role="tab" aria-selected="true" id="replica-trigger-answer">'
        'Answer</button><button role="tab" id="replica-trigger-sources">Sources</button></div>'
    )
    return [
        USER,
        {"do": "turn", "html": say.turn(before=tabs)},
        {"do": "write", "after": times.step, "html": say.WHOLE},
        _end(after=times.step, sources=False),
    ]


def _shadowed(times: Times) -> list[Step]:
    host = '<replica-answer data-inner="&lt;div data-part=&quot;answer&quot;&gt;&lt;/div&gt;">'
    inner = say.FIRST_PILL.replace("<", "&lt;").replace('"', "&quot;")
    first = f'<p>{say.FIRST}<replica-pill data-inner="{inner}"></replica-pill></p>'
    return [
        USER,
        {"do": "turn", "html": say.turn(body=f"{host}</replica-answer>")},
        {"do": "write", "after": times.step, "html": first + say.REST},
        _end(after=times.step),
    ]


def _deferred(times: Times) -> list[Step]:
    """The page is whole before the answer is: a ghost stands in its place."""
    ghost = '<div data-part="ghost">Searching…</div>'
    body = '<div data-part="answer"></div>'
    return [
        USER,
        {"do": "turn", "html": say.turn(body=ghost + body, stop="")},
        {"do": "settle"},
        {"do": "below", "html": _REST},
        {"do": "write", "after": times.pause, "html": say.WHOLE},
        {"do": "unwrap"},
        _end(after=times.step),
    ]


def _declined(times: Times) -> list[Step]:
    words = '<div data-part="declined">No overview can be shown for this question.</div>'
    return [
        USER,
        {"do": "turn", "html": say.turn(body=words)},
        {"do": "below", "html": _REST},
        {"do": "stop", "after": times.step},
        {"do": "settle"},
    ]


def _asking_back(times: Times) -> list[Step]:
    words = '<div data-part="asks-back"><p>Which pier?</p><button>Four</button></div>'
    return [
        USER,
        {"do": "turn", "html": say.turn(body=words)},
        {"do": "stop", "after": times.step},
        {"do": "settle"},
    ]


def _other(times: Times) -> list[Step]:
    first, *rest = _plain(say.WHOLE)(times)
    return [{**first, "text": say.OTHER_PROMPT}, *rest]


def _walled(html: str) -> Callable[[Times], list[Step]]:
    """A wall that comes up while the answer is being written."""

    def steps(times: Times) -> list[Step]:
        return [
            USER,
            {"do": "turn", "html": say.turn()},
            {"do": "write", "after": times.step, "html": say.OPENING},
            {"do": "page", "after": times.gap, "html": html},
        ]

    return steps


_REST = '<ol data-part="rest"><li>A made-up page</li><li>Another made-up page</li></ol>'
_LOGIN = '<div data-part="login" class="over"><h2>Log in to the replica</h2></div>'
_LIMIT = '<div data-part="limit" class="over">All of today\'s made-up questions are used up.</div>'
_GEO = '<div data-part="geo" class="over">The replica is not open in your country.</div>'
_COOKIES = (
    '<div data-part="overlay" class="over" role="dialog"><p>The replica sets no cookies.</p>'
    '<button data-part="overlay-close">Close</button></div>'
)
_HIDDEN_WALLS = (
    '<div hidden><div data-part="login">Log in</div><form id="captcha-form">captcha</form>'
    '<div data-part="challenge">Just a moment…</div></div>'
)
_FOLDED = (
    '<button data-part="expand">Show more</button><div data-part="folded" class="folded">'
    f"{say.REST}</div>"
)
_OLD = (
    f'<section data-part="question">{say.PROMPT}</section><section data-part="turn" '
    f'data-turn-id="answer-1"><div data-part="answer">{say.WHOLE}</div>{say.COPY}</section>'
)
_WORDS = (
    "<p>Just a moment… is what a page says whose guard is challenges.cloudflare.com; it may set "
    "_cf_chl_opt and load /cdn-cgi/challenge-platform/. Attention Required! Unusual traffic, "
    "captcha, log in, rate limit: only words here.</p>"
)
_WORDS_TEXT = _WORDS[3:-4]

NORMAL = Expected(
    text=say.TEXT, displayed=2, marks=3, in_document=3, listed=1, links=1, panels=("sources",)
)
_TALL = Expected(
    text=say.BANDS_TEXT, displayed=1, marks=1, in_document=1, listed=2, panels=("sources",)
)
_GUARDED = (
    "default-src 'self' 'unsafe-inline' https://challenges.cloudflare.com; "
    "frame-src https://challenges.cloudflare.com"
)

MODES: Mapping[str, Mode] = {
    "normal": Mode(NORMAL, _plain(say.WHOLE)),
    "rich_prompt": Mode(NORMAL, _plain(say.WHOLE), rich=True),
    "slow_stream": Mode(NORMAL, _slow),
    "mid_stream_pause": Mode(NORMAL, _paused),
    "stop_button_early": Mode(NORMAL, _early),
    "re_render": Mode(NORMAL, _redrawn),
    "lazy_tab": Mode(NORMAL, _tabbed, panel=say.TAB_PANEL),
    # One pill of three pages, all of them in what it shows under the pointer.
    "hover_popover": Mode(
        Expected(
            text=say.FIRST, displayed=3, marks=1, in_document=1, listed=3,
            panels=("popover", "sources"),
        ),
        _plain(f"<p>{say.FIRST}{say.pill('https://ferry.example/boats', 'ferry', more=2, hover='boats')}</p>"),
        hover=say.HOVER,
    ),
    "plus_two_pill": Mode(
        Expected(
            text=say.FIRST, displayed=1, marks=1, in_document=1, listed=2, hidden=2,
            panels=("sources",),
        ),
        _plain(f"<p>{say.FIRST}{say.pill(say.TIMETABLE, 'ferry.example', more=2)}</p>"),
    ),
    "hidden_chips": Mode(
        Expected(text=say.CHIPS_TEXT, displayed=14, marks=15, in_document=73),
        _plain(say.CHIPS, sources=False),
    ),
    # Spans of one kind and anchors of another, as when a layout is half replaced.
    "mixed_pills": Mode(
        Expected(text=f"{say.FIRST}\n\n{say.SECOND}", displayed=2, marks=2, in_document=2),
        _plain(
            f"{say.OPENING}<p>{say.SECOND}"
            f'<a data-source class="pill" href="{say.FOG}">harbour.example</a></p>',
            sources=False,
        ),
    ),
    "folded": Mode(NORMAL, _plain(f"{say.OPENING}{_FOLDED}")),
    "cookie_dialog": Mode(NORMAL, _plain(say.WHOLE), over=_COOKIES),
    "consent_page": Mode(
        Expected(Outcome.CONSENT_REQUIRED, asks=False), path="/consent", page="consent"
    ),
    "login_wall": Mode(Expected(Outcome.LOGIN_REQUIRED, asks=False), page="login"),
    "sorry_429": Mode(
        Expected(Outcome.BLOCKED, "captcha", asks=False), path="/sorry/index", status=429,
        page="sorry",
    ),
    "cloudflare_403": Mode(
        Expected(Outcome.BLOCKED, "challenge", asks=False), status=403,
        headers={"cf-mitigated": "challenge"}, page="moment",
    ),
    "healthy_with_challenge_words": Mode(
        Expected(
            text=f"{say.FIRST}\n\n{_WORDS_TEXT}", displayed=1, marks=1, in_document=1, listed=2,
            panels=("sources",),
        ),
        _plain(say.OPENING + _WORDS),
        headers={"Content-Security-Policy": _GUARDED}, over=_HIDDEN_WALLS,
    ),
    "error_200": Mode(Expected(Outcome.ERROR, "server", asks=False), page="error"),
    "deferred_overview": Mode(NORMAL, _deferred),
    "declined_overview": Mode(Expected(Outcome.NO_ANSWER, "declined"), _declined),
    "absent": Mode(
        Expected(Outcome.NO_ANSWER, "absent"),
        lambda times: [USER, {"do": "below", "after": times.step, "html": _REST}],
    ),
    "inner_scroller": Mode(_TALL, _plain(say.bands(6_000))),
    "inner_scroller_tiles": Mode(_TALL, _plain(say.bands(30_000))),
    "shadow_dom": Mode(NORMAL, _shadowed),
    "endless_poll": Mode(NORMAL, _plain(say.WHOLE), poll=True),
    "needs_input": Mode(Expected(Outcome.NEEDS_INPUT), _asking_back),
    "stale_previous_answer": Mode(Expected(Outcome.TIMEOUT), before=_OLD),
    "second_turn": Mode(NORMAL, _plain(say.WHOLE), before=_OLD),
    "wrong_turn": Mode(Expected(Outcome.LAYOUT_UNKNOWN), _other),
    "rate_limit": Mode(Expected(Outcome.BLOCKED, "rate_limit"), _walled(_LIMIT)),
    "geo": Mode(Expected(Outcome.BLOCKED, "geo", asks=False), over=_GEO),
    "late_wall": Mode(Expected(Outcome.LOGIN_REQUIRED), _walled(_LOGIN)),
    "empty_answer": Mode(Expected(Outcome.ERROR, "empty"), _plain("", sources=False)),
    "unknown_layout": Mode(Expected(Outcome.LAYOUT_UNKNOWN, asks=False), page="moved"),
    "never_ends": Mode(Expected(Outcome.TIMEOUT), lambda times: _paused(times)[:3]),
}  # fmt: skip
"""Every mode; texts and counts are by hand from the made-up answers."""
