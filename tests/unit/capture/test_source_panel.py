import asyncio

from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from monitor.capture.conversation import open_sources
from monitor.capture.surfaces import SURFACES


class Button:
    async def click(self):
        return None


class StuckPage:
    """A page whose source panel never opens."""

    async def query_selector(self, _selector):
        return Button()

    async def wait_for_selector(self, _selector, **_options):
        raise PlaywrightTimeoutError("not visible")


def test_a_panel_that_does_not_open_leaves_the_answer_as_it_stands():
    fields = {"state": "complete", "visible_citations": ["one"]}
    asyncio.run(open_sources(StuckPage(), SURFACES["sandbox_chat"], fields))
    assert fields == {"state": "complete", "visible_citations": ["one"], "sources_html": None}
