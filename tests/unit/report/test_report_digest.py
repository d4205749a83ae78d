"""What a digest says in each form: order, counts, links, limits, and outsiders' text as text."""

import json
import re
from dataclasses import replace
from email.message import EmailMessage
from html.parser import HTMLParser

import jsonschema
import pytest

from monitor.domain.alert import AlertKind, AnswerRef, Severity
from monitor.domain.change import ChangeVerdict, Event, EventKind
from monitor.report.chats import digest_blocks, digest_card
from monitor.report.digest import FICTIONAL, TEST, digest_html, digest_subject, digest_text
from monitor.report.digest_json import digest_json
from monitor.report.files import Links, report_file
from tests.house import ROOT
from tests.told import BEFORE, LOST, MODEL, QUERIES, RUN, SHARE, SPREAD, digest, named

SERVED = Links("https://reports.example.org/monitor", "out")
ON_DISK = Links(None, "out")
FORMS = {
    "text": digest_text,
    "html": digest_html,
    "json": lambda *given, **more: json.dumps(digest_json(*given, **more), ensure_ascii=False),
    "slack": lambda *given, **more: "\n".join(texts(digest_blocks(*given, **more)["blocks"])),
    "teams": lambda *given, **more: "\n".join(texts(digest_card(*given, **more))),
}


def texts(value):
    """Every text that a chat would show, in order."""
    if isinstance(value, list):
        return [one for part in value for one in texts(part)]
    if not isinstance(value, dict):
        return []
    own = [value["text"]] if isinstance(value.get("text"), str) else []
    return own + [one for part in value.values() for one in texts(part)]


