"""TPC-H: the 22 queries over ORC files by a server of arrowio (a build with DuckDB), over the same rows in Parquet by DuckDB, and
over the ORC files by DuckDB on pyarrow's datasets. All answers must be equal. Times are of processes that stay, in turns: CPU of the process
that answers (of its user and the system, all threads), and of the clock. --check compares the answers alone.

The rows and the queries are those of DuckDB's extension tpch, for which --duckdb names a directory of pip's with duckdb and
duckdb-extension-tpch.
"""

import argparse
import atexit
import datetime
import decimal
import json
import math
import multiprocessing
import os
import pathlib
import platform
import signal
import statistics
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")
TABLES = ["customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier"]
PARQUET, DATASET, SERVE = "DuckDB, Parquet", "DuckDB, pyarrow on ORC", "serve, ORC"


def prepare(o):
    """Writes the tables as Parquet and ORC, and the queries, unless they are there."""
    if (o.dir / "ready").exists():
        return
    o.dir.mkdir(parents=True, exist_ok=True)
    import duckdb

    con = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    extension = next(pathlib.Path(o.duckdb).glob("duckdb_extension_tpch/extensions/*/tpch.duckdb_extension"))
    con.execute(f"LOAD '{extension}'")
    con.execute(f"CALL dbgen(sf = {o.scale})")
    for t in TABLES:
        con.execute(f"COPY {t} TO '{o.dir / t}.parquet' (FORMAT parquet, COMPRESSION zstd)")
        subprocess.run([o.bin, "convert", "--compression", "zstd", f"{o.dir / t}.parquet", f"{o.dir / t}.orc"], check=True)
    queries = [q for (q,) in con.execute("SELECT query FROM tpch_queries() ORDER BY query_nr").fetchall()]
    (o.dir / "queries.json").write_text(json.dumps(queries))
    (o.dir / "ready").touch()


def answer(kind, o, pipe):
    """Answers queries with DuckDB, in a process of its own."""
    import duckdb
    import pyarrow
    import pyarrow.dataset

    pyarrow.set_cpu_count(o.threads)
    con = duckdb.connect(config={"threads": o.threads})
    for t in TABLES:
        if kind == PARQUET:
            con.execute(f"CREATE VIEW {t} AS FROM read_parquet('{o.dir / t}.parquet')")
        else:
            con.register(t, pyarrow.dataset.dataset(o.dir / f"{t}.orc", format="orc"))
    pipe.send(f"DuckDB {duckdb.__version__}, pyarrow {pyarrow.__version__}")
    while (sql := pipe.recv()) is not None:
        cpu, clock = time.process_time(), time.perf_counter()
        cursor = con.execute(sql)
        rows = cursor.fetchall()
        took = time.process_time() - cpu, time.perf_counter() - clock
        pipe.send(([c[0] for c in cursor.description], rows, took))


class Duck:
    def __init__(self, kind, o):
        self.pipe, theirs = multiprocessing.Pipe()
        self.process = multiprocessing.get_context("spawn").Process(target=answer, args=(kind, o, theirs), daemon=True)
        self.process.start()
        self.versions = self.pipe.recv()

    def run(self, sql):
        self.pipe.send(sql)
        while not self.pipe.poll(1):
            if not self.process.is_alive():
                sys.exit("DuckDB's process has ended")
        return self.pipe.recv()

    def close(self):
        self.pipe.send(None)
        self.process.join()


