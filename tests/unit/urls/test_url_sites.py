"""Site adapters: the same page in all its addresses, and neighbours that stay apart. Synthetic."""

import pytest

from monitor.urls import identify

SAME = {
    "https://youtube.com/watch?v=AbC_d-1": [
        "https://youtu.be/AbC_d-1?si=x&t=4", "https://m.youtube.com/watch?v=AbC_d-1&list=PL&index=2",
        "https://www.youtube.com/shorts/AbC_d-1", "https://www.youtube.com/live/AbC_d-1?feature=share",
        "https://www.youtube-nocookie.com/embed/AbC_d-1?rel=0", "https://music.youtube.com/watch?v=AbC_d-1",
        "https://www.youtube.com/v/AbC_d-1", "youtube.com/watch?v=AbC_d-1&utm_source=openai",
        "https://www.youtube.com/attribution_link?u=%2Fwatch%3Fv%3DAbC_d-1",
    ],
    "https://youtube.com/playlist?list=PL1": ["https://www.youtube.com/embed/videoseries?list=PL1&si=x"],
    "https://youtube.com/@name": ["https://www.youtube.com/@Name/featured"],
    "https://reddit.com/r/python/comments/1abc": [
        "https://old.reddit.com/r/Python/comments/1abc/slug/", "https://np.reddit.com/r/Python/comments/1ABC",
        "https://www.reddit.com/r/python/comments/1abc/slug/k1/?context=3", "https://amp.reddit.com/r/Python/comments/1abc/s",
    ],
    "https://reddit.com/comments/1abc": ["https://redd.it/1abc", "https://www.reddit.com/gallery/1abc"],
    "https://reddit.com/user/me": ["https://www.reddit.com/u/Me/"],
    "https://en.wikipedia.org/wiki/AC/DC_(band)": [
        "https://en.m.wikipedia.org/wiki/AC%2FDC_%28band%29", "https://en.wikipedia.org/w/index.php?title=AC/DC+(band)",
        "https://en.wikipedia.org/wiki/AC/DC%20(band)?wprov=sfla1#Members", "https://en.wikipedia.org/wiki/aC/DC_(band)",
    ],
    "https://en.wikipedia.org/w/index.php?oldid=7&title=Foo": ["https://en.wikipedia.org/wiki/Foo?oldid=7"],
    "https://x.com/nasa/status/12": [
        "https://twitter.com/NASA/status/12?s=20", "https://mobile.twitter.com/nasa/statuses/12", "https://x.com/NASA/status/12/photo/1",
    ],
    "https://x.com/i/status/12": ["https://twitter.com/i/web/status/12"],
    "https://linkedin.com/in/jane": ["https://uk.linkedin.com/in/Jane?trk=x", "https://www.linkedin.com/in/jane/"],
    "https://facebook.com/page/posts/1": ["https://m.facebook.com/page/posts/1", "https://de-de.facebook.com/page/posts/1?__tn__=x"],
    "https://github.com/o/r/blob/main/a.md": [
        "https://raw.githubusercontent.com/o/r/main/a.md", "https://raw.githubusercontent.com/o/r/refs/heads/main/a.md",
        "https://github.com/o/r/raw/main/a.md", "https://github.com/o/r/blame/main/a.md#L3", "https://github.com/o/r/blob/main/a.md?plain=1",
    ],
    "https://github.com/o/r": ["https://www.github.com/o/r.git", "https://github.com/o/r?tab=readme-ov-file"],
    "https://gist.github.com/u/0ab1": ["https://gist.githubusercontent.com/u/0ab1/raw/ff/a.py"],
    "https://stackoverflow.com/questions/11": [
        "https://stackoverflow.com/questions/11/slug?rq=1", "https://stackoverflow.com/q/11/99", "https://stackoverflow.com/questions/11/slug/22#22",
    ],
    "https://amazon.co.uk/dp/B08N5WRWNW": [
        "https://www.amazon.co.uk/Some-Name/dp/B08N5WRWNW/ref=sr_1?tag=x", "https://www.amazon.co.uk/gp/product/b08n5wrwnw?th=1",
        "https://smile.amazon.co.uk/gp/aw/d/B08N5WRWNW/", "https://www.amazon.co.uk/-/de/dp/B08N5WRWNW",
    ],
    "https://my-blog.blogspot.com/2020/01/p.html": ["https://my-blog.blogspot.co.uk/2020/01/p.html?m=1", "http://my-blog.blogspot.de/2020/01/p.html"],
    "https://a.substack.com/p/b": ["https://open.substack.com/pub/a/p/b?r=x"],
    "https://google.com/search?q=tea": ["https://www.google.com/search?ei=1&q=tea&ved=2#x"],
    "https://arxiv.org/abs/1706.03762": [
        "https://arxiv.org/pdf/1706.03762v5.pdf", "https://www.arxiv.org/html/1706.03762v7", "https://export.arxiv.org/abs/1706.03762?context=cs",
        "https://doi.org/10.48550/ARXIV.1706.03762", "arXiv:1706.03762v2", "https://ar5iv.org/abs/1706.03762",
    ],
    "https://arxiv.org/abs/math/0309136": ["https://arxiv.org/pdf/math.GT/0309136v1"],
    "https://doi.org/10.1000/ab(c)8:9%3C1::x%3E2;2-o": [
        "http://dx.doi.org/10.1000/AB(C)8:9<1::X>2;2-O", "doi:10.1000/ab(c)8:9%3c1::x%3E2;2-O", "https://www.doi.org/10.1000%2Fab(c)8:9%3C1::x%3E2;2-o",
        "10.1000/AB(C)8:9%3C1::X%3E2;2-O",
    ],
    "https://pmc.ncbi.nlm.nih.gov/articles/PMC12": [
        "https://www.ncbi.nlm.nih.gov/pmc/articles/PMC12/", "https://www.ncbi.nlm.nih.gov/pmc/articles/pmc12/pdf/main.pdf",
    ],
    "https://pubmed.ncbi.nlm.nih.gov/34": ["https://www.ncbi.nlm.nih.gov/pubmed/34?dopt=Abstract", "https://www.ncbi.nlm.nih.gov/pubmed/?term=34"],
}  # fmt: skip


