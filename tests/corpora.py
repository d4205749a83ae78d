"""Where the outside truth lies: one setting, and a visible skip where it is absent."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def corpora_root() -> Path:
    """Folder named by MONITOR_CORPORA, by default `../shared` beside the project."""
    return Path(os.environ.get("MONITOR_CORPORA", str(ROOT.parent / "shared")))


def corpora(name: str) -> Path:
    """Path of one reference file; skips the test when it is not on this machine."""
    path = corpora_root() / name
    if not path.exists():
        pytest.skip(f"reference material {name} is not here; set MONITOR_CORPORA")
    return path
