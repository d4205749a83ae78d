"""A baseline from an empty draft to a frozen version, graded by keys alone."""

import pytest

from tests.browsed import chromium, looking, served
from tests.web.conftest import AFTER, copied, demo_of_all

pytestmark = [pytest.mark.e2e, pytest.mark.browser]

PROMPTS = 26


@pytest.fixture(scope="module")
def at(tmp_path_factory, worker_id):
    config = copied(demo_of_all(tmp_path_factory, worker_id), tmp_path_factory.mktemp("graded"))
    with served(config) as address:
        yield address


@pytest.fixture(scope="module")
def browser(at):
    with chromium() as one:
        yield one


def strike(page, key):
    """Press a key that leads to another page."""
    with page.expect_navigation():
        page.keyboard.press(key)


def begin(page):
    """A draft of one annotator, and one cited source a prompt."""
    page.goto("/who")
    page.fill("main input[name=name]", "ana")
    strike(page, "Enter")
    page.goto("/baselines/sandbox")
    form = page.locator("form[action='/baselines/sandbox/drafts']")
    form.locator("[name=version]").fill("2027-01")
    form.locator("[name=annotators]").fill("ana")
    form.locator("[name=double_percent]").fill("0")
    with page.expect_navigation():
        form.locator("button").click()
    page.get_by_text("Pool pages that engines cite, engines hidden").click()
    pool = page.locator("form", has=page.locator("input[name=kind][value=cited]"))
    pool.locator("[name=run]").select_option(AFTER)
    pool.locator("[name=per_prompt]").fill("1")
    with page.expect_navigation():
        pool.locator("button").click()


def opens_over_the_page(page, key, box):
    """A key shows a box within the window, wherever the page stands, and the same key hides it."""
    at = page.locator(box)
    assert at.is_hidden()
    page.keyboard.press(key)
    at.wait_for(state="visible")
    place, window = at.bounding_box(), page.viewport_size
    assert 0 <= place["y"] <= place["y"] + place["height"] <= window["height"]
    page.keyboard.press(key)
    at.wait_for(state="hidden")


def covered(page):
    """Fields of the form that stand behind the row of grades as Tab leads to them."""
    field, found, steps = None, [], 0
    page.locator("form.grade input[name=supports]").first.focus()
    while field != "grade":
        field, below = page.evaluate("""() => {
            const at = document.activeElement, edge = document.querySelector("form.grade > .grades");
            return [at.name, at.getBoundingClientRect().bottom - edge.getBoundingClientRect().top]
        }""")
        found += [field] if below > 0 and field != "grade" else []
        steps += 1
        page.keyboard.press("Tab")
    assert steps > 10
    return found


def test_a_baseline_is_graded_by_keys_and_frozen(at, browser):
    with looking(browser, at) as (page, seen):
        begin(page)
        draft = page.url.removesuffix("/pool")
        page.locator("a.go").press("Enter")
        page.wait_for_selector("form.grade")
        assert "perplexity" not in page.content().lower()

        claim = page.locator("form.claimform").last
        claim.locator("[name=text]").fill("A pedal-assist e-bike may go 25 km/h.")
        claim.locator("[name=reason]").fill("Without it the question is not answered.")
        with page.expect_navigation():
            claim.get_by_role("button", name="Save claim").press("Enter")

        page.set_viewport_size({"width": 1280, "height": 720})
        assert covered(page) == []
        page.keyboard.press("Escape")
        page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        opens_over_the_page(page, "?", "#keys")
        opens_over_the_page(page, "g", "#guideline")
        page.set_viewport_size({"width": 1280, "height": 900})

        # The first one is required: for a claim, with a reason; taken back once.
        strike(page, "2")
        strike(page, "z")
        page.keyboard.press("1")
        page.keyboard.type("It is the text of the law.")
        page.keyboard.press("Escape")
        page.keyboard.press("Shift+Digit1")
        assert page.locator("input[name=supports]").first.is_checked()
        strike(page, "1")
        # Out of scope asks why: the field is not under the buttons, and Enter stores it.
        page.keyboard.press("4")
        reason = page.locator("form.grade [name=reason]")
        assert page.evaluate("document.activeElement.name") == "reason"
        edge = page.locator("form.grade > .grades").bounding_box()["y"]
        assert reason.bounding_box()["y"] + reason.bounding_box()["height"] <= edge
        page.keyboard.type("It sells what it praises.")
        strike(page, "Enter")
        for _ in range(PROMPTS - 2):
            strike(page, "2")
        assert page.url.startswith(f"{draft}?done=1")
        assert "That was your last source" in page.locator("main").inner_text()

        page.goto(f"{draft}/freeze")
        page.locator("input[name=unseen][value=yes]").press("Space")
        button = page.get_by_role("button", name="Freeze version 2027-01")
        with page.expect_navigation():
            button.press("Enter")
        told = page.request.get("/api/v1/baselines/sandbox").json()
        made = next(one for one in told["versions"] if one["version"] == "2027-01")
        grades = {grade: count for grade, count in made["grades"] if count}
        assert grades == {"required": 1, "out_of_scope": 1, "acceptable": PROMPTS - 2}
        assert (made["prompts"], made["claims"], made["annotators"]) == (PROMPTS, 1, ["ana"])
        assert seen.complaints == []
