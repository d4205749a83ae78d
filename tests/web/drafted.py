"""A draft of a baseline over a small run, and people who grade it through its forms."""

from dataclasses import replace

from monitor.domain.panel import Prompt
from monitor.store import drafts
from tests.stored import PANEL, answer, keep_answers, keep_page, planned
from tests.web.people import mark

TREES = replace(
    PANEL, prompts=tuple(Prompt(f"p{n}", f"How do oaks grow, {n}?", "en-GB") for n in range(3))
)
OAKS = [("Oaks", f"https://oaks{n}.example/growth?utm_source=chatgpt.com") for n in range(4)]
D = "/baselines/drafts/1"


def bench_to_draft(bench, folder):
    """The bench with a run of three answers that cite four pages each; no folder of panels."""
    part = bench.settings.model_copy(update={"panels": str(folder / "panels")})
    one = replace(bench, settings=part)
    run = planned(one, panel=TREES)
    keep_answers(one, run, *[answer("Oaks grow. " * 4, *OAKS)] * 3)
    for _, url in OAKS:
        plain = url.partition("?")[0]
        keep_page(one, run, plain, f"Text of {plain}.")
    one.write(lambda c: c.exec_driver_sql("update run set state = 'done'"))
    return one


async def begun(client, bench, *, names="r1\nr2", double="100", **more):
    """A draft as a lead begins it, its pool filled from the run."""
    fields = {"version": "2026-11", "guideline": "2", "annotators": names, "double_percent": double}
    got = await send(client, "/baselines/trees/drafts", **fields | more)
    assert got.status_code == 303, got.text
    got = await send(client, f"{D}/pool", kind="cited", run="run:trees:2026-01", per_prompt="3")
    assert got.status_code == 200, got.text
    assert got.headers["content-type"].startswith("text/html")
    return bench.read(lambda c: drafts.load_draft(c, 1))


async def send(client, path, **fields):
    """Send a form, with the mark that any page's form carries."""
    return await client.post(path, data={"csrf": await mark(client, "/who"), **fields})


async def call(client, name):
    """Tell the application who sits there."""
    assert (await send(client, "/who", name=name)).status_code == 303


async def grade(client, page, grade_, **more):
    """Send the form of a page of the API's twin as it was shown."""
    screen = (await client.get(f"/api/v1{page}")).json()
    source = screen["source"]
    fields = {
        "page": source["page"], "seen": source["seen"] or "", "seconds": "2.5", "grade": grade_,
        "match": "page", "evidence_type": "other", "reason": "as the text says",
    }  # fmt: skip
    where = f"{D}/prompts/{screen['prompt']}"
    return await send(client, f"{where}/grade", **fields | more)


async def go_on(client):
    return (await client.get(f"/api/v1{D}")).json()["go_on"]


async def grade_all(client, name, grades):
    """Grade every own source, the grades in turn; how many there were."""
    await call(client, name)
    done = 0
    while (page := await go_on(client)) is not None:
        got = await grade(client, page, grades[done % len(grades)])
        assert got.status_code == 303, got.text
        done += 1
    return done
