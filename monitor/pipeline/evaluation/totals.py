"""Sums over rows: counts beside every mean, what could not be assessed apart."""

from array import array
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from monitor.domain.score import Rate
from monitor.pipeline.evaluation.book import Used
from monitor.pipeline.evaluation.evaluated import Evaluated, rate_json
from monitor.scoring import AlceAnswer
from monitor.scoring.evaluated import percent_mean


class Totals:
    """Running sums of all rows, or of those of one question."""

    def __init__(self) -> None:
        self.rows = 0
        self.failed = 0
        self.unread = 0
        self.used = Used()
        self.rates: dict[str, Rate] = {}
        self.needing = {True: 0, False: 0}
        """Statements that need a citation, and that do not."""
        self.bare = 0
        """Of those that need one, statements without any snippet."""
        self.counts = AlceAnswer()
        self.skipped = 0
        """Answers that profile `alce` leaves out."""
        self._values: dict[str, array[float]] = {}

    def add(self, one: Evaluated, used: Used) -> None:
        """Count one more row."""
        self.rows += 1
        self.failed += one.failure is not None
        self.unread += one.unread
        self.used += used
        needed = one.told.get("citation_needed")
        if needed is not None:
            self.needing[needed] += 1
            self.bare += needed and one.told["recall_support"] is None and not one.unread
        if one.counts is not None:
            self.counts += one.counts
            self.skipped += not one.counts.statements
        for name, rate in one.rates.items():
            before = self.rates.get(name)
            self.rates[name] = rate if before is None else before + rate
            if rate.value is not None:
                self._values.setdefault(name, array("d")).append(rate.value)

    def measures(self) -> dict[str, Any]:
        """Pooled counts of every measure."""
        return {name: rate_json(rate) for name, rate in self.rates.items()}

    def means(self) -> dict[str, Any]:
        """Mean over the answers that have a value, in percent, each answer with equal weight."""
        return {
            name: {"percent": percent_mean(self._values.get(name, ())), "answers": self._n(name)}
            for name in self.rates
        }

    def _n(self, name: str) -> int:
        return len(self._values.get(name, ()))

    def rows_json(self) -> dict[str, Any]:
        """Rows, and those that could not be evaluated."""
        return {"rows": self.rows, "failed": self.failed, "unread": self.unread}

    def bare_json(self) -> dict[str, int]:
        """Statements that need a citation and have no snippet: no measure counts them."""
        return {"needed_without_snippets": self.bare}

    def usage_json(self) -> dict[str, Any]:
        """Verdicts these rows rest on, each counted once, and what they took."""
        return {
            "verdicts": self.used.verdicts,
            "usage": usage_json(self.used),
            "cost": self.used.micros / 1_000_000,
        }

    def alce_json(self) -> Mapping[str, int]:
        """Pooled counts of profile `alce`, and answers that the script skips."""
        return asdict(self.counts) | {"skipped": self.skipped}


def usage_json(used: Used) -> dict[str, int | None]:
    """Tokens; null where a vendor did not say."""
    return {"input_tokens": used.input_tokens, "output_tokens": used.output_tokens}
