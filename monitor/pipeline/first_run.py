"""What to do where a store has no run yet."""

from pathlib import Path

_DEMO = Path("demo") / "config.yaml"
"""Settings that `monitor demo` wrote, from the folder one is in."""


def none_yet() -> str:
    """How a first run comes to be, and where those of a demo are kept, if there was one."""
    demo = f"; those of the demo are found with --config {_DEMO}" if _DEMO.is_file() else ""
    return f"none yet; `monitor run PANEL` makes one{demo}"
