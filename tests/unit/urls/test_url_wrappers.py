"""Wrappers: known redirectors are opened, everything else is content. Synthetic rows."""

import base64
from urllib.parse import quote

import pytest

from monitor.domain.source import UrlFlag
from monitor.urls import identify, is_opaque

TARGET = "https://shop.example/a?b=1"
QUOTED = quote(TARGET, safe="")
ENCODED = base64.urlsafe_b64encode(TARGET.encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "url",
    [
        f"https://www.google.com/url?q={QUOTED}&sa=D", f"https://www.google.co.jp/url?q=&url={QUOTED}",
        f"http://google.de/url?sa=t&amp;url={QUOTED}", f"https://scholar.google.com/scholar_url?url={QUOTED}",
        f"https://www.google.com/imgres?imgurl=x&imgrefurl={QUOTED}",
        f"https://www.bing.com/ck/a?!&&p=1&u=a1{ENCODED}&ntb=1",
        f"https://l.facebook.com/l.php?u={QUOTED}&h=x", f"https://lm.facebook.com/l.php?u={QUOTED}",
        f"https://l.instagram.com/?u={QUOTED}", f"https://duckduckgo.com/l/?uddg={QUOTED}&rut=x",
        f"https://r.search.yahoo.com/_ylt=A/RV=2/RU={QUOTED}/RK=2/RS=x-", f"https://out.reddit.com/t3_a?url={QUOTED}",
        f"https://www.youtube.com/redirect?q={QUOTED}", f"https://nam02.safelinks.protection.outlook.com/?url={QUOTED}",
        f"https://eur05.safelinks.protection.outlook.com/ap/x/?url={QUOTED}",
        f"https://steamcommunity.com/linkfilter/?url={QUOTED}", f"https://www.linkedin.com/redir/redirect?url={QUOTED}",
        f"https://vk.com/away.php?to={QUOTED}", f"https://t.umblr.com/redirect?z={QUOTED}&t=x",
        f"https://www.google.com/url?q={quote(f'https://l.facebook.com/l.php?u={QUOTED}', safe='')}",
        f"https://web.archive.org/web/20200101000000/{TARGET}", f"https://web.archive.org/web/2020id_/{TARGET}",
        "https://web.archive.org/web/2020/http:/shop.example/a?b=1", "https://web.archive.org/web/2/shop.example/a?b=1",
        f"https://archive.ph/2023.01.02-030405/{TARGET}", f"https://archive.is/newest/{TARGET}",
        f"https://arquivo.pt/wayback/20200101000000/{TARGET}", f"https://r.jina.ai/{TARGET}",
        f"https://webcache.googleusercontent.com/search?q=cache:AbC_12-x:{QUOTED}+terms&cd=1",
        f"https://webcache.googleusercontent.com/search?q=cache:{QUOTED}", f"https://translate.google.fr/translate?u={QUOTED}&sl=a",
        "https://shop-example.translate.goog/a?b=1&_x_tr_sl=de&_x_tr_tl=en",
        "https://www.google.co.uk/amp/s/shop.example/a?b=1", "https://shop-example.cdn.ampproject.org/c/s/shop.example/a?b=1",
        "https://shop-example.cdn.ampproject.org/v/s/shop.example/a?b=1&amp_js_v=0.1&usqp=x",
    ],
)  # fmt: skip
def test_known_wrappers_are_opened(url):
    identity = identify(url)
    assert identity.page_key == TARGET
    assert UrlFlag.UNWRAPPED in identity.flags


@pytest.mark.parametrize(
    ("url", "key"),
    [
        (f"https://shop.example/login?next={QUOTED}", "https://shop.example/login?next=https://shop.example/a?b=1"),
        ("https://google.com/url?q=javascript:alert(1)", "https://google.com/url?q=javascript:alert(1)"),
        ("https://google.com/url?q=/relative", "https://google.com/url?q=/relative"),
        ("https://google.com/url?q=https://localhost/x", "https://google.com/url?q=https://localhost/x"),
        ("https://web.archive.org/web/2020*/shop.example", "https://web.archive.org/web/2020*/shop.example"),
        ("https://cdn.ampproject.org/v0/amp-ad-0.1.js", "https://cdn.ampproject.org/v0/amp-ad-0.1.js"),
        ("https://a.example/proxy/https://b.example/x", "https://a.example/proxy/https://b.example/x"),
        ("https://bing.com/ck/a?u=a1%%%", "https://bing.com/ck/a?u=a1%25%25%25"),
        ("https://maps.google.com/url?q=https://b.example", "https://maps.google.com/url?q=https://b.example"),
    ],
)  # fmt: skip
def test_unknown_or_unreadable_targets_stay_content(url, key):
    identity = identify(url)
    assert identity.page_key == key
    assert UrlFlag.UNWRAPPED not in identity.flags


def test_more_than_five_wrappers_are_left_alone():
    url = TARGET
    for _ in range(6):
        url = f"https://www.google.com/url?q={quote(url, safe='')}"
    assert identify(url).family == "google.com"


def test_five_wrappers_are_opened():
    url = TARGET
    for _ in range(5):
        url = f"https://www.google.com/url?q={quote(url, safe='')}"
    assert identify(url).page_key == TARGET


@pytest.mark.parametrize(
    ("url", "flag"),
    [
        (f"https://web.archive.org/web/2020/{TARGET}", UrlFlag.ARCHIVE),
        ("https://shop-example.translate.goog/a?b=1", UrlFlag.TRANSLATED),
        (f"https://translate.google.com/translate?u={QUOTED}", UrlFlag.TRANSLATED),
        ("https://x.cdn.ampproject.org/c/s/shop.example/a", UrlFlag.AMP),
    ],
)
def test_the_kind_of_wrapper_is_flagged(url, flag):
    assert flag in identify(url).flags


@pytest.mark.parametrize(
    "url",
    [
        "https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZ-x_1==",
        "https://www.google.com/url?q=https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZ",
        "https://t.co/AbC", "https://bit.ly/3xY", "https://lnkd.in/eAbC", "https://maps.app.goo.gl/x",
        "https://news.google.com/rss/articles/CBMi?oc=5", "https://archive.ph/AbC12", "https://doi.org/10.1000/x",
    ],
)  # fmt: skip
def test_redirects_that_only_fetching_resolves_have_no_family(url):
    identity = identify(url)
    assert is_opaque(url)
    assert (identity.family, UrlFlag.UNRESOLVED in identity.flags) == (None, True)
    assert identity.page_key is not None


def test_tokens_of_short_links_keep_their_case():
    assert identify("https://t.co/AbC").page_key != identify("https://t.co/aBc").page_key


@pytest.mark.parametrize(
    "url", ["https://bit.ly/", "https://shop.example/t.co", "mailto:a@b.example"]
)
def test_other_addresses_are_not_opaque(url):
    assert not is_opaque(url)
