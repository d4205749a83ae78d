"""Samples of answers made of tallies, for tests of comparisons and alerts; all synthetic."""

from dataclasses import replace

from monitor.changes import compare
from monitor.domain.sample import Sample
from monitor.domain.score import Coverage, Rate
from tests.assessed import tally


def sample(run, tallies, first=1, planned=None, models=()):
    """One run's answers as a sample; capture ids count up from `first`."""
    ids = range(first, first + len(tallies))
    answered = sum(one.answered for one in tallies)
    return Sample(
        engine="alpha",
        runs=(run,),
        tallies=dict(zip(ids, tallies, strict=True)),
        run_of=dict.fromkeys(ids, run),
        versions={i: f"{one.prompt_id}@1" for i, one in zip(ids, tallies, strict=True)},
        coverage=Coverage(planned or len(tallies), len(tallies), answered, answered, {}),
        models=models,
    )


def month(run, a, rest, prompts=30, repeats=3, first=1, measures=None):
    """Every answer cites family `a` and family `rest` so often."""
    counts = {family: n for family, n in (("a", a), ("rest", rest)) if n}
    made = [
        tally(f"p{p:02}", counts, repeat=r, measures=measures)
        for p in range(prompts)
        for r in range(1, repeats + 1)
    ]
    return sample(run, made, first)


def citing(run, cited, prompt="p00", source="nhs.example", first=1, others=0):
    """Answers to one prompt: True where one cites a required source, False not, None left open.

    All of them cite `others` more required sources.
    """
    rates = {True: Rate(1, 1), False: Rate(0, 1), None: Rate(0, 0, {"unresolved": 1})}
    beside = {f"other{n}.example": Rate(1, 1) for n in range(others)}
    made = [
        replace(tally(prompt, {"a": 1}, repeat=r), required={source: rates[one], **beside})
        for r, one in enumerate(cited, start=1)
    ]
    return sample(run, made, first)


def compared(before, after, events=()):
    """Two samples compared, with their coverage."""
    return compare(
        tuple(before.tallies.values()),
        tuple(after.tallies.values()),
        engine="alpha",
        panel_version="p@1",
        before_id=before.name,
        after_id=after.name,
        coverage=(before.coverage, after.coverage),
        events=events,
    )
