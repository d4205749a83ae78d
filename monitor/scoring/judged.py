"""Measures that rest on verdicts: without the verdicts they say nothing."""

from monitor.scoring.tally import MEASURES

JUDGED = frozenset(
    {name for name, one in MEASURES.items() if one.section == "claim"}
    - {"uncited_claims", "uncited_needing"}
    | {"weighted_source_precision"}
)
"""Compared measures that a verdict can change; the others are counted from what is cited."""
