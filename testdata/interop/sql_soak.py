#!/usr/bin/env python3
"""Many clients ask a server of arrowio (a build with DuckDB) in SQL at once, for a time, and some are killed. Every answer is compared.

  sql_soak.py --bin ARROWIO --duckdb DIR --dir DIR [--clients 200] [--kill 50] [--seconds 1800] [--out DIR]

Clients ask the queries of TPC-H over ORC, some with parameters, some in sessions with temporary tables, some go away in mid-answer. The
answers are those of DuckDB over Parquet of the same rows, asked before. Clients are threads of processes; the processes that are killed
have one client each, and are started again until --kill have been killed. In the end nothing may be in use, and the memory of the server
must be below its limit and in the last quarter no more than a tenth above that of the second.
"""

import argparse
import datetime
import json
import multiprocessing
import os
import pathlib
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import urllib.request

import bench_tpch

LIMIT_MIB = 4096
PER_PROCESS = 25  # clients
FLAGS = [
    "--sql-memory", "256MiB", "--sql-threads", "2", "--sql-queries", "4", "--sql-client-queries", "4", "--sql-sessions", "32",
    "--sql-client-sessions", "32", "--sql-session-memory", "64MiB", "--sql-session-idle", "20s", "--memory", "32MiB", "--max-memory", "1GiB",
    "--max-client-memory", "768MiB", "--max-wait", "10m",
]  # fmt: skip


def connect(uri, session):
    import adbc_driver_flightsql.dbapi as dbapi

    options = {"adbc.flight.sql.rpc.with_cookie_middleware": "true"} if session else {}
    return dbapi.connect(uri, db_kwargs=options, autocommit=True)


def query(uri, queries, answers, rnd):
    n = rnd.randrange(len(queries))
    with connect(uri, False) as c, c.cursor() as cursor:
        cursor.execute(queries[n])
        got = [x[0] for x in cursor.description], cursor.fetchall(), None
    if text := bench_tpch.differs((*answers[n], None), got):
        return f"Q{n + 1}: {text}"
    return None


def parameter(uri, orders, rnd):
    key = rnd.choice(list(orders))
    with connect(uri, False) as c, c.cursor() as cursor:
        cursor.execute("SELECT o_custkey, o_totalprice FROM orders WHERE o_orderkey = ?", [key])
        got = cursor.fetchall()
    return None if got == [orders[key]] else f"order {key}: {got}, not {orders[key]}"


def session(uri, orders, rnd):
    keys = rnd.sample(list(orders), 20)
    with connect(uri, True) as c, c.cursor() as cursor:
        cursor.execute(f"CREATE TEMP TABLE mine AS SELECT * FROM orders WHERE o_orderkey IN ({', '.join(map(str, keys))})")
        cursor.execute("SELECT count(*), sum(o_totalprice) FROM mine")
        got = cursor.fetchall()
    want = [(len(keys), sum(orders[k][1] for k in keys))]
    return None if got == want else f"a session: {got}, not {want}"


def leave(uri, rnd):
    with connect(uri, False) as c, c.cursor() as cursor:
        cursor.execute("SELECT * FROM lineitem")
        cursor.fetchmany(rnd.randrange(1, 2000))
    return None


def client(uri, queries, answers, orders, seed, until, tell):
    rnd = random.Random(seed)
    while time.time() < until:
        what = rnd.choices(["query", "parameter", "session", "leave"], [5, 10, 2, 1])[0]
        try:
            wrong = {
                "query": lambda: query(uri, queries, answers, rnd), "parameter": lambda: parameter(uri, orders, rnd),
                "session": lambda: session(uri, orders, rnd), "leave": lambda: leave(uri, rnd),
            }[what]()  # fmt: skip
        except Exception as e:
            if "sessions, which is the most" in str(e):  # clients that are killed leave theirs until they are idle for long enough
                tell(("refused", what, ""))
                continue
            tell(("failed", what, re.sub(r"[0-9a-f]{8,}|\d+", "N", str(e))[:200]))
            time.sleep(1)
            continue
        tell(("wrong", what, wrong) if wrong else ("right", what, ""))


