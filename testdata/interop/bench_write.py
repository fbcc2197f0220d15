#!/usr/bin/env python3
"""pyarrow, Java and arrowio writing the same rows as ORC in one run: CPU time on one core, and the size of what they write.

  bench_write.py --write BIN --bin ARROWIO --dir BIGFILES [--jar JUDGE] [--rounds N] [--passes N] [--only TEXT] [--out DIR]

Every program first has the rows of lineitem_none.orc in memory, in its own form, and then writes them with its defaults:
stripes of 64 MiB, chunks of 256 KiB, dictionaries up to 0.8. The first passes of a process warm up and do not count. The file
of the pass before is removed before the clock starts.
--parallel measures arrowio alone: one worker against two, and the peak memory of a conversion.
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CODECS = {"none": 2.0, "zlib": 1.6, "zstd": 2.0, "snappy": None}  # how many times as fast as pyarrow


def args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--write", required=True, help="orc-bench/write, built")
    p.add_argument("--bin", required=True)
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--jar")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--passes", type=int, default=2)
    p.add_argument("--only", default="")
    p.add_argument("--core", default="1")
    p.add_argument("--parallel", action="store_true")
    p.add_argument("--out", type=pathlib.Path)
    return p.parse_args()


def lines(command, drop, core=None):
    env = dict(os.environ, TZ="UTC")
    words = [str(w) for w in command]
    if core is not None:
        env |= {"OMP_NUM_THREADS": "1", "GOMAXPROCS": "1"}
        words = ["taskset", "-c", core, *words]
    done = subprocess.run(words, capture_output=True, text=True, env=env, check=False)
    if done.returncode:
        raise RuntimeError(f"{words}: {done.stderr.strip()[-300:]}")
    return [json.loads(x) for x in done.stdout.splitlines() if x.startswith("{")][drop:]


def main():
    a = args()
    source, target = a.dir / "lineitem_none.orc", a.dir / "written.orc"
    if not source.exists():
        subprocess.run([sys.executable, HERE / "orc-bench/mkbig.py", a.dir], check=True)
    tools = {
        "pyarrow": lambda c: lines([sys.executable, HERE / "orc-bench/peer_pyarrow_write.py", source, target, c, a.passes + 1], 1, a.core),
        "arrowio": lambda c: lines([a.write, source, target, c, 1, a.passes + 1], 1, a.core),
    }
    if a.jar:
        java = ["java", "-Xmx8g", "-XX:+UseSerialGC", "-Duser.timezone=UTC", "--add-opens", "java.base/java.nio=ALL-UNNAMED", "-jar", a.jar, "write-bench"]
        tools["java"] = lambda c: lines([*java, source, target, c.upper(), a.passes + 1], 1, a.core)
    results, text = {}, [f"{'lineitem':10} {'pyarrow':>9} {'java':>9} {'arrowio':>9} {'x pyarrow':>9} {'x java':>7} {'MB pyarrow':>10} {'MB java':>8} {'MB ours':>8} {'/ java':>7}  ms CPU for a pass, medians"]
    print(text[0])
    for codec in CODECS:
        if a.only not in codec:
            continue
        got = {t: [] for t in tools}
        for _ in range(a.rounds):
            for t, tool in tools.items():
                got[t].extend(tool(codec))
        results[codec] = got
        ms = {t: statistics.median(r["cpu"] for r in rs) * 1e3 for t, rs in got.items()}
        mb = {t: rs[-1]["bytes"] / 1e6 for t, rs in got.items()}
        java_ms = ms.get("java", float("nan"))
        text.append(f"{codec:10} {ms['pyarrow']:9.0f} {java_ms:9.0f} {ms['arrowio']:9.0f} {ms['pyarrow'] / ms['arrowio']:9.2f} {java_ms / ms['arrowio']:7.2f} "
                    f"{mb['pyarrow']:10.1f} {mb.get('java', float('nan')):8.1f} {mb['arrowio']:8.1f} {mb['arrowio'] / mb.get('java', float('nan')):7.3f}")
        print(text[-1], flush=True)
    if a.parallel:
        for codec in "none", "zlib", "zstd":
            got = {j: [] for j in (1, 2)}
            for _ in range(a.rounds):
                for j in got:
                    got[j].extend(lines([a.write, source, target, codec, j, a.passes + 1], 1))
            middle = {k: [statistics.median(r[k] for r in got[j]) * 1e3 for j in (1, 2)] for k in ("wall", "cpu")}
            best = [min(r["wall"] for r in got[j]) * 1e3 for j in (1, 2)]
            (one, two), cpu = middle["wall"], middle["cpu"]
            text.append(f"parallel {codec}: wall ms {one:.0f} with one worker, {two:.0f} with two: {one / two:.2f} times as fast; "
                        f"best passes {best[0]:.0f} and {best[1]:.0f}: {best[0] / best[1]:.2f}; CPU ms {cpu[0]:.0f} and {cpu[1]:.0f}")
            print(text[-1], flush=True)
        for jobs in 1, 2:
            child = subprocess.Popen([a.bin, "convert", "--force", "--progress", "never", "--jobs", str(jobs), source, target])
            _, status, used = os.wait4(child.pid, 0)
            text.append(f"converting with {jobs} jobs: exit {status}, peak {used.ru_maxrss / 1024:.0f} MiB")
            print(text[-1], flush=True)
    target.unlink(missing_ok=True)
    if a.out:
        (a.out / "write.txt").write_text("\n".join([str(datetime.date.today()), *text]) + "\n")
        (a.out / "write.json").write_text(json.dumps(results, indent=1) + "\n")


main()
