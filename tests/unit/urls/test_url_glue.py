"""Tags and text that engines glue to addresses in ways no standard foresees. Synthetic rows."""

import pytest

from monitor.urls import identify

PAGE = "https://shop.example/guide"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        (f"{PAGE}?id=5?utm_source=openai", f"{PAGE}?id=5"),
        (f"{PAGE}?id=5?utm_source=openai&utm_medium=x", f"{PAGE}?id=5"),
        (f"{PAGE}??utm_source=openai", PAGE),
        (f"{PAGE}?12345?utm_source=openai", f"{PAGE}?12345"),
        (f"{PAGE}&utm_source=openai", PAGE),
        (f"{PAGE}%3Futm_source=openai", PAGE),
        (f"{PAGE}&copy", f"{PAGE}&copy"),
        (f"{PAGE}?next=/a?id=5", f"{PAGE}?next=/a?id=5"),
        (f"{PAGE}?next=%2Fa%3Futm_id%3D1%26id%3D5", f"{PAGE}?next=/a?utm_id=1%26id=5"),
    ],
)
def test_a_campaign_tag_behind_a_second_mark_is_cut(url, key):
    assert identify(url).page_key == key


def test_a_glued_tag_is_no_part_of_the_link():
    assert identify(f"{PAGE}?id=5?utm_source=openai").clean_url == f"{PAGE}?id=5"


@pytest.mark.parametrize(
    "text",
    [
        f"&lt;{PAGE}&gt;", f"&quot;{PAGE}&quot;", f"{PAGE}\\n", f"{PAGE}\\n\\n", "https\\://shop\\.example/guide",
        f"{PAGE})([other](https://b.example))", f"{PAGE}%20", f"{PAGE}。见", f"{PAGE}，见", f"{PAGE}）中文", f"{PAGE}（来源）",
        f"{PAGE}；https://b.example/", f"{PAGE},https://b.example/", f"{PAGE}; https://b.example/", f"{PAGE} https://b.example/",
        f"[[{PAGE}|guide]]", f"{PAGE}†", f"{PAGE}¹", f"{PAGE}↩\ufe0e", f"{PAGE}”说",
    ],
)  # fmt: skip
def test_prose_behind_a_url_is_cut(text):
    assert identify(text, prose=True).page_key == PAGE


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("https://zh.wikipedia.org/wiki/你好，李焕英", "/wiki/%E4%BD%A0%E5%A5%BD%EF%BC%8C%E6%9D%8E%E7%84%95%E8%8B%B1"),
        ("https://fr.wikipedia.org/wiki/L’Équipe", "/wiki/L%E2%80%99%C3%89quipe"),
        ("https://en.wikipedia.org/wiki/A–B_test", "/wiki/A%E2%80%93B_test"),
        ("https://shop。example/a", "/a"),
    ],
)  # fmt: skip
def test_marks_inside_a_title_or_host_stay(text, path):
    assert (identify(text, prose=True).page_key or "").endswith(path)


@pytest.mark.parametrize("name", ["README.md", "main.py", "archive.zip"])
def test_a_file_name_is_no_page(name):
    assert identify(name, prose=True).page_key is None


@pytest.mark.parametrize("url", ["docs.rs", "point.md/ro", "https://point.md", "www.abc.com.py"])
def test_hosts_under_those_suffixes_are_pages(url):
    assert identify(url).page_key is not None
