"""Does the instrument still work? One run's engines against themselves in the runs before.

Nothing here says that citing changed in the world: it says that the measuring looks broken, so that
a person looks before a report is believed. The thresholds are those of `AlarmRules`.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from monitor.domain.engine import Outcome
from monitor.domain.instrument import Alarm, AlarmKind, AlarmRules, Checkup, EngineTotals, Undecided

UNREAD = (f"{Outcome.ERROR.value}/unreadable", Outcome.LAYOUT_UNKNOWN.value)
"""Outcomes of a payload or page whose shape we do not know."""

BARRIERS = (
    *(
        f"{Outcome.BLOCKED.value}/{reason}"
        for reason in ("captcha", "challenge", "rate_limit", "geo")
    ),
    Outcome.LOGIN_REQUIRED.value,
    Outcome.CONSENT_REQUIRED.value,
    *(f"{Outcome.ERROR.value}/{reason}" for reason in ("auth", "quota")),
)
"""Outcomes of being kept out."""

LEAST_EXPECTED = 10
"""Citations that the past lets expect, below which their absence may be chance."""

_NAME = 60
"""Characters of a model's name: a vendor writes it."""

_Told = Alarm | Undecided | None


def check_up(
    now: Mapping[str, EngineTotals],
    past: Sequence[Mapping[str, EngineTotals]],
    rules: AlarmRules,
) -> Checkup:
    """Alarms of a run that ended, by engine; `past` holds the runs of its panel before it."""
    told: list[_Told] = []
    for engine, totals in sorted(now.items()):
        before = tuple(run[engine] for run in past if engine in run)
        told += (
            _stopped_citing(engine, totals, before, rules),
            _shape_changed(engine, totals, rules),
            _low_coverage(engine, totals, rules),
            *_storms(engine, totals, rules),
            _model_changed(engine, totals, before),
        )
    return Checkup(
        tuple(one for one in told if isinstance(one, Alarm)),
        tuple(one for one in told if isinstance(one, Undecided)),
    )


def _stopped_citing(
    engine: str, now: EngineTotals, before: Sequence[EngineTotals], rules: AlarmRules
) -> _Told:
    """Citations per answer against the engine's own past, pooled."""
    kind = AlarmKind.STOPPED_CITING
    answered = now.coverage.answered
    past_answered = sum(one.coverage.answered for one in before)
    past_citations = sum(one.citations for one in before)
    if past_answered < rules.least_answers:
        return Undecided(kind, engine, "no_past")
    if answered < rules.least_answers:
        return Undecided(kind, engine, "few_answers")
    expected = past_citations / past_answered * answered
    if expected < LEAST_EXPECTED:
        return Undecided(kind, engine, "few_citations")
    if now.citations > rules.citing_left * expected:
        return None
    return Alarm(
        kind,
        engine,
        {
            "answered": answered,
            "cited": now.cited,
            "citations": now.citations,
            "past_answered": past_answered,
            "past_citations": past_citations,
        },
        f"{engine} has all but stopped citing: {now.citations} visible citations in {answered} "
        f"answers, where {past_citations} in {past_answered} were seen before.",
        "Open some of its answers: where they show sources, the parser misses them and `monitor "
        "reparse` mends the run once it is repaired; where they show none, the engine changed.",
    )


def _shape_changed(engine: str, now: EngineTotals, rules: AlarmRules) -> _Told:
    """Payloads that could not be read, of the captures asked."""
    asked = now.coverage.attempted
    unread = sum(now.coverage.outcomes.get(name, 0) for name in UNREAD)
    if unread < rules.least_captures or unread < rules.unread * asked:
        return None
    return Alarm(
        AlarmKind.SHAPE_CHANGED,
        engine,
        {"unread": unread, "attempted": asked},
        f"{engine} sent a shape that is not known: {unread} of {asked} payloads could not be read.",
        "The payloads are kept: repair the parser, then `monitor reparse` reads them again; "
        "nothing has to be asked twice.",
    )


def _low_coverage(engine: str, now: EngineTotals, rules: AlarmRules) -> _Told:
    """Captures that were heard, of those planned; an engine that shows no answer was heard."""
    planned, heard = now.coverage.planned, now.coverage.heard
    if heard >= rules.coverage * planned:
        return None
    missed = planned - heard
    return Alarm(
        AlarmKind.LOW_COVERAGE,
        engine,
        {"heard": heard, "answered": now.coverage.answered, "planned": planned},
        f"{engine} was heard in {heard} of {planned} planned captures, {missed} are missing.",
        "`monitor status` names the outcomes; where the run is incomplete, `monitor resume` asks "
        "for what is missing.",
    )


def _storms(engine: str, now: EngineTotals, rules: AlarmRules) -> list[Alarm]:
    """Barriers that too many of the asked captures ended at, each by itself."""
    asked = now.coverage.attempted
    found = {name: now.coverage.outcomes.get(name, 0) for name in BARRIERS}
    return [
        Alarm(
            AlarmKind.OUTCOME_STORM,
            engine,
            {"captures": count, "attempted": asked},
            f"{engine} kept us out: {count} of {asked} captures ended as {name}.",
            _BARRIER_ADVICE.get(name, "Ask more slowly, or from another place, and resume later."),
        )
        for name, count in found.items()
        if count >= rules.least_captures and count >= rules.storm * asked
    ]


_BARRIER_ADVICE = {
    "blocked/rate_limit": "Lower `per_minute` or `concurrency` of the engine in the settings.",
    "login_required": "Sign in by hand in the browser profile, or leave this surface out.",
    "error/auth": "The key is refused: check it and its file, then plan a new run.",
    "error/quota": "The vendor's quota is used up: raise it there, then plan a new run.",
}


def _model_changed(engine: str, now: EngineTotals, before: Sequence[EngineTotals]) -> _Told:
    """The model that served most answers, against all that served before."""
    known: Counter[str] = Counter()
    for one in before:
        known.update(one.models)
    if not now.models:
        return None
    if not known:
        return Undecided(AlarmKind.MODEL_CHANGED, engine, "no_past")
    model, answers = max(now.models.items(), key=lambda pair: (pair[1], pair[0]))
    if model in known:
        return None
    told = sum(now.models.values())
    usual = max(known, key=lambda name: (known[name], name))
    return Alarm(
        AlarmKind.MODEL_CHANGED,
        engine,
        {"answers": answers, "told": told},
        f"{engine} is served by another model: {answers} of {told} answers by "
        f"{model[:_NAME]}, before mostly by {usual[:_NAME]}.",
        "Read a comparison with earlier runs with care: it compares two models.",
    )
