#!/usr/bin/env python3
"""arrowio's Flight server and pyarrow's (C++), side by side in one run: one client, the loopback, rounds that alternate.

  bench_flight.py --bin ARROWIO --memory-bin FLIGHT_BENCH --dir BIGFILES [--mib N] [--rounds N] [--only TEXT] [--out DIR]

"memory" sends batches of a mebibyte that are ready: what sending costs. "orc" reads a file for each stream: pyarrow's
server with pyarrow.orc, stripe by stripe and the table at once. The client is pyarrow's and drops what it gets. "client" has clients side by
side instead: pyarrow's, Go's as Arrow has it, and the same with package flight/client; all read the memory of our server. Throughput
is Arrow bytes by wall time; the CPU is that of the whole server process, or client process.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import pyarrow.flight as flight

HERE = pathlib.Path(__file__).resolve().parent
TICKS = os.sysconf("SC_CLK_TCK")
GOALS = {"client": 1.0, "memory tcp": 1.0, "memory unix": 1.5, "orc lineitem_none": 2.0, "orc lineitem_zlib": 2.0}
CPU_GOAL = 0.45


def args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--memory-bin", required=True)
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--mib", type=int, default=1024)
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--only", default="", help="only parts whose name contains this text")
    p.add_argument("--out", type=pathlib.Path, help="folder for the raw figures")
    return p.parse_args()


class Server:
    """A server process, and a client of each of its addresses."""

    def __init__(self, *command, addresses=1):
        self.process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, text=True)
        self.uris = [self.process.stdout.readline().strip() for _ in range(addresses)]
        self.clients = [flight.FlightClient(u) for u in self.uris]

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def get(self, ticket, address=0):
        cpu, start, size, rows, batches = self.cpu(), time.perf_counter(), 0, 0, 0
        reader = self.clients[address].do_get(flight.Ticket(ticket))
        while True:
            try:
                batch = reader.read_chunk().data
            except StopIteration:
                break
            size, rows, batches = size + batch.nbytes, rows + batch.num_rows, batches + 1
        wall = time.perf_counter() - start
        return {"bytes": size, "rows": rows, "batches": batches, "wall": wall, "cpu": self.cpu() - cpu}

    def end(self):
        for c in self.clients:
            c.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


class GoClient:
    """A client process in Go, which reads a stream when it is told to."""

    def __init__(self, binary, uri, ticket, how):
        self.process = subprocess.Popen([binary, "get", uri, ticket, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def get(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait(10)


def own_cpu(get):
    """Calls get, and takes the CPU of this process for that of the server."""
    before = os.times()
    r = get()
    after = os.times()
    return {**r, "cpu": after.user + after.system - before.user - before.system}


def measure(rounds, tools):
    """Calls each tool in turn, once a round; the first round warms up."""
    got = {name: [] for name in tools}
    for i in range(rounds + 1):
        for name, tool in tools.items():
            r = tool()
            if i:
                got[name].append(r)
    sizes = {r["rows"] for rs in got.values() for r in rs}
    assert len(sizes) == 1, f"different numbers of rows: {sizes}"
    return got


def speed(r):
    return r["bytes"] / r["wall"] / 1e6


def per_gib(r):
    return r["cpu"] / (r["bytes"] / (1 << 30))


def lines(part, got):
    """A line for each server; the ratio is the median of those of each round, to pyarrow over TCP or the better of its ways."""
    peers = [name for name in got if name.startswith("pyarrow")]
    best = "pyarrow tcp" if "pyarrow tcp" in got else max(peers, key=lambda p: statistics.median(map(speed, got[p])))
    for name, rs in got.items():
        ratio = statistics.median(speed(a) / speed(b) for a, b in zip(rs, got[best]))
        goal = GOALS.get(f"{part} {name.removeprefix('arrowio ')}" if part == "memory" else part, "") if name.startswith("arrowio") else ""
        yield f"{part:20} {name:18} {statistics.median(map(speed, rs)):8.0f} {ratio:9.2f} {goal:>6} {statistics.median(map(per_gib, rs)):9.2f}"


HEAD = f"{'what':20} {'server':18} {'MB/s':>8} {'x pyarrow':>9} {'goal':>6} {'CPU s/GiB':>9}"


def machine():
    model = next((x.split(":", 1)[1].strip() for x in open("/proc/cpuinfo", encoding="utf-8") if x.startswith("model name")), platform.machine())
    go = subprocess.run(["go", "version"], capture_output=True, text=True, check=False).stdout.strip()
    return {"cpu": model, "cpus": os.cpu_count(), "go": go, "pyarrow": importlib.metadata.version("pyarrow"),
            "when": datetime.date.today().isoformat(), "load": os.getloadavg()}


def main():
    a = args()
    about, results, text = machine(), {}, []
    print(HEAD, flush=True)
    servers = []

    def start(*command, addresses=1):
        servers.append(Server(*command, addresses=addresses))
        return servers[-1]

    def part(name, tools):
        if a.only in name:
            results[name] = measure(a.rounds, tools)
            for line in lines(name, results[name]):
                text.append(line)
                print(line, flush=True)

    with tempfile.TemporaryDirectory() as tmp:
        try:
            peer = HERE / "flight-bench/peer_pyarrow.py"
            tcp, unix = (start(sys.executable, peer, a.mib if a.only in "memory" else 1, uri) for uri in ("grpc://127.0.0.1:0", f"grpc+unix://{tmp}/peer"))
            ticket = b'{"dataset":"memory"}'
            if a.only in "memory":
                ours = start(a.memory_bin, a.mib, "grpc://127.0.0.1:0", f"unix://{tmp}/ours", addresses=2)
                part("memory", {
                    "arrowio tcp": lambda: ours.get(ticket), "pyarrow tcp": lambda: tcp.get(b"memory"),
                    "arrowio unix": lambda: ours.get(ticket, 1), "pyarrow unix": lambda: unix.get(b"memory"),
                })
            if a.only in "client":
                ours = start(a.memory_bin, a.mib, "grpc://127.0.0.1:0")
                go = {how: GoClient(a.memory_bin, ours.uris[0], ticket.decode(), how) for how in ("arrow", "ours")}
                servers.extend(go.values())
                part("client", {"pyarrow tcp": lambda: own_cpu(lambda: ours.get(ticket)), "go, arrow's": go["arrow"].get, "arrowio": go["ours"].get})
            files = [a.dir / f"lineitem_{codec}.orc" for codec in ("none", "zlib")]
            files = [f for f in files if a.only in f"orc {f.stem}"]
            if files:
                if not all(f.exists() for f in files):
                    subprocess.run([sys.executable, str(HERE / "orc-bench/mkbig.py"), str(a.dir), "3000000"], check=True)
                serve = start(a.bin, "serve", "--log", "none", "--endpoint-bytes", "1TB", "--listen", "grpc://127.0.0.1:0",
                              "--listen", f"unix://{tmp}/orc", *(f"{f.stem}={f}" for f in files), addresses=2)
                for f in files:
                    ticket = json.dumps({"dataset": f.stem}).encode()
                    part(f"orc {f.stem}", {
                        "arrowio tcp": lambda t=ticket: serve.get(t), "pyarrow stripes": lambda f=f: tcp.get(f"stripes {f}".encode()),
                        "arrowio unix": lambda t=ticket: serve.get(t, 1), "pyarrow table": lambda f=f: tcp.get(f"table {f}".encode()),
                    })
        finally:
            for s in servers:
                s.end()
    about["load after"] = os.getloadavg()
    print("\n".join(f"{k}: {v}" for k, v in about.items()))
    if a.out:
        a.out.mkdir(parents=True, exist_ok=True)
        (a.out / "flight.json").write_text(json.dumps({"machine": about, "goals": {**GOALS, "CPU s/GiB": CPU_GOAL}, "results": results}, indent=1) + "\n")
        (a.out / "flight.txt").write_text("\n".join([HEAD, *text, "", *(f"{k}: {v}" for k, v in about.items())]) + "\n")


main()
