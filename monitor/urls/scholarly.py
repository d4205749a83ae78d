"""Scholarly addresses: DOI, arXiv, PubMed and PubMed Central in one form each."""

import re
from collections.abc import Callable

from monitor.urls.parse import Parts

_ARXIV_PAPER = re.compile(
    r"/(?:abs|pdf|html|ps|format|e-print|src|tb|other)/"
    r"(?:(\d{4}\.\d{4,5})|([a-z\-]+)(?:\.[A-Z]{2})?/(\d{7}))(?:v\d+)?(?:\.pdf|\.ps(?:\.gz)?)?",
    re.IGNORECASE,
)
_ARXIV_DOI = re.compile(r"/10\.48550/arxiv\.(.+)", re.IGNORECASE)
_PMC = re.compile(
    r"(?:(?:/labs)?/pmc)?/articles/(?:PMC)?(\d+)(?:/(?:pdf|epub|pdf/[^/]+))?", re.IGNORECASE
)
_PUBMED = re.compile(r"(?:/m)?/pubmed/(\d+)(?:/.*)?")
_PUBMED_ID = re.compile(r"/(\d+)(?:/.*)?")
_DOUBLED = re.compile(r"^/(?:(?:https?:/)?(?:dx\.)?doi\.org/|doi:)(?=10\.)", re.IGNORECASE)
_HEX = re.compile(r"%[0-9a-f]{2}")


def _arxiv(parts: Parts) -> Parts:
    match = _ARXIV_PAPER.fullmatch(parts.path)
    here = parts._replace(host="arxiv.org")
    if match is None:
        return here
    paper = match[1] or f"{match[2].lower()}/{match[3]}"
    return here._replace(path=f"/abs/{paper}", query="", fragment="")


def _doi(parts: Parts) -> Parts:
    path = re.sub(r"//+", "/", parts.path.replace("%2F", "/")).rstrip("/") or "/"
    path = _DOUBLED.sub("/", path)
    arxiv = _ARXIV_DOI.fullmatch(path)
    if arxiv is not None:
        return _arxiv(parts._replace(path=f"/abs/{arxiv[1]}"))
    lower = _HEX.sub(lambda escape: escape[0].upper(), path.lower())
    return parts._replace(host="doi.org", path=lower, fragment="")


def _ncbi(parts: Parts) -> Parts:
    article, abstract = _PMC.fullmatch(parts.path), _PUBMED.fullmatch(parts.path)
    if article is not None:
        return _pmc(parts)
    if abstract is not None:
        return _pubmed(parts._replace(path=f"/{abstract[1]}"))
    searched = re.fullmatch(r"term=(\d+)", parts.query)
    if parts.path == "/pubmed" and searched is not None:
        return _pubmed(parts._replace(path=f"/{searched[1]}"))
    return parts


def _pmc(parts: Parts) -> Parts:
    match = _PMC.fullmatch(parts.path)
    here = parts._replace(host="pmc.ncbi.nlm.nih.gov")
    if match is None:
        return here
    return here._replace(path=f"/articles/PMC{match[1]}", query="", fragment="")


def _pmc_reader(parts: Parts) -> Parts:
    article = re.fullmatch(r"artid=(?:PMC)?(\d+)", parts.query, re.IGNORECASE)
    if parts.path not in {"/articlerender.fcgi", "/picrender.fcgi"} or article is None:
        return parts
    return _pmc(parts._replace(path=f"/articles/{article[1]}"))


def _handle(parts: Parts) -> Parts:
    """A DOI is a handle; the handle server resolves it like the DOI resolver."""
    return _doi(parts) if parts.path.startswith("/10.") else parts


def _pubmed(parts: Parts) -> Parts:
    match = _PUBMED_ID.fullmatch(parts.path)
    here = parts._replace(host="pubmed.ncbi.nlm.nih.gov")
    return here if match is None else here._replace(path=f"/{match[1]}", query="", fragment="")


BY_HOST: dict[str, Callable[[Parts], Parts]] = {
    **dict.fromkeys(
        (
            "arxiv.org", "export.arxiv.org", "browse.arxiv.org", "de.arxiv.org", "cn.arxiv.org",
            "xxx.lanl.gov", "lanl.arxiv.org", "ar5iv.org", "ar5iv.labs.arxiv.org",
        ),
        _arxiv,
    ),
    "doi.org": _doi,
    "dx.doi.org": _doi,
    "hdl.handle.net": _handle,
    "ncbi.nlm.nih.gov": _ncbi,
    "pubmedcentral.nih.gov": _pmc_reader,
    "pmc.ncbi.nlm.nih.gov": _pmc,
    "pubmed.ncbi.nlm.nih.gov": _pubmed,
    "pubmed.gov": _pubmed,
}  # fmt: skip
"""Adapters of the scholarly hosts, each host named."""
