#!/usr/bin/env python3
"""Java and arrowio on the same Trevni files in one run: CPU time, one thread, rounds that alternate, medians.

  bench_trevni.py --bin ARROWIO --write-bin TEST --jar JUDGE --dir BIGFILES [--rows N] [--rounds N] [--only TEXT] [--out DIR]

Java is measured by the CPU time of the one thread that reads or writes, in a JVM that stays, after a warm-up; arrowio
by the CPU time of its whole process, garbage collection and file reading included, so that the comparison leans to
Java. Writing goes to memory on both sides. Between two measurements of one program comes one of the other, so that both meet the same weather.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import resource
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "trevni"))
sys.dont_write_bytecode = True
from trevnibytes import Layout  # noqa: E402

JAVA = ["java", "-XX:+UseSerialGC", "-Xms3g", "-Xmx3g", "-jar"]
WARM = 5  # passes of ours that do not count: the JVM has had its own
GOALS = {  # how many times as fast as Java: docs/bench/trevni.md
    "all": {"null": 5, "snappy": 4, "deflate": 2.5},
    "write": {"null": 5, "snappy": 5, "deflate": 5},
    "type": {"long": 2.5, "int": 2.5, "float": 5, "double": 5, "string": 4, "string[]": 5},
}


def args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--write-bin", required=True, help="the benchmarks of writers/trevni: go test -c")
    p.add_argument("--jar", required=True)
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--rows", type=int, default=1_300_000)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--passes", type=int, default=3, help="passes in each round")
    p.add_argument("--codecs", default="null,snappy,deflate")
    p.add_argument("--only", default="", help="only targets that contain this text")
    p.add_argument("--out", type=pathlib.Path, help="folder for the raw figures")
    return p.parse_args()


class Java:
    """One JVM that serves measurements of one file."""

    def __init__(self, jar, file):
        self.process = subprocess.Popen([*JAVA, jar, "bench", "--serve", str(file)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def measure(self, target, passes):
        """CPU seconds for a million rows, once a pass."""
        self.process.stdin.write(f"{target}\t{passes}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the JVM ended at {target}")
        answer = json.loads(line)
        return [c / answer["rows"] * 1e6 for c in answer["cpu"]]


def scan(binary, file, passes, flags):
    """CPU seconds for a million rows, once a repeat; the first repeat warms up and does not count."""
    out = subprocess.run([binary, "scan", "--jobs", "1", "--repeat", str(passes + WARM), "--json", *flags, str(file)],
                         check=True, capture_output=True, text=True).stdout
    return [r["cpu_seconds"] / r["rows"] * 1e6 for r in json.loads(out)["repeats"][WARM:]]


def write(binary, codec, raw_mb, passes):
    """CPU seconds to write a million rows: BenchmarkWrite of writers/trevni in one thread, into memory, as Java's is. A
    longer run less a shorter one leaves out what starting takes."""
    name = f"^BenchmarkWrite$/^codec={ {'null': 'none', 'deflate': 'deflate:4'}.get(codec, codec) }$"  # 4 is our default level
    cpu, out = {}, ""
    times = []
    for _ in range(passes):
        for n in 5, 25:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            out = subprocess.run([binary, "-test.run", "^$", "-test.bench", name, "-test.benchtime", f"{n}x", "-test.cpu", "1"],
                                 check=True, stdout=subprocess.PIPE, text=True).stdout
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu[n] = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        ns, mbs = (float(re.search(rf"([0-9.]+) {unit}", out)[1]) for unit in ("ns/op", "MB/s"))
        times.append((cpu[25] - cpu[5]) / 20 / (ns * 1e-9 * mbs) * raw_mb)
    return times


def arrow_path(name):
    """The dotted path of a stored column in the records view."""
    return name.replace("[]#", ".").removesuffix("[]").split("/")[0]


class Bench:
    def __init__(self, a):
        self.a, self.results = a, []

    def alternate(self, codec, name, kind, raw_mb, java, ours, goal):
        if self.a.only not in f"{codec} {name}":
            return
        j, o = [], []
        java(1)  # warms up and is dropped
        for _ in range(self.a.rounds):
            j += java(self.a.passes)
            o += ours(self.a.passes)
        row = {"codec": codec, "target": name, "type": kind, "raw_mb_per_million_rows": raw_mb, "java": j, "arrowio": o, "goal": goal}
        self.results.append(row)
        print(line(row), flush=True)

    def file(self, codec):
        a, file = self.a, self.a.dir / f"big-{codec}.trv"
        layout = Layout(file.read_bytes())
        rows = layout.rows
        raw = [sum(b[2] for b in c.blocks) for c in layout.columns]
        with Java(a.jar, file) as java:
            for i, c in enumerate(layout.columns):
                if c.array and c.kind == "null":
                    continue  # lengths alone: they come with each child
                kind = c.kind + ("[]" if c.array or c.parent else "")
                goal = GOALS["type"].get(kind if kind == "string[]" else c.kind) if codec == "null" and "/" not in c.name else None
                flags = ["--columns", arrow_path(c.name)]
                self.alternate(codec, c.name, kind, raw[i] / rows, lambda n: java.measure(f"column {i}", n),
                               lambda n: scan(a.bin, file, n, flags), goal)
            for view, target in ("columns", "all"), ("records", "records"):
                self.alternate(codec, f"all, {view} view", "", sum(raw) / rows, lambda n: java.measure(target, n),
                               lambda n: scan(a.bin, file, n, [f"--trevni-view={view}"]), GOALS["all"].get(codec) if target == "all" else None)
            self.writing(java, codec, sum(raw) / rows)

    def writing(self, java, codec, raw_mb):
        if self.a.only not in f"{codec} write":
            return
        self.alternate(codec, "write", "", raw_mb, lambda n: java.measure("write", n),
                       lambda n: write(self.a.write_bin, codec, raw_mb, n), GOALS["write"].get(codec))


def line(r):
    j, o = statistics.median(r["java"]), statistics.median(r["arrowio"])
    rate = lambda t: f"{r['raw_mb_per_million_rows'] / t:7.0f}" if t > 0 else "      -"
    goal = f"{r['goal']:g}" if r["goal"] else ""
    return (f"{r['codec']:8} {r['target']:18} {r['type']:10} {j * 1e3:9.2f} {o * 1e3:9.2f}   {rate(j)} {rate(o)}   "
            f"{j / o if o > 0 else float('inf'):6.2f}  {goal}")


HEAD = (f"{'codec':8} {'what':18} {'type':10} {'Java':>9} {'arrowio':>9}   {'Java':>7} {'arrowio':>7}   {'ratio':>6}  goal\n"
        f"{'':38} {'ms CPU a million rows':>19}   {'MB/s, raw':>15}")


def version(*command):
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    return (out.stdout + out.stderr).strip().splitlines()[0]


def machine():
    model = next((x.split(":", 1)[1].strip() for x in open("/proc/cpuinfo", encoding="utf-8") if x.startswith("model name")), platform.machine())
    return {"cpu": model, "cpus": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}", "go": version("go", "version"),
            "java": version("java", "-version"), "when": datetime.date.today().isoformat(), "load": os.getloadavg()}


def main():
    a = args()
    codecs = a.codecs.split(",")
    missing = [c for c in codecs if not (a.dir / f"big-{c}.trv").exists()]
    if missing:
        subprocess.run(["java", "-Xmx6g", "-jar", a.jar, "big", str(a.dir), str(a.rows), *missing], check=True)
    print(HEAD)
    bench, about = Bench(a), machine()
    for codec in codecs:
        bench.file(codec)
    about["load after"] = os.getloadavg()
    print("\n".join(f"{k}: {v}" for k, v in about.items()))
    if a.out:
        a.out.mkdir(parents=True, exist_ok=True)
        (a.out / "trevni.json").write_text(json.dumps({"machine": about, "results": bench.results}, indent=1) + "\n")
        text = [HEAD, *map(line, bench.results), "", *(f"{k}: {v}" for k, v in about.items())]
        (a.out / "trevni.txt").write_text("\n".join(text) + "\n")


main()
