#!/usr/bin/env python3
"""parquet_merge.py --bin ARROWIO: merges Parquet files that pyarrow wrote with different options, splits the result and merges that again.
pyarrow must read the same rows, by page indexes and bloom filters too, and arrowio must find no fault. Prints a line for each
difference, then N/M exact."""
import argparse
import os
import subprocess
import sys
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True)
args = parser.parse_args()
rng = np.random.default_rng(1)
options = [
    {},
    dict(write_page_index=True),
    dict(write_page_index=True, data_page_size=2000),
    dict(data_page_version="2.0", write_page_index=True, row_group_size=777, data_page_size=1000),
    dict(use_dictionary=False, compression="zstd", write_page_index=True),
    dict(column_encoding={"i": "DELTA_BINARY_PACKED"}, use_dictionary=["s"]),
    dict(write_page_checksum=True, write_page_index=True, row_group_size=100),
    dict(store_schema=False, version="1.0", write_statistics=False),
    dict(bloom_filter_options={"i": True, "s": {"ndv": 1000, "fpp": 0.01}}, write_page_index=True, row_group_size=500),
]


def table(n):
    return pa.table({
        "i": pa.array(rng.integers(0, 1000, n)),
        "f": rng.random(n),
        "s": pa.array([None if x % 7 == 0 else f"v{x % 100}" for x in range(n)], pa.string()),
        "l": pa.array([[1, 2, None] * (x % 3) for x in range(n)], pa.list_(pa.int32())),
        "st": pa.array([{"a": x, "b": str(x)} for x in range(n)], pa.struct({"a": pa.int64(), "b": pa.string()})),
        "d": pa.array(range(n), pa.date32()),
        "big": pa.array(["x" * 200 + str(x) for x in range(n)], pa.string()),
    })


def run(*command):
    p = subprocess.run([args.bin, *command], capture_output=True, text=True, errors="replace")
    return p.stderr.strip()[-300:] if p.returncode else ""


def judge(tmp, k, o):
    files = []
    for j, n in enumerate((5, 3000, 0, 4000)):
        files.append(os.path.join(tmp, f"{k}-{j}.parquet"))
        pq.write_table(table(n), files[-1], **o)
    merged, pieces, again = (os.path.join(tmp, f"{k}{x}") for x in ("-merged.parquet", "", "-again.parquet"))
    wrong = run("merge", *files, merged) or run("split", "--max-file-rows", "1500", merged, pieces) or run("merge", pieces, again) or run("verify", merged, again)
    if wrong:
        return wrong
    want = pa.concat_tables([pq.read_table(f) for f in files])
    for path in merged, again:
        if not pq.read_table(path).equals(want):
            return f"pyarrow reads other rows of {os.path.basename(path)}"
        for e in pc.field("i") == 5, (pc.field("s") == "v3") & (pc.field("d") < pa.scalar(100, pa.date32())):
            if pq.read_table(path, filters=e).num_rows != want.filter(e).num_rows:
                return f"pyarrow finds other rows of {e}"
            sql = "i = 5" if "i ==" in str(e) else "s = 'v3' and d < '1970-04-11'"
            n = subprocess.run([args.bin, "count", "--where", sql, path], capture_output=True, text=True).stdout.strip()
            if n != str(want.filter(e).num_rows):
                return f"arrowio finds {n} rows of {sql}"
    return ""


bad = 0
with tempfile.TemporaryDirectory() as tmp:
    for k, o in enumerate(options):
        if wrong := judge(tmp, k, o):
            print(f"{o}: {wrong}")
            bad += 1
print(f"{len(options) - bad}/{len(options)} exact")
sys.exit(bad > 0)
