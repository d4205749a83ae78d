"""What was acknowledged survives kill -9, and what was not leaves no trace."""

import subprocess
import sys

from sqlalchemy import text

from monitor.store import open_database

WORKER = """
import sys
from sqlalchemy import text
from monitor.store import Writer, open_database

def change(n):
    def both(c):
        c.execute(text("INSERT INTO mark VALUES (:n, 'first')"), {"n": n})
        c.execute(text("INSERT INTO mark VALUES (:n, 'second')"), {"n": n})
        return n
    return both

writer = Writer(open_database(sys.argv[1]))
for start in range(0, 10**9, 20):
    for future in [writer.submit(change(n)) for n in range(start, start + 20)]:
        print(future.result(), flush=True)
"""


def test_killed_writer_loses_nothing_acknowledged_and_halves_nothing(database, store_url):
    with database.write() as c:
        c.execute(text("CREATE TABLE mark (n INTEGER, half TEXT)"))
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, store_url], stdout=subprocess.PIPE
    ) as worker:
        told = [int(worker.stdout.readline()) for _ in range(150)]
        worker.kill()
        rest = worker.stdout.read().splitlines(keepends=True)
        told += [int(line) for line in rest if line.endswith(b"\n")]
    after = open_database(store_url)
    with after.read() as c:
        halves = c.execute(text("SELECT n, count(*) AS k FROM mark GROUP BY n")).all()
    after.close()
    assert set(told) <= {row.n for row in halves}
    assert {row.k for row in halves} == {2}


def test_file_of_a_killed_writer_is_whole(sqlite, sqlite_url):
    with sqlite.write() as c:
        c.execute(text("CREATE TABLE mark (n INTEGER, half TEXT)"))
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, sqlite_url], stdout=subprocess.PIPE
    ) as worker:
        worker.stdout.readline()
        worker.kill()
    with sqlite.read() as c:
        assert c.execute(text("PRAGMA integrity_check")).scalar() == "ok"
