"""Forms whose fields are read by hand: texts, numbers, and how long somebody looked."""

from collections.abc import Mapping
from math import isfinite
from typing import Annotated

from fastapi import Depends, Request
from starlette.datastructures import FormData

_LONGEST_SECONDS = 86_400.0


async def form_of(request: Request) -> FormData:
    """The form that a request carries."""
    return await request.form()


FormOf = Annotated[FormData, Depends(form_of)]


def fields_of(form: FormData) -> dict[str, str]:
    """Field -> its text; the last one counts where a name comes twice, and files are none."""
    return {name: one for name, one in form.multi_items() if isinstance(one, str)}


def number_of(fields: Mapping[str, str], name: str) -> int | None:
    """The id that a form names; None for none, or for what is no id."""
    written = fields.get(name, "")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 19 else None


def seconds_of(written: str) -> float | None:
    """Seconds that a form was looked at; None where no script counted them."""
    try:
        found = float(written)
    except ValueError:
        return None
    return found if isfinite(found) and 0 <= found <= _LONGEST_SECONDS else None
