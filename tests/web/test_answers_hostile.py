"""Answers, titles, addresses, queries and models that attack whoever looks at them."""

import json

import lxml.html

from tests.unit.engines.payloads_a import message, output_text, responses, search
from tests.web.answered import OAKS, told, twin, visiting

PAYLOADS = (
    "<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><animate onbegin=alert(1)>",
    '"><iframe srcdoc="<script>alert(1)</script>">',
    "'-alert(1)-'",
    "{{7*7}} {% raw %} ${7*7} #{7*7}",
    "{{ ''.__class__.__mro__ }}",
    "<style>@import 'https://evil.example/a'</style>",
    "<base href=https://evil.example/>",
    "<form action=https://evil.example/><input name=csrf>",
    "<a href=javascript:alert(1)>x</a>",
    "[click](javascript:alert(1)) and ![x](https://evil.example/x.png)",
    "<!--[if IE]><script>alert(1)</script><![endif]-->",
    "]]><script>alert(1)</script>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "\u202egnp.exe\u202c and \u2066hidden\u2069",
    "\x00\x1b[31mred\x07",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
)
ADDRESSES = (
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "https://user:pass@evil.example/",
    "//evil.example/x",
    'https://evil.example/"onmouseover="alert(1)',
    "https://evil.example/<script>alert(1)</script>",
    "https://evil.example/\u202egpj",
)
OWN_TAGS = {"script": 1, "iframe": 0, "form": 0, "svg": None, "base": 0, "style": 0, "object": 0}


def hostile(words, address):
    """An answer that says hostile words, cites a hostile address, and searched with both."""
    text = f"## {words}\n\nOaks {words} grow. [1]\n\n- {words} [2]\n\n| {words} | b |\n|---|---|\n| {words} | c |"
    part = output_text(text, ("[1]", address), ("[2]", OAKS))
    for cited in part["annotations"]:
        cited["title"] = words
    return json.dumps(responses(search(words, address), message(part), model=words)).encode()


def checked(got, words):
    """A page on which nothing of outsiders is markup."""
    assert got.status_code == 200, got.text[:500]
    tree = lxml.html.document_fromstring(got.content)
    for tag, most in OWN_TAGS.items():
        found = tree.xpath(f"//main//{tag}") if tag == "svg" else tree.xpath(f"//{tag}")
        assert tag == "svg" or len(found) == most, (tag, words)
    for element in tree.iter():
        names = [name for name in element.attrib if name.startswith("on") or name == "style"]
        assert not names, (element.tag, names, words)
    for href in tree.xpath("//@href | //@src | //@action"):
        assert href.strip().startswith(("/", "#", "https://", "http://")), href
        assert not href.startswith("//"), href
    raw = got.content
    assert b"\x00" not in raw
    assert b"\x1b" not in raw
    assert "\u202e" not in got.text
    return tree


async def test_no_words_of_an_answer_become_markup(bench):
    pages = [(OAKS, "Oaks.")]
    bodies = [hostile(p, ADDRESSES[n % len(ADDRESSES)]) for n, p in enumerate(PAYLOADS)]
    _, ids = told(bench, *bodies, pages=pages)
    async with visiting(bench) as client:
        for words, one in zip(PAYLOADS, ids, strict=True):
            tree = checked(await client.get(f"/captures/{one}"), words)
            assert "49" not in tree.xpath("//*[@class='as-seen']")[0].text_content()
            checked(await client.get(f"/captures/{one}?statement=2"), words)
            checked(await client.get(f"/captures/{ids[0]}/diff/{one}"), words)
            shown = await client.get(twin(f"/captures/{one}"))
            assert shown.headers["content-type"] == "application/json"
            rows = await client.get(twin(f"/captures/{one}/table.csv"))
            assert rows.headers["content-type"].startswith("text/csv")


async def test_addresses_lead_out_only_where_they_are_the_web(bench):
    bodies = [hostile("plainly", address) for address in ADDRESSES]
    _, ids = told(bench, *bodies, pages=[(OAKS, "Oaks.")])
    async with visiting(bench) as client:
        for address, one in zip(ADDRESSES, ids, strict=True):
            tree = checked(await client.get(f"/captures/{one}"), address)
            out = tree.xpath("//a[@class='out']")
            assert all(a.get("rel") == "noopener noreferrer nofollow" for a in out)
            leading = {a.get("href") for a in out}
            assert all(link.startswith("https://") and "@" not in link for link in leading)


async def test_a_page_that_is_cited_attacks_with_its_title_and_its_text(bench):
    words = "</div></mark><script>alert(1)</script> \u202e"
    text = f"{words} Oaks grow. {words}"
    body = json.dumps(responses(search("x"), message(output_text("Oaks grow. [1]", ("[1]", OAKS)))))
    _, (one,) = told(bench, body.encode(), pages=[(OAKS, text)])
    async with visiting(bench) as client:
        tree = checked(await client.get(f"/captures/{one}/sources/1"), words)
        checked(await client.get(f"/captures/{one}?source=1"), words)
    assert tree.xpath("//*[@class='source-text']/mark")[0].text_content() == "Oaks grow."
    assert "<script>alert(1)</script>" in tree.xpath("//*[@class='source-text']")[0].text_content()


LONG = {
    "statements": "\n".join(f"- Oak {n} grows. [1]" for n in range(1_500)),
    "word": "x" * 200_000,
    "brackets": "[" * 50_000,
}


async def test_a_very_long_answer_is_a_page_all_the_same(bench):
    bodies = [
        json.dumps(responses(search("x"), message(output_text(text, ("[1]", OAKS))))).encode()
        for text in (f"{body}\n\nOaks grow. [1]" for body in LONG.values())
    ]
    _, ids = told(bench, *bodies)
    async with visiting(bench) as client:
        for name, one in zip(LONG, ids, strict=True):
            checked(await client.get(f"/captures/{one}"), name)
        checked(await client.get(f"/captures/{ids[0]}/diff/{ids[1]}"), "both")
        found = (await client.get(twin(f"/captures/{ids[0]}"))).json()
    assert (len(found["statements"]), found["statement_count"]) == (300, 1_501)
