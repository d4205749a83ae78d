"""More addresses of pages of known sites: old hosts, views and resolvers. Synthetic rows."""

import pytest

from monitor.urls import identify

SAME = {
    "https://youtube.com/watch?v=AbC_d-1": [
        "https://youtu.be/watch?v=AbC_d-1", "https://www.youtube.com/?v=AbC_d-1", "https://youtube.com/watch?v=AbC_d-1?si=x",
        "https://youtube.com/watch?v=AbC_d-1%3Ft%3D4", "https://www.youtube.com/oembed?url=https%3A%2F%2Fyoutu.be%2FAbC_d-1",
    ],
    "https://reddit.com/r/python/comments/1abc": [
        "https://www.reddit.com/r/Python/comments/1abc.json", "https://reddit.com/r/python/comments/1abc/comment/k1/",
        "https://new.reddit.com/r/python/comments/1abc/s/?sort=new",
    ],
    "https://en.wikipedia.org/wiki/%C3%89cole": [
        "https://en.wikipedia.org/wiki/école", "https://en.m.wikipedia.org/wiki/%c3%a9cole", "https://en.wikipedia.org/wiki/index.php?title=École",
        "https://en.wikipedia.org/wiki/École?action=render", "https://en.wikipedia.org/index.php?title=École&uselang=de",
    ],
    "https://x.com/me/status/12": [
        "https://twitter.com/#!/Me/status/12", "https://fxtwitter.com/me/status/12", "https://vxtwitter.com/me/status/12/photo/1",
        "https://mobile.x.com/me/status/12/video/1?s=20",
    ],
    "https://github.com/o/r/tree/main/src": ["https://github.com/o/r/tree/refs/heads/main/src"],
    "https://github.com/o/r/tree/v1": ["https://github.com/o/r/tree/refs/tags/v1/"],
    "https://gist.github.com/Me/0ab1": ["https://gist.github.com/Me/0ab1.js", "https://gist.github.com/Me/0ab1.git"],
    "https://doi.org/10.1000/abc": [
        "https://hdl.handle.net/10.1000/ABC", "https://doi.org/doi.org/10.1000/abc", "https://doi.org/https://doi.org/10.1000/abc",
        "https://dx.doi.org/doi:10.1000/abc", "doi: 10.1000/abc",
    ],
    "https://pmc.ncbi.nlm.nih.gov/articles/PMC12": [
        "https://www.ncbi.nlm.nih.gov/labs/pmc/articles/PMC12/", "https://www.ncbi.nlm.nih.gov/pmc/articles/12",
        "https://www.pubmedcentral.nih.gov/articlerender.fcgi?artid=12",
    ],
    "https://facebook.com/photo?fbid=1": ["https://m.facebook.com/photo/?fbid=1&set=a.2&__tn__=x"],
    "https://linkedin.com/in/jane": ["https://www.linkedin.com/comm/in/Jane?trk=x", "https://de.linkedin.com/mwlite/in/jane"],
    "https://blog.blogspot.com/2020/01/p.html": ["https://blog.blogspot.co.uk/2020/01/p.html?m=1&spref=tw"],
    "https://t.me/channel/5": ["https://telegram.me/channel/5", "https://t.me/s/channel/5"],
    "https://instagram.com/p/C1": ["https://instagr.am/p/C1/?igsh=x"],
    "https://threads.com/@me/post/D1": ["https://www.threads.net/@me/post/D1?xmt=x"],
    "https://learn.shop.example/a": ["https://learn.shop.example/a?WT.mc_id=x"],
}  # fmt: skip


@pytest.mark.parametrize(("key", "url"), [(key, url) for key, urls in SAME.items() for url in urls])
def test_every_address_of_a_page_has_its_key(key, url):
    assert identify(url).page_key == key


@pytest.mark.parametrize("key", list(SAME))
def test_the_key_is_a_fixed_point(key):
    assert identify(key).page_key == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://facebook.com/media/set?set=a.1", "https://facebook.com/media/set?set=a.2"),
        ("https://github.com/o/r/tree/main", "https://github.com/o/r"),
        ("https://hdl.handle.net/1721.1/5", "https://doi.org/1721.1/5"),
        ("https://en.wikipedia.org/wiki/A?action=history", "https://en.wikipedia.org/wiki/A"),
        ("https://youtube.com/", "https://youtube.com/watch?v=AAA"),
        ("https://t.me/s/channel", "https://t.me/channel"),
        ("https://nitter.net/me/status/12", "https://x.com/me/status/12"),
    ],
)
def test_other_views_stay_other_pages(one, other):
    assert identify(one).page_key != identify(other).page_key


def test_a_title_that_looks_like_a_tag_stays_one_page():
    url = "https://en.wikipedia.org/wiki/A%3Futm_source=x/b?variant=c"
    key = identify(url).page_key
    assert key == "https://en.wikipedia.org/w/index.php?title=A%3Futm_source%3Dx/b&variant=c"
    assert identify(key).page_key == key
