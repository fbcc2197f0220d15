#!/usr/bin/env python3
"""pyarrow, orc-rust, Java and arrowio on the same ORC files in one run: CPU time, one thread, rounds that alternate.

  bench_orc.py --bin ARROWIO --dir BIGFILES [--rust PEER] [--jar JUDGE] [--rounds N] [--passes N] [--only TEXT] [--parallel] [--out DIR]

Every program is pinned to one core and measured by the CPU time of its whole process for each pass over a file; the
first passes of a process warm up and do not count (Java two, the others one). Batches are released as they come:
streaming against streaming. Java reads into its vectors and builds no Arrow.

--parallel measures arrowio alone: wall time of one worker against two on all cores, what a filter spares, opening.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys
import time

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
    p.add_argument("--only", default="", help="only files, and parts of --parallel, whose name contains this text")
    p.add_argument("--core", default="1")
    p.add_argument("--parallel", action="store_true", help="also one thread against two, memory, and filters")
    p.add_argument("--out", type=pathlib.Path, help="folder for the raw figures")
    return p.parse_args()


def run(command, core=None):
    """Runs a command on one core, or on all of them."""
    env, words = dict(os.environ, TZ="UTC"), [str(w) for w in command]
    if core is not None:
        env |= {"OMP_NUM_THREADS": "1", "GOMAXPROCS": "1"}
        words = ["taskset", "-c", core, *words]
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}")
    return done.stdout


def lines(text, drop):
    return [json.loads(x) for x in text.splitlines() if x.startswith("{")][drop:]


class Bench:
    def __init__(self, a):
        self.a, self.results, self.notes, self.parts = a, {}, [], {}
        self.tools = {
            "pyarrow": lambda f, n: lines(run([sys.executable, HERE / "orc-bench/peer_pyarrow.py", f, n + 1], a.core), 1),
            "arrowio": self.ours,
        }
        if a.rust:
            self.tools["orc-rust"] = lambda f, n: lines(run([a.rust, f, n + 1], a.core), 1)
        if a.jar:
            java = ["java", "-Xmx3g", "-XX:+UseSerialGC", "-Duser.timezone=UTC", "--add-opens", "java.base/java.nio=ALL-UNNAMED", "-jar", a.jar, "bench"]
            self.tools["java"] = lambda f, n: lines(run([*java, f, n + 2], a.core), 2)

    def ours(self, file, passes, *flags, jobs=1, core=""):
        """Passes of arrowio; core "" = the one of --core, None = all of them."""
        command = [self.a.bin, "scan", "--jobs", jobs, "--repeat", passes + 1, "--json", *flags, file]
        doc = json.loads(run(command, self.a.core if core == "" else core))
        return [{"rows": r["rows"], "cpu": r["cpu_seconds"], "wall": r["wall_seconds"], "peak_rss_kb": doc["peak_rss_bytes"] / 1024,
                 "arrow_bytes": r["arrow_bytes"], "file_bytes": r["file_bytes"]} for r in doc["repeats"][1:]]

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

    def part(self, name, measures, text):
        """Calls each of the measures in turn, once a round; text makes a line of their medians by key."""
        if self.a.only not in name:
            return
        got = {what: [] for what in measures}
        for _ in range(self.a.rounds):
            for what, measure in measures.items():
                got[what].extend(measure())
        self.parts[name] = got
        middle = {w: {k: statistics.median(r[k] for r in rs) for k in rs[0]} for w, rs in got.items()}
        self.notes.append(f"{name:24} {text(middle)}")
        print(self.notes[-1], flush=True)

    def parallel(self):
        """Two workers against one, each round a process of both; the machine should have two cores that are free."""
        def text(m):
            one, two = m["jobs 1"], m["jobs 2"]
            return (f"wall ms {one['wall'] * 1e3:.1f} with one worker, {two['wall'] * 1e3:.1f} with two: {one['wall'] / two['wall']:.2f} times as fast; "
                    f"CPU {two['cpu'] / one['cpu'] - 1:+.0%}; peak MiB {one['peak_rss_kb'] / 1024:.0f}, {two['peak_rss_kb'] / 1024:.0f}")

        for name in "lineitem_none", "lineitem_zlib", "one_stripe":
            file = self.a.dir / f"{name}.orc"
            self.part(f"parallel {name}", {f"jobs {j}": lambda j=j: self.ours(file, self.a.passes, jobs=j, core=None) for j in (1, 2)}, text)

    def filters(self):
        """One row by its key: the row group that has it, and what it takes to find it."""
        file = self.a.dir / "sorted.orc"
        where = None

        def filtered():
            nonlocal where
            where = where or f"key = {self.ours(file, 1)[0]['rows'] // 2}"
            return self.ours(file, self.a.passes, "--where", where)

        def text(m):
            all_, some = m["all"], m["filter"]
            return (f"{where}: {some['rows']:.0f} row; CPU ms {some['cpu'] * 1e3:.2f} of {all_['cpu'] * 1e3:.1f} ({some['cpu'] / all_['cpu']:.2%}), "
                    f"bytes {some['file_bytes']:.0f} of {all_['file_bytes']:.0f} ({some['file_bytes'] / all_['file_bytes']:.2%})")

        self.part("filter sorted", {"all": lambda: self.ours(file, self.a.passes), "filter": filtered}, text)

    def opening(self):
        """Whole processes of `arrowio schema`, and of one that opens nothing."""
        folder = self.a.dir / "opening"
        names = [n for n in ("many_columns", "many_stripes") if self.a.only in f"opening {n}"]
        if names and not (folder / "many_stripes.orc").exists():
            subprocess.run([sys.executable, HERE / "orc-bench/mkbig.py", folder, "opening"], check=True)

        def timed(*command):
            out = []
            for _ in range(self.a.passes + 1):
                start = time.perf_counter()
                run([self.a.bin, *command], self.a.core)
                out.append({"wall": time.perf_counter() - start})
            return out[1:]

        for name in names:
            self.part(f"opening {name}", {"schema": lambda: timed("schema", folder / f"{name}.orc"), "version": lambda: timed("version")},
                      lambda m: f"wall ms {m['schema']['wall'] * 1e3:.1f}, of which the process {m['version']['wall'] * 1e3:.1f}")


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
    if not shutil.which(command[0]):
        return "none"
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    return (out.stdout + out.stderr).strip().splitlines()[0]


def machine():
    model = next((x.split(":", 1)[1].strip() for x in open("/proc/cpuinfo", encoding="utf-8") if x.startswith("model name")), platform.machine())
    return {"cpu": model, "cpus": os.cpu_count(), "go": version("go", "version"), "java": version("java", "-version"),
            "rust": version("rustc", "--version"), "pyarrow": importlib.metadata.version("pyarrow"), "when": datetime.date.today().isoformat(), "load": os.getloadavg()}


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
    if a.parallel:
        print()
        bench.parallel()
        bench.filters()
        bench.opening()
    about["load after"] = os.getloadavg()
    print("\n".join(f"{k}: {v}" for k, v in about.items()))
    if a.out:
        a.out.mkdir(parents=True, exist_ok=True)
        (a.out / "orc.json").write_text(json.dumps({"machine": about, "results": bench.results, "parts": bench.parts}, indent=1) + "\n")
        text = [HEAD, *(line(k, v) for k, v in bench.results.items()), "", *bench.notes, *[""][: len(bench.notes)], *(f"{k}: {v}" for k, v in about.items())]
        (a.out / "orc.txt").write_text("\n".join(text) + "\n")


main()
