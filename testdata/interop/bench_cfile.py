#!/usr/bin/env python3
"""Kudu's own tool, its Java client and arrowio on the same tables and files in one run: CPU time, one thread, rounds that alternate.

  bench_cfile.py --bin ARROWIO --dir BIG --kudu KUDU.SH [--jar JUDGE] [--rounds N] [--passes N] [--only TEXT] [--out DIR]

BIG/wal and BIG/data are a stopped server with the table big, BIG/columns lone files (interop/kudu/big.sh makes them).

table    every column of the table. `kudu perf tablet_scan` reads the same directories in its process, with a block cache of
         1 MB, and with the usual one, out of which it reads from the second pass on; opening is not counted, as it is for
         arrowio. It replays the log into a new one, so what it reads has to be a copy that may change. `kudu perf table_scan` and the Java client ask a running server, whose CPU time does not count.
columns  lone files, by arrowio alone: one worker and two.

arrowio and the offline tool are pinned to one core; --jobs 2 and what asks a server have all cores.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent


def args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--kudu", required=True, help="interop/kudu/kudu.sh")
    p.add_argument("--jar", help="kudu-judge/target/kudu-judge.jar")
    p.add_argument("--rows", type=int, default=6_000_000)
    p.add_argument("--lone", type=int, default=4_000_000, help="rows of the lone files")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--passes", type=int, default=3, help="passes in each round that count")
    p.add_argument("--only", default="", help="only what has this text in its name: table, server, or a file's")
    p.add_argument("--core", default="1")
    p.add_argument("--out", type=pathlib.Path, help="folder for the raw figures")
    return p.parse_args()


def run(command, core=None):
    words, env = [str(w) for w in command], dict(os.environ)
    if core is not None:
        env |= {"GOMAXPROCS": "1"}
        words = ["taskset", "-c", core, *words]
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout + done.stderr


def cost(command, core=None):
    """CPU and wall seconds of a whole process and those it started."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    text = run(command, core)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, text


