#!/usr/bin/env python3
"""Two builds of arrowio on the same files, in turns: CPU time, one core, the median of the ratios of the rounds.

  bench_builds.py --old ARROWIO --new ARROWIO [--rounds N] [--passes N] [--only TEXT] [--out FILE]
                  [--orc DIR] [--trevni DIR] [--kudu DIR] [--memory OLD NEW --mib N]

The folders are those of bench_orc.py, bench_trevni.py and bench_cfile.py; what is not named is left out. A round is a process of
each build over the same file, the order changing from round to round; the first pass of a process warms up and does not count.
Whole processes: `schema` and `cat --limit 5`. With --memory, a Flight server of each build (flight-bench) sends --mib MiB
that are ready to pyarrow's client, and `serve` of each build sends files of --orc: CPU of the whole server.
"""

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile

TICKS = os.sysconf("SC_CLK_TCK")


def args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--old", required=True)
    p.add_argument("--new", required=True)
    p.add_argument("--orc", type=pathlib.Path)
    p.add_argument("--trevni", type=pathlib.Path)
    p.add_argument("--kudu", type=pathlib.Path)
    p.add_argument("--memory", nargs=2, metavar=("OLD", "NEW"))
    p.add_argument("--mib", type=int, default=512)
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--passes", type=int, default=3)
    p.add_argument("--only", default="", help="only what has this text in its name")
    p.add_argument("--core", default="1")
    p.add_argument("--out", type=pathlib.Path)
    return p.parse_args()


class Bench:
    def __init__(self, a):
        self.a, self.text, self.results = a, [], {}

    def say(self, line):
        self.text.append(line)
        print(line, flush=True)

    def case(self, name, measure, rounds=None):
        """measure(build) gives CPU seconds of its passes."""
        if self.a.only not in name:
            return
        got = {"old": [], "new": []}
        for i in range(rounds or self.a.rounds):
            for build in ("old", "new") if i % 2 else ("new", "old"):
                got[build].append(statistics.median(measure(build)))
        ratios = [n / o for o, n in zip(got["old"], got["new"])]
        old, new = (statistics.median(got[b]) * 1e3 for b in ("old", "new"))
        self.results[name] = got
        self.say(f"{name:44} {old:9.1f} {new:9.1f} {statistics.median(ratios):7.3f} {min(got['new']) / min(got['old']):9.3f}")

    def run(self, build, *words):
        env = dict(os.environ, TZ="UTC", GOMAXPROCS="1")
        done = subprocess.run(["taskset", "-c", self.a.core, getattr(self.a, build), *map(str, words)], capture_output=True, text=True, env=env, check=False)
        if done.returncode:
            raise SystemExit(f"{build} {words}: {done.stderr.strip()}")
        return done.stdout

    def scan(self, build, *words):
        doc, _ = json.JSONDecoder().raw_decode(self.run(build, "scan", "--jobs", 1, "--repeat", self.a.passes + 1, "--json", *words))
        return [r["cpu_seconds"] for r in doc["repeats"][1:]]

    def process(self, build, *words):
        took = []
        for _ in range(self.a.passes * 2):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            self.run(build, *words)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return took

    def files(self):
        a = self.a
        if a.orc:
            for f in sorted(a.orc.glob("*.orc")):
                self.case(f"scan {f.name}", lambda b, f=f: self.scan(b, f))
            self.case("filter sorted.orc", lambda b: self.scan(b, "--where", "key = 2000000", a.orc / "sorted.orc"))
            self.case("schema lineitem_zlib.orc", lambda b: self.process(b, "schema", a.orc / "lineitem_zlib.orc"))
            self.case("cat --limit 5 lineitem_zlib.orc", lambda b: self.process(b, "cat", "--limit", 5, a.orc / "lineitem_zlib.orc"))
        if a.trevni:
            for f in sorted(a.trevni.glob("*.trv")):
                for view in "columns", "records":
                    self.case(f"scan {f.name} {view}", lambda b, f=f, view=view: self.scan(b, f"--trevni-view={view}", f))
                    if f.name == "big-null.trv":
                        for column in json.loads(self.run("new", "schema", "--json", f"--trevni-view={view}", f))["fields"] if view == "records" else []:
                            self.case(f"scan {f.name} {column['name']}", lambda b, f=f, c=column["name"]: self.scan(b, "--columns", c, f))
            self.case("cat --limit 5 big-deflate.trv", lambda b: self.process(b, "cat", "--limit", 5, a.trevni / "big-deflate.trv"))
        if a.kudu:
            self.case("scan table of Kudu", lambda b: self.scan(b, "--from", "kudu", "--kudu-data-dir", a.kudu / "data", "--kudu-table", "big", a.kudu / "wal"))
            for f in sorted((a.kudu / "columns").glob("*.cfile")):
                if f.stem not in ("bloom", "undo-0"):
                    self.case(f"scan {f.name}", lambda b, f=f: self.scan(b, f))

    def flight(self):
        a = self.a
        if not a.memory:
            return
        import pyarrow.flight as flight  # only this part needs it

        with tempfile.TemporaryDirectory() as tmp:
            servers = {}
            for build, memory in zip(("old", "new"), a.memory):
                commands = {"memory": [memory, str(a.mib), "grpc://127.0.0.1:0", f"unix://{tmp}/{build}"]}
                if a.orc:
                    commands["orc"] = [getattr(a, build), "serve", "--log", "none", "--endpoint-bytes", "1TB", "--listen", "grpc://127.0.0.1:0",
                                       "--listen", f"unix://{tmp}/{build}-orc", *(f"{c}={a.orc}/lineitem_{c}.orc" for c in ("none", "zlib"))]
                for what, command in commands.items():
                    p = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
                    clients = [flight.FlightClient(p.stdout.readline().strip()) for _ in range(2)]
                    servers[build, what] = p, clients

            def cpu(p):
                with open(f"/proc/{p.pid}/stat", encoding="ascii") as f:
                    fields = f.read().rsplit(")", 1)[1].split()
                return (int(fields[11]) + int(fields[12])) / TICKS

            def get(build, what, dataset, address):
                p, clients = servers[build, what]
                took = []
                for _ in range(a.passes):
                    before = cpu(p)
                    for chunk in clients[address].do_get(flight.Ticket(json.dumps({"dataset": dataset}).encode())):
                        del chunk
                    took.append(cpu(p) - before)
                return took

            try:
                for address, way in enumerate(("tcp", "unix")):
                    self.case(f"flight memory {way}", lambda b: get(b, "memory", "memory", address))
                    for c in ("none", "zlib") if a.orc else ():
                        self.case(f"flight lineitem_{c} {way}", lambda b, c=c: get(b, "orc", c, address))
            finally:
                for p, _ in servers.values():
                    p.terminate()
                    p.wait()


def main():
    a = args()
    bench = Bench(a)
    bench.say(f"{'case':44} {'old':>9} {'new':>9} {'ratio':>7} {'of minima':>9}\n{'':44} {'CPU ms, medians':>19}")
    bench.files()
    bench.flight()
    middle = sorted(statistics.median(n / o for o, n in zip(g["old"], g["new"])) for g in bench.results.values())
    if middle:
        bench.say(f"{len(middle)} cases: median {statistics.median(middle):.3f}, from {middle[0]:.3f} to {middle[-1]:.3f}; load {os.getloadavg()[0]:.1f}")
    if a.out:
        a.out.write_text("\n".join(bench.text) + "\n")


main()
