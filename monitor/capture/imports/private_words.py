"""Words that are secret wherever they stand: tokens, keys, e-mail addresses, parts of addresses.

All are starred at their own length, so that offsets into a document hold.
"""

import re
from collections import Counter
from collections.abc import Collection

_ESCAPED = rb"\\u[0-9a-fA-F]{4}|\\."
_BEGINS = rb"(?:(?<![A-Za-z0-9._%+-])|(?<=\\[a-z])|(?<=\\u[0-9a-fA-F]{4})|(?<=%[0-9A-F]{2}))"
"""Where a word can begin: only there is one looked for, so that long runs cost no square."""
_SIGN = rb"@|%40|\\u0040|&#0{0,4}64;|&#[xX]0{0,4}40;|&commat;"
_EMAIL = re.compile(
    _ESCAPED
    + rb"|"
    + _BEGINS
    + rb"(?P<local>[A-Za-z0-9._%+-]{1,64})(?P<at>"
    + _SIGN
    + rb")(?P<place>[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,24})"
)
_HAS_SIGN = re.compile(_SIGN)
_TOKEN = re.compile(
    _BEGINS + rb"(?:eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"
    rb"|(?:sk|sess|ghp|xox[bp])[-_][A-Za-z0-9_-]{20,}"
    rb"|gh[ours]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_-]{20,}"
    rb"|(?:pplx|xai)-[A-Za-z0-9]{32,}|AKIA[A-Z0-9]{16}(?![A-Za-z0-9]))"
    rb"|(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{16,}"
    rb"|(?<=PRIVATE KEY-----)(?:[A-Za-z0-9+/=\s]|\\[nr]){8,}"
)
_QUERY = re.compile(
    rb"(?:[?&#;]|%3[Ff]|%26|\\u0026)"
    rb"(?:[a-z]{1,12}[_-]){0,3}"
    rb"(?:token|sig|signature|session|sessionid|auth|authorization|password|passwd|secret|jwt"
    rb"|api_?key|credential|csrf|xsrf|accesstoken|idtoken)(?:=|%3[Dd])"
    rb"(?P<said>[A-Za-z0-9._~%+/:=*-]{8,})",
    re.IGNORECASE,
)
"""A part of an address that names a secret, and what it says; `;` ends `&amp;`."""
_LOGIN = re.compile(rb"(?<=://)[^\s\"'<>/@:\\]{1,100}:[^\s\"'<>/@\\]{1,200}(?=@)")
_EMAIL_IN_TEXT = re.compile(
    r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,4}\.[A-Za-z]{2,24}"
)
_FILE = re.compile(
    rb"\.(?:png|jpe?g|gif|svg|webp|avif|ico|css|m?js|map|json|html?|woff2?|ttf|mp[34]|pdf)$",
    re.IGNORECASE,
)
"""How names of files end that look like addresses: `logo@2x.png`."""


def said_in(*texts: str) -> frozenset[str]:
    """E-mail addresses, and parts of addresses that sound secret, in texts; in lower case.

    What an answer says or cites is part of the answer.
    """
    found: set[str] = set()
    for text in texts:
        found.update(one.lower() for one in _EMAIL_IN_TEXT.findall(text.replace("%40", "@")))
        plain = text.encode("utf-8", "replace")
        parts = (one["said"] for one in _QUERY.finditer(plain))
        logins = (one[0] for one in _LOGIN.finditer(plain))
        found.update(one.decode("utf-8", "replace").lower() for one in (*parts, *logins))
    return frozenset(found)


def holds_token(text: str) -> bool:
    """Whether a text holds something that opens an account."""
    return _TOKEN.search(text.encode("utf-8", "replace")) is not None


def starred(body: bytes, said: Collection[str], dropped: Counter[str]) -> bytes:
    """A document with stars for what is secret in it, each counted by its kind; `said` stays."""

    def token(found: re.Match[bytes]) -> bytes:
        dropped["token"] += 1
        return b"*" * len(found[0])

    def login(found: re.Match[bytes]) -> bytes:
        if found[0].decode("utf-8", "replace").lower() in said:
            return found[0]
        dropped["secret in an address"] += 1
        return b"*" * len(found[0])

    def part(found: re.Match[bytes]) -> bytes:
        secret = found["said"]
        if not secret.strip(b"*") or secret.decode().lower() in said:
            return found[0]
        dropped["secret in an address"] += 1
        return found[0][: -len(secret)] + b"*" * len(secret)

    def address(found: re.Match[bytes]) -> bytes:
        local, place = found["local"], found["place"]
        if local is None or _FILE.search(place):
            return found[0]
        if f"{local.decode()}@{place.decode()}".lower() in said:
            return found[0]
        dropped["e-mail"] += 1
        return b"*" * len(local) + found["at"] + b"*" * len(place)

    body = _QUERY.sub(part, _LOGIN.sub(login, _TOKEN.sub(token, body)))
    return _EMAIL.sub(address, body) if _HAS_SIGN.search(body) else body
