"""Baseline files: read, checked against their panel, and turned into a Baseline."""

from monitor.baseline.parse import ParsedBaseline, parse_baseline

__all__ = ["ParsedBaseline", "parse_baseline"]
