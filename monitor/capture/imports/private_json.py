"""What of JSON is nobody's business, taken out by the names of its fields."""

import json
import re
from collections import Counter
from typing import Any

from monitor.capture.imports.parts import ImportFileError
from monitor.engines.surfaces.perplexity_sources import without_own_words

_KINDS: dict[str, str] = {
    **dict.fromkeys(("email", "emailaddress", "useremail"), "e-mail"),
    **dict.fromkeys(("phone", "phonenumber", "userphone"), "phone number"),
    **dict.fromkeys(("cookie", "cookies", "setcookie"), "cookie"),
    **dict.fromkeys(("authorization", "privatekey", "secretkey", "passphrase", "passwd"), "secret"),
    **dict.fromkeys(("csrf", "xsrf", "srtst", "garc", "jwt", "bearer", "sessionid"), "token"),
    **dict.fromkeys(
        ("userid", "usernextauthid", "accountid", "accountuserid", "organizationid", "deviceid",
         "visitorid", "ipaddress", "collectioninfo", "socialinfo", "subscriptiontier",
         "paymenttier"),
        "account field",
    ),
    **dict.fromkeys(
        ("usercontextmessagedata", "aboutusermessage", "aboutmodelmessage", "userprofile",
         "userinstructions", "modelsetcontext"),
        "custom instructions",
    ),
}  # fmt: skip
"""Name of a field, in lower case and without joints -> the kind of what it holds."""
_ENDINGS = {
    "token": "token", "cookie": "cookie", "apikey": "secret", "accesskey": "secret",
    "password": "secret", "secret": "secret",
}  # fmt: skip
"""How such a name ends that is private whatever it begins with -> the kind."""
_JOINTS = re.compile(r"[_\-. ]")
_MEMORY = frozenset({"user_editable_context", "model_editable_context"})


def kind_of(key: str) -> str | None:
    """The kind of what a field of that name holds; None where it may stay."""
    plain = _JOINTS.sub("", key).lower()
    if key.lower().startswith("author_"):
        return "author field"
    ends = (kind for ending, kind in _ENDINGS.items() if plain.endswith(ending))
    return _KINDS.get(plain) or next(ends, None)


def without_private(value: Any, dropped: Counter[str]) -> Any:
    """A JSON value without private fields and rows, each counted by its kind.

    JSON inside a text is cleaned within. Rows of memory and custom instructions become null, so
    that what hangs on them stays; numbered ones keep their place and lose their words.
    """
    if isinstance(value, dict):
        row = without_own_words(value)
        if row is not value:
            dropped["memory row"] += row != value
            return row
        content = value.get("content")
        if isinstance(content, dict) and content.get("content_type") in _MEMORY:
            dropped["memory row"] += 1
            return None
        return {key: without_private(v, dropped) for key, v in _kept(value, dropped)}
    if isinstance(value, list):
        return [without_private(one, dropped) for one in value]
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return _inner(value, dropped)
    return value


def _kept(value: dict[str, Any], dropped: Counter[str]) -> list[tuple[str, Any]]:
    """Fields of an object that may stay; those that hold nothing stay too."""
    found = []
    for key, inside in value.items():
        kind = kind_of(key) if inside not in (None, "", [], {}) else None
        if kind is None or isinstance(inside, bool | int | float):
            found.append((key, inside))
        else:
            dropped[kind] += 1
    return found


def _inner(text: str, dropped: Counter[str]) -> str:
    """A text that may be JSON itself."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    before = dropped.total()
    kept = without_private(value, dropped)
    return json.dumps(kept, ensure_ascii=True) if dropped.total() > before else text


def clean_json(body: bytes, dropped: Counter[str]) -> bytes:
    """JSON without what is private; the same bytes where nothing is, or where it is no JSON."""
    try:
        value = json.loads(body)
        before = dropped.total()
        kept = without_private(value, dropped)
        if dropped.total() == before:
            return body
        return json.dumps(kept, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    except RecursionError as error:
        raise ImportFileError(
            "its JSON nests deeper than any document of a surface does"
        ) from error
    except ValueError:
        return body


_DATA = re.compile(
    rb"(?:\A|(?<=[\r\n])|(?<=\xef\xbb\xbf))data:[^\r\n]*(?:(?:\r\n|\r|\n)data:[^\r\n]*)*"
)
_LINE = re.compile(rb"data:(?P<space>[ ]?)(?P<said>[^\r\n]*)")


def clean_stream(body: bytes, dropped: Counter[str]) -> bytes:
    """Server-sent events without what is private in the JSON of each, on however many lines."""

    def line(found: re.Match[bytes]) -> bytes:
        return b"data:" + found["space"] + clean_json(found["said"], dropped)

    def event(found: re.Match[bytes]) -> bytes:
        lines = _LINE.findall(found[0])
        whole = b"\n".join(said for _, said in lines)
        kept = clean_json(whole, dropped)
        if kept != whole:
            space: bytes = lines[0][0]
            return b"data:" + space + kept
        return _LINE.sub(line, found[0]) if len(lines) > 1 else found[0]

    return _DATA.sub(event, body)
