"""`monitor card`: a stored API answer as a picture, labelled as a rendering."""

import json
from pathlib import Path
from typing import Annotated

import typer

from monitor.capture.card import LABEL
from monitor.cli.options import AsJson, Config
from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from monitor.pipeline.cards import card_json, write_card


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("card")(card)


def card(
    capture: Annotated[
        int, typer.Argument(metavar="CAPTURE", help="Number of a capture, as exports name it.")
    ],
    out: Annotated[
        Path | None, typer.Option(help="JPEG file to write; default: beside the reports.")
    ] = None,
    keep: Annotated[
        str | None, typer.Option(help="Keep it beside the capture too, under this name.")
    ] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> int:
    """Draw the stored answer of an API as a picture.

    It is a rendering of stored text and says so: no interface was seen. Captures through a browser
    have pictures of what was shown instead.
    """
    with open_bench(load_settings(config)) as bench:
        written = write_card(bench, capture, out=out, keep=keep)
    if as_json:
        print(json.dumps(card_json(written), ensure_ascii=True))
    else:
        print(f"card: {written.path} ({written.size[0]} x {written.size[1]} px). {LABEL}")
    return 0
