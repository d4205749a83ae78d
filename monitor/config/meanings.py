"""What every setting means: the words that stand under its field, for pages about settings."""

import ast
import inspect
from collections.abc import Mapping
from functools import cache

from pydantic import BaseModel

from monitor.config import alerting, channels, judging, parts, settings, surfaces

_MODULES = (settings, parts, surfaces, judging, alerting, channels)


def meaning_of(part: type[BaseModel], name: str) -> str:
    """What stands under a field, in its class or in the one it comes from; empty for nothing."""
    known = meanings()
    found = (known.get(f"{one.__name__}.{name}") for one in part.__mro__)
    return next((words for words in found if words), "")


@cache
def meanings() -> Mapping[str, str]:
    """`Class.field` -> the string under the field, of every section of the settings."""
    found = {}
    for node in ast.parse("\n".join(map(inspect.getsource, _MODULES))).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for field, after in zip(node.body, node.body[1:], strict=False):
            match field, after:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                    value=ast.Constant(value=str(text))
                ):
                    found[f"{node.name}.{name}"] = text
    return found
