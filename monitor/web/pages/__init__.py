"""The pages: one module a room; each lists its screens, and a router for what its forms do."""

from collections.abc import Sequence

from fastapi import APIRouter

from monitor.web.pages import (
    access,
    adjudication,
    alerts,
    answers,
    artifacts,
    baseline_beginning,
    baseline_drafts,
    baseline_grading,
    baseline_settling,
    baselines,
    compare,
    diffs,
    families,
    label_planning,
    labels,
    measures,
    pairs,
    prompts,
    runs,
    settings,
    spend,
    trends,
    trust,
    uploads,
    visits,
)
from monitor.web.screens import Screen

SCREENS: Sequence[Screen] = (
    *access.SCREENS,
    *adjudication.SCREENS,
    *alerts.SCREENS,
    *answers.SCREENS,
    *artifacts.SCREENS,
    *baseline_drafts.SCREENS,
    *baseline_grading.SCREENS,
    *baseline_settling.SCREENS,
    *baselines.SCREENS,
    *compare.SCREENS,
    *diffs.SCREENS,
    *families.SCREENS,
    *labels.SCREENS,
    *measures.SCREENS,
    *pairs.SCREENS,
    *prompts.SCREENS,
    *runs.SCREENS,
    *settings.SCREENS,
    *spend.SCREENS,
    *trends.SCREENS,
    *trust.SCREENS,
    *uploads.SCREENS,
)
"""Every page that has a JSON twin."""
ROUTERS: Sequence[APIRouter] = (
    access.ROUTER,
    adjudication.ROUTER,
    alerts.ROUTER,
    artifacts.ROUTER,
    baseline_beginning.ROUTER,
    baseline_drafts.ROUTER,
    baseline_grading.ROUTER,
    baseline_settling.ROUTER,
    baselines.ROUTER,
    # Before those of plans: its address would be taken for one's number.
    label_planning.ROUTER,
    labels.ROUTER,
    pairs.ROUTER,
    runs.ROUTER,
    uploads.ROUTER,
    visits.ROUTER,
)
"""Forms, files and streams: what is no screen."""
