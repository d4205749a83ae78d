"""Schedules: when panels are due, and the process that starts their runs."""
