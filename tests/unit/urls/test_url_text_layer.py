"""The text layer: what prose glues to a URL goes, what belongs to it stays. Synthetic rows."""

import pytest

from monitor.domain.source import UrlFlag
from monitor.urls import identify

PAGE = "https://shop.example/guide"


@pytest.mark.parametrize(
    "text",
    [
        f"{PAGE}.", f"{PAGE}),", f"{PAGE})).", f"{PAGE}!?", f"{PAGE};", f"{PAGE}&gt;", f"{PAGE}&quot;.",
        f"<{PAGE}>", f'"{PAGE}"', f"“{PAGE}”,", f"`{PAGE}`", f"**{PAGE}**", f"_{PAGE}_", f"~~{PAGE}~~",
        f"«{PAGE}»", f"「{PAGE}」", f"（{PAGE}）", f"{PAGE}。", f"{PAGE}、", f"{PAGE}…", f"{PAGE}—",
        f"[guide]({PAGE})", f"[guide](<{PAGE}>)", f'[guide]({PAGE} "A title")', f"![i]({PAGE})",
        f"([shop.example]({PAGE}?utm_source=openai))", f"[{PAGE}]({PAGE})", f"{PAGE}]({PAGE})",
        f"{PAGE}][1]", f"{PAGE}[1]", f"{PAGE}[^12].", f"{PAGE}【3†source】", f"[3]: {PAGE}", f"[3] {PAGE}",
        f"- {PAGE}", f"1. {PAGE}", f"Source: {PAGE}", f"<URL:{PAGE}>", f"[{PAGE} the guide]",
        f'<a class="x" href="{PAGE}">guide</a>', f'{PAGE}" target="_blank"', f"{PAGE}</a>",
        f"\u00a0{PAGE}\u200b", f"{PAGE}%E2%80%8B", f"{PAGE}\ue200cite\ue202turn0search0\ue201",
        "https:\\/\\/shop.example\\/guide", f"{PAGE}\\", f"{PAGE}{{:",
    ],
)  # fmt: skip
def test_markup_and_punctuation_around_a_url_are_taken_off(text):
    assert identify(text, prose=True).page_key == PAGE


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("(https://en.wikipedia.org/wiki/Mercury_(planet))", "https://en.wikipedia.org/wiki/Mercury_(planet)"),
        ("[x](https://en.wikipedia.org/wiki/Mercury_(planet))", "https://en.wikipedia.org/wiki/Mercury_(planet)"),
        ("https://a.example/my file (1).pdf", "https://a.example/my%20file%20(1).pdf"),
        ("https://a.example/a\\_b\\_c", "https://a.example/a_b_c"),
        ("https://a.example/pa\nge", "https://a.example/page"),
        ("https://a.example/x?a=1\\u0026b=2", "https://a.example/x?a=1&b=2"),
        ("https://a.example/x?a=1&amp;amp;b=2", "https://a.example/x?a=1&b=2"),
        ("https://a.example/x?a=1&#038;b=2", "https://a.example/x?a=1&b=2"),
        ("https://a.example/it's", "https://a.example/it's"),
        ("http:\\\\a.example\\news\\b", "https://a.example/news/b"),
    ],
)  # fmt: skip
def test_what_belongs_to_the_url_stays(text, key):
    assert identify(text, prose=True).page_key == key


@pytest.mark.parametrize(
    "url",
    [
        "https://youtube.com/watch?v=abcdefghij_",
        "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZ-x_",
    ],
)
def test_an_identifier_keeps_its_own_underscore(url):
    assert identify(url, prose=True).page_key == url
    assert identify(f"{url},", prose=True).page_key == url


def test_structured_fields_keep_their_last_characters():
    assert identify("https://a.example/name_").page_key == "https://a.example/name_"
    assert identify("https://a.example/f(x))").page_key == "https://a.example/f(x))"


def test_a_repaired_url_says_so_and_keeps_its_raw_string():
    identity = identify(f"{PAGE}.", prose=True)
    assert identity.raw == f"{PAGE}."
    assert identity.flags == (UrlFlag.REPAIRED,)


def test_long_runs_of_brackets_are_read_in_one_pass():
    assert identify(PAGE + "])" * 30_000, prose=True).page_key == PAGE


def test_a_string_longer_than_any_address_is_rejected():
    assert identify(PAGE + "/a" * 40_000, prose=True).flags == (UrlFlag.REJECTED,)
