#!/usr/bin/env python3
"""cpp.py OUT: fixtures by the C++ writer, through pyarrow, and fixtures.tsv that describes them.

Their expected rows come from the Java reader. Times before 1970 carry negative nanoseconds, as this writer stores them.
"""

import datetime
import decimal
import pathlib
import random
import sys

import pyarrow as pa
from pyarrow import orc

OUT = pathlib.Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)
R = random.Random(7)
ROWS = 110


def column(make, type=None, nulls=0.1):
    return pa.array([None if R.random() < nulls else make() for _ in range(ROWS)], type)


def text():
    return "".join(R.choice("abcdeé😀") for _ in range(R.randrange(8)))


def table():
    day = datetime.date(1970, 1, 1)
    d = lambda bound, scale: decimal.Decimal(R.randrange(-bound, bound)).scaleb(-scale)
    return pa.table({
        "bool": column(lambda: R.random() < 0.5),
        "int8": column(lambda: R.randrange(-128, 128), pa.int8()),
        "int16": column(lambda: R.randrange(-(2**15), 2**15), pa.int16()),
        "int32": column(lambda: R.randrange(1000), pa.int32()),
        "int64": column(lambda: R.getrandbits(R.randrange(1, 63)) * R.choice([1, -1]), pa.int64()),
        "seq": pa.array(range(ROWS)),
        "float": column(R.random, pa.float32()),
        "double": column(lambda: R.choice([0.0, -0.0, float("nan"), float("inf"), R.gauss(0, 1e9)])),
        "string": column(text),
        "few": column(lambda: f"k{R.randrange(20)}"),
        "large": column(text, pa.large_string()),
        "binary": column(lambda: R.randbytes(R.randrange(9))),
        "fixed": pa.array([R.randbytes(4) for _ in range(ROWS)], pa.binary(4)),
        "time_ns": column(lambda: R.randrange(-4 * 10**18, 4 * 10**18), pa.timestamp("ns")),
        "time_ms": column(lambda: R.randrange(-(10**12), 4 * 10**12), pa.timestamp("ms")),
        "instant": column(lambda: R.randrange(0, 4 * 10**15), pa.timestamp("us", tz="America/New_York")),
        "date": column(lambda: day + datetime.timedelta(R.randrange(-20000, 40000)), pa.date32()),
        "decimal11": column(lambda: d(10**9, 2), pa.decimal128(11, 2)),
        "decimal38": column(lambda: d(10**20, 5), pa.decimal128(38, 5)),
        "list": column(lambda: [R.randrange(9) for _ in range(R.randrange(4))], pa.list_(pa.int32())),
        "map": column(lambda: [(f"k{R.randrange(9)}", R.choice([None, 1.5])) for _ in range(R.randrange(3))],
                      pa.map_(pa.string(), pa.float64())),
        "struct": column(lambda: {"a": R.choice([None, 1, 2]), "b": text()},
                         pa.struct([("a", pa.int64()), ("b", pa.string())])),
    })


def main():
    t = table()
    with open(OUT / "fixtures.tsv", "w") as listed:
        for name, shows, settings in (
            ("none", "every type, no compression", {"compression": "uncompressed"}),
            ("v11", "every type in version 0.11", {"compression": "zlib", "file_version": "0.11"}),
            ("dictionary", "dictionaries for all strings", {"compression": "zstd", "dictionary_key_size_threshold": 1.0}),
            ("bloom", "bloom filters, row groups of 100 rows",
             {"compression": "lz4", "bloom_filter_columns": [4, 8, 10, 14], "bloom_filter_fpp": 0.3, "row_index_stride": 100}),
            ("strides", "row groups of 50 rows", {"compression": "snappy", "compression_block_size": 65536, "batch_size": 50,
                                                 "row_index_stride": 50}),
        ):
            orc.write_table(t, OUT / f"{name}.orc", **settings)
            listed.write(f"{name}.orc\t{shows}\t\n")


main()
