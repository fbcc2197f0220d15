#!/usr/bin/env python3
"""A Hive ACID table and the same rows in plain ORC files, read in turn: CPU time, one thread.

  bench_acid.py --bin ARROWIO --dir BIGFILES --jar JUDGE [--rows N] [--rounds N] [--passes N] [--codecs A,B] [--out DIR]

Hive's own writer makes both, where DIR has not got them yet: DIR/CODEC/table, four fifths of the rows in a base and one in a
delta, in four buckets, one row in a hundred deleted at random; DIR/CODEC/plain, the same rows without the columns of
events and none deleted, in as many files. Each pass opens everything anew. Passes are of all columns, of three, and of one
string. What is compared is user plus system time, which other work on the machine disturbs less than the clock; the first
pass of a process does not count.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess

WANTED = 1.15  # times the plain files
COLUMNS = {"all columns": [], "id, price, day": ["--columns", "id,price,day"], "comment": ["--columns", "comment"]}


def args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--jar", required=True, help="hive-judge/target/hive-judge.jar")
    p.add_argument("--rows", type=int, default=10_000_000)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--passes", type=int, default=3, help="passes in each round that count")
    p.add_argument("--codecs", default="NONE,ZLIB")
    p.add_argument("--out", type=pathlib.Path, help="folder for the raw figures")
    return p.parse_args()


def make(a, codec):
    """The table of a codec, made once."""
    folder = a.dir / f"acid-{a.rows}-{codec.lower()}"
    if not (folder / "deleted").exists():
        if folder.exists():
            raise SystemExit(f"{folder} is not whole: remove it")
        subprocess.run(["java", "-Xmx1500m", "-jar", a.jar, "big", folder, str(a.rows), codec], check=True, timeout=1800)
    return folder


def scan(a, path, flags, passes):
    command = [a.bin, "scan", "--jobs", "1", "--repeat", str(passes + 1), "--json", *flags, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ, GOMAXPROCS="1"), timeout=600)
    doc = json.loads(done.stdout)
    return [{"rows": r["rows"], "cpu": r["cpu_seconds"], "peak_rss_kb": doc["peak_rss_bytes"] / 1024} for r in doc["repeats"][1:]]


def measure(a, folder, flags):
    got = {"plain": [], "table": []}
    for _ in range(a.rounds):
        for what, passes in got.items():
            passes.extend(scan(a, folder / what, flags, a.passes))
    deleted = int((folder / "deleted").read_text())
    if {r["rows"] for r in got["plain"]} != {a.rows} or {r["rows"] for r in got["table"]} != {a.rows - deleted}:
        raise SystemExit(f"{folder}: wrong rows")
    return got


def main():
    a = args()
    a.dir.mkdir(parents=True, exist_ok=True)
    lines, raw = [], {}
    for codec in a.codecs.split(","):
        folder = make(a, codec)
        for what, flags in COLUMNS.items():
            got = raw[f"{codec}, {what}"] = measure(a, folder, flags)
            plain, table = (statistics.median(r["cpu"] for r in got[k]) for k in ("plain", "table"))
            least = min(r["cpu"] for r in got["table"]) / min(r["cpu"] for r in got["plain"])
            memory = [max(r["peak_rss_kb"] for r in got[k]) / 1024 for k in ("plain", "table")]
            lines.append(f"{codec:6} {what:16} plain {plain * 1e3:6.0f} ms  table {table * 1e3:6.0f} ms  {table / plain:.2f} times (of the least {least:.2f})"
                         f"  wanted {WANTED}  peak MiB {memory[0]:.0f}, {memory[1]:.0f}")
            print(lines[-1], flush=True)
    if a.out:
        cpu = next((x.split(":")[1].strip() for x in open("/proc/cpuinfo") if x.startswith("model name")), "?")
        about = {"date": datetime.date.today().isoformat(), "rows": a.rows, "rounds": a.rounds, "passes": a.passes, "cpu": cpu,
                 "python": platform.python_version(), "load": os.getloadavg()}
        a.out.mkdir(parents=True, exist_ok=True)
        (a.out / "acid.json").write_text(json.dumps({"about": about, "passes": raw}, indent=1) + "\n")
        (a.out / "acid.txt").write_text("\n".join([json.dumps(about), *lines]) + "\n")


if __name__ == "__main__":
    main()
