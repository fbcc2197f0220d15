#!/usr/bin/env python3
"""pyarrow and arrowio on the same Parquet files in one run: CPU time, one thread.

  bench_parquet_read.py --bin ARROWIO --dir FOLDER [--passes N]

Files that FOLDER lacks are made first. The first pass of each does not count. Batches of 65,536 rows are let go as they
come."""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

r = np.random.default_rng(7)
ROWS = 2_000_000
NESTED = 600_000
WORDS = np.array("the quick brown fox jumps over lazy dogs carefully final deposits sleep furiously among ironic accounts".split())


def some(values, n):
    return pa.DictionaryArray.from_arrays(pa.array(r.integers(0, len(values), n, dtype=np.int32)), pa.array(values)).cast(pa.string())


def comments(n):
    return pa.array([" ".join(WORDS[i]) for i in r.integers(0, len(WORDS), (n, 4))])


def masked(values, share):
    return pa.array(values, mask=r.random(len(values)) < share)


def cents(values):
    words = np.stack([values.astype(np.int64), np.zeros(len(values), np.int64)], 1)
    return pa.Array.from_buffers(pa.decimal128(15, 2), len(values), [None, pa.py_buffer(words.tobytes())])


def days(n):
    return pa.array(r.integers(8000, 10600, n, dtype=np.int32)).cast(pa.date32())


def lineitem(n=ROWS):
    return pa.table({
        "l_orderkey": np.sort(r.integers(1, n * 4, n)), "l_partkey": r.integers(1, 200000, n), "l_suppkey": r.integers(1, 10000, n),
        "l_linenumber": r.integers(1, 8, n).astype(np.int32), "l_quantity": cents(r.integers(100, 5100, n)),
        "l_extendedprice": cents(r.integers(90000, 10500000, n)), "l_discount": cents(r.integers(0, 11, n)), "l_tax": cents(r.integers(0, 9, n)),
        "l_returnflag": some(["A", "N", "R"], n), "l_linestatus": some(["O", "F"], n), "l_shipdate": days(n), "l_commitdate": days(n),
        "l_receiptdate": days(n), "l_shipinstruct": some(["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"], n),
        "l_shipmode": some(["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"], n), "l_comment": comments(n),
    })


def taxi(n=ROWS):
    start = 1_600_000_000_000_000 + np.sort(r.integers(0, 30 * 86400 * 10**6, n))
    money = ["fare_amount", "extra", "mta_tax", "tip_amount", "tolls_amount", "improvement_surcharge", "total_amount"]
    return pa.table({
        "VendorID": r.integers(1, 3, n), "tpep_pickup_datetime": pa.array(start).cast(pa.timestamp("us")),
        "tpep_dropoff_datetime": pa.array(start + r.integers(60, 7200, n) * 10**6).cast(pa.timestamp("us")),
        "passenger_count": masked(r.integers(0, 7, n).astype(float), 0.05), "trip_distance": np.round(r.gamma(2, 2, n), 2),
        "RatecodeID": masked(r.integers(1, 7, n).astype(float), 0.05), "store_and_fwd_flag": some(["N", "Y"], n),
        "PULocationID": r.integers(1, 266, n), "DOLocationID": r.integers(1, 266, n), "payment_type": r.integers(1, 5, n),
        **{k: np.round(r.gamma(2, 6, n), 2) for k in money}, "congestion_surcharge": masked(r.choice([0, 2.5], n), 0.05),
        "airport_fee": masked(r.choice([0, 1.25], n), 0.05),
    })


def nested(n=NESTED):
    ends = np.concatenate([[0], np.cumsum(r.integers(0, 8, n))]).astype(np.int32)
    items = int(ends[-1])
    inner = np.concatenate([[0], np.cumsum(r.integers(0, 4, items))]).astype(np.int32)
    item = pa.StructArray.from_arrays([masked(r.integers(0, 1000, items), 0.1), pa.array(r.random(items)), some(["x", "yy", "zzz"], items)], ["id", "score", "tag"])
    deep = pa.StructArray.from_arrays([masked(r.integers(0, 9, n), 0.2), comments(n)], ["a", "b"], mask=pa.array(r.random(n) < 0.1))
    return pa.table({
        "id": np.arange(n), "items": pa.ListArray.from_arrays(pa.array(ends, mask=np.append(r.random(n) < 0.05, False)), item),
        "tags": pa.ListArray.from_arrays(pa.array(ends), some(["red", "green", "blue"], items)),
        "deep": pa.ListArray.from_arrays(pa.array(ends), pa.ListArray.from_arrays(pa.array(inner), pa.array(r.integers(0, 100, int(inner[-1]))))),
        "p": pa.StructArray.from_arrays([masked(r.random(n), 0.1), deep], ["x", "y"], mask=pa.array(r.random(n) < 0.1)),
        "m": pa.MapArray.from_arrays(pa.array(ends), some(["k1", "k2", "k3"], items), pa.array(r.integers(0, 99, items))),
    })


def pyarrow_ms(name, passes):
    times = []
    for _ in range(passes + 1):
        t = time.process_time()
        for _ in pq.ParquetFile(name, pre_buffer=False).iter_batches(batch_size=65536, use_threads=False):
            pass
        times.append(1000 * (time.process_time() - t))
    return statistics.median(times[1:])


def arrowio_ms(binary, name, passes):
    command = [binary, "scan", "--jobs", "1", "--repeat", str(passes + 1), "--json", str(name)]
    out = subprocess.run(command, capture_output=True, check=True, env=dict(os.environ, GOMAXPROCS="1")).stdout
    return statistics.median(1000 * p["cpu_seconds"] for p in json.loads(out)["repeats"][1:])


p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
p.add_argument("--bin", required=True)
p.add_argument("--dir", required=True, type=pathlib.Path)
p.add_argument("--passes", type=int, default=3)
a = p.parse_args()
pa.set_cpu_count(1)
pa.set_io_thread_count(1)
files = {
    "lineitem": (lineitem, "snappy"), "lineitem_zstd": (lineitem, "zstd"), "taxi": (taxi, "snappy"), "nested": (nested, "snappy"),
    "wide": (lambda: pa.table({f"c{i}": [i, None] for i in range(10000)}), "snappy"),
}
print("| CPU ms a pass | pyarrow | arrowio | x pyarrow |\n|---|---|---|---|")
for name, (make, codec) in files.items():
    path = a.dir / f"{name}.parquet"
    if not path.exists():
        pq.write_table(make(), path, compression=codec)
    theirs, ours = pyarrow_ms(path, a.passes), arrowio_ms(a.bin, path, a.passes)
    print(f"| {name} | {theirs:.0f} | {ours:.0f} | {theirs / ours:.1f} |", flush=True)