@pytest.mark.parametrize("form", FORMS)
def test_events_stand_before_alerts_and_a_changed_model_before_all(form):
    told = FORMS[form](digest(), SERVED)
    places = [
        told.index("sonar-1 → sonar-2"),
        told.index("the engine searches with other words"),
        told.index("openai cites leaf.example more than before."),
        told.index("no longer cites the required source"),
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("form", FORMS)
def test_an_alert_has_its_counts_before_and_after_with_interval_and_adjusted_p(form):
    """41 of 410 is 10 %, 100 of 400 is 25 %: 15 points, and the interval is 9 to 21 points."""
    told = FORMS[form](digest(), SERVED).replace("&gt;", ">")
    assert (
        "41 of 410 (10 %) -> 100 of 400 (25 %): +15.0 points, 95 % interval +9.0 to +21.0; "
        "adjusted p 0.012; 32 prompts"
    ) in told
    assert "Open the answers and see what they take from it." in told


@pytest.mark.parametrize("form", FORMS)
def test_a_concentration_has_its_levels_and_their_ratio(form):
    told = FORMS[form](digest(alerts=(SPREAD,)), SERVED).replace("&gt;", ">")
    assert (
        "HHI 0.200 (5.0 effective sources) of 410 citations -> HHI 0.400 (2.5 effective sources) "
        "of 400 citations: 2.00 times (1.40 to 2.90), 95 % interval; adjusted p 0.004; 38 prompts"
    ) in told


@pytest.mark.parametrize("form", ["text", "html", "slack", "teams"])
def test_every_alert_is_headed_by_its_gravity_verdict_and_entity(form):
    told = FORMS[form](digest(), SERVED)
    assert "critical, changed: leaf.example" in told
    assert "warning, changed: green: kettle.example" in told
    assert "2 earlier alerts are open still and are not told again" in told
    assert "panel:tea@1|engine:openai||window:2026-11" in told


@pytest.mark.parametrize("form", FORMS)
def test_answers_behind_an_alert_are_linked_in_the_report_of_their_own_run(form):
    told = (
        json.dumps(digest_card(digest(), SERVED))
        if form == "teams"
        else FORMS[form](digest(), SERVED)
    )
    assert "https://reports.example.org/monitor/tea-2026-11.html#capture-71" in told
    assert "https://reports.example.org/monitor/tea-2026-10.html#capture-90" in told


@pytest.mark.parametrize("form", ["text", "html", "slack", "teams"])
def test_answers_are_named_and_the_rest_is_counted(form):
    """Seven are given of 31: five are named, so 26 are not."""
    told = FORMS[form](digest(), ON_DISK)
    assert "p5, answer 1 (capture 75, run:tea:2026-11)" in told
    assert "capture 76" not in told
    assert "and 26 more answers" in told


@pytest.mark.parametrize("form", FORMS)
def test_without_served_reports_there_is_a_path_and_no_link(form):
    told = FORMS[form](digest(), ON_DISK)
    assert "out/tea-2026-11.html" in told
    assert "http" not in told.replace("http://adaptivecards.io", "")


@pytest.mark.parametrize("form", ["text", "html", "slack", "teams"])
def test_what_is_fictional_or_a_test_says_so_before_anything_else(form):
    told = FORMS[form](digest(fictional=True), SERVED, test=True)
    real = FORMS[form](digest(), SERVED)
    body = told.partition("<body>")[2] or told
    first = [line for line in body.splitlines() if line.strip()][:2]
    assert TEST in first[0]
    assert FICTIONAL.replace("'", "&#39;" if form == "html" else "'") in first[1]
    assert "sandbox" not in real
    assert "Test:" not in real


def test_a_subject_names_a_changed_model_first_and_marks_what_is_no_news():
    assert digest_subject(digest()) == (
        "tea, openai, 2026-11: another model answers; 2 new alerts (1 critical, 1 warning)"
    )
    marked = digest_subject(digest(fictional=True, events=(QUERIES,)), test=True)
    assert marked.startswith("[test] [fictional] tea, openai, 2026-11: 2 new alerts")


def test_an_alert_without_a_test_shows_none():
    told = digest_text(digest(alerts=(LOST,)), ON_DISK)
    assert "adjusted p" not in told
    assert "points" not in told
    untested = replace(SHARE, change=replace(SHARE.change, test=None))
    assert "+15.0 points; not tested" in digest_text(digest(alerts=(untested,)), ON_DISK)


def test_a_digest_fits_its_schema():
    schema = json.loads((ROOT / "docs/schemas/digest.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    for one in (digest(), digest(alerts=(SPREAD,), events=(), fictional=True), digest(alerts=())):
        for links in (SERVED, ON_DISK):
            check.validate(json.loads(json.dumps(digest_json(one, links, test=True))))
    told = digest_json(digest(), SERVED)
    assert set(told) == set(schema["required"]) == set(schema["properties"])
    assert set(told["alerts"][0]) == set(schema["$defs"]["alert"]["required"])


def test_programs_get_names_and_numbers_as_they_are():
    told = digest_json(digest(alerts=(named("a\u202eb & <c>"),)), SERVED)["alerts"][0]
    assert told["entity"] == "a\u202eb & <c>"
    assert told["change"]["before"]["hits"] == 41
    assert told["change"]["interval"] == {"low": 0.09, "high": 0.21, "level": 0.95}
    assert (told["change"]["p"], told["change"]["adjusted_p"]) == (0.0004, 0.012)
    assert told["answers_in_all"] == 31
    assert len(told["answers"]) == 7


HOSTILE = [
    "<!channel> <@U123> <!here|x>",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    '"><a href="https://evil.example">x</a>',
    "[click](https://evil.example) **bold** `code` # head",
    "https://evil.example/phish",
    "x\r\nBcc: victim@example.org\r\n\r\nbody",
    "x\u2028Signature: forged\nSignature: forged",
    "\u202egnp.exe \x1b[31mred\x07 \x00",
    "<at>everyone</at> &lt;!channel&gt; :skull:",
    "{{1+1}} ${7*7} %s {0}",
    "\ud800 lone",
    "a" * 5000,
]


def hostile(text):
    return digest(
        panel=text,
        slot=text,
        signature=text,
        events=(Event(EventKind.SERVED_MODEL, text, text, text),),
        alerts=(
            named(text, says=text, advice=text, answers=(AnswerRef(71, text, 1, RUN),)),
            replace(LOST, entity=text, says=text),
        ),
    )


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("form", ["text", "html", "slack", "teams"])
def test_outsiders_text_stands_on_one_line_with_its_control_characters_visible(form, text):
    told = FORMS[form](hostile(text), SERVED)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\u2028\ud800-\udfff]", told)
    assert not re.search(r"^\s*(Signature: forged|Bcc:|body)", told, re.MULTILINE)
    assert "a" * 2001 not in told
    told.encode("utf-8")


@pytest.mark.parametrize("text", HOSTILE)
def test_a_subject_is_one_short_line_that_a_mail_takes(text):
    subject = digest_subject(hostile(text), test=True)
    assert len(subject) <= 160
    message = EmailMessage()
    message["Subject"] = subject
    assert b"\nBcc" not in message.as_bytes()
    assert message.keys() == ["Subject"]


class Tags(HTMLParser):
    """Tags and addresses of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.links = [], []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in {"href", "src"}]
        assert not any(name.startswith("on") for name, _ in attrs)


@pytest.mark.parametrize("text", HOSTILE)
def test_html_holds_our_own_tags_and_links_only(text):
    page = Tags(digest_html(hostile(text), SERVED))
    assert set(page.tags) <= {
        "html", "head", "meta", "title", "body", "h1", "h2", "p", "strong", "small", "ul", "li", "a",
    }  # fmt: skip
    assert all(link.startswith("https://reports.example.org/monitor/") for link in page.links)
    assert page.links


@pytest.mark.parametrize("text", HOSTILE)
def test_slack_sees_no_markup_and_no_mention_in_outsiders_text(text):
    made = digest_blocks(hostile(text), SERVED)
    marked = [one for one in walk(made["blocks"]) if one.get("type") == "mrkdwn"]
    assert marked
    for one in marked:
        links = re.findall(r"<(.*?)>", one["text"])
        assert all(
            re.fullmatch(r"https://reports\.example\.org/\S+\|[\w ]+", link) for link in links
        )
        assert re.sub(r"<.*?>", "", one["text"]).strip(": ") in {"Answers", "Report"}
        assert one["verbatim"] is True
    assert all(one["emoji"] is False for one in walk(made) if one.get("type") == "plain_text")
    assert not re.search(r"[<>]", made["text"])
    assert made["mrkdwn"] is made["link_names"] is made["unfurl_links"] is False


@pytest.mark.parametrize("text", HOSTILE)
def test_teams_sees_no_markdown_in_outsiders_text(text):
    made = digest_card(hostile(text), SERVED)
    kinds = {one["type"] for one in walk(made)}
    assert kinds == {"message", "AdaptiveCard", "RichTextBlock", "TextRun", "Action.OpenUrl"}
    urls = [one["url"] for one in walk(made) if one["type"] == "Action.OpenUrl"]
    assert urls
    assert all(url.startswith("https://reports.example.org/monitor/") for url in urls)


def walk(value):
    """Every object of a message."""
    if isinstance(value, list):
        return [one for part in value for one in walk(part)]
    if not isinstance(value, dict):
        return []
    own = [value] if "type" in value else []
    return own + [one for part in value.values() for one in walk(part)]


@pytest.mark.parametrize("size", [1, 40, 400])
@pytest.mark.parametrize("letter", ["x", "\u20ac", "\U0001f375"])
def test_a_chat_gets_what_it_takes_and_the_rest_is_counted(size, letter):
    alerts = tuple(named(f"{n}{letter * 300}", says=letter * 900) for n in range(size))
    events = tuple(Event(EventKind.NOTE, letter * 900, "", "") for _ in range(size))
    one = digest(alerts=alerts, events=(*events, MODEL), signature=letter * 5000)
    blocks = digest_blocks(one, SERVED)["blocks"]
    assert len(blocks) <= 50
    assert len(json.dumps(blocks, ensure_ascii=False)) <= 12_000
    sections = [b["text"]["text"] for b in blocks if b["type"] == "section"]
    assert max(map(len, sections)) <= 3000
    assert all(len(b["text"]["text"]) <= 150 for b in blocks if b["type"] == "header")
    card = digest_card(one, SERVED)
    assert len(json.dumps(card, ensure_ascii=False).encode()) <= 28_000
    for form in (FORMS["slack"], FORMS["teams"]):
        told = form(one, SERVED)
        heads = len(re.findall(r"warning, changed: \d", told))
        left = re.search(r"(\d+) more alerts? (is|are) left out here", told)
        assert heads + int(left[1] if left else 0) == size
        assert heads >= 1


def test_the_gravest_stay_where_not_all_fit():
    alerts = (
        named("graver.example", severity=Severity.CRITICAL),
        *(named(f"n{n}.example", says="x" * 600) for n in range(90)),
    )
    told = FORMS["slack"](digest(alerts=alerts), SERVED)
    assert "critical, changed: graver.example" in told
    assert "n89.example" not in told


def test_a_report_is_called_by_panel_and_slot():
    assert report_file("tea", "2026-11-01T06:00:00Z") == "tea-2026-11-01T06-00-00Z.html"
    assert SERVED.report("run:tea:2026-11-01T06:00:00Z") == (
        "https://reports.example.org/monitor/tea-2026-11-01T06-00-00Z.html"
    )
    assert (SERVED.report("month 2026-10"), SERVED.file("run:tea:")) == (None, None)


def test_a_quality_alert_is_told_as_not_comparable():
    quality = replace(
        LOST,
        kind=AlertKind.RUN_QUALITY,
        entity=RUN,
        says="openai was heard in 3 of 90.",
        answers=(),
    )
    told = digest_text(digest(alerts=(quality,), events=(), still_open=0), ON_DISK)
    assert f"* warning, not comparable: {RUN}" in told
    assert "No earlier alert is open." in told


def test_a_watched_change_keeps_its_own_verdict():
    watch = replace(SHARE, change=replace(SHARE.change, verdict=ChangeVerdict.WATCH))
    assert "critical, watch: leaf.example" in digest_text(digest(alerts=(watch,)), ON_DISK)


def test_links_lead_to_the_run_that_an_answer_is_of():
    assert SERVED.answer(AnswerRef(5, "p", 1, BEFORE)) == (
        "https://reports.example.org/monitor/tea-2026-10.html#capture-5"
    )
    assert ON_DISK.answer(AnswerRef(5, "p", 1, BEFORE)) is None