@pytest.mark.parametrize(("key", "url"), [(key, url) for key, urls in SAME.items() for url in urls])
def test_all_addresses_of_a_page_share_its_key(key, url):
    assert identify(url).page_key == key


@pytest.mark.parametrize("key", list(SAME))
def test_the_key_of_a_known_site_is_its_own_key(key):
    assert identify(key).page_key == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://youtu.be/AbCdEf", "https://youtu.be/abcdef"),
        (
            "https://youtube.com/watch?v=AAA&utm_source=openai",
            "https://youtube.com/watch?v=BBB&utm_source=openai",
        ),
        ("https://en.wikipedia.org/wiki/AIDS", "https://en.wikipedia.org/wiki/Aids"),
        (
            "https://en.wikipedia.org/wiki/Foo",
            "https://en.wikipedia.org/w/index.php?title=Foo&oldid=7",
        ),
        ("https://en.wikipedia.org/wiki/Foo", "https://fr.wikipedia.org/wiki/Foo"),
        ("https://about.reddit.com/", "https://reddit.com/"),
        ("https://engineering.linkedin.com/blog", "https://linkedin.com/blog"),
        ("https://studio.youtube.com/", "https://youtube.com/"),
        ("https://developer.x.com/a", "https://x.com/a"),
        ("https://developers.facebook.com/a", "https://facebook.com/a"),
        ("https://github.com/o/r/blob/main/a", "https://github.com/o/r/blob/dev/a"),
        ("https://stackoverflow.com/questions/1", "https://ru.stackoverflow.com/questions/1"),
        ("https://amazon.de/dp/B08N5WRWNW", "https://amazon.fr/dp/B08N5WRWNW"),
        ("https://news.ycombinator.com/item?id=1", "https://news.ycombinator.com/item?id=2"),
        ("https://forum.example/viewtopic.php?t=9", "https://forum.example/viewtopic.php?t=8"),
        ("https://a.blogspot.com/", "https://b.blogspot.com/"),
    ],
)
def test_neighbouring_pages_stay_apart(one, other):
    assert identify(one).page_key != identify(other).page_key
