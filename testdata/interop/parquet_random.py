#!/usr/bin/env python3
"""Writes random tables of every type as Parquet files with pyarrow, and what pyarrow reads from them as Arrow IPC files:

    parquet_random.py DIR FIRST COUNT

makes DIR/N.parquet and DIR/N.arrow for each N from FIRST on. N is the seed. Encodings, codecs, page versions, page sizes,
row groups, page index, checksums, nesting, nullability and slices differ."""
import datetime
import decimal
import random
import sys

import pyarrow as pa
import pyarrow.parquet as pq

CODECS = ["none", "snappy", "gzip", "brotli", "zstd", "lz4"]


def text(r, top=20):
    letters = "abcdefghijklmnop " * 3 + "äöü€漢𝄞"
    return "".join(r.choice(letters) for _ in range(r.choice([0, 1, 3, 8, 12, 13, top])))


def flat(r):
    """Returns a type and a function that makes a value of it."""
    def ints(bits, signed):
        lo, hi = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        small = r.random() < 0.5
        return lambda: r.choice([lo, hi, 0]) if r.random() < 0.05 else r.randint(max(lo, -9), 9) if small else r.randint(lo, hi)

    def decimals(make, most):
        p = r.randint(1, most)
        s = r.randint(0, p)
        return make(p, s), lambda: decimal.Decimal(r.randint(-(10**p) + 1, 10**p - 1)).scaleb(-s, decimal.Context(prec=100))

    k = r.randint(0, 32)
    few = [text(r) for _ in range(r.choice([1, 5, 2000]))]
    chosen = lambda: r.choice(few)  # noqa: E731
    raw = lambda: chosen().encode()  # noqa: E731
    unit = r.choice(["ms", "us", "ns"])
    if k < 8:
        bits, signed = 8 << k % 4, k < 4
        return getattr(pa, ("" if signed else "u") + f"int{bits}")(), ints(bits, signed)
    if k == 8:
        return pa.bool_(), lambda: r.random() < 0.3
    if k == 9:
        return pa.float16(), lambda: float(r.choice([0.0, -0.0, 1.5, -2.25, float("inf"), 65504.0]))
    if k == 10:
        return pa.float32(), lambda: float(r.choice([0.0, -0.0, 1.5, -2.25, float("inf"), r.randint(-(1 << 20), 1 << 20) / 8]))
    if k in (11, 12):
        return pa.float64(), lambda: r.choice([0.0, -0.0, float("-inf"), r.random(), r.gauss(0, 1e9)])
    if k in (13, 14):
        return r.choice([pa.string(), pa.large_string(), pa.string_view()]), chosen
    if k == 15:
        return r.choice([pa.binary(), pa.large_binary(), pa.binary_view()]), raw
    if k == 16:
        return pa.dictionary(pa.int32(), r.choice([pa.string(), pa.binary()])), None
    if k == 17:
        return pa.date32(), lambda: r.randint(-100000, 100000)
    if k == 18:
        return pa.time32("ms"), lambda: r.randint(0, 86399999)
    if k == 19:
        unit = r.choice(["us", "ns"])
        return pa.time64(unit), lambda: r.randint(0, 86399999) * 1000
    if k in (20, 21):
        tz = r.choice([None, "UTC", "Europe/Berlin"])
        return pa.timestamp(unit, tz), lambda: r.randint(-(1 << 45), 1 << 49) * (1000 if unit == "ns" else 1)
    if k == 22:
        return pa.duration(unit), lambda: r.randint(-(1 << 60), 1 << 60)
    if k in (23, 24, 25):
        return decimals(pa.decimal128, 38)
    if k in (26, 27):
        return decimals(pa.decimal256, 76)
    if k in (28, 29):
        n = r.choice([1, 2, 3, 4, 7, 8, 16, 20, 32, 33])
        return pa.binary(n), lambda: bytes(r.choice(b"\0a\xff") for _ in range(n))
    if k == 30:
        return pa.null(), lambda: None
    if k == 31:
        return pa.decimal128(r.randint(1, 18), 0), lambda: decimal.Decimal(r.randint(-9, 9))
    return pa.date32(), lambda: r.randint(0, 20)


def array(r, n, depth, nullable):
    """Returns a random array of n values."""
    nulls = r.choice([0, 0, 0.02, 0.3, 0.9, 1]) if nullable else 0
    mask = pa.array([r.random() < nulls for _ in range(n)], pa.bool_())
    kind = r.random()
    if depth == 0 or kind < 0.45:
        t, value = flat(r)
        if pa.types.is_null(t):
            return pa.nulls(n) if nullable else pa.array([0] * n, pa.int32())
        if value is None:
            few = [text(r) for _ in range(r.choice([1, 5, 100]))]
            make = (lambda: r.choice(few).encode()) if pa.types.is_binary(t.value_type) else (lambda: r.choice(few))
            return pa.array([None if mask[i].as_py() else make() for i in range(n)], t.value_type).dictionary_encode().cast(t)
        runs = r.random() < 0.3
        out, last = [], value()
        for i in range(n):
            if not runs or r.random() < 0.05:
                last = value()
            out.append(None if mask[i].as_py() else last)
        if pa.types.is_float16(t):
            import numpy
            return pa.array([None if v is None else numpy.float16(v) for v in out], t)
        if pa.types.is_temporal(t):
            width = pa.int32() if t.bit_width == 32 else pa.int64()
            return pa.array(out, width).view(t)
        return pa.array(out, t)
    if kind < 0.65:
        kids, fields = [], []
        for i in range(r.randint(1, 3)):
            child = nullable or r.random() < 0.5
            kids.append(array(r, n, depth - 1, child))
            fields.append(pa.field(f"f{i}", kids[-1].type, child))
        return pa.StructArray.from_arrays(kids, fields=fields, mask=mask if nullable else None)
    if kind < 0.72:
        size = r.randint(1, 3)
        items = array(r, n * size, depth - 1, True)
        return pa.FixedSizeListArray.from_arrays(items, size, mask=mask if nullable else None)
    most = r.choice([0, 1, 3, 10])
    ends = [0]
    for i in range(n):
        ends.append(ends[-1] + (0 if mask[i].as_py() else r.randint(0, most)))
    if kind < 0.92:
        items = array(r, ends[-1], depth - 1, True)
        large = r.random() < 0.3
        make = pa.LargeListArray if large else pa.ListArray
        return make.from_arrays(pa.array(ends, pa.int64() if large else pa.int32()), items, mask=mask if nullable else None)
    keys = pa.array([text(r) for _ in range(ends[-1])], pa.string())
    offsets = pa.array([None if i < n and mask[i].as_py() else e for i, e in enumerate(ends)], pa.int32())
    return pa.MapArray.from_arrays(offsets, keys, array(r, ends[-1], depth - 1, True))


