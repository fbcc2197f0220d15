#!/usr/bin/env python3
"""pyarrow, orc-rust, Java and arrowio on the same ORC files in one run: CPU time, one thread, rounds that alternate.

  bench_orc.py --bin ARROWIO --dir BIGFILES [--rust PEER] [--jar JUDGE] [--rounds N] [--passes N] [--only TEXT] [--out DIR]

Every program is pinned to one core and measured by the CPU time of its whole process for each pass over a file; the
first passes of a process warm up and do not count (Java two, the others one). Batches are released as they come:
streaming against streaming. Java reads into its vectors and builds no Arrow.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
GOALS = {  # how many times as fast as pyarrow
    "lineitem_none": 2.6, "lineitem_zlib": 2, "lineitem_snappy": 2.3, "lineitem_zstd": 2.3, "nested_none": 4, "nested_zlib": 4, "nested_zstd": 4,
    "col_int_small": 3, "col_int_rand64": 3, "col_int_seq": 3, "col_int_outlier": 3, "col_int_nulls": 3,
    "col_string_dict": 6, "col_string_nulls": 6, "col_decimal15": 3, "col_decimal38": 3,
}


def args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--rust", help="orc-bench/rust/target/release/orc-peer")
    p.add_argument("--jar", help="orc-judge/target/orc-judge.jar")
    p.add_argument("--rows", type=int, default=3_000_000)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--passes", type=int, default=3, help="passes in each round that count")
    p.add_argument("--only", default="", help="only files whose name contains this text")
    p.add_argument("--core", default="1")
    p.add_argument("--parallel", action="store_true", help="also one thread against two, memory, and filters")
    p.add_argument("--out", type=pathlib.Path, help="folder for the raw figures")
    return p.parse_args()


def run(command, core):
    env = dict(os.environ, OMP_NUM_THREADS="1", GOMAXPROCS="1", TZ="UTC")
    done = subprocess.run(["taskset", "-c", core, *map(str, command)], capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout


def lines(text, drop):
    return [json.loads(x) for x in text.splitlines() if x.startswith("{")][drop:]


class Bench:
    def __init__(self, a):
        self.a, self.results = a, {}
        self.tools = {
            "pyarrow": lambda f, n: lines(run([sys.executable, HERE / "orc-bench/peer_pyarrow.py", f, n + 1], a.core), 1),
            "arrowio": self.ours,
        }
        if a.rust:
            self.tools["orc-rust"] = lambda f, n: lines(run([a.rust, f, n + 1], a.core), 1)
        if a.jar:
            java = ["java", "-Xmx3g", "-XX:+UseSerialGC", "-Duser.timezone=UTC", "--add-opens", "java.base/java.nio=ALL-UNNAMED", "-jar", a.jar, "bench"]
            self.tools["java"] = lambda f, n: lines(run([*java, f, n + 2], a.core), 2)

    def ours(self, file, passes, *flags, core=None):
        out = run([self.a.bin, "scan", "--jobs", "1", "--repeat", passes + 1, "--json", *flags, file], core or self.a.core)
        doc = json.loads(out)
        return [{"rows": r["rows"], "cpu": r["cpu_seconds"], "wall": r["wall_seconds"], "peak_rss_kb": doc.get("peak_rss_bytes", 0) / 1024,
                 "arrow_bytes": r.get("arrow_bytes", 0)} for r in doc["repeats"][1:]]

    def file(self, path):
        row = {}
        for _ in range(self.a.rounds):
            for name, tool in self.tools.items():
                if name == "java" and path.stem.startswith("col_"):
                    continue
                try:
                    row.setdefault(name, []).extend(tool(path, self.a.passes))
                except RuntimeError as e:
                    row.setdefault("errors", {})[name] = str(e)
        self.results[path.stem] = row
        print(line(path.stem, row), flush=True)


def cpu(row, tool):
    return statistics.median(r["cpu"] for r in row[tool]) if row.get(tool) else None


def line(name, row):
    ours = cpu(row, "arrowio")
    cells = [f"{name:18}"]
    for tool in "pyarrow", "orc-rust", "java", "arrowio":
        t = cpu(row, tool)
        cells.append(f"{t * 1e3:9.1f}" if t else f"{'-':>9}")
    for tool in "pyarrow", "orc-rust", "java":
        t = cpu(row, tool)
        cells.append(f"{t / ours:9.2f}" if t and ours else f"{'-':>9}")
    peak = max((r["peak_rss_kb"] for r in row.get("arrowio", [])), default=0) / 1024
    cells.append(f"{peak:8.0f}")
    return " ".join([*cells, f"{GOALS.get(name, ''):>6}"])


HEAD = (f"{'file':18} {'pyarrow':>9} {'orc-rust':>9} {'java':>9} {'arrowio':>9} {'x pyarrow':>9} {'x orc-r.':>9} {'x java':>9} {'peak MiB':>8} {'goal':>6}\n"
        f"{'':18} {'ms CPU for a pass, medians':>39}")


def version(*command):
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    return (out.stdout + out.stderr).strip().splitlines()[0]


def machine():
    model = next((x.split(":", 1)[1].strip() for x in open("/proc/cpuinfo", encoding="utf-8") if x.startswith("model name")), platform.machine())
    return {"cpu": model, "cpus": os.cpu_count(), "go": version("go", "version"), "java": version("java", "-version"),
            "rust": version("rustc", "--version"), "when": datetime.date.today().isoformat(), "load": os.getloadavg()}


def main():
    a = args()
    if not (a.dir / "sorted.orc").exists():
        subprocess.run([sys.executable, str(HERE / "orc-bench/mkbig.py"), str(a.dir), str(a.rows)], check=True)
    about = machine()
    print(HEAD)
    bench = Bench(a)
    for path in sorted(a.dir.glob("*.orc"), key=lambda p: (p.stem.startswith("col_"), p.stem)):
        if a.only in path.stem:
            bench.file(path)
    about["load after"] = os.getloadavg()
    print("\n".join(f"{k}: {v}" for k, v in about.items()))
    if a.out:
        a.out.mkdir(parents=True, exist_ok=True)
        (a.out / "orc.json").write_text(json.dumps({"machine": about, "results": bench.results}, indent=1) + "\n")
        text = [HEAD, *(line(k, v) for k, v in bench.results.items()), "", *(f"{k}: {v}" for k, v in about.items())]
        (a.out / "orc.txt").write_text("\n".join(text) + "\n")


main()
