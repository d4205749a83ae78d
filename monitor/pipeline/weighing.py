"""What is said of a comparison as a whole, and the JSON form of all of it."""

from collections import Counter
from collections.abc import Mapping, Sequence

from monitor.domain.change import Change, ChangeVerdict, Comparison
from monitor.pipeline.comparing import Weighed, comparison_json
from monitor.pipeline.samples import EngineSample, RunSamples
from monitor.pipeline.tallying import signature_sample
from monitor.scoring.signature import Signature

SCHEMA = 1


def why(one: Comparison) -> str:
    """Why there is no verdict of change or of none; empty where there is one."""
    if one.gates.failures:
        return "; ".join(one.gates.failures)
    if one.verdict is not ChangeVerdict.NOT_ENOUGH_DATA:
        return ""
    rows = (*one.families, *one.measures)
    reasons = Counter(row.because for row in rows if row.verdict is one.verdict)
    if not reasons:
        return "nothing was counted on either side"
    return max(reasons, key=lambda reason: reasons[reason])


def has_changed(weighed: Weighed) -> bool:
    """Whether any engine is called changed as a whole."""
    return any(one.verdict is ChangeVerdict.CHANGED for one in weighed.comparisons.values())


def has_gaps(weighed: Weighed) -> bool:
    """Whether nothing could be compared, or not some engine or measure that both sides have."""
    every = weighed.comparisons.values()
    refused = ChangeVerdict.NOT_COMPARABLE
    return not every or any(
        one.verdict is refused or any(row.verdict is refused for row in one.measures)
        for one in every
    )


def by_weight(rows: Sequence[Change]) -> list[Change]:
    """What changed first, then what to watch, then the rest in its own order."""
    first = (ChangeVerdict.CHANGED, ChangeVerdict.WATCH)
    return sorted(rows, key=lambda row: first.index(row.verdict) if row.verdict in first else 2)


def sides_of(weighed: Weighed, name: str) -> tuple[tuple[str, ...], str]:
    """Signature lines of a comparison: of the runs before, oldest first, and of the run after."""
    seed = weighed.comparisons[name].seed
    other, _, engine = name.rpartition("~")
    before = tuple(
        _line(one, one.engines[other or engine], seed)
        for one in weighed.before
        if (other or engine) in one.engines
    )
    return before, _line(weighed.after, weighed.after.engines[engine], seed)


def _line(run: RunSamples, one: EngineSample, seed: int) -> str:
    """The line that stands under an engine's numbers of one run."""
    told = signature_sample(run.run, one.sample.coverage, one.sample.models, seed=str(seed))
    return Signature(one.recipe, told).line


def weighed_json(weighed: Weighed) -> dict[str, object]:
    """Everything that `monitor compare --json` prints; fields are added, never renamed."""
    return {
        "schema": SCHEMA,
        "before": [one.run.public_id for one in weighed.before],
        "after": weighed.after.run.public_id,
        "engines": {name: _engine_json(weighed, name) for name in weighed.comparisons},
        "only_before": list(weighed.only_before),
        "only_after": list(weighed.only_after),
        "notes": list(weighed.notes),
    }


def _engine_json(weighed: Weighed, name: str) -> Mapping[str, object]:
    """A comparison with what is said of it and the signatures of its sides."""
    one = weighed.comparisons[name]
    before, after = sides_of(weighed, name)
    found = one.detectable
    return {
        "verdict": one.verdict.value,
        "because": why(one),
        **comparison_json(one),
        "smallest_detectable": {"least": min(found), "most": max(found), "families": len(found)}
        if found
        else None,
        "signatures": {"before": list(before), "after": after},
    }
