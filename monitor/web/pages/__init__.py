"""The pages: one module a room; each lists its screens, and a router for what its forms do."""

from collections.abc import Sequence

from fastapi import APIRouter

from monitor.web.pages import alerts, families, measures, runs
from monitor.web.screens import Screen

SCREENS: Sequence[Screen] = (*alerts.SCREENS, *families.SCREENS, *measures.SCREENS, *runs.SCREENS)
"""Every page that has a JSON twin."""
ROUTERS: Sequence[APIRouter] = (alerts.ROUTER,)
"""Forms, files and streams: what is no screen."""