def clients(n, uri, queries, answers, orders, seed, until, pipe):
    lock = threading.Lock()

    def tell(x):
        with lock:
            pipe.send(x)

    threads = [threading.Thread(target=client, args=(uri, queries, answers, orders, f"{seed} {i}", until, tell), daemon=True) for i in range(n)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    pipe.send(None)


class Crowd:
    """The processes of clients, and what they told."""

    def __init__(self, *about):
        self.about, self.counts, self.lock, self.readers = about, {}, threading.Lock(), []

    def start(self, n, seed):
        ours, theirs = multiprocessing.Pipe(duplex=False)
        p = multiprocessing.get_context("spawn").Process(target=clients, args=(n, *self.about[:4], seed, self.about[4], theirs), daemon=True)
        p.start()
        theirs.close()
        t = threading.Thread(target=self.read, args=(ours,), daemon=True)
        t.start()
        self.readers.append(t)
        return p

    def read(self, pipe):
        while True:
            try:
                x = pipe.recv()
            except (EOFError, OSError):
                return
            if x is None:
                return
            with self.lock:
                self.counts[x] = self.counts.get(x, 0) + 1


def rss(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def in_use(metrics):
    """What the server says it has in use: streams, calls, memory, statements."""
    text = urllib.request.urlopen(metrics, timeout=10).read().decode()
    return {k: float(v) for k, v in re.findall(r"^arrowio_flight_((?:calls_running|streams|sent_bytes|memory_bytes|queue_memory|queue_sent)(?:{.*})?) (\S+)$", text, re.M)}


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--bin", required=True)
    a.add_argument("--duckdb", required=True)
    a.add_argument("--dir", type=pathlib.Path, required=True)
    a.add_argument("--scale", type=float, default=0.01)
    a.add_argument("--clients", type=int, default=200)
    a.add_argument("--kill", type=int, default=50)
    a.add_argument("--seconds", type=int, default=1800)
    a.add_argument("--out", type=pathlib.Path)
    o = a.parse_args()
    sys.path.insert(0, o.duckdb)
    os.environ["PYTHONPATH"] = os.pathsep.join([o.duckdb, str(pathlib.Path(__file__).parent)])
    o.dir, o.threads = o.dir.resolve(), 2
    bench_tpch.prepare(o)
    queries = json.loads((o.dir / "queries.json").read_text())
    duck = bench_tpch.Duck(bench_tpch.PARQUET, o)
    answers = [duck.run(q)[:2] for q in queries]
    orders = {k: (c, p) for k, c, p in duck.run("SELECT o_orderkey, o_custkey, o_totalprice FROM orders LIMIT 3000")[1]}
    duck.close()

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        metrics = f"127.0.0.1:{free.getsockname()[1]}"
    server = subprocess.Popen(
        [o.bin, "serve", "--json", "--log", "none", "--listen", "grpc://127.0.0.1:0", "--metrics-listen", metrics, *FLAGS,
         *(f"{t}={o.dir / t}.orc" for t in bench_tpch.TABLES)], stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    text = ""
    for line in server.stdout:
        text += line
        if line == "}\n":
            break
    ready = json.loads(text)
    uri = ready["addresses"][0].replace("grpc://", "grpc+tcp://")
    begun, until = time.time(), time.time() + o.seconds
    crowd = Crowd(uri, queries, answers, orders, until)
    mortal = [crowd.start(1, f"mortal {i}") for i in range(min(10, o.kill))]
    left = o.clients - len(mortal)
    steady = [crowd.start(min(PER_PROCESS, left - k), f"steady {k}") for k in range(0, left, PER_PROCESS)]
    memory, killed, rnd = [], 0, random.Random(1)
    while time.time() < until:
        time.sleep(1)
        if server.poll() is not None:
            sys.exit(f"the server has ended with {server.returncode}")
        memory.append(rss(server.pid))
        while killed < o.kill and killed < o.kill * (time.time() - begun) / o.seconds:
            i = rnd.randrange(len(mortal))
            mortal[i].kill()
            killed += 1
            mortal[i] = crowd.start(1, f"mortal again {killed}")
    for p in steady + mortal:
        p.join(180)
    for t in crowd.readers:
        t.join(10)
    time.sleep(30)  # sessions end when they are idle
    used = in_use(f"http://{metrics}/metrics")
    end = rss(server.pid)
    server.send_signal(signal.SIGTERM)
    code = server.wait(60)
    report(o, crowd.counts, memory, end, killed, used, code)


def report(o, counts, memory, end, killed, used, code):
    q = len(memory) // 4
    second, last = (statistics.median(memory[i * q : (i + 1) * q]) for i in (1, 3))
    verdict = []
    right = sum(n for x, n in counts.items() if x[0] == "right")
    lines = [
        f"{datetime.date.today()}: {o.clients} clients for {o.seconds} s, {killed} killed, TPC-H of scale factor {o.scale}; serve {' '.join(FLAGS)}",
        f"{right} answers right: " + ", ".join(f"{n} {x[1]}" for x, n in sorted(counts.items()) if x[0] == "right"),
        f"the server's memory: at most {max(memory):.0f} MiB (limit {LIMIT_MIB}), median of the second quarter {second:.0f}, of the last {last:.0f}, when idle {end:.0f}",
        f"in use when idle: {used}; exit {code}; load average {os.getloadavg()[0]:.0f}",
    ]
    for x, n in sorted(counts.items()):
        if x[0] != "right":
            lines.append(f"{x[0]}: {n} × {x[1]}: {x[2]}")
        if x[0] in ("wrong", "failed"):
            verdict.append(x[0])
    checks = {
        "no answer": right > 0, "too much memory": max(memory) <= LIMIT_MIB, "memory grows": last <= 1.1 * second,
        "in use when idle": bool(used) and not any(used.values()), "exit code": code == 0, "none were killed": killed == o.kill,
    }  # fmt: skip
    verdict += [name for name, good in checks.items() if not good]
    lines.append("bad: " + ", ".join(sorted(set(verdict))) if verdict else "good")
    print("\n".join(lines))
    if o.out:
        (o.out / "sql-soak.txt").write_text("\n".join(lines) + "\n")
    sys.exit(bool(verdict))


if __name__ == "__main__":
    main()
