"""Times handing an ORC file over to Python and DuckDB: arrowio, pyarrow, and arrowio's own scan in Go beside them, with
batches released one by one and with all of them held.

Every figure is the median of --repeat rounds, in which the contestants take turns. A turn is two passes, of which the
second counts: memory is as warm as it gets, for Go and for Python. Wall and CPU seconds; beside them the median of the ratios
to the scan in Go that releases its batches, round by round.
"""

import argparse
import gc
import json
import os
import pathlib
import platform
import resource
import statistics
import subprocess
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads turn in circles before they sleep, in the time of others

import duckdb
import pyarrow as pa
import pyarrow.dataset as pads
import pyarrow.orc

import arrowio


def cpu(who):
    u = resource.getrusage(who)
    return u.ru_utime + u.ru_stime


def timed(f):
    for _ in range(2):
        c, t = cpu(resource.RUSAGE_SELF), time.perf_counter()
        result = f()
        wall, used = time.perf_counter() - t, cpu(resource.RUSAGE_SELF) - c
        del result
    return wall, used


class Go:
    """A process of handoff-bench, which scans when it is told to."""

    def __init__(self, program, path, *flags):
        self.process = subprocess.Popen([program, *flags, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def __call__(self):
        for _ in range(2):
            self.process.stdin.write("\n")
            answer = json.loads(self.process.stdout.readline())
        return answer["wall_seconds"], answer["cpu_seconds"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


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
    a.add_argument("--go", required=True, help="the program of handoff-bench")
    a.add_argument("--dir", type=pathlib.Path, required=True)
    a.add_argument("--out", type=pathlib.Path, required=True)
    a.add_argument("--repeat", type=int, default=15)
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
        go = {(jobs, held): Go(o.go, path, "-jobs", jobs, *held) for jobs in "10" for held in ((), ("-hold",))}
        contestants = {
            "Go, batches released, jobs=1": go["1", ()],
            "Go, batches held, jobs=1": go["1", ("-hold",)],
            "batches of arrowio, each released, jobs=1": lambda: timed(lambda: sum(b.num_rows for b in one.to_batches())),
            "pa.table(arrowio.open(f)), jobs=1": lambda: timed(lambda: pa.table(one)),
            "Go, batches released": go["0", ()],
            "Go, batches held": go["0", ("-hold",)],
            "batches of arrowio, each released": lambda: timed(lambda: sum(b.num_rows for b in ds.to_batches())),
            "pa.table(arrowio.open(f))": lambda: timed(lambda: pa.table(ds)),
            "pyarrow.orc.read_table": lambda: timed(lambda: pyarrow.orc.read_table(str(path))),
            "DuckDB over arrowio.open(f), where in SQL": lambda: timed(lambda: query(con, ds, o.where)),
            "DuckDB over the stream of it alone, where in SQL": lambda: timed(lambda: query(con, Stream(ds), o.where)),
            "DuckDB over arrowio.open(f, where=...)": lambda: timed(lambda: query(con, filtered, "true")),
            "DuckDB over to_pyarrow_dataset(), where in SQL": lambda: timed(lambda: query(con, pushed, o.where)),
            "DuckDB over pyarrow's ORC dataset, where in SQL": lambda: timed(lambda: query(con, theirs, o.where)),
        }
        gc.collect()
        gc.freeze()
        rounds = {name: [] for name in contestants}
        for _ in range(o.repeat):
            for name, f in contestants.items():
                rounds[name].append(f())
        for g in go.values():
            g.close()
        print(codec)
        results[codec] = {}
        for name, taken in rounds.items():
            base = rounds["Go, batches released, jobs=1" if name.endswith("jobs=1") else "Go, batches released"]
            figures = [statistics.median(t[i] for t in taken) for i in range(2)]
            figures += [statistics.median(t[i] / b[i] for t, b in zip(taken, base)) for i in range(2)]
            results[codec][name] = [round(x, 4) for x in figures]
            print("  {:50s} {:8.3f} s  {:8.3f} s CPU  {:6.3f}  {:6.3f}".format(name, *figures))
    o.out.mkdir(parents=True, exist_ok=True)
    record = {
        "machine": platform.machine(),
        "python": platform.python_version(),
        "pyarrow": pa.__version__,
        "duckdb": duckdb.__version__,
        "where": o.where,
        "repeat": o.repeat,
        "wall, CPU seconds, both as ratios to Go": results,
    }
    (o.out / "handoff.json").write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
