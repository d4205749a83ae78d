"""`python -m monitor.sandbox`: start the fictional world on loopback."""

import argparse
import asyncio
import sys
from pathlib import Path

from monitor.sandbox.app import Desk
from monitor.sandbox.serve import run
from monitor.sandbox.world import SCENES


def main(arguments: list[str] | None = None) -> int:
    """Serve until a signal: 0 when clean, 2 without a port."""
    parser = argparse.ArgumentParser(prog="python -m monitor.sandbox", description=__doc__)
    parser.add_argument("--scene", choices=SCENES, default=SCENES[0], help="month to play")
    parser.add_argument("--port", type=int, default=0, help="plain HTTP port; 0 takes a free one")
    parser.add_argument("--ready-file", type=Path, help="file for the ready object (JSON)")
    parser.add_argument("--latency-ms", type=float, default=0.0, help="delay of every answer")
    parser.add_argument("--log", type=Path, help="file for one JSON line a call")
    given = parser.parse_args(arguments)
    desk = Desk(scene=given.scene, latency_seconds=given.latency_ms / 1000, log=given.log)
    try:
        asyncio.run(run(desk, port=given.port, ready_file=given.ready_file))
    except OSError as error:
        sys.stderr.write(f"sandbox: cannot start on 127.0.0.1:{given.port}: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
