"""Tables of the store, in the order in which evidence becomes a number.

Raw rows (payload, screenshot, page_fetch) are never changed. Everything behind them is derived,
names the version that made it, and is inserted again by a re-run; the newest row counts.
"""

from monitor.store.tables.asked import (
    baseline_version,
    capture,
    panel_prompt,
    panel_version,
    payload,
    prompt_version,
    run,
    screenshot,
    spend,
)
from monitor.store.tables.base import metadata
from monitor.store.tables.judged import (
    claim,
    claim_set,
    comparison,
    family_tally,
    label,
    scorecard,
    statement,
    tally,
    tally_set,
    verdict,
)
from monitor.store.tables.read import (
    citation,
    evidence_group,
    group_set,
    page,
    page_copy,
    page_fetch,
    reading,
    retrieved_source,
    search_query,
)
from monitor.store.tables.served import (
    delivery,
    engine_limit,
    job,
    month_spend,
    removed_artifact,
    run_engine,
    schedule,
    worker,
)
from monitor.store.tables.told import alert, reference_run

__all__ = [
    "alert",
    "baseline_version",
    "capture",
    "citation",
    "claim",
    "claim_set",
    "comparison",
    "delivery",
    "engine_limit",
    "evidence_group",
    "family_tally",
    "group_set",
    "job",
    "label",
    "metadata",
    "month_spend",
    "page",
    "page_copy",
    "page_fetch",
    "panel_prompt",
    "panel_version",
    "payload",
    "prompt_version",
    "reading",
    "reference_run",
    "removed_artifact",
    "retrieved_source",
    "run",
    "run_engine",
    "schedule",
    "scorecard",
    "screenshot",
    "search_query",
    "spend",
    "statement",
    "tally",
    "tally_set",
    "verdict",
    "worker",
]
