"""The secret that a browser keeps in a cookie, and what our forms carry to show they are ours."""

import hashlib
import hmac
import re
import secrets

from fastapi import Request
from starlette.responses import Response

from monitor.web.access.peers import is_https

_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")


def cookie_name(request: Request) -> str:
    """Name of the cookie: of this host alone over https, of this port on this machine."""
    if is_https(request):
        return "__Host-monitor"
    # Browsers share cookies between ports, and two servers of a machine would log each other out.
    return f"monitor-{(request.scope.get('server') or ('', 0))[1]}"


def new_secret() -> str:
    """32 random bytes, as a cookie takes them."""
    return secrets.token_urlsafe(32)


def hash_of(secret: str) -> str:
    """What the store keeps of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()


class OwnForms:
    """The secret of one browser; printed, what its forms carry.

    A secret is made when a form is first printed, so that pages without one set no cookie.
    """

    def __init__(self, secret: str | None, *, is_fresh: bool = False) -> None:
        self.secret = secret
        self.is_fresh = is_fresh

    def __str__(self) -> str:
        """Value of the field `csrf`."""
        if self.secret is None:
            self.secret, self.is_fresh = new_secret(), True
        return hmac.digest(self.secret.encode(), b"form", "sha256").hex()

    def holds(self, given: str) -> bool:
        """Whether a form carries what this browser's forms do."""
        return self.secret is not None and hmac.compare_digest(str(self).encode(), given.encode())


def own_forms(request: Request) -> OwnForms:
    """What the forms of the asking browser carry."""
    known = getattr(request.state, "csrf", None)
    if isinstance(known, OwnForms):
        return known
    given = request.cookies.get(cookie_name(request), "")
    found = OwnForms(given if _SECRET.fullmatch(given) else None)
    request.state.csrf = found
    return found


def keep_fresh(request: Request, answer: Response) -> None:
    """Have the browser keep a secret that a form on this page was the first to need."""
    forms = own_forms(request)
    if forms.is_fresh and forms.secret is not None:
        keep_secret(request, answer, forms.secret)


def keep_secret(
    request: Request, answer: Response, secret: str, *, seconds: int | None = None
) -> None:
    """Have the browser keep a secret, for as long as it runs where no time is given."""
    answer.set_cookie(
        cookie_name(request),
        secret,
        max_age=seconds,
        path="/",
        secure=is_https(request),
        httponly=True,
        samesite="lax",
    )


def forget_secret(request: Request, answer: Response) -> None:
    """Have the browser forget its secret."""
    keep_secret(request, answer, "", seconds=0)