def leaves(t, path):
    """Lists the leaf types of a type with their paths in Parquet."""
    if pa.types.is_struct(t):
        return [x for f in t for x in leaves(f.type, path + [f.name])]
    if pa.types.is_map(t):
        return leaves(t.key_type, path + ["key_value", "key"]) + leaves(t.item_type, path + ["key_value", "value"])
    if pa.types.is_nested(t):
        return leaves(t.value_type, path + ["list", "element"])
    return [(t, path)]


def encoding(r, t):
    """Returns an encoding for a type; None = the writer's own."""
    if pa.types.is_boolean(t):
        return r.choice(["PLAIN", "RLE"])
    if pa.types.is_integer(t) or pa.types.is_date32(t) or pa.types.is_timestamp(t) or pa.types.is_time(t) or pa.types.is_duration(t):
        return r.choice(["PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"])
    if pa.types.is_floating(t) or pa.types.is_decimal(t) or pa.types.is_fixed_size_binary(t):
        return r.choice(["PLAIN", "BYTE_STREAM_SPLIT"])
    if pa.types.is_null(t):
        return "PLAIN"
    return r.choice(["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"])


def write(path, seed):
    r = random.Random(seed)
    n = r.choice([0, 1, 7, 8, 100, 100, 1000, 3000])
    cut = r.random() < 0.3 and n > 10
    names, arrays, fields = [], [], []
    for i in range(r.randint(1, 6)):
        nullable = r.random() < 0.8
        a = array(r, n + 20 if cut else n, r.randint(0, 3), nullable)
        if cut:
            a = a.slice(r.randint(1, 15), n)
        fields.append(pa.field(f"c{i}", a.type, nullable))
        arrays.append(a)
    table = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    options = dict(
        compression=r.choice(CODECS), data_page_version=r.choice(["1.0", "2.0"]), version=r.choice(["1.0", "2.4", "2.6"]),
        row_group_size=r.choice([1, 10, 999, 1 << 20]) if n <= 1000 else r.choice([999, 1 << 20]), data_page_size=r.choice([10, 200, 4000, 1 << 20]),
        write_batch_size=r.choice([1, 10, 1024]), store_schema=r.random() < 0.8, write_statistics=r.random() < 0.8,
        write_page_index=r.random() < 0.5, write_page_checksum=r.random() < 0.5, store_decimal_as_integer=r.random() < 0.5,
        dictionary_pagesize_limit=r.choice([10, 1000, 1 << 20]), use_deprecated_int96_timestamps=r.random() < 0.1,
        use_compliant_nested_type=r.random() < 0.8,
    )
    if options["store_schema"]:  # pyarrow forgets the time zones of INT96 inside maps
        options["use_deprecated_int96_timestamps"] = False
    if r.random() < 0.5:
        options["use_dictionary"] = r.random() < 0.7
        if not options["use_dictionary"] and options["use_compliant_nested_type"]:
            chosen = {}
            for f in table.schema:
                for t, p in leaves(f.type, [f.name]):
                    if not pa.types.is_dictionary(t):
                        chosen[".".join(p)] = encoding(r, t)
            options["column_encoding"] = chosen
    try:
        pq.write_table(table, path + ".parquet", **options)
    except Exception as e:
        if "column_encoding" not in options:
            raise
        del options["column_encoding"]  # not for this physical type
        pq.write_table(table, path + ".parquet", **options)
    try:
        back = pq.ParquetFile(path + ".parquet", page_checksum_verification=True).read().combine_chunks()
    except pa.ArrowInvalid as e:
        raise pa.ArrowNotImplementedError(f"pyarrow does not read what it wrote: {e}")
    with pa.ipc.new_file(path + ".arrow", back.schema) as out:
        out.write_table(back)


decimal.getcontext().prec = 100
first, count = int(sys.argv[2]), int(sys.argv[3])
for seed in range(first, first + count):
    for attempt in range(20):
        try:
            write(f"{sys.argv[1]}/{seed}", f"{seed} {attempt}")
            break
        except pa.ArrowNotImplementedError as e:  # pyarrow cannot write this one: another takes its place
            print(seed, e)
        except Exception as e:
            raise RuntimeError(f"table {seed}") from e
