"""A bucket that cannot be used says why, soon, and is never taken for one that is empty."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from monitor.domain.keys import sha256_hex
from monitor.errors import ConfigError, StoreError
from monitor.store import buckets, open_artifacts
from tests.servers import running_s3

ABSENT = sha256_hex(b"never stored")


@pytest.fixture
def hurried(monkeypatch):
    monkeypatch.setattr(buckets, "PATIENCE", timedelta(seconds=1))


def everything(artifacts):
    """Each way to touch artifacts."""
    return (
        lambda: artifacts.put(b"x"),
        lambda: artifacts.get(ABSENT),
        lambda: artifacts.has(ABSENT),
        lambda: artifacts.point("capture/1/0/0", ABSENT),
        lambda: artifacts.pointers("capture/1"),
    )


def refused(artifacts):
    """What each way says."""
    said = []
    for touch in everything(artifacts):
        with pytest.raises(StoreError) as caught:
            touch()
        said.append(str(caught.value))
    return said


def test_missing_bucket_is_not_taken_for_missing_bytes(s3_bucket):
    told = refused(open_artifacts(f"{s3_bucket.url}-gone"))
    assert all("there is no such bucket: make it, or correct" in one for one in told)
    assert all("NoSuchBucket: The specified bucket does not exist" in one for one in told)
    assert not any("\n" in one or "Debug" in one for one in told)


def test_http_that_was_not_asked_for_is_refused_with_advice(s3_bucket, monkeypatch):
    monkeypatch.delenv("AWS_ALLOW_HTTP")
    assert all("set AWS_ALLOW_HTTP=true" in one for one in refused(open_artifacts(s3_bucket.url)))


def test_a_key_may_lie_in_a_file(s3_bucket, monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        (tmp_path / name).write_text(f"made-up-{name}\n")
        monkeypatch.delenv(name)
        monkeypatch.setenv(f"{name}_FILE", str(tmp_path / name))
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9")
    artifacts = open_artifacts(s3_bucket.url)
    assert artifacts.get(artifacts.put(b"x")) == b"x"


def test_a_file_of_a_key_that_is_not_there_is_named_by_its_variable(s3_bucket, monkeypatch):
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY_FILE", "/nowhere/key")
    with pytest.raises(ConfigError, match="AWS_SECRET_ACCESS_KEY_FILE: the file it names cannot"):
        open_artifacts(s3_bucket.url)


def test_missing_keys_are_told(s3_bucket, monkeypatch, hurried):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(StoreError, match="no key was found: set AWS_ACCESS_KEY_ID and"):
        open_artifacts(s3_bucket.url).put(b"x")


def test_service_that_is_away_is_told_within_the_patience(hurried, monkeypatch):
    with running_s3() as server:
        bucket = server.new_bucket()
    for name, value in bucket.environment.items():
        monkeypatch.setenv(name, value)
    began = time.monotonic()
    with pytest.raises(StoreError, match="the service was not reached: check the connection"):
        open_artifacts(bucket.url).put(b"x")
    assert time.monotonic() - began < 5


def test_service_that_comes_back_within_the_patience_is_waited_for(monkeypatch):
    with running_s3() as server:
        bucket = server.new_bucket()
        for name, value in bucket.environment.items():
            monkeypatch.setenv(name, value)
        artifacts = open_artifacts(bucket.url)
        server.stop()
        with ThreadPoolExecutor(1) as threads:
            put = threads.submit(artifacts.put, b"x")
            server.start()
            assert artifacts.get(put.result(30)) == b"x"


@pytest.mark.parametrize("url", ["s3://", "az://", "gs://"])
def test_url_without_a_bucket_is_refused(url):
    with pytest.raises(StoreError, match=f"cannot open artifacts at {url}: .*s3://BUCKET/PREFIX"):
        open_artifacts(url)


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("Server returned 403 Forbidden: <?xml?><Code>SignatureDoesNotMatch</Code>", "refused the key"),
        ("Server returned non-2xx status code: 501 Not Implemented", "If-None-Match"),
        ("No space left on device (os error 28)", "No space left on device (os error 28)"),
    ],
)  # fmt: skip
def test_what_a_service_says_is_explained(said, advice):
    told = buckets.explained(OSError(f"{said}\n\nDebug source:\nGeneric {{ }}"))
    assert advice in told
    assert "Debug" not in told
    assert "\n" not in told


@pytest.mark.parametrize(
    "url",
    [
        "s3://key:secret-word@bucket/prefix",
        "s3://bucket/prefix?secret=secret-word",
        "s3://bucket#secret-word",
        "gs://bucket/ secret-word",
        "az://container/\nsecret-word",
    ],
)
def test_a_key_in_the_url_of_a_bucket_is_refused_and_not_told(url):
    with pytest.raises(StoreError, match="keys in the environment") as caught:
        open_artifacts(url)
    assert "secret-word" not in str(caught.value)
