"""A synthetic report: invented engines' answers about an invented country, made by arithmetic."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from monitor.changes.compare import compare
from monitor.domain.baseline import ClaimCategory, EvidenceType
from monitor.domain.change import Event, EventKind
from monitor.domain.claim import StatementKind, Support
from monitor.domain.engine import Access, Role
from monitor.domain.panel import Panel, Prompt, Recall, Risk
from monitor.domain.score import Bounds, Coverage, Rate, Tally, Undefined, UndefinedReason
from monitor.domain.source import Grade
from monitor.report.view import (
    BaselineClaimView,
    BaselineSourceView,
    BoundedView,
    CaptureView,
    ClaimView,
    EngineView,
    ManifestView,
    MeasureNote,
    OverlapView,
    PageView,
    QuoteView,
    ReminderView,
    ReportView,
    ScreenshotView,
    SharedView,
    StatementView,
    TrendPoint,
    TrendView,
)
from monitor.scoring.scorecard import category_tallies, scorecard
from monitor.scoring.tally import MEASURES

LABELS = {
    "openai": "OpenAI",
    "perplexity": "Perplexity",
    "anthropic": "Claude",
    "sandbox_chat": "Sandbox chat",
}
FAMILIES = (
    "transport-velmora.example", "ridecompare.example", "openlexicon.example",
    "voltara.example", "daily-lantern.example", "vsb-standards.example",
    "saddle-blog.example", "wheelfolk.example", "newsbit.example",
)  # fmt: skip
QUESTIONS = (
    "How fast may a pedal-assist e-bike go in Velmora?",
    "What motor power is allowed for an e-bike in Velmora?",
    "How old do you have to be to ride an e-bike in Velmora?",
    "Is a helmet compulsory on an e-bike in Velmora?",
)
SAID = (
    "Motor assistance must stop at 27 km/h on a pedal-assist bicycle.",
    "Riders of pedal-assist bicycles must be at least 15 years old.",
    "Fast-class bicycles count as mopeds and need a number plate.",
    "A helmet is compulsory for every rider.",
    "Short peaks above 300 watts are allowed.",
    "Check with the authority before you buy.",
)
PASSAGE = (
    "The rules for pedal-assist bicycles were renewed in January. Motor assistance on a "
    "pedal-assist bicycle in Velmora must stop at 27 km/h. Bicycles whose motor helps up to "
    "45 km/h belong to the fast class and count as mopeds. Children aged 13 and 14 may ride "
    "only when an adult rides with them, and helmets are compulsory for riders under 18."
)
QUOTE = "must stop at 27 km/h"
SUPPORTS = (
    Support.FULL, Support.PARTIAL, Support.UNSUPPORTED, Support.CONTRADICTED,
    Support.NOT_ASSESSABLE, None,
)  # fmt: skip
NOTES = MappingProxyType(
    {
        name: MeasureNote(d.label, d.meaning, d.unit, d.section, d.direction.value)
        for name, d in MEASURES.items()
    }
)
JPEG = b"\xff\xd8\xff\xe0 synthetic picture \xff\xd9"
NOW, BEFORE = "2026-10-01T06:00", "2026-09-01T06:00"
CATEGORIES = tuple(ClaimCategory)


def roll(*parts):
    """A number from 0 to 99 that depends on nothing but its arguments."""
    value = 7
    for part in parts:
        for code in str(part).encode():
            value = (value * 31 + code * 17 + 5) % 10_007
    return value % 100


def prompts(count):
    return tuple(
        Prompt(
            f"prompt-{n:02}", QUESTIONS[n % 4], "en-GB", intent=("rule", "buy")[n % 2],
            topic="rules", risk=(Risk.STANDARD, Risk.YMYL)[n % 3 == 0], recall=tuple(Recall)[n % 3],
        )
        for n in range(count)
    )  # fmt: skip


def tally(engine, prompt, repeat, slot):
    """One answered capture's counts; Perplexity drops voltara.example in the later run."""
    families = {"?": 1} if roll(engine, prompt, "?") < 5 else {}
    for family in FAMILIES:
        likely = 70 - 6 * FAMILIES.index(family)
        if family == "voltara.example" and engine == "perplexity":
            likely = 90 if slot == BEFORE else 12
        if roll(engine, family, prompt, repeat, slot) < likely:
            families[family] = 1 + roll(family, prompt, repeat) % 2
    pages = sum(families.values()) or 1
    families = families or {FAMILIES[0]: 1}
    measures = {name: rate_of(name, engine, prompt, repeat, pages) for name in MEASURES}
    categories = {
        (name, category.value): Rate(roll(engine, prompt, category, name, repeat) % 2, 1)
        for name in ("claim_evidence_recall", "required_claim_coverage")
        for category in CATEGORIES[: 2 + roll(prompt) % 3]
    }
    return Tally(prompt, repeat, measures, categories, families, families)


