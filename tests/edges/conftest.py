"""Stores of both kinds for stages of the pipeline."""

import pytest

from tests.edges.importing import migrated_store
from tests.stored import bench_in, bench_on


@pytest.fixture
def bench_in_a_folder(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        yield bench


@pytest.fixture
def bench_on_servers(postgres_url, s3_bucket, monkeypatch):
    with bench_on(postgres_url, s3_bucket.url, monkeypatch) as bench:
        yield bench


@pytest.fixture(params=["bench_in_a_folder", "bench_on_servers"])
def any_bench(request):
    """A bench over SQLite and a folder, and one over PostgreSQL and S3."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="session")
def empty_store(tmp_path_factory):
    """Bytes of a store that was brought up and holds nothing."""
    return migrated_store(tmp_path_factory.mktemp("empty"))
