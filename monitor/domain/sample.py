"""One engine's answers of one run, or of several pooled, counted under one recipe."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.score import Coverage, Tally


@dataclass(frozen=True, slots=True)
class Sample:
    """One side of a comparison."""

    engine: str
    runs: tuple[str, ...]
    """Public ids, oldest first; more than one where runs are pooled."""
    tallies: Mapping[int, Tally]
    """Capture id -> its counts; captures without an answer are among them."""
    run_of: Mapping[int, str]
    """Capture id -> public id of its run."""
    versions: Mapping[int, str]
    """Capture id -> key of the prompt version it was asked: another text is another prompt."""
    coverage: Coverage
    models: tuple[str, ...] = ()
    """Models its payloads name, sorted."""

    @property
    def name(self) -> str:
        """What the sample is called in seeds and messages: its runs, joined."""
        return "+".join(self.runs)


def pooled_sample(samples: Sequence[Sample]) -> Sample:
    """Several runs of one engine as one sample; ValueError for none of them."""
    if not samples:
        raise ValueError("cannot pool no samples: expected at least one run")
    if len(samples) == 1:
        return samples[0]
    return Sample(
        engine=samples[0].engine,
        runs=tuple(run for one in samples for run in one.runs),
        tallies={key: tally for one in samples for key, tally in one.tallies.items()},
        run_of={key: run for one in samples for key, run in one.run_of.items()},
        versions={key: version for one in samples for key, version in one.versions.items()},
        coverage=pooled_coverage([one.coverage for one in samples]),
        models=tuple(sorted({model for one in samples for model in one.models})),
    )


def pooled_coverage(parts: Sequence[Coverage]) -> Coverage:
    """Captures of several runs in one count."""
    outcomes: Counter[str] = Counter()
    for part in parts:
        outcomes.update(part.outcomes)
    return Coverage(
        planned=sum(part.planned for part in parts),
        attempted=sum(part.attempted for part in parts),
        heard=sum(part.heard for part in parts),
        answered=sum(part.answered for part in parts),
        outcomes=dict(sorted(outcomes.items())),
    )