class Serve:
    def __init__(self, o):
        import adbc_driver_flightsql.dbapi as dbapi

        self.process = subprocess.Popen(
            [o.bin, "serve", "--json", "--log", "none", "--listen", "grpc://127.0.0.1:0", "--sql-threads", str(o.threads), "--sql-memory", "8GiB",
             *o.serve_flag, *(f"{t}={o.dir / t}.orc" for t in TABLES)],
            stdout=subprocess.PIPE, text=True, env=os.environ | {"GOMAXPROCS": str(o.threads)},
        )  # fmt: skip
        atexit.register(self.process.kill)
        text = ""
        for line in self.process.stdout:
            text += line
            if line == "}\n":
                break
        ready = json.loads(text)
        self.connection = dbapi.connect(ready["addresses"][0].replace("grpc://", "grpc+tcp://"), autocommit=True)

    def cpu(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def run(self, sql):
        cpu, clock = self.cpu(), time.perf_counter()
        with self.connection.cursor() as cursor:
            cursor.execute(sql)
            rows = cursor.fetchall()
            names = [c[0] for c in cursor.description]
        return names, rows, (self.cpu() - cpu, time.perf_counter() - clock)

    def close(self):
        self.connection.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    exact = int, decimal.Decimal  # HUGEINT is a decimal in Arrow
    return a == b and (type(a) is type(b) or (isinstance(a, exact) and isinstance(b, exact)))


def key(row):
    return [(v is None, round(v, 6) if isinstance(v, float) else v) for v in row]


def differs(want, got):
    """Says what is not equal, of names and rows; None is nothing."""
    (names, rows, _), (their_names, their_rows, _) = want, got
    if names != their_names:
        return f"columns {their_names}, not {names}"
    if len(rows) != len(their_rows):
        return f"{len(their_rows)} rows, not {len(rows)}"
    for i, (a, b) in enumerate(zip(sorted(rows, key=key), sorted(their_rows, key=key))):
        if not all(map(same, a, b)):
            return f"row {i} in order is {b}, not {a}"
    return None


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--bin", required=True, help="arrowio, a build with DuckDB")
    a.add_argument("--duckdb", required=True)
    a.add_argument("--dir", type=pathlib.Path, required=True)
    a.add_argument("--scale", type=float, default=1)
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--rounds", type=int, default=3)
    a.add_argument("--only", type=int, action="append", help="a query's number; may be given several times")
    a.add_argument("--serve-flag", action="append", default=[])
    a.add_argument("--check", action="store_true")
    a.add_argument("--out", type=pathlib.Path)
    o = a.parse_args()
    sys.path.insert(0, o.duckdb)
    os.environ["PYTHONPATH"] = o.duckdb
    o.dir = o.dir.resolve()
    prepare(o)

    ours, parquet = Serve(o), Duck(PARQUET, o)
    contestants = {SERVE: ours, PARQUET: parquet}
    if not o.check:
        contestants[DATASET] = Duck(DATASET, o)
    wrong, took = 0, {}
    rows = 0
    queries = dict(enumerate(json.loads((o.dir / "queries.json").read_text()), 1))
    for n, sql in queries.items():
        if o.only and n not in o.only:
            continue
        answers = {kind: c.run(sql) for kind, c in contestants.items()}  # which also warms them up
        rows += len(answers[PARQUET][1])
        for kind, got in answers.items():
            if text := differs(answers[PARQUET], got):
                wrong += 1
                print(f"Q{n}: {kind}: {text}", file=sys.stderr)
        if o.check:
            continue
        rounds = {kind: [] for kind in contestants}
        for i in range(o.rounds):
            order = list(contestants)
            for kind in order[i % 3 :] + order[: i % 3]:
                rounds[kind].append(contestants[kind].run(sql)[2])
        took[n] = {kind: [statistics.median(r[i] for r in rs) for i in (0, 1)] for kind, rs in rounds.items()}
        print(f"Q{n}", *(f"{kind}: {t[0]:.2f} s CPU, {t[1]:.2f} s" for kind, t in took[n].items()), sep="  ", flush=True)
    if took:
        report(o, took, parquet.versions)
    for c in contestants.values():
        c.close()
    if o.check and not o.only and (len(queries) != 22 or rows == 0):
        sys.exit(f"{len(queries)} queries with {rows} rows: these are not TPC-H's")
    print(f"{'all' if not wrong else wrong} {'answers are equal' if not wrong else 'answers differ'}")
    sys.exit(bool(wrong))


def report(o, took, versions):
    total = {kind: [sum(t[kind][i] for t in took.values()) for i in (0, 1)] for kind in (SERVE, PARQUET, DATASET)}
    lines = [
        f"TPC-H, scale factor {o.scale:g}, {o.threads} threads, medians of {o.rounds}, {versions}, {platform.machine()}, {datetime.date.today()}",
        "",
        "| query | serve, ORC: CPU s | DuckDB, Parquet | DuckDB, pyarrow on ORC | serve : Parquet | serve : pyarrow | clock: serve | Parquet | pyarrow |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for n, t in [*took.items(), ("all", total)]:
        (s, sw), (p, pw), (d, dw) = t[SERVE], t[PARQUET], t[DATASET]
        lines.append(f"| {n} | {s:.2f} | {p:.2f} | {d:.2f} | {s / p:.2f} | {s / d:.2f} | {sw:.2f} | {pw:.2f} | {dw:.2f} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if o.out:
        (o.out / "tpch.txt").write_text(text)


if __name__ == "__main__":
    main()
