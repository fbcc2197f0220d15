#!/usr/bin/env python3
"""What a filter costs beside a scan of the same columns: selectivity by length of runs, formats, workers; pyarrow beside it.

  bench_filters.py --bin ARROWIO --dir FILES [--rows N] [--rounds N] [--passes N] [--only TEXT] [--out DIR]

The table has eight columns of the usual types and, for each selectivity and length of runs, a column of bytes that is 1 in the
rows to keep. Figures are the CPU time of the filtered scan by that of the whole scan of the same columns, the column of the
filter among them, in one run, passes in turns, medians. pyarrow scans its dataset with the same filter, on one thread.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.orc
import pyarrow.parquet

COLUMNS = ["id", "key", "price", "rate", "day", "at", "mode", "note"]
KEEP = [0.0001, 0.01, 0.04, 0.1, 0.25, 0.5, 0.98]
RUNS = [1, 10, 1000]


def args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--rows", type=int, default=1_000_000)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--passes", type=int, default=3)
    p.add_argument("--only", default="", help="only files whose name contains this text")
    p.add_argument("--out", type=pathlib.Path)
    return p.parse_args()


def column(keep, run):
    return f"k{keep:g}r{run}".replace(".", "_")


def table(n):
    rng = np.random.default_rng(7)
    words = np.array(["quick", "brown", "fox", "jumps", "over", "the", "lazy", "dog", "packages", "deposits", "carefully", "final"])
    cols = {
        "id": np.arange(n, dtype=np.int64) * 3,
        "key": rng.integers(0, 200_000, n, dtype=np.int32),
        "price": pa.array(rng.integers(100, 10_000_000, n)).cast(pa.decimal128(19, 0)).cast(pa.decimal128(21, 2)),
        "rate": rng.random(n),
        "day": pa.array(rng.integers(8000, 11000, n, dtype=np.int32)).cast(pa.date32()),
        "at": pa.array(1_600_000_000_000_000 + rng.integers(0, 10**14, n)).cast(pa.timestamp("us")).cast(pa.timestamp("ns")),
        "mode": pa.array(words[rng.integers(0, 7, n)]),
        "note": pc.binary_join_element_wise(*(pa.array(words[rng.integers(0, len(words), n)]) for _ in range(4)), " "),
    }
    for keep in KEEP:
        for run in RUNS:
            cols[column(keep, run)] = np.repeat((rng.random(n // run + 1) < keep).astype(np.int8), run)[:n]
    return pa.table(cols)


def make(a):
    a.dir.mkdir(parents=True, exist_ok=True)
    if (a.dir / "t.trv").exists():
        return
    t = table(a.rows)
    pyarrow.orc.write_table(t, a.dir / "none.orc", compression="uncompressed")
    pyarrow.orc.write_table(t, a.dir / "zlib.orc", compression="zlib")
    pyarrow.parquet.write_table(t, a.dir / "snappy.parquet", row_group_size=500_000)
    with pa.OSFile(str(a.dir / "t.arrow"), "wb") as f, pa.ipc.new_file(f, t.schema) as w:
        w.write_table(t, max_chunksize=65_536)
    subprocess.run([a.bin, "convert", a.dir / "none.orc", a.dir / "t.trv"], check=True, capture_output=True)


def ours(a, file, jobs, filtered, where):
    words = [a.bin, "scan", "--jobs", jobs, "--repeat", a.passes + 1, "--json", "--columns", ",".join([*COLUMNS, filtered])]
    out = subprocess.run([*map(str, words), *(["--where", f"{filtered} = 1"] if where else []), str(file)], capture_output=True, text=True, check=True,
                         env=os.environ | {"GOMAXPROCS": str(jobs)}).stdout
    return statistics.median(r["cpu_seconds"] for r in json.JSONDecoder().raw_decode(out)[0]["repeats"][1:])


def theirs(a, file, filtered):
    d = ds.dataset(str(file), format="ipc" if file.suffix == ".arrow" else file.suffix[1:])
    took = []
    for _ in range(a.passes):
        c = time.process_time()
        for b in d.scanner(columns=[*COLUMNS, filtered], filter=pc.field(filtered) == 1, use_threads=False).to_batches():
            del b
        took.append(time.process_time() - c)
    return statistics.median(took)


def main():
    a = args()
    make(a)
    pa.set_cpu_count(1)
    text = []

    def say(line):
        text.append(line)
        print(line, flush=True)

    say(f"{'file':16} {'run':>5} {'of the rows':>11} {'all, ms':>9} {'1 worker':>9} {'2 workers':>9} {'pyarrow by 1 worker':>20}")
    for file in sorted(a.dir.iterdir()):
        if a.only not in file.name:
            continue
        for run in RUNS:
            for keep in KEEP:
                c = column(keep, run)
                got = {"all": [], "one": [], "two": [], "peer": []}
                for _ in range(a.rounds):
                    got["all"].append(ours(a, file, 1, c, False))
                    got["one"].append(ours(a, file, 1, c, True))
                    got["two"].append(ours(a, file, 2, c, True))
                    if file.suffix != ".trv":
                        got["peer"].append(theirs(a, file, c))
                m = {k: statistics.median(v) if v else 0 for k, v in got.items()}
                peer = f"{m['peer'] / m['one']:20.1f}" if m["peer"] else f"{'-':>20}"
                say(f"{file.name:16} {run:5} {keep:11.2%} {m['all'] * 1e3:9.1f} {m['one'] / m['all']:9.2f} {m['two'] / m['all']:9.2f} {peer}")
    if a.out:
        (a.out / "filters.txt").write_text("\n".join(text) + "\n")


main()
