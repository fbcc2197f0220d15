#!/usr/bin/env python3
"""Makes the IPC files beside it. Run with pyarrow 26: python3 make.py [DIR]

types*       a batch of every type that pyarrow writes, with nulls, and the same rows again
             plain, with lz4 (file) and with zstd (stream, the rows once)
batches.*    150 rows in batches of 7: values that say which row they are
dicts.*      dictionaries: one for all, deltas (file and stream), replacements (stream), nested
old.*        metadata version 4 without a continuation, as Arrow wrote before 0.15
expected.json  what is in types*, as text, told by pyarrow
"""
import datetime
import decimal
import json
import os
import sys

import pyarrow as pa
from pyarrow import ipc

OUT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))


def columns():
    """name -> array of 5 rows"""
    c = {}
    for bits in (8, 16, 32, 64):
        top = 2 ** (bits - 1)
        c[f"int{bits}"] = pa.array([0, None, -1, top - 1, -top], getattr(pa, f"int{bits}")())
        c[f"uint{bits}"] = pa.array([0, None, 1, top, 2 * top - 1], getattr(pa, f"uint{bits}")())
    c["bool"] = pa.array([True, False, None, True, True])
    c["null"] = pa.nulls(5)
    c["float16"] = pa.array([0.5, None, -2.0, float("inf"), 1024.0], pa.float32()).cast(pa.float16())
    c["float32"] = pa.array([0.5, None, -0.0, float("inf"), 3e38], pa.float32())
    c["float64"] = pa.array([0.5, None, -0.0, float("-inf"), 1e308])
    c["utf8"] = pa.array(["", None, "a", "Grüße", "\U0001F600" * 4])
    c["large_utf8"] = c["utf8"].cast(pa.large_utf8())
    c["utf8_view"] = pa.array(["", None, "twelve bytes", "thirteen byte", "x" * 40], pa.string_view())
    c["binary"] = pa.array([b"", None, b"\x00", b"\xff\xfe", b"0123456789" * 4])
    c["large_binary"] = c["binary"].cast(pa.large_binary())
    c["binary_view"] = pa.array([b"", None, b"\x00" * 12, b"\xff" * 13, b"\x01" * 40], pa.binary_view())
    c["fixed_binary"] = pa.array([b"abc", None, b"\x00\x00\x00", b"xyz", b"\xff\xff\xff"], pa.binary(3))
    d = decimal.Decimal
    c["decimal128"] = pa.array([d("0.00"), None, d("-1.25"), d("9" * 36 + ".99"), d("0.01")], pa.decimal128(38, 2))
    c["decimal256"] = pa.array([d("0.00"), None, d("-1.25"), d("9" * 74 + ".99"), d("0.01")], pa.decimal256(76, 2))
    c["date32"] = pa.array([0, None, -1, 20000, 2932896], pa.date32())
    c["date64"] = pa.array([0, None, -86400000, 86400000 * 20000, 0], pa.date64())
    c["time32_s"] = pa.array([0, None, 1, 86399, 3600], pa.time32("s"))
    c["time32_ms"] = pa.array([0, None, 1, 86399999, 3600], pa.time32("ms"))
    c["time64_us"] = pa.array([0, None, 1, 86399999999, 3600], pa.time64("us"))
    c["time64_ns"] = pa.array([0, None, 1, 86399999999999, 3600], pa.time64("ns"))
    for u in ("s", "ms", "us", "ns"):
        c[f"timestamp_{u}"] = pa.array([0, None, -1, 1700000000, 1], pa.timestamp(u))
        c[f"timestamp_{u}_tz"] = pa.array([0, None, -1, 1700000000, 1], pa.timestamp(u, "Europe/Berlin"))
        c[f"duration_{u}"] = pa.array([0, None, -1, 1700000000, 1], pa.duration(u))
    c["month_day_nano"] = pa.array([(0, 0, 0), None, (1, -2, 3), (-12, 31, 10**12), (0, 1, 0)], pa.month_day_nano_interval())
    c["list"] = pa.array([[], None, [1], [None, 2], [3, 4, 5]], pa.list_(pa.int32()))
    c["large_list"] = pa.array([[], None, ["a"], [None, "b"], ["c"]], pa.large_list(pa.utf8()))
    c["list_view"] = pa.array([[], None, [1], [None, 2], [3, 4, 5]], pa.list_view(pa.int32()))
    c["large_list_view"] = pa.array([[], None, [1], [None, 2], [3, 4, 5]], pa.large_list_view(pa.int32()))
    c["fixed_list"] = pa.array([[1, 2], None, [3, None], [5, 6], [7, 8]], pa.list_(pa.int16(), 2))
    c["struct"] = pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}, {"a": 3, "b": None}, {"a": 4, "b": "z"}])
    c["map"] = pa.array([[], None, [("k", 1)], [("k", None), ("l", 2)], [("m", 3)]], pa.map_(pa.utf8(), pa.int64()))
    c["map_sorted"] = pa.array([[], None, [("k", 1)], [("k", 5), ("l", 2)], [("m", 3)]], pa.map_(pa.utf8(), pa.int64(), keys_sorted=True))
    ids = pa.array([0, 1, 0, 1, 0], pa.int8())
    c["dense_union"] = pa.UnionArray.from_dense(ids, pa.array([0, 0, 1, 1, 2], pa.int32()), [pa.array([1, None, 3]), pa.array(["a", "b"])], ["n", "s"], [0, 1])
    ids = pa.array([5, 9, 5, 9, 5], pa.int8())
    c["sparse_union"] = pa.UnionArray.from_sparse(ids, [pa.array([1, 2, 3, 4, None]), pa.array(["a", "b", "c", "d", "e"])], ["n", "s"], [5, 9])
    c["dictionary"] = pa.array(["red", None, "green", "red", "blue"]).dictionary_encode()
    c["dictionary_u8"] = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1, 0], pa.uint8()), pa.array([1.5, 2.5]))
    c["dictionary_ordered"] = pa.DictionaryArray.from_arrays(pa.array([0, 2, None, 1, 0], pa.int16()), pa.array(["lo", "mid", "hi"]), ordered=True)
    c["run_end"] = pa.RunEndEncodedArray.from_arrays(pa.array([2, 4, 5], pa.int32()), pa.array(["x", None, "y"]))
    c["list_struct"] = pa.array([[{"a": 1, "b": [1.0]}], None, [], [{"a": None, "b": None}, {"a": 2, "b": [None, 2.0]}], [None]])
    c["list_dict"] = pa.ListArray.from_arrays(pa.array([0, 1, 1, 3, 3, 4], pa.int32()), pa.array(["p", "q", "p", None]).dictionary_encode())
    return c


