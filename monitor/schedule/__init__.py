"""Schedules: when panels are due, and the process that starts their runs.

`run_scheduler` starts runs until it is told to stop; `panel_schedules` says how every panel
stands. The calendar reads no clock, the store decides who gets a slot.
"""

from monitor.schedule.calendar import Slot
from monitor.schedule.rules import KnownRules
from monitor.schedule.scheduler import LOOK_SECONDS, run_scheduler
from monitor.schedule.standing import PanelSchedule, panel_schedules

__all__ = [
    "LOOK_SECONDS",
    "KnownRules",
    "PanelSchedule",
    "Slot",
    "panel_schedules",
    "run_scheduler",
]
