#!/usr/bin/env python3
"""pyarrow and arrowio writing the same rows as Parquet in one run: CPU time on one thread, and the size of what they write.

  bench_parquet_write.py --write BIN --dir FOLDER [--rounds N] [--passes N] [--only TEXT]

The rows are made once, from a fixed seed, as Arrow files in FOLDER: lineitem, taxi trips, nested ones, and one column of
nullable doubles in 0.2 to 4 million rows. Both programs have them in memory and write them with their defaults and one codec;
pyarrow's row groups are of 2^20 rows, ours of 128 MiB. The first pass of a process warms up and does not count.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

CODECS = {"lineitem": ["none", "snappy", "zstd", "gzip"], "taxi": ["none", "snappy", "zstd", "gzip"], "nested": ["none", "snappy", "zstd", "gzip"]}
LINEAR = [200_000, 400_000, 800_000, 1_600_000, 4_000_000]


def make(folder):
    import numpy as np
    import pyarrow as pa
    import pyarrow.ipc as ipc

    rng = np.random.default_rng(1)

    def save(name, table):
        with ipc.new_file(folder / f"{name}.arrow", table.schema) as w:
            w.write_table(table, max_chunksize=65536)

    def decimals(cents):
        words = np.empty((len(cents), 2), "<i8")
        words[:, 0], words[:, 1] = cents, np.where(cents < 0, -1, 0)
        return pa.Array.from_buffers(pa.decimal128(15, 2), len(cents), [None, pa.py_buffer(words.tobytes())])

    def pick(values, n):
        return pa.array(values).take(pa.array(rng.integers(0, len(values), n)))

    def some(values, nulls):
        return pa.array(values, mask=rng.random(len(values)) < nulls)

    def offsets(lengths):
        return pa.array(np.concatenate([[0], np.cumsum(lengths)]).astype("i4"))

    words = ("the slyly regular deposits sleep furiously final packages carefully ironic accounts boost quickly express "
             "theodolites above pending requests foxes haggle blithely even bold ideas").split()

    n = 1_000_000
    ship = rng.integers(8036, 10592, n)
    lengths = rng.integers(2, 7, n)
    text = np.array(words)[rng.integers(0, len(words), lengths.sum())]
    at = np.concatenate([[0], np.cumsum(lengths)])
    days = lambda d: pa.array(d.astype("i4")).cast(pa.date32())
    save("lineitem", pa.table({
        "l_orderkey": pa.array(np.sort(rng.integers(1, 6_000_000, n))), "l_partkey": pa.array(rng.integers(1, 200_000, n)),
        "l_suppkey": pa.array(rng.integers(1, 10_000, n)), "l_linenumber": pa.array(rng.integers(1, 8, n).astype("i4")),
        "l_quantity": decimals(rng.integers(1, 51, n) * 100), "l_extendedprice": decimals(rng.integers(90_000, 10_494_950, n)),
        "l_discount": decimals(rng.integers(0, 11, n)), "l_tax": decimals(rng.integers(0, 9, n)),
        "l_returnflag": pick(["R", "A", "N"], n), "l_linestatus": pick(["O", "F"], n), "l_shipdate": days(ship),
        "l_commitdate": days(ship + rng.integers(-60, 60, n)), "l_receiptdate": days(ship + rng.integers(1, 30, n)),
        "l_shipinstruct": pick(["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"], n),
        "l_shipmode": pick(["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"], n),
        "l_comment": pa.array([" ".join(text[at[i]:at[i + 1]]) for i in range(n)]),
    }))

    start = np.sort(rng.integers(1_704_067_200, 1_706_745_600, n)) * 1_000_000
    fare = np.round(rng.gamma(2, 9, n), 1)
    tip = np.round(fare * rng.choice([0, 0.15, 0.2, 0.25], n), 2)
    zone = lambda: pa.array(rng.integers(1, 266, n).astype("i4"))
    save("taxi", pa.table({
        "vendor": pa.array(rng.integers(1, 3, n).astype("i4")), "pickup": pa.array(start).cast(pa.timestamp("us")),
        "dropoff": pa.array(start + rng.integers(60, 3600, n) * 1_000_000).cast(pa.timestamp("us")),
        "passengers": some(rng.integers(1, 7, n), 0.05), "distance": pa.array(np.round(rng.gamma(1.5, 2.2, n), 2)),
        "rate": some(rng.integers(1, 7, n), 0.05), "stored": pick(["N", "N", "N", "Y", None], n), "from": zone(), "to": zone(),
        "payment": pa.array(rng.integers(0, 5, n)), "fare": pa.array(fare), "extra": pa.array(rng.choice([0, 1, 2.5, 3.5], n)),
        "tax": pa.array(rng.choice([0, 0.5], n)), "tip": pa.array(tip), "tolls": pa.array(rng.choice([0, 0, 0, 6.94], n)),
        "surcharge": pa.array(rng.choice([0.3, 1.0], n)), "total": pa.array(np.round(fare + tip + 3, 2)),
        "congestion": some(rng.choice([0, 2.5], n), 0.05), "airport": some(rng.choice([0, 1.75], n), 0.05),
    }))

    n = 300_000
    lengths = rng.integers(0, 8, n)
    m = int(lengths.sum())
    item = pa.StructArray.from_arrays([some(rng.integers(0, 5000, m), 0.1), pick(words, m), some(np.round(rng.random(m) * 100, 2), 0.2)], names=["sku", "name", "price"])
    pairs, tags = rng.integers(0, 4, n), rng.integers(0, 3, m)
    save("nested", pa.table({
        "id": pa.array(np.arange(n)),
        "items": pa.ListArray.from_arrays(offsets(lengths), item, mask=pa.array(rng.random(n) < 0.05)),
        "attrs": pa.MapArray.from_arrays(offsets(pairs), pick(words, int(pairs.sum())), some(rng.integers(0, 100, int(pairs.sum())).astype("i4"), 0.1)),
        "tags": pa.ListArray.from_arrays(offsets(lengths), pa.ListArray.from_arrays(offsets(tags), pick(words, int(tags.sum())))),
        "geo": pa.StructArray.from_arrays([pa.array(rng.random(n)), some(rng.random(n), 0.3)], names=["lat", "lon"], mask=pa.array(rng.random(n) < 0.2)),
    }))
    for n in LINEAR:
        save(f"nullable-{n}", pa.table({"x": some(rng.random(n), 0.3)}))


def peer(source, out, codec, passes):
    """Writes with pyarrow and prints a line of JSON for each pass."""
    import pyarrow as pa
    import pyarrow.ipc as ipc
    import pyarrow.parquet as pq

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    table = ipc.open_file(source).read_all()
    for _ in range(passes):
        pathlib.Path(out).unlink(missing_ok=True)
        cpu = time.process_time()
        pq.write_table(table, out, compression=codec, row_group_size=1 << 20 if "nullable" not in source else table.num_rows)
        print(json.dumps({"cpu": time.process_time() - cpu, "bytes": os.path.getsize(out)}), flush=True)


def lines(command):
    done = subprocess.run([str(w) for w in command], capture_output=True, text=True, env=dict(os.environ, GOMAXPROCS="1", OMP_NUM_THREADS="1"), check=False)
    if done.returncode:
        raise RuntimeError(f"{command}: {done.stderr.strip()[-300:]}")
    return [json.loads(x) for x in done.stdout.splitlines()][1:]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--write", required=True, help="orc-bench/write, built")
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--passes", type=int, default=3)
    p.add_argument("--only", default="")
    a = p.parse_args()
    a.dir.mkdir(parents=True, exist_ok=True)
    if not (a.dir / f"nullable-{LINEAR[-1]}.arrow").exists():
        make(a.dir)
    jobs = [(name, codec) for name, codecs in CODECS.items() for codec in codecs] + [(f"nullable-{n}", "none") for n in LINEAR]
    print("| file, codec | pyarrow ms | arrowio ms | x pyarrow | pyarrow MB | arrowio MB |")
    print("|---|---|---|---|---|---|")
    for name, codec in jobs:
        if a.only not in f"{name} {codec}":
            continue
        source, out = a.dir / f"{name}.arrow", a.dir / "written.parquet"
        seen = {"pyarrow": [], "arrowio": []}
        for _ in range(a.rounds):
            seen["pyarrow"] += lines([sys.executable, __file__, "peer", source, out, codec, a.passes + 1])
            seen["arrowio"] += lines([a.write, source, out, codec, 1, a.passes + 1])
        cpu = {k: 1000 * statistics.median(x["cpu"] for x in v) for k, v in seen.items()}
        size = {k: v[-1]["bytes"] / 1e6 for k, v in seen.items()}
        print(f"| {name}, {codec} | {cpu['pyarrow']:.0f} | {cpu['arrowio']:.0f} | {cpu['pyarrow'] / cpu['arrowio']:.2f} | {size['pyarrow']:.1f} | {size['arrowio']:.1f} |", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["peer"]:
        peer(*sys.argv[2:5], int(sys.argv[5]))
    else:
        main()
