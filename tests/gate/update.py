"""Pin what is measured now: `python -m tests.gate.update`. A floor is never lowered by accident."""

import argparse
import json
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.gate.measured import GATES, AbsentError, Measured

FLOORS = Path(__file__).with_name("gate_floors.json")
COMMAND = "python -m tests.gate.update"

Floors = dict[str, dict[str, Any]]


def load_floors(path: Path = FLOORS) -> Floors:
    """Pinned floors by gate; none before the first update."""
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def pinned(measured: Measured) -> dict[str, Any]:
    """A measurement as it is pinned: rounded down, so that the same run passes."""
    floor = math.floor(measured.value * 1000 + 1e-9) / 1000
    return {"floor": floor, "rows": measured.rows, "corpus": measured.corpus}


def lowered(old: Floors, new: Floors) -> list[str]:
    """In words, every floor that would sink or vanish, and every set that would shrink."""
    found = [f"{name}: the gate is gone" for name in sorted(set(old) - set(new))]
    for name in sorted(set(old) & set(new)):
        for key in ("floor", "rows"):
            if new[name][key] < old[name][key]:
                found.append(f"{name}: {key} would sink from {old[name][key]} to {new[name][key]}")
    return found


def measure(old: Floors, gates: Mapping[str, Callable[[], Measured]]) -> Floors:
    """New floors; a gate whose reference material is absent keeps its old one."""
    new: Floors = {}
    for name, gate in gates.items():
        try:
            new[name] = pinned(gate())
        except AbsentError as absent:
            print(f"{name}: {absent} is not here; its floor stays as it is")
            if name in old:
                new[name] = old[name]
    return new


def update(
    path: Path, gates: Mapping[str, Callable[[], Measured]], *, allow_regression: bool
) -> int:
    """Write the floors, or refuse with exit code 1 and the file untouched."""
    old = load_floors(path)
    new = measure(old, gates)
    sunk = lowered(old, new)
    if sunk and not allow_regression:
        print("\n".join(sunk), file=sys.stderr)
        print(
            f"nothing was written. If a lower floor is right, say so in the commit message and run\n"
            f"    {COMMAND} --allow-regression",
            file=sys.stderr,
        )
        return 1
    path.write_text(json.dumps(new, indent=2, sort_keys=True) + "\n", "utf-8")
    for name in sorted(new):
        was = f" (was {old[name]['floor']})" if name in old and old[name] != new[name] else ""
        print(f"{new[name]['floor']:.3f}  {name}{was}")
    return 0


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--allow-regression", action="store_true", help="write lower floors too")
    chosen = parser.parse_args()
    sys.exit(update(FLOORS, GATES, allow_regression=chosen.allow_regression))


if __name__ == "__main__":
    main()
