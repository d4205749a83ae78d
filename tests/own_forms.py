"""A browser's secret, so that tests may send our forms without loading a page first."""

import hashlib
import hmac

SECRET = "s" * 43
"""As a cookie holds it."""
MARK = hmac.digest(SECRET.encode(), b"form", hashlib.sha256).hex()
"""As a form's field `csrf`, or the header X-CSRF-Token, holds it."""


def cookies(secret=SECRET, port=8750):
    """What a browser keeps; for a client over plain http on a port."""
    return {f"monitor-{port}": secret}


def headers(mark=MARK):
    """What a call by script carries."""
    return {"x-csrf-token": mark}