def schema_of(cols):
    fields = [pa.field(n, a.type, metadata={"note": n}) for n, a in cols.items()]
    fields.append(pa.field("required", pa.int64(), nullable=False))
    return pa.schema(fields, metadata={"origin": "pyarrow", "empty": ""})


def stream(path, schema, batches, **options):
    with pa.OSFile(path, "wb") as f, ipc.new_stream(f, schema, options=ipc.IpcWriteOptions(**options)) as w:
        for b in batches:
            w.write_batch(b)


def file(path, schema, batches, **options):
    with pa.OSFile(path, "wb") as f, ipc.new_file(f, schema, options=ipc.IpcWriteOptions(**options)) as w:
        for b in batches:
            w.write_batch(b)


def text(v):
    if isinstance(v, dict):
        return {k: text(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [text(x) for x in v]
    if isinstance(v, bytes):
        return v.hex()
    if v is None or isinstance(v, (bool, str)):
        return v
    if isinstance(v, float):
        return repr(v)
    return str(v)


def values(arr):
    """Integers for everything that counts a unit, so that no calendar is in between."""
    t = arr.type
    if pa.types.is_timestamp(t) or pa.types.is_duration(t) or pa.types.is_time64(t) or pa.types.is_date64(t):
        arr = arr.cast(pa.int64())
    elif pa.types.is_date32(t) or pa.types.is_time32(t):
        arr = arr.cast(pa.int32())
    return [text(v) for v in arr.to_pylist()]


def main():
    p = lambda name: os.path.join(OUT, name)
    cols = columns()
    schema = schema_of(cols)
    batch = pa.record_batch(list(cols.values()) + [pa.array(range(5), pa.int64())], schema=schema)
    stream(p("types.arrows"), schema, [batch, batch])
    file(p("types.arrow"), schema, [batch, batch])
    stream(p("types_zstd.arrows"), schema, [batch], compression="zstd")
    file(p("types_lz4.arrow"), schema, [batch, batch], compression="lz4")
    with open(p("expected.json"), "w") as f:
        json.dump({n: values(a) for n, a in cols.items()}, f, indent=1, ensure_ascii=True)
        f.write("\n")

    rows = pa.record_batch({"row": pa.array(range(150), pa.int64()), "text": pa.array([f"row {i}" if i % 11 else None for i in range(150)]),
                            "nested": pa.array([{"a": i, "b": [i] * (i % 3)} for i in range(150)])})
    parts = [rows.slice(i, 7) for i in range(0, 150, 7)]
    file(p("batches.arrow"), rows.schema, parts, compression="zstd")
    stream(p("batches.arrows"), rows.schema, parts, compression="lz4")
    file(p("empty.arrow"), rows.schema, [])
    stream(p("empty.arrows"), rows.schema, [])
    file(p("nocolumns.arrow"), pa.schema([]), [pa.record_batch([], schema=pa.schema([]))])

    d = lambda values, idx: pa.record_batch({"d": pa.DictionaryArray.from_arrays(pa.array(idx, pa.int32()), pa.array(values)), "i": pa.array(range(len(idx)), pa.int64())})
    grow = [d(["a", "b"], [0, 1, None]), d(["a", "b", "c"], [2, 0, 1]), d(["a", "b", "c", "d", "e"], [4, 3])]
    file(p("dict_delta.arrow"), grow[0].schema, grow, emit_dictionary_deltas=True)
    stream(p("dict_delta.arrows"), grow[0].schema, grow, emit_dictionary_deltas=True)
    swap = [d(["a", "b"], [0, 1, None]), d(["x"], [0, 0]), d(["y", "z"], [1, 0])]
    stream(p("dict_replace.arrows"), swap[0].schema, swap)
    inner = pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int8()), pa.array(["in", "out"]))
    nested = pa.DictionaryArray.from_arrays(pa.array([2, 1, 0, None], pa.int32()), pa.StructArray.from_arrays([inner, pa.array([1, 2, 3])], ["s", "n"]))
    b = pa.record_batch({"d": nested})
    file(p("dict_nested.arrow"), b.schema, [b])
    stream(p("dict_nested.arrows"), b.schema, [b])

    stream(p("old.arrows"), rows.schema, parts[:3], use_legacy_format=True, metadata_version=ipc.MetadataVersion.V4)
    file(p("old.arrow"), rows.schema, parts[:3], use_legacy_format=True, metadata_version=ipc.MetadataVersion.V4)


main()
