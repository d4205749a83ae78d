"""`python -m benchmarks [--write] [name...]`: run each benchmark in a process of its own.

Exit code 1 when a bar is missed. Loopback only; counts and times are bounded. With `--write` the
tables of simulations go into docs/statistics.md, each between its own marks.
"""

import importlib
import subprocess
import sys

from benchmarks.figures import ROOT, printed, write_table

NAMES = (
    "urls", "permutation", "comparison", "score", "reparse", "capture", "workers", "citations", "backlog", "units",
    "scale", "nonratios", "false_alarms", "many_families", "quiet_months", "end_to_end", "judge_folds",
    "judge_speed", "judge_meaning", "browser_memory", "web_pages", "large_view",
)  # fmt: skip
SECONDS = 1200
"""Most wall time of one benchmark."""


def main(arguments: list[str]) -> int:
    """Run the named benchmarks, or all of them; 1 when a bar is missed, 2 for an unknown name."""
    writes = "--write" in arguments
    names = [one for one in arguments if one != "--write"]
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        print(f"no benchmark {unknown[0]!r}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    if len(names) == 1:
        return _here(names[0], writes=writes)
    # One process each, so that peak memory is that of one benchmark.
    codes = [_apart(name, writes=writes) for name in names or NAMES]
    return max(codes)


def _here(name: str, *, writes: bool) -> int:
    with printed(name) as found:
        found.append(importlib.import_module(f"benchmarks.{name}").run())
    for outcome in found if writes else ():
        write_table(name, outcome)
    return 0 if all(ratio.met for one in found for ratio in one.ratios) else 1


def _apart(name: str, *, writes: bool) -> int:
    command = [sys.executable, "-m", "benchmarks", name, *(["--write"] if writes else [])]
    try:
        return subprocess.run(command, cwd=ROOT, timeout=SECONDS, check=False).returncode
    except subprocess.TimeoutExpired:
        print(f"{name}: not done within {SECONDS} s", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
