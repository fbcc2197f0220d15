#!/usr/bin/env python3
"""arrowio writing CFiles: CPU time on one core, and the size of what it writes.

  bench_kudu_write.py --write BIN --bin ARROWIO --dir BIGFILES [--rounds N] [--passes N] [--only TEXT] [--out DIR]

The rows of lineitem_none.orc are in memory, in order of their key, and are written with encodings as Kudu chooses them: as
columns, and as rowsets of 32 MiB with the encoded keys and bloom filters of l_orderkey, l_linenumber. The first pass of a
process warms up and does not count. --parallel measures one worker against two and the peak memory of a conversion: of
rows as they come, and of rows that are sorted, those that are in order and those that are in none.
"""

import argparse
import datetime
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
KEY = "l_orderkey,l_linenumber"
WANTED = 250  # MB of Arrow a CPU second


def args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--write", required=True, help="kudu-bench/write, built")
    p.add_argument("--bin", required=True)
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--passes", type=int, default=2)
    p.add_argument("--only", default="")
    p.add_argument("--core", default="1")
    p.add_argument("--parallel", action="store_true")
    p.add_argument("--out", type=pathlib.Path)
    return p.parse_args()


def lines(command, core=None):
    env = dict(os.environ, TZ="UTC")
    words = [str(w) for w in command]
    if core is not None:
        env["GOMAXPROCS"] = "1"
        words = ["taskset", "-c", core, *words]
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stderr.strip()[-300:]}")
    return [json.loads(x) for x in done.stdout.splitlines() if x.startswith("{")][1:]


def main():
    a = args()
    source = a.dir / "lineitem_none.orc"
    target = {f: a.dir / f"written.{f}" for f in ("cfile", "kudu")}
    if not source.exists():
        subprocess.run([sys.executable, HERE / "orc-bench/mkbig.py", a.dir], check=True)
    results, text = {}, [f"{'lineitem':12} {'ms CPU':>8} {'MB/s':>6} {'wanted':>6} {'MB':>7}  medians of passes; MB of Arrow a CPU second; MB on disk"]
    print(text[0])
    for form in ("cfile", "kudu"):
        for codec in ("none", "lz4", "snappy", "zlib"):
            name = f"{form} {codec}"
            if a.only not in name:
                continue
            got = []
            for _ in range(a.rounds):
                got.extend(lines([a.write, source, target[form], form, KEY, codec, 1, a.passes + 1], a.core))
            results[name] = got
            cpu = statistics.median(r["cpu"] for r in got)
            wanted = WANTED if codec == "none" else ""
            text.append(f"{name:12} {cpu * 1e3:8.0f} {got[0]['arrow_bytes'] / 1e6 / cpu:6.0f} {wanted:>6} {got[-1]['bytes'] / 1e6:7.1f}")
            print(text[-1], flush=True)
    if a.parallel:
        for form in ("cfile", "kudu"):
            wall = {j: [] for j in (1, 2)}
            for _ in range(a.rounds):
                for j in wall:
                    wall[j].extend(r["wall"] for r in lines([a.write, source, target[form], form, KEY, "none", j, a.passes + 1]))
            one, two = (statistics.median(wall[j]) for j in (1, 2))
            text.append(f"parallel {form}: wall ms {one * 1e3:.0f} with one worker, {two * 1e3:.0f} with two: {one / two:.2f} times as fast")
            print(text[-1], flush=True)
        sort = ["--memory", "256MiB"]
        for form, more in (("cfile", []), ("cfile", ["--sort=l_comment", *sort]), ("kudu", ["--kudu-key", KEY]), ("kudu", ["--kudu-key", KEY, "--sort", *sort])):
            for jobs in 1, 2:
                child = subprocess.Popen([a.bin, "convert", "--force", "--progress", "never", "--jobs", str(jobs), *more, source, target[form]])
                _, status, used = os.wait4(child.pid, 0)
                text.append(f"converting to {' '.join([form, *more])} with {jobs} jobs: exit {status}, peak {used.ru_maxrss / 1024:.0f} MiB")
                print(text[-1], flush=True)
    for t in target.values():
        shutil.rmtree(t, ignore_errors=True)
    if a.out:
        (a.out / "kudu-write.txt").write_text("\n".join([str(datetime.date.today()), *text]) + "\n")
        (a.out / "kudu-write.json").write_text(json.dumps(results, indent=1) + "\n")


main()
