"""A page of HTML -> a PDF, in a Chromium that runs no script and asks nobody for anything."""

import asyncio
import html
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Error, Page, Route, async_playwright
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from monitor.capture.chromium import launch_chromium
from monitor.errors import BrowserError

PRINT_SECONDS = 180
"""Most time for one document, the start of the browser included."""

NO_HOSTS = "--host-resolver-rules=MAP * ~NOTFOUND"
"""Chromium flag under which no name leads anywhere: a second wall behind aborted requests."""

_INSTEAD = "write HTML alone with --format html"

_FOOT = (
    "<div style=\"font:7.5pt 'Liberation Sans',sans-serif;color:#444;width:100%;"
    'margin:0 12mm;display:flex;justify-content:space-between;gap:8mm">'
    '<span style="overflow:hidden;white-space:nowrap;text-overflow:ellipsis">{foot}</span>'
    '<span style="white-space:nowrap">page <span class="pageNumber"></span> of '
    '<span class="totalPages"></span></span></div>'
)


def print_pdf(page: str, *, executable: str | None, foot: str) -> bytes:
    """PDF of a self-contained HTML page on A4, `foot` and the page's number under every page.

    `executable` is the configured Chromium; None looks for one. BrowserError where there is none,
    where it fails, or where it takes too long.
    """
    return asyncio.run(_print(page, executable, foot))


async def _print(page: str, executable: str | None, foot: str) -> bytes:
    """The same, with every failure as one kind of error."""
    try:
        async with asyncio.timeout(PRINT_SECONDS), inert_page(executable, instead=_INSTEAD) as view:
            await view.set_content(page, timeout=0)
            return await view.pdf(
                format="A4",
                prefer_css_page_size=True,
                print_background=True,
                display_header_footer=True,
                header_template="<span></span>",
                footer_template=_FOOT.format(foot=html.escape(foot)),
                tagged=True,
                outline=True,
            )
    except (TimeoutError, PlaywrightTimeoutError) as error:
        raise BrowserError(
            f"the PDF was not ready after {PRINT_SECONDS} s; write HTML alone with --format html"
        ) from error
    except Error as error:
        raise BrowserError(
            f"Chromium did not print ({str(error).splitlines()[0]}); "
            "write HTML alone with --format html"
        ) from error


@asynccontextmanager
async def inert_page(executable: str | None, *, instead: str) -> AsyncIterator[Page]:
    """A page of a browser of its own: no script, no network, every request refused.

    BrowserError where there is no browser; `instead` is what to do without one.
    """
    async with async_playwright() as playwright:
        browser = await launch_chromium(playwright, executable, (NO_HOSTS,), instead=instead)
        try:
            context = await browser.new_context(
                java_script_enabled=False,
                offline=True,
                service_workers="block",
                accept_downloads=False,
                color_scheme="light",
            )
            await context.route("**/*", _refuse)
            yield await context.new_page()
        finally:
            await browser.close()


async def _refuse(route: Route) -> None:
    """Let no request through; a page that wants to lead elsewhere stays where it is."""
    if route.request.is_navigation_request():
        # An aborted navigation would put Chromium's own error page in the place of ours.
        await route.fulfill(status=204)
    else:
        await route.abort()
