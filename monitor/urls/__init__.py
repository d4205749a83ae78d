"""URL identity: which page a citation means, and which publisher it belongs to."""

from monitor.urls.family import FAMILIES_VERSION, FamilyMap, family_map
from monitor.urls.hosts import PSL_VERSION, registrable_domain
from monitor.urls.identity import URLS_VERSION, identify, is_opaque

__all__ = [
    "FAMILIES_VERSION",
    "PSL_VERSION",
    "URLS_VERSION",
    "FamilyMap",
    "family_map",
    "identify",
    "is_opaque",
    "registrable_domain",
]
