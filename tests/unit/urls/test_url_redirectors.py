"""Redirectors of mail, advertising, caches and proxies: readable ones open. Synthetic rows."""

import base64
from urllib.parse import quote

import pytest

from monitor.domain.source import UrlFlag
from monitor.urls import identify

TARGET = "https://shop.example/a?b=1"
QUOTED = quote(TARGET, safe="")
TWICE = quote(QUOTED, safe="")
REPLACED = base64.urlsafe_b64encode(b"!((").decode().rstrip("=")


@pytest.mark.parametrize(
    "url",
    [
        f"https://www.google.com/url?q={TWICE}", f"https://cse.google.com/url?q={QUOTED}&sa=U",
        f"https://www.bing.com/amp/s/{TARGET.removeprefix('https://')}",
        f"https://x.amp.cloudflare.com/c/s/{TARGET.removeprefix('https://')}",
        f"https://x.cdn.ampproject.org/ii/w680/s/{TARGET.removeprefix('https://')}",
        f"https://t.me/iv?url={QUOTED}&rhash=1", f"https://m.vk.com/away?to={QUOTED}", f"https://href.li/?{TARGET}",
        f"https://medium.com/m/global-identity-2?redirectUrl={QUOTED}", f"https://www.tiktok.com/link/v2?aid=1&target={QUOTED}",
        f"https://search.app/?link={QUOTED}&utm_source=x", f"https://x.page.link/?link={QUOTED}",
        f"https://www.googleadservices.com/pagead/aclk?sa=L&adurl={QUOTED}", f"https://adclick.g.doubleclick.net/pcs/click?adurl={QUOTED}",
        f"https://go.skimresources.com/?id=1&url={QUOTED}", f"https://www.awin1.com/cread.php?awinmid=1&ued={QUOTED}",
        f"https://www.anrdoezrs.net/links/1/type/dlg/{TARGET}", f"https://www.kqzyfj.com/links/1/type/dlg/sid/x/{TARGET}", f"https://12ft.io/{TARGET}", f"https://12ft.io/proxy?q={QUOTED}",
        f"https://archive.org/web/20200101000000/{TARGET}", f"https://archive.ph/{TARGET}",
        f"https://click.redditmail.com/CL0/{quote(TARGET, safe=':')}/1/0100-0/x=12",
        f"https://x.r.us-east-1.awstrack.me/L0/{quote(TARGET, safe=':')}/1/0100",
        f"https://urldefense.com/v3/__{TARGET}__;!!Ab1!x$", "https://urldefense.us/v3/__https:/shop.example/a?b=1__;!!Ab1!x$",
        "https://urldefense.proofpoint.com/v2/url?u=https-3A__shop.example_a-3Fb-3D1&d=x",
        f"https://urldefense.proofpoint.com/v1/url?u={QUOTED}&k=x",
    ],
)  # fmt: skip
def test_redirectors_known_by_name_are_opened(url):
    identity = identify(url)
    assert (identity.page_key, identity.family) == (TARGET, "shop.example")
    assert UrlFlag.UNWRAPPED in identity.flags


@pytest.mark.parametrize(
    ("link", "path"),
    [
        # `*` is the next of the replaced characters `!((`; `**A` is the next two of them.
        (f"a*b__;{REPLACED}!!x!y$", "a!b"),
        (f"a*b**Ac__;{REPLACED}!!x!y$", "a!b((c"),
        ("a*b__;!!x!y$", "a*b"),
        ("a*b__;_!!x!y$", "a*b"),
    ],
)
def test_characters_that_a_mail_gateway_replaced_come_back(link, path):
    url = f"https://urldefense.com/v3/__https://shop.example/{link}"
    assert identify(url).page_key == f"https://shop.example/{path}"


@pytest.mark.parametrize(
    "url",
    [
        f"https://translate.yandex.com/translate?url={QUOTED}&lang=en", f"https://www.translatetheweb.com/?from=de&a={QUOTED}",
        f"https://translate.google.com/website?sl=fr&u={QUOTED}", f"https://translate.google.de/translate?u={quote('shop.example/a?b=1', safe='')}",
    ],
)  # fmt: skip
def test_a_translation_is_its_original_even_without_a_scheme(url):
    identity = identify(url)
    assert identity.page_key == TARGET
    assert UrlFlag.TRANSLATED in identity.flags


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.us1.list-manage.com/track/click?u=1&id=2", "https://u1.ct.sendgrid.net/ls/click?upn=x",
        "https://substack.com/redirect/2/eyJ", "https://feedproxy.google.com/~r/x/~3/abc",
        "https://cc.bingj.com/cache.aspx?q=a&d=1", "https://yandex.ru/clck/jsredir?from=x", "https://bing.com/ck/a?u=b2x",
        "https://vertexaisearch.cloud.google.com/grounding-api-redirect/", "https://x.page.link/AbC", "https://search.app/AbC",
    ],
)  # fmt: skip
def test_a_target_only_the_server_knows_is_nobodys_source(url):
    identity = identify(url)
    assert (identity.family, identity.page_key is None) == (None, False)
    assert UrlFlag.UNRESOLVED in identity.flags


@pytest.mark.parametrize(
    ("url", "family"),
    [
        ("https://shop.us1.list-manage.com/subscribe", "list-manage.com"),
        ("https://www.bing.com/search?q=a", "bing.com"),
        ("https://substack.com/@me", "substack.com"),
        (f"https://www.facebook.com/sharer/sharer.php?u={QUOTED}", "facebook.com"),
        (f"https://x.com/intent/tweet?url={QUOTED}", "x.com"),
        (f"https://shop.example/go?url={QUOTED}", "shop.example"),
    ],
)
def test_other_pages_of_the_same_hosts_keep_their_family(url, family):
    assert identify(url).family == family


@pytest.mark.parametrize(
    "url",
    [
        "https://anrdoezrs.net/links/" + "/type/dlg/" * 6000,
        "https://urldefense.com/v3/__https://shop.example/" + "*" * 60_000 + "__;!!a$",
        "https://web.archive.org/web/2020/" + "https://shop.example/" * 3000,
    ],
)
def test_long_hostile_links_are_read_in_one_pass(url):
    assert identify(url).page_key is not None
