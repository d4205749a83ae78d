"""A store whose every word from outside would run in a browser, if a page let it."""

from dataclasses import replace

from monitor.domain.access import Role, Visitor, Way
from monitor.domain.baseline import BaselineClaim, BaselineSource, ClaimCategory, Match
from monitor.domain.panel import Prompt
from monitor.domain.source import Grade
from monitor.pipeline.alarming import stock_of
from monitor.pipeline.comparing import weigh
from monitor.pipeline.tallying import score_run
from monitor.store import audit, jobs, runs
from tests.browsed import PROBE
from tests.enriched import add_draft, add_labels
from tests.stored import (
    MADE_AT,
    PANEL,
    PROMPT,
    WordJudge,
    answer,
    keep_answers,
    keep_baseline,
    keep_page,
    planned,
)

MARKUP = (
    f"<script>{PROBE}</script>",
    f'<img src=x onerror="{PROBE}">',
    f'"><svg onload="{PROBE}">',
    f"'><details open ontoggle='{PROBE}'>",
    f"</title></textarea></script><script>{PROBE}</script>",
    f"<iframe srcdoc='<script>parent.{PROBE}</script>'></iframe>",
    f'<a href="javascript:{PROBE}">x</a>',
    f"<math><mi xlink:href='javascript:{PROBE}'>",
    "<base href='https://elsewhere.example/'><link rel=stylesheet href=//elsewhere.example/a.css>",
    "<style>*{background:url(https://elsewhere.example/b.png)}</style>",
    "{{ 7 * 7 }}{% raise %}${7*7}",
    "\u202etxet\u2066 \x00\x1b[31m",
)
ALL = " ".join(MARKUP)
ADDRESSES = (
    "https://oaks.example/plain",
    f"https://oaks.example/{MARKUP[2]}",
    f"https://oaks.example/'onmouseover='{PROBE}",
    f"https://{'x' * 40}.example/?q={MARKUP[0]}",
    f"javascript:{PROBE}",
    f"data:text/html,{MARKUP[0]}",
)
SAID = (
    "Oaks grow slowly",
    f"Oaks grow {MARKUP[0]} slowly in 20 years",
    f"Oaks {MARKUP[1]} are {MARKUP[2]} trees of 30 metres",
    f"[link](javascript:{PROBE}) oaks live 500 years",
    f"Oaks {ALL} grow",
    "Oaks stand",
)
"""What answers say, each cited to the address of the same place."""
PROMPTS = (
    PROMPT,
    *(
        Prompt(
            name, f"How do oaks grow? {ALL}", "en-GB",
            persona=ALL, intent=MARKUP[0], topic=MARKUP[1],
        )
        for name in ("p2", "p3")
    ),
)  # fmt: skip
TREES = replace(PANEL, prompts=PROMPTS)


def keep_hostile(bench):
    """Two scored and compared runs, a baseline, a plan with labels, a draft and deeds; the newest run."""
    sources = [BaselineSource("oaks.example", Match.FAMILY, Grade.ACCEPTABLE)]
    claims = [BaselineClaim("c1", SAID[1], ClaimCategory.CORE_FACT)]
    keep_baseline(bench, sources, claims)
    made = [_run(bench, slot) for slot in ("2026-01", "2026-02")]
    weigh(bench, [made[0]], made[1], WordJudge())
    add_labels(bench, made[1], pairs=8, note=ALL[:1_000])
    add_draft(bench, made[1])
    visitor = Visitor(f"eve {MARKUP[0]}", Role.ADMIN, Way.MACHINE)
    bench.write(lambda c: audit.note(c, visitor, "label", ALL, at=bench.clock.now()))
    return made[1]


def _run(bench, slot):
    run = planned(bench, slot, TREES)
    lines = [f"{one} [{number}]." for number, one in enumerate(SAID, 1)]
    cited = [(f"[{number}]", url) for number, url in enumerate(ADDRESSES, 1)]
    keep_answers(bench, run, *[answer("\n\n".join(lines), *cited)] * len(PROMPTS))
    for url in ADDRESSES[:3]:
        keep_page(bench, run, url, "\n\n".join((*SAID, ALL)), title=ALL)
    score_run(bench, run, WordJudge())
    stock_of(bench, run)

    def end(connection):
        jobs.purge_jobs(connection, run.id)
        runs.set_run_state(connection, run.id, runs.RunState.RUNNING, at=MADE_AT)
        return runs.set_run_state(connection, run.id, runs.RunState.DONE, at=MADE_AT)

    return bench.write(end)
