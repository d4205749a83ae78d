"""Buckets by URL, and what their errors mean to the person who set them up.

Keys and addresses come from the environment alone: AWS_*, GOOGLE_* or AZURE_* variables, as the
library of the object stores reads them; keys also from files, as NAME_FILE. A service that is away
is waited for half a minute.
"""

import os
import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from obstore.exceptions import (
    BaseError,
    NotSupportedError,
    PermissionDeniedError,
    UnauthenticatedError,
)
from obstore.store import ObjectStore, from_url

from monitor.config.settings import secret
from monitor.errors import StoreError

if TYPE_CHECKING:
    from obstore.store import RetryConfig

SCHEMES = ("s3://", "gs://", "az://")
PATIENCE = timedelta(seconds=30)
"""How long one request is tried again; the library's own three minutes look like a hang."""

_KEYS_OF: Mapping[str, Mapping[str, str]] = {
    "s3": {
        "access_key_id": "AWS_ACCESS_KEY_ID",
        "secret_access_key": "AWS_SECRET_ACCESS_KEY",
        "session_token": "AWS_SESSION_TOKEN",
    },
    "az": {"account_key": "AZURE_STORAGE_ACCOUNT_KEY"},
}
"""Scheme -> the library's name for a key -> its variable, which may have a file as well."""

_NO_BUCKET = ("NoSuchBucket", "ContainerNotFound", "The specified bucket does not exist")
_METADATA = ("169.254.169.254", "/latest/api/token", "metadata.google.internal")
"""Where a machine of the cloud keeps its keys, asked where the environment has none."""

_KEYS = (
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (GOOGLE_SERVICE_ACCOUNT or AZURE_STORAGE_* "
    "for the others) in the environment; files such as ~/.aws/credentials are not read"
)
_REACH = (
    "check the connection and the address of the service: AWS_ENDPOINT=https://HOST for S3 that is "
    "not Amazon's, AWS_REGION for Amazon's"
)


def open_bucket(url: str) -> ObjectStore:
    """Store behind a bucket's URL; StoreError when the URL or the environment cannot be used."""
    if any(mark in url for mark in "@?#") or re.search(r"[\x00-\x20\x7f]", url):
        raise StoreError(
            f"the URL of artifacts at {url.partition('://')[0]}:// has a login, options or spaces: "
            "expected s3://BUCKET or s3://BUCKET/PREFIX, with keys in the environment"
        )
    try:
        return from_url(url, retry_config=_retries(), **_keys_from_files(url))
    except (BaseError, ValueError) as error:
        raise StoreError(
            f"cannot open artifacts at {url}: {_first_line(error)}; check the URL (s3://BUCKET or "
            "s3://BUCKET/PREFIX) and the AWS_*, GOOGLE_* or AZURE_* variables"
        ) from error


def _keys_from_files(url: str) -> Mapping[str, Any]:
    """Keys that lie in files; those that are variables the library finds by itself."""
    names = _KEYS_OF.get(url.split("://", maxsplit=1)[0], {})
    given = {key: secret(name) for key, name in names.items() if os.environ.get(f"{name}_FILE")}
    return {key: value for key, value in given.items() if value is not None}


def _retries() -> "RetryConfig":
    return {
        # Pauses are drawn at random: by number alone, tries may be used up within two seconds.
        "max_retries": 1_000,
        "retry_timeout": PATIENCE,
        "backoff": {
            "init_backoff": timedelta(milliseconds=100),
            "max_backoff": timedelta(seconds=4),
            "base": 2,
        },
    }


def is_no_bucket(error: BaseException) -> bool:
    """Whether an error tells that the bucket itself is missing, and not what lies in it."""
    return _has(str(error), _NO_BUCKET)


def explained(error: BaseException) -> str:
    """What went wrong with a place for artifacts, in one line, and what to do where that is known.

    For folders it is what the system says.
    """
    said = _first_line(error)
    advice = _advice(error)
    return said if advice is None else f"{said}; {advice}"


def _advice(error: BaseException) -> str | None:
    said = str(error)
    if is_no_bucket(error):
        return "there is no such bucket: make it, or correct `store.artifacts`"
    if _has(said, _METADATA):
        return f"no key was found: {_KEYS}"
    if isinstance(error, PermissionDeniedError | UnauthenticatedError) or " 403 " in said:
        return f"the service refused the key: {_KEYS}"
    if isinstance(error, NotSupportedError | NotImplementedError) or " 501 " in said:
        return (
            "the service cannot write only what is not there yet (If-None-Match), on which "
            "artifacts rest: take another one, or a newer version of it"
        )
    if "builder error" in said and _plain_endpoint():
        return "the address is http: set AWS_ALLOW_HTTP=true where that is meant"
    if "error sending request" in said or "timed out" in said:
        return f"the service was not reached: {_REACH}"
    return None


def _plain_endpoint() -> bool:
    names = ("AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")
    return any(os.environ.get(name, "").startswith("http://") for name in names)


def _first_line(error: BaseException) -> str:
    """What the client says, without its notes for programmers and with the server's own words."""
    said = str(error).strip().split("\n\nDebug source", 1)[0]
    words = [re.search(f"<{tag}>([^<]*)</{tag}>", said) for tag in ("Code", "Message")]
    told = ": ".join(found[1].rstrip(".") for found in words if found is not None)
    line = said.split("\n", 1)[0].split("<?xml", 1)[0].strip().rstrip(":")
    line = re.sub(r" in [\d.]+[mµn]?s(?=[ ,])", "", line)
    return f"{line} ({told})" if told else line


def _has(text: str, marks: Iterable[str]) -> bool:
    return any(mark in text for mark in marks)
