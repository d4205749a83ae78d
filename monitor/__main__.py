"""`python -m monitor` is the `monitor` command."""

from monitor.cli import main

main()
