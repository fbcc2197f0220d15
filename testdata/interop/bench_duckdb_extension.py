"""Times statements of DuckDB over a large ORC file: through the extension, through pyarrow's ORC dataset, and over a table
that pyarrow has read. Every figure is the median of --repeat rounds in which all take turns: seconds of the clock, and of CPU.
"""

import argparse
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import duckdb
import pyarrow.dataset as pads
import pyarrow.orc

HERE = pathlib.Path(__file__).resolve().parent
STATEMENTS = {
    "count(*)": "select count(*) from {}",
    "two columns": "select sum(l_quantity), max(l_shipdate) from {}",
    "all columns": "select bit_xor(hash(t)) from {} t",
    "all columns into a table": "create or replace temp table copy as from {}",
    "100 of 3 M rows": "select count(*), sum(l_quantity) from {where}",
}
WHERE = "l_orderkey between 1000000 and 1000100"


def cpu():
    u = resource.getrusage(resource.RUSAGE_SELF)
    return u.ru_utime + u.ru_stime


def timed(f):
    c, t = cpu(), time.perf_counter()
    f()
    return time.perf_counter() - t, cpu() - c


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--extension", required=True)
    a.add_argument("--dir", type=pathlib.Path, required=True)
    a.add_argument("--repeat", type=int, default=7)
    a.add_argument("--threads", type=int, default=2)
    o = a.parse_args()
    for codec in ("none", "zlib"):
        path = o.dir / f"lineitem_{codec}.orc"
        if not path.exists():
            subprocess.run([sys.executable, str(HERE / "orc-bench/mkbig.py"), str(o.dir), "3000000"], check=True)
        con = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": o.threads})
        con.execute(f"load '{o.extension}'")
        theirs = pads.dataset(str(path), format="orc")
        con.register("theirs", theirs)

        def over(relation, filtered):
            def run(sql):
                return lambda: con.execute(sql.format(relation, where=filtered)).fetchall()

            return run

        def read(sql):
            def run():
                con.register("table_read", pyarrow.orc.read_table(str(path)))
                con.execute(sql.format("table_read", where=f"table_read where {WHERE}")).fetchall()
                con.unregister("table_read")

            return run

        contestants = {
            "the extension": over(f"'{path}'", f"read_orc('{path}', filter := '{WHERE}')"),
            "pyarrow's dataset": over("theirs", f"theirs where {WHERE}"),
            "pyarrow.orc.read_table": read,
        }
        print(f"lineitem_{codec}.orc, DuckDB {duckdb.__version__}, pyarrow {pyarrow.__version__}, {o.threads} threads")
        for what, sql in STATEMENTS.items():
            rounds = {name: [] for name in contestants}
            for i in range(o.repeat + 1):
                for name, make in contestants.items():
                    taken = timed(make(sql))
                    if i > 0:
                        rounds[name].append(taken)
            for name, taken in rounds.items():
                wall, used = (statistics.median(t[k] for t in taken) for k in range(2))
                print(f"  {what:26s} {name:24s} {wall:8.3f} s {used:8.3f} s CPU")
        con.close()


if __name__ == "__main__":
    main()