def rate_of(name, engine, prompt, repeat, pages):
    if name == "retrieved_source_recall" and engine != "anthropic":
        return Undefined(UndefinedReason.NOT_EXPOSED)
    if name == "no_answer_rate":
        return Rate(0, 1)
    total = pages if "source_precision" in name else 2 + roll(prompt, name) % 4
    missing = {"ungraded": 1} if "precision" in name and roll(name, prompt, repeat) < 25 else {}
    if name == "claim_evidence_recall" and engine == "sandbox_chat":
        missing = {"pending": 3}
    return Rate(min(total, roll(engine, name, prompt, repeat) * (total + 1) // 100), total, missing)


def unanswered(prompt, repeat):
    """Counts of a capture that came back without an answer."""
    absent = Undefined(UndefinedReason.NO_ANSWERED)
    return Tally(prompt, repeat, dict.fromkeys(MEASURES, absent))


def page_view(number, engine, prompt, repeat):
    family = FAMILIES[roll(engine, prompt, repeat, number) % len(FAMILIES)]
    status = "ok" if roll(family, prompt) < 80 else ("blocked_by_site", "not_found")[number % 2]
    return PageView(
        number, f"https://www.{family}/guides/{prompt}", f"{family}/guides/{prompt}",
        f"Guide to electric bicycles, {family}", family, tuple(Grade)[roll(family) % 5],
        Role.DISPLAYED, 1 + number % 2, status,
        "daily-lantern.example/original" if family == "newsbit.example" else None,
        "sells the product" if family == "voltara.example" else "",
        f"{roll(family):02}" * 32 if status == "ok" else None,
    )  # fmt: skip


def statement(number, engine, prompt, repeat):
    support = SUPPORTS[roll(engine, prompt, repeat, number, "s") % 6]
    start = PASSAGE.index(QUOTE)
    quoted = support in {Support.FULL, Support.PARTIAL, Support.CONTRADICTED}
    reasons = {
        Support.NOT_ASSESSABLE: ("blocked_by_site",),
        Support.PARTIAL: ("the page does not name the fast class",),
        Support.CONTRADICTED: ("number differs: 27 in the page, 25 in the claim",),
    }
    return StatementView(
        SAID[number % len(SAID)],
        StatementKind.ADVICE if number % len(SAID) == 5 else StatementKind.CLAIM,
        () if support is None else (1, 2) if number == 0 else (1 + number % 3,),
        support,
        reasons.get(support, ()),
        QuoteView(1 + number % 3, PASSAGE, start, start + len(QUOTE)) if quoted else None,
        (
            ClaimView("Motor assistance must stop.", Support.FULL),
            ClaimView("It stops at 27 km/h.", support),
        )
        if number == 0
        else (),
    )


def capture_view(number, slot, engine, prompt, repeat, outcome="answered"):
    answered = outcome == "answered"
    asked = datetime(2026, 10 if slot == NOW else 9, 1, 6, tzinfo=UTC) + timedelta(seconds=number)
    args = (engine, prompt.id, repeat)
    return CaptureView(
        id=number, slot=slot, engine=engine, prompt_id=prompt.id, prompt_text=prompt.text,
        repeat=repeat, outcome=outcome, asked_at=asked,
        served_model=f"{engine}-2026-09" if answered else None,
        retrieval="used", queries=("e-bike speed limit velmora",) if answered else (),
        statements=tuple(statement(n, *args) for n in range(6)) if answered else (),
        pages=tuple(page_view(n, *args) for n in range(1, 5)) if answered else (),
        claims=tuple(
            BaselineClaimView(
                f"c{n}", SAID[n], CATEGORIES[n], n < 2, SUPPORTS[roll(n, *args) % 4],
                SUPPORTS[roll(n, "e", *args) % 6], 1 + n,
            )
            for n in range(3)
        ) if answered else (),
        sources=(
            BaselineSourceView(
                "transport-velmora.example/cycling/rules",
                "https://www.transport-velmora.example/cycling/rules", Grade.REQUIRED,
                EvidenceType.PRIMARY_OFFICIAL, roll("src", *args) < 40,
                "the authority that makes the rule", "",
            ),
            BaselineSourceView(
                "openlexicon.example", None, Grade.OPTIONAL, EvidenceType.EXPLAINER,
                roll("opt", *args) < 50, "a first look", "written by volunteers",
            ),
        ) if answered else (),
        screenshots=(
            ScreenshotView(
                "answer_card", "ab" * 32, JPEG, "https://chat.example/c/1", asked,
                "Chromium 140.0", (1280, 900), "en-GB",
            ),
        ) if engine == "sandbox_chat" and answered else (),
        payloads=((f"{number % 100:02}" * 32, 200 if answered else 429),),
        warnings=(), cost_micros=6_200,
    )  # fmt: skip


def outcome_of(engine, prompt, repeat):
    if engine == "sandbox_chat" and roll(prompt, repeat, "out") < 20:
        return "blocked/captcha"
    return "no_answer/declined" if roll(engine, prompt, repeat, "out") < 4 else "answered"


def run_of(panel, engines, slot, first):
    """Captures and tallies of one run, capture ids from `first`."""
    captures, tallies, number = [], {}, first
    for engine in engines:
        for prompt in panel.prompts:
            for repeat in range(1, panel.repeats + 1):
                outcome = outcome_of(engine, prompt.id, repeat)
                captures.append(capture_view(number, slot, engine, prompt, repeat, outcome))
                tallies[number] = (
                    tally(engine, prompt.id, repeat, slot)
                    if outcome == "answered"
                    else unanswered(prompt.id, repeat)
                )
                number += 1
    return captures, tallies


def coverage_of(captures):
    outcomes = {}
    for capture in captures:
        outcomes[capture.outcome] = outcomes.get(capture.outcome, 0) + 1
    heard = sum(n for o, n in outcomes.items() if o.startswith(("answered", "no_answer")))
    return Coverage(len(captures), len(captures), heard, outcomes.get("answered", 0), outcomes)


def card_of(panel, engine, captures, tallies, segment="all"):
    if segment.startswith("claim_category="):
        tallies = category_tallies(tallies, segment.partition("=")[2])
    return scorecard(
        tallies, panel=f"{panel.name}@{panel.version}", run=f"run:{panel.name}:{NOW}",
        engine=engine, coverage=coverage_of(captures), segment=segment, recipe="0" * 16,
        signature=(
            f"panel:{panel.name}@1|engine:{engine}|access:api|locale:en-GB|baseline:synthetic@1"
            "|urls:1|families:1|claims:1|judge:embedded@1|profile:monitor|partial:half"
            "|adequate:any|relevance:00|request:00|parse:1|pages:1|scoring:1"
            f"||window:{NOW}|served:{engine}-2026-09|n:{len(captures)}|seed:1|version:0.1.0"
        ),
    )  # fmt: skip


def segments_of(panel, engine, captures, tallies):
    for field in ("intent", "risk"):
        for value in sorted({str(getattr(p, field)) for p in panel.prompts}):
            ids = {p.id for p in panel.prompts if str(getattr(p, field)) == value}
            own = [c for c in captures if c.prompt_id in ids]
            yield card_of(panel, engine, own, [tallies[c.id] for c in own], f"{field}={value}")
    for category in ("core_fact", "limitation"):
        everything = [tallies[c.id] for c in captures]
        yield card_of(panel, engine, captures, everything, f"claim_category={category}")


def engine_view(panel, engine, now, before):
    captures, tallies = now[engine]
    pooled = [tallies[c.id] for c in captures]
    earlier = before and [before[engine][1][c.id] for c in before[engine][0]]
    return EngineView(
        name=engine,
        label=LABELS[engine],
        access=Access.BROWSER if engine == "sandbox_chat" else Access.API,
        card=card_of(panel, engine, captures, pooled),
        segments=tuple(segments_of(panel, engine, captures, tallies)),
        before=card_of(panel, engine, before[engine][0], earlier) if before else None,
        comparison=compare(
            earlier, pooled, engine=engine, panel_version="synthetic@1", before_id="a",
            after_id="b", coverage=(coverage_of(before[engine][0]), coverage_of(captures)),
            events=(Event(EventKind.SERVED_MODEL, "sonar-1", "sonar-2"),)
            if engine == "perplexity" else (),
        ) if before else None,
        skipped_before=None if before else "no earlier run of this panel",
    )  # fmt: skip


def trend_of(engine):
    """Two runs of an engine, a gap of one that did not ask it, and a run under another recipe."""
    months = ("2026-06-01T06:00", "2026-07-01T06:00", "2026-08-01T06:00")
    old = engine.before or engine.card
    points = (
        TrendPoint("run:synthetic:june", months[0], replace(old, recipe="1" * 16), ("judge",)),
        TrendPoint("run:synthetic:july", months[1], None),
        TrendPoint("run:synthetic:august", months[2], old),
        TrendPoint(f"run:synthetic:{BEFORE}", BEFORE, old),
        TrendPoint(
            f"run:synthetic:{NOW}", NOW, engine.card,
            events=(Event(EventKind.SERVED_MODEL, "sonar-1", "sonar-2"),),
        ),
    )  # fmt: skip
    return TrendView(engine.name, points)


def by_engine(captures, tallies, engines):
    return {e: ([c for c in captures if c.engine == e], tallies) for e in engines}


def report(prompt_count=20, engines=tuple(LABELS), *, repeats=3, compared=True):
    """A whole view; `compared` adds the run of the month before."""
    panel = Panel(
        "synthetic", 1, repeats, "en-GB", tuple(engines), prompts(prompt_count),
        client_domains=("voltara.example",), watch=("ridecompare.example",),
    )  # fmt: skip
    now, now_tallies = run_of(panel, engines, NOW, 1001)
    before, before_tallies = run_of(panel, engines, BEFORE, 1) if compared else ([], {})
    earlier = by_engine(before, before_tallies, engines) if compared else None
    current = by_engine(now, now_tallies, engines)
    views = tuple(engine_view(panel, e, current, earlier) for e in engines)
    return ReportView(
        panel=panel, run=f"run:synthetic:{NOW}", slot=NOW,
        before_run=f"run:synthetic:{BEFORE}" if compared else None,
        before_slot=BEFORE if compared else None,
        made_at=datetime(2026, 10, 1, 9, tzinfo=UTC), fictional=True,
        engines=views,
        skipped=(("gemini", "no key"),), captures=(*now, *before),
        tallies=now_tallies | before_tallies, baseline="synthetic@2026-08-draft",
        drawn_blind=True, annotators=1, spent_micros=1_488_000, measures=NOTES,
        overlaps=(
            OverlapView("repeats", "openai", "openai", 0.61, prompt_count),
            OverlapView("engines", "openai", "perplexity", 0.42, prompt_count, 0.9),
        ),
        shared=(
            SharedView("family", FAMILIES[0], ("openai", "perplexity")),
            SharedView(
                "evidence group", "daily-lantern.example/original", ("openai", "anthropic"),
                ("daily-lantern.example/original", "newsbit.example/copy"),
                ("daily-lantern.example", "newsbit.example"),
            ),
        ),
        trends=tuple(trend_of(view) for view in views) if compared else (),
        manifests=(ManifestView(f"run:synthetic:{NOW}", 1, "cd" * 32),),
        alerts=(
            ReminderView(
                engines[0], "cites wheelfolk.example less: 3 of 90, from 20 of 88",
                datetime(2026, 8, 1, 7, tzinfo=UTC),
            ),
        ),
        bounded=(
            BoundedView(
                "openai", Bounds(0.4, 0.7), 0.55, 0.8, Bounds(0.3, 0.8), ("perplexity",)
            ),
            BoundedView("perplexity", Bounds(0.1, 0.25), None, 0.6, Bounds(0.05, 0.28), ()),
        ),
    )  # fmt: skip


def with_capture(view, **changes):
    """The view with its first capture changed."""
    first = replace(view.captures[0], **changes)
    return replace(view, captures=(first, *view.captures[1:]))
