"""Times handing an ORC file over to Python and DuckDB: arrowio, pyarrow, and arrowio's own scan in Go beside them, with
batches released one by one and with all of them held.

Every figure is the median of --repeat rounds; the contestants take turns within a round. Wall and CPU seconds.
"""

import argparse
import gc
import json
import pathlib
import platform
import resource
import statistics
import subprocess
import time

import duckdb
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.orc

import arrowio


def cpu(who):
    u = resource.getrusage(who)
    return u.ru_utime + u.ru_stime


def timed(f, who=resource.RUSAGE_SELF):
    c, t = cpu(who), time.perf_counter()
    result = f()
    wall, used = time.perf_counter() - t, cpu(who) - c
    del result
    gc.collect()
    return wall, used


def go_scan(program, path, jobs):
    """One warm scan of the command: the second of two in a process."""
    out = subprocess.run([program, "scan", "--json", "--repeat", "2", *jobs, str(path)], capture_output=True, text=True, check=True)
    last = json.loads(out.stdout)["repeats"][-1]
    return last["wall_seconds"], last["cpu_seconds"]


def go_hold(program, path):
    """A scan in Go that holds all batches: the second of two in a process."""
    out = subprocess.run([program, "-hold", "-repeat", "2", str(path)], capture_output=True, text=True, check=True)
    last = json.loads(out.stdout.splitlines()[-1])
    return last["wall_seconds"], last["cpu_seconds"]


class Stream:
    """Only the stream of a dataset, into which DuckDB pushes nothing."""

    def __init__(self, dataset):
        self.dataset = dataset

    def __arrow_c_schema__(self):
        return self.dataset.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema=None):
        return self.dataset.__arrow_c_stream__(requested_schema)


def query(con, rows, where):
    """DuckDB finds rows by its name here."""
    return con.sql(f"select count(*), sum(l_quantity) from rows where {where}").fetchall()


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--bin", required=True)
    a.add_argument("--hold", required=True, help="the program of handoff-bench")
    a.add_argument("--dir", type=pathlib.Path, required=True)
    a.add_argument("--out", type=pathlib.Path, required=True)
    a.add_argument("--repeat", type=int, default=5)
    a.add_argument("--codecs", default="none,zlib")
    a.add_argument("--where", default="l_orderkey between 1000000 and 1000100")
    o = a.parse_args()
    results = {}
    for codec in o.codecs.split(","):
        path = o.dir / f"lineitem_{codec}.orc"
        ds, one = arrowio.open(path), arrowio.open(path, jobs=1)
        pushed, theirs = ds.to_pyarrow_dataset(), pads.dataset(str(path), format="orc")
        filtered = ds.filter(o.where)
        con = duckdb.connect()
        contestants = {
            "pa.table(arrowio.open(f))": lambda: timed(lambda: pa.table(ds)),
            "the same, jobs=1": lambda: timed(lambda: pa.table(one)),
            "batches of arrowio, each released, jobs=1": lambda: timed(lambda: sum(b.num_rows for b in one.to_batches())),
            "arrowio scan (Go), jobs=1": lambda: go_scan(o.bin, path, ["--jobs", "1"]),
            "a scan in Go that holds all batches, jobs=1": lambda: go_hold(o.hold, path),
            "arrowio scan (Go)": lambda: go_scan(o.bin, path, []),
            "pyarrow.orc.read_table": lambda: timed(lambda: pyarrow.orc.read_table(str(path))),
            "DuckDB over arrowio.open(f), where in SQL": lambda: timed(lambda: query(con, ds, o.where)),
            "DuckDB over the stream of it alone, where in SQL": lambda: timed(lambda: query(con, Stream(ds), o.where)),
            "DuckDB over arrowio.open(f, where=...)": lambda: timed(lambda: query(con, filtered, "true")),
            "DuckDB over to_pyarrow_dataset(), where in SQL": lambda: timed(lambda: query(con, pushed, o.where)),
            "DuckDB over pyarrow's ORC dataset, where in SQL": lambda: timed(lambda: query(con, theirs, o.where)),
        }
        for f in contestants.values():
            f()
        rounds = {name: [] for name in contestants}
        for _ in range(o.repeat):
            for name, f in contestants.items():
                rounds[name].append(f())
        results[codec] = {n: [round(statistics.median(v[i] for v in r), 4) for i in range(2)] for n, r in rounds.items()}
        print(codec)
        for name, (wall, used) in results[codec].items():
            print(f"  {name:50s} {wall:8.3f} s  {used:8.3f} s CPU")
    o.out.mkdir(parents=True, exist_ok=True)
    record = {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "pyarrow": pa.__version__,
        "duckdb": duckdb.__version__,
        "where": o.where,
        "repeat": o.repeat,
        "wall, CPU seconds": results,
    }
    (o.out / "handoff.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