class Bench:
    def __init__(self, a):
        self.a, self.results, self.text = a, {}, []

    def say(self, line):
        self.text.append(line)
        print(line, flush=True)

    def ours(self, jobs, core, *where):
        doc, _ = json.JSONDecoder().raw_decode(run([self.a.bin, "scan", "--jobs", jobs, "--repeat", self.a.passes + 1, "--json", *where], core))  # warnings come behind
        return [{"rows": r["rows"], "cpu": r["cpu_seconds"], "wall": r["wall_seconds"], "arrow_bytes": r["arrow_bytes"],
                 "peak_mib": doc["peak_rss_bytes"] / 2**20} for r in doc["repeats"][1:]]

    def table(self, jobs, core):
        return self.ours(jobs, core, "--from", "kudu", "--kudu-data-dir", self.a.dir / "data", "--kudu-table", "big", self.a.dir / "wal")

    def tablet_scan(self, cache):
        """The tool says itself what its thread took for each pass; the first one is left out."""
        [tablet] = os.listdir(self.a.dir / "wal/tablet-meta")
        text = run([self.a.kudu, "tool", "perf", "tablet_scan", tablet, f"--fs_wal_dir={self.a.dir}/wal", f"--fs_data_dirs={self.a.dir}/data",
                    "--block_manager=file", f"--block_cache_capacity_mb={cache}", f"--num_iters={self.a.passes + 1}"], self.a.core)
        rows = [int(n) for n in re.findall(r"scanned (\d+) rows", text)]
        times = re.findall(r"\(iter \d+\): real (\S+)s\s+user (\S+)s\s+sys (\S+)s", text)
        return [{"rows": n, "cpu": float(user) + float(system), "wall": float(real)} for n, (real, user, system) in zip(rows, times)][1:]

    def measure(self, name, tools, rounds):
        if self.a.only not in name:
            return
        row = self.results.setdefault(name, {})
        for _ in range(rounds):
            for tool, call in tools.items():
                try:
                    row.setdefault(tool, []).extend(call())
                except RuntimeError as e:
                    row.setdefault("errors", {})[tool] = str(e)
                    self.say(f"{name} {tool}: {e}")
        ours = middle(row, "arrowio", "cpu")
        for tool in tools:
            cpu, wall = (middle(row, tool, k) for k in ("cpu", "wall"))
            if not cpu:
                continue
            rows = row[tool][0]["rows"]
            size = row[tool][0].get("arrow_bytes")
            self.say(f"{name:18} {tool:22} {cpu * 1e3:10.1f} {wall * 1e3:10.1f} {rows / cpu / 1e6:10.1f} "
                     f"{size / cpu / 1e9 if size else 0:8.2f} {cpu / ours if ours else 0:10.2f}")

    def offline(self):
        self.measure("table", {"tablet_scan": lambda: self.tablet_scan(1), "tablet_scan cached": lambda: self.tablet_scan(512),
                               "arrowio": lambda: self.table(1, self.a.core), "arrowio jobs 2": lambda: self.table(2, None)}, self.a.rounds)
        for f in sorted((self.a.dir / "columns").glob("*.cfile")):
            if f.stem not in ("bloom", "undo-0"):
                self.measure(f.stem, {"arrowio": lambda f=f: self.ours(1, self.a.core, f), "arrowio jobs 2": lambda f=f: self.ours(2, None, f)}, self.a.rounds)

    def online(self):
        """The same table in a server that runs, on a copy of the directories."""
        if self.a.only not in "server" or not self.a.jar:
            return
        with tempfile.TemporaryDirectory(dir=self.a.dir) as t:
            server = pathlib.Path(t)
            os.environ["ARROWIO_KUDU"] = self.a.kudu
            try:
                run([self.a.kudu, "start", server, "file", "--flush_threshold_secs=3600"])
                run(["java", "-jar", self.a.jar, "big", server, self.a.rows])
                master = (server / "ports").read_text().split()[0]

                def table_scan(threads):
                    cpu, wall, _ = cost([self.a.kudu, "tool", "perf", "table_scan", f"127.0.0.1:{master}", "big", f"--num_threads={threads}"])
                    return [{"rows": self.a.rows, "cpu": cpu, "wall": wall}]

                def java():
                    text = run(["java", "-Xmx2g", "-XX:+UseSerialGC", "-jar", self.a.jar, "bench", server, "big", self.a.passes + 2])
                    return [json.loads(x) for x in text.splitlines() if x.startswith("{")][2:]

                self.results["server"] = {"arrowio": self.results.get("table", {}).get("arrowio", [])}
                self.measure("server", {"table_scan": lambda: table_scan(1), "table_scan 2 threads": lambda: table_scan(2), "java": java}, self.a.rounds)
            finally:
                run([self.a.kudu, "stop", server])


def middle(row, tool, key):
    return statistics.median(r[key] for r in row[tool]) if row.get(tool) else None


HEAD = f"{'what':18} {'read by':22} {'CPU ms':>10} {'wall ms':>10} {'M rows/s':>10} {'GB/s':>8} {'x arrowio':>10}"


def version(*command):
    if not shutil.which(command[0]):
        return "none"
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    return (out.stdout + out.stderr).strip().splitlines()[0]


def machine(kudu):
    model = next((x.split(":", 1)[1].strip() for x in open("/proc/cpuinfo", encoding="utf-8") if x.startswith("model name")), platform.machine())
    return {"cpu": model, "cpus": os.cpu_count(), "go": version("go", "version"), "java": version("java", "-version"),
            "kudu": version(kudu, "tool", "--version"), "when": datetime.date.today().isoformat(), "load": os.getloadavg()}


def main():
    a = args()
    a.dir.mkdir(parents=True, exist_ok=True)
    a.dir = a.dir.resolve()
    if not (a.dir / "columns").exists() or not (a.dir / "wal").exists():
        subprocess.run([HERE / "kudu/big.sh", a.dir, str(a.rows), str(a.lone)], check=True, env=os.environ | {"ARROWIO_KUDU_JUDGE_JAR": a.jar or ""})
    about = machine(a.kudu)
    bench = Bench(a)
    bench.say(HEAD)
    bench.offline()
    bench.online()
    about["load after"] = os.getloadavg()
    for k, v in about.items():
        bench.say(f"{k}: {v}")
    if a.out:
        a.out.mkdir(parents=True, exist_ok=True)
        (a.out / "cfile.json").write_text(json.dumps({"machine": about, "results": bench.results}, indent=1) + "\n")
        (a.out / "cfile.txt").write_text("\n".join(bench.text) + "\n")


if __name__ == "__main__":
    main()
