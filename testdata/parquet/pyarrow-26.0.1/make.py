#!/usr/bin/env python3
"""Makes the Parquet files beside it. Run with pyarrow 26: python3 make.py [DIR]

types.parquet         a row group of every type that Parquet has for Arrow, 5 rows with nulls, twice; Arrow schema stored
plain.parquet         the same without the Arrow schema, data pages of version 2, no dictionaries
codec_*.parquet       one column by each compression
groups.parquet        100 rows in groups of 10, with statistics: values that say which row they are
nested.parquet        lists in structs in lists, with nulls and empty ones at every level
expected.json         what is in types.parquet and nested.parquet, as text, told by pyarrow
"""
import decimal
import json
import os
import sys

import pyarrow as pa
import pyarrow.parquet as pq

OUT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))


def columns():
    c = {}
    for bits in (8, 16, 32, 64):
        top = 2 ** (bits - 1)
        c[f"int{bits}"] = pa.array([0, None, -1, top - 1, -top], getattr(pa, f"int{bits}")())
        c[f"uint{bits}"] = pa.array([0, None, 1, top, 2 * top - 1], getattr(pa, f"uint{bits}")())
    c["bool"] = pa.array([True, False, None, True, True])
    c["float16"] = pa.array([0.5, None, -2.0, float("inf"), 1024.0], pa.float32()).cast(pa.float16())
    c["float32"] = pa.array([0.5, None, -0.0, float("inf"), 0.25], pa.float32())
    c["float64"] = pa.array([0.5, None, -0.0, float("-inf"), 1e308])
    c["utf8"] = pa.array(["", None, "a", "Grüße", "\U0001F600" * 4])
    c["large_utf8"] = c["utf8"].cast(pa.large_utf8())
    c["binary"] = pa.array([b"", None, b"\x00", b"\xff\xfe", b"0123456789" * 4])
    c["fixed_binary"] = pa.array([b"abc", None, b"\x00\x00\x00", b"xyz", b"\xff\xff\xff"], pa.binary(3))
    d = decimal.Decimal
    c["decimal128"] = pa.array([d("0.00"), None, d("-1.25"), d("9" * 36 + ".99"), d("0.01")], pa.decimal128(38, 2))
    c["decimal9"] = pa.array([d("0.00"), None, d("-1.25"), d("9999999.99"), d("0.01")], pa.decimal128(9, 2))
    c["date32"] = pa.array([0, None, -1, 20000, 2932896], pa.date32())
    c["time32_ms"] = pa.array([0, None, 1, 86399999, 3600], pa.time32("ms"))
    c["time64_us"] = pa.array([0, None, 1, 86399999999, 3600], pa.time64("us"))
    c["time64_ns"] = pa.array([0, None, 1, 86399999999999, 3600], pa.time64("ns"))
    for u in ("ms", "us", "ns"):
        c[f"timestamp_{u}"] = pa.array([0, None, -1, 1700000000, 1], pa.timestamp(u))
        c[f"timestamp_{u}_tz"] = pa.array([0, None, -1, 1700000000, 1], pa.timestamp(u, "Europe/Berlin"))
    c["list"] = pa.array([[], None, [1], [None, 2], [3, 4, 5]], pa.list_(pa.int32()))
    c["fixed_list"] = pa.array([[1, 2], None, [3, None], [5, 6], [7, 8]], pa.list_(pa.int16(), 2))
    c["struct"] = pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}, {"a": 3, "b": None}, {"a": 4, "b": "z"}])
    c["map"] = pa.array([[], None, [("k", 1)], [("k", None), ("l", 2)], [("m", 3)]], pa.map_(pa.utf8(), pa.int64()))
    c["dictionary"] = pa.array(["red", None, "green", "red", "blue"]).dictionary_encode()
    return c


def nested():
    s = pa.struct([("x", pa.list_(pa.struct([("y", pa.int64()), ("z", pa.list_(pa.utf8()))])))])
    rows = [
        [{"x": [{"y": 1, "z": ["a", None]}, None, {"y": None, "z": []}]}, None, {"x": None}, {"x": []}],
        None, [], [{"x": [{"y": 2, "z": None}]}], [{"x": [{"y": 3, "z": ["b"]}, {"y": 4, "z": ["c", "d"]}]}, {"x": [None]}],
    ]
    deep = pa.array(rows * 4, pa.list_(s))
    wide = pa.array([{"p": {"q": i if i % 3 else None, "r": None if i % 4 else [i]}, "s": str(i)} if i % 5 else None for i in range(20)])
    lists = pa.array([[[i], [], None, [None, i]][: i % 5] if i % 7 else None for i in range(20)], pa.list_(pa.list_(pa.int32())))
    maps = pa.array([[("a", [i, None]), ("b", None)] if i % 2 else [] for i in range(20)], pa.map_(pa.utf8(), pa.list_(pa.int32())))
    return {"deep": deep, "wide": wide, "lists": lists, "maps": maps}


def text(v):
    if isinstance(v, dict):
        return {k: text(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [text(x) for x in v]
    if isinstance(v, bytes):
        return v.hex()
    if v is None or isinstance(v, (bool, str)):
        return v
    return repr(v) if isinstance(v, float) else str(v)


def values(arr):
    t = arr.type
    if pa.types.is_timestamp(t) or pa.types.is_time64(t):
        arr = arr.cast(pa.int64())
    elif pa.types.is_date32(t) or pa.types.is_time32(t):
        arr = arr.cast(pa.int32())
    return [text(v) for v in arr.to_pylist()]


def main():
    p = lambda name: os.path.join(OUT, name)
    cols = columns()
    fields = [pa.field(n, a.type) for n, a in cols.items()] + [pa.field("required", pa.int64(), nullable=False)]
    table = pa.table(list(cols.values()) + [pa.array(range(5), pa.int64())], schema=pa.schema(fields, metadata={"origin": "pyarrow"}))
    table = pa.concat_tables([table, table])
    pq.write_table(table, p("types.parquet"), row_group_size=5, compression="snappy")
    plain = table.drop_columns(["dictionary"])
    pq.write_table(plain, p("plain.parquet"), store_schema=False, data_page_version="2.0", use_dictionary=False, compression="zstd")
    one = pa.table({"text": [f"value {i // 3}" for i in range(200)], "n": range(200)})
    for codec in ("none", "snappy", "gzip", "brotli", "zstd", "lz4"):
        pq.write_table(one, p(f"codec_{codec}.parquet"), compression=codec)
    g = pa.table({
        "i": pa.array(range(100), pa.int32()), "u": pa.array([2**63 + i for i in range(100)], pa.uint64()),
        "f": pa.array([float("nan") if i == 5 else i / 2 for i in range(100)]), "s": [f"row {i:03d}" for i in range(100)],
        "t": pa.array([i * 1000 for i in range(100)], pa.timestamp("ms")), "n": pa.array([None if i < 20 else i for i in range(100)], pa.int64()),
        "st": pa.array([{"a": i} for i in range(100)]), "l": pa.array([[i, 0] for i in range(100)]),
    })
    pq.write_table(g, p("groups.parquet"), row_group_size=10)
    nt = pa.table(nested())
    pq.write_table(nt, p("nested.parquet"), row_group_size=13)
    with open(p("expected.json"), "w") as f:
        want = {n: values(a) for n, a in cols.items()}
        want |= {n: values(a) for n, a in nested().items()}
        json.dump(want, f, indent=None, ensure_ascii=True)
        f.write("\n")


main()
