"""What to say where the libraries of an extra are not installed."""

from monitor.errors import JudgeError


def missing_extra(whom: str, extra: str, library: str | None) -> JudgeError:
    """The error of somebody who needs an extra: its name, what lacks, and how to install it."""
    lacks = f" ({library} is not installed)" if library else ""
    return JudgeError(
        f"{whom} needs the extra `{extra}`{lacks}: in a clone, `.tool/bin/uv pip install --python "
        f".venv -c requirements-dev.lock -e '.[{extra}]'`; elsewhere, "
        f"pip install 'citation-monitor[{extra}]'"
    )
