"""Which earlier runs an alert was held against, in words."""

from monitor.domain.alert import Alert, AlertKind
from monitor.report.words import plain_slot, whens


def against_words(alert: Alert) -> str:
    """`against 2026-10`, or `against 2026-08 to 2026-10, pooled`; empty where against none.

    A lost source was looked for in each earlier run by itself, so nothing of it is pooled.
    """
    slots = tuple(dict.fromkeys(plain_slot(name) for name in alert.before))
    if not slots:
        return ""
    named = whens(slots)
    if len(named) == 1:
        return f"against {named[0]}"
    pooled = "" if alert.kind is AlertKind.REQUIRED_LOST else ", pooled"
    return f"against {named[0]} to {named[-1]}{pooled}"
