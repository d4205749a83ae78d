"""Options that many commands take, each written once."""

from pathlib import Path
from typing import Annotated

import typer

Config = Annotated[Path | None, typer.Option("--config", help="Settings file.")]
AsJson = Annotated[bool, typer.Option("--json", help="JSON for programs.")]
Again = Annotated[
    bool, typer.Option("--again", help="Ask a judge anew where stored replies gave only errors.")
]
