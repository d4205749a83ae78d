"""The pages: one module a room; each lists its screens, and a router for what its forms do."""

from collections.abc import Sequence

from fastapi import APIRouter

from monitor.web.pages import alerts, families, labels, measures, pairs, runs, trends
from monitor.web.screens import Screen

SCREENS: Sequence[Screen] = (
    *alerts.SCREENS,
    *families.SCREENS,
    *labels.SCREENS,
    *measures.SCREENS,
    *pairs.SCREENS,
    *runs.SCREENS,
    *trends.SCREENS,
)
"""Every page that has a JSON twin."""
ROUTERS: Sequence[APIRouter] = (
    alerts.ROUTER,
    labels.ROUTER,
    pairs.ROUTER,
)
"""Forms, files and streams: what is no screen."""
