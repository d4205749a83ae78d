"""Identity: the layers in order, from a cited string to its page, family and unit."""

from monitor.domain.source import UrlFlag, UrlIdentity
from monitor.urls.family import NO_OVERRIDES, FamilyMap, is_redirector, overridden, publisher
from monitor.urls.hosts import host_facts
from monitor.urls.parse import Parts, parse
from monitor.urls.rules import (
    identity_path,
    identity_query,
    link_query,
    plain_path,
    route,
    without_session,
)
from monitor.urls.sites import adapt
from monitor.urls.text import field_text, prose_text
from monitor.urls.units import unit
from monitor.urls.wrappers import unwrap

URLS_VERSION: int = 1
"""Version of the rules that make a page key; part of every signature."""

LONGEST: int = 65_536
"""Characters of the longest string that is read; no server takes a longer address."""

_ROUNDS = 4
"""Two rounds settle every known site; more only guards against a table error."""


def identify(raw: str, *, prose: bool = False, families: FamilyMap | None = None) -> UrlIdentity:
    """Identity of one cited URL: link, page key, family, unit and flags.

    `prose` switches the text layer on, for URLs found in running text. Never raises on a
    string: what is no web page comes back with everything None and the flag `rejected`.
    """
    text = prose_text(raw[: LONGEST + 1]) if prose else field_text(raw)
    cited = parse(text) if len(raw) <= LONGEST else None
    if cited is None:
        return UrlIdentity(raw, None, None, None, flags=(UrlFlag.REJECTED,))
    page, key, page_flags = _page(cited)
    family, part, family_flags = _family(key, families or NO_OVERRIDES)
    repaired = () if text == raw and _has_scheme(text) else (UrlFlag.REPAIRED,)
    flags = dict.fromkeys((*repaired, *page_flags, *family_flags))
    return UrlIdentity(raw, _link(page), key.text(), family, part, tuple(flags))


def is_opaque(url: str) -> bool:
    """Whether only fetching can tell which page and publisher a URL leads to."""
    return UrlFlag.UNRESOLVED in identify(url).flags


def _has_scheme(text: str) -> bool:
    return text[:5].lower() in {"http:", "https"}


def _link(parts: Parts) -> str:
    query = link_query(parts.query, parts.host)
    plain = plain_path(parts.path)
    bare = without_session(plain)
    path = parts.path if bare == plain else bare
    return parts._replace(path=path, query=query, fragment=route(parts.fragment, parts.host)).text()


def _page(cited: Parts) -> tuple[Parts, Parts, tuple[UrlFlag, ...]]:
    """Page behind all wrappers, its key, and flags; a key is never a wrapper itself."""
    page = unwrap(cited)
    key, flags = _key(page.parts)
    inner = unwrap(key)
    if not inner.flags:
        return page.parts, key, (*page.flags, *flags)
    key, inner_flags = _key(inner.parts)
    return inner.parts, key, (*page.flags, *flags, *inner.flags, *inner_flags)


def _key(parts: Parts) -> tuple[Parts, tuple[UrlFlag, ...]]:
    facts = host_facts(parts.host)
    fragment = route(parts.fragment, parts.host)
    query, had_rendering = identity_query(parts.query, parts.host)
    path, was_amp = identity_path(parts.path, has_query=bool(query), has_route=bool(fragment))
    scheme = parts.scheme if parts.port else "https"
    key = _settled(Parts(scheme, facts.bare, parts.port, path, query, fragment))
    is_amp = was_amp or (had_rendering and "amp" in parts.query.lower())
    mobile = (UrlFlag.MOBILE,) if ".m." in parts.host and ".m." not in key.host else ()
    return key, (*facts.flags, *((UrlFlag.AMP,) if is_amp else ()), *mobile)


def _settled(key: Parts) -> Parts:
    """Adapted form of a key; an adapter that drops the query frees the path rules again."""
    for _ in range(_ROUNDS):
        adapted = adapt(key)
        if adapted == key:
            break
        path = identity_path(
            adapted.path, has_query=bool(adapted.query), has_route=bool(adapted.fragment)
        )
        key = adapted._replace(path=path.text)
    return key


def _family(key: Parts, families: FamilyMap) -> tuple[str | None, str | None, tuple[UrlFlag, ...]]:
    part = unit(key.host, key.path)
    override = overridden(families, key.host, key.path)
    if override is not None:
        return override.family, override.unit or part, (UrlFlag.OVERRIDE,)
    if is_redirector(key.host, key.path):
        return None, part, (UrlFlag.UNRESOLVED,)
    return publisher(key.host), part, ()
