"""A panel, and files handed in to it; all of it is synthetic."""

from pathlib import Path

from monitor.domain.panel import Panel, Prompt
from monitor.engines import READERS
from monitor.pipeline.checking import PanelFiles
from monitor.pipeline.importing import import_found
from monitor.pipeline.importing_files import ImportDesk, read_files
from monitor.pipeline.importing_found import Wanted
from monitor.store import open_database, upgrade
from tests.unit.imports import handed

LEAN = Prompt("lean", handed.QUESTION, "en-GB")
DRINK = Prompt("drink", handed.OTHER, "en-GB")
FIRST = Prompt("first", "Question 0?", "en-GB")
"""What the synthetic pages of tests.unit.engines.chat_pages ask."""
OAKS = Prompt("oaks", "How old do oaks get?", "en-GB")
PANEL = Panel("trees", 1, 1, "en-GB", ("openai", "chatgpt_web"), (LEAN, DRINK, FIRST, OAKS))
FILES = PanelFiles(Path("trees.yaml"), PANEL, None, None, None, ())


def kept_in(folder, name, body):
    path = folder / name
    path.write_bytes(body)
    return path


def found_in(*paths, panel=PANEL, skip_bad=False, **wanted):
    """What files come to for the panel."""
    desk = ImportDesk.of(panel, Wanted(**wanted), READERS)
    return read_files(desk, paths, skip_bad=skip_bad)


def handed_in(bench, *paths, **wanted):
    """Files imported as a run, which nobody has worked on yet."""
    return import_found(bench, FILES, found_in(*paths, **wanted))


def migrated_store(folder):
    """Bytes of a store without rows: bringing one up takes longer than most tests."""
    database = open_database(f"sqlite:///{folder}/empty.db")
    upgrade(database)
    database.close()
    return (folder / "empty.db").read_bytes()
