#!/usr/bin/env python3
"""Writes random tables as ORC files with pyarrow, which uses the C++ writer:

    orc_random.py DIR FIRST COUNT

makes DIR/N.orc for each N from FIRST on. N is the seed. Types, nesting, nulls, runs of equal values, sizes of numbers, stripes, row groups,
chunks, codecs, encodings and bloom filters differ."""
import decimal
import random
import sys

import pyarrow as pa
import pyarrow.orc

CODECS = ["uncompressed", "snappy", "zlib", "lz4", "zstd"]


def flat(r):
    """Returns a type and a function that makes a value of it."""
    kind = r.choice(["int8", "int16", "int32", "int64", "float32", "float64", "float64", "decimal", "decimal", "bool", "string", "binary", "date32", "time", "time"])
    small = r.random() < 0.5
    if kind.startswith("int"):
        bits = int(kind[3:])
        most = (1 << bits - 1) - 1
        return getattr(pa, kind)(), lambda: r.randint(-9, 9) if small else r.choice([most, -most - 1, r.randint(-most, most)])
    if kind.startswith("float"):
        scale = r.choice([1, 1e-30, 1e30])
        odd = [0.0, -0.0] + ([float("inf"), float("-inf"), float("nan")] if r.random() < 0.3 else [])
        return getattr(pa, kind)(), lambda: r.choice(odd) if r.random() < 0.05 else r.gauss(0, scale) * (10 ** r.randint(-6, 6) if small else 1)
    if kind == "decimal":
        p = r.choice([r.randint(1, 18), r.randint(19, 38), 18, 38])
        s = r.randint(0, p)
        digits = min(p, 3) if small else p
        return pa.decimal128(p, s), lambda: decimal.Decimal(r.randint(1 - 10**digits, 10**digits - 1)).scaleb(-s, decimal.Context(prec=100))
    if kind == "bool":
        return pa.bool_(), lambda: r.random() < 0.3
    if kind in ("string", "binary"):
        words = ["".join(r.choice("abc äöü€漢𝄞") for _ in range(r.choice([0, 1, 5, 30, 700]))) for _ in range(r.choice([1, 9, 500]))]
        return (pa.string(), lambda: r.choice(words)) if kind == "string" else (pa.binary(), lambda: r.choice(words).encode())
    if kind == "date32":
        return pa.date32(), lambda: r.randint(-100_000, 100_000)
    t = r.choice([pa.timestamp("ns"), pa.timestamp("ns", "UTC")])
    span = r.choice([10**9, 10**10, 9 * 10**18])  # about 1970, and to 1685 and 2255
    step = r.choice([1, 1000, 10**6, 10**9])
    return t, lambda: r.randint(-span, span) // step * step


def column(r, n, depth=2, null=None):
    """Returns an array of n values, which are null where null says so.

    The C++ writer stores values of structs in structs also where the outer one is null, and reads other rows from such a file."""
    nulls = r.choice([0, 0, 0.1, 0.9, 1])
    kind = r.choice(["flat"] * 6 + ["list", "struct", "map"]) if depth else "flat"
    mask = pa.array([r.random() < nulls or null is not None and null[i].as_py() for i in range(n)], pa.bool_())
    if kind == "struct":
        fields = [column(r, n, depth - 1, mask) for _ in range(r.randint(1, 3))]
        return pa.StructArray.from_arrays(fields, [f"f{i}" for i in range(len(fields))], mask=mask)
    if kind in ("list", "map"):
        lengths = [0 if m.as_py() else r.choice([0, 1, 2, 9]) for m in mask]
        offsets, at = [], 0
        for m, k in zip(mask, lengths):
            offsets.append(None if m.as_py() else at)
            at += k
        offsets = pa.array(offsets + [at], pa.int32())
        items = column(r, at, depth - 1)
        return pa.ListArray.from_arrays(offsets, items) if kind == "list" else pa.MapArray.from_arrays(offsets, pa.array(range(at), pa.int64()), items)
    t, make = flat(r)
    run, values = r.choice([1, 1, 3, 600]), []
    while len(values) < n:
        values += [make()] * r.randint(1, run)
    return pa.array([None if m.as_py() else v for m, v in zip(mask, values)], t)


def main():
    out, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, first + count):
        r = random.Random(seed)
        n = r.choice([0, 1, 50, 700, 2500])
        columns = [column(r, n) for _ in range(r.randint(1, 4))]
        table = pa.table({f"c{i}": c for i, c in enumerate(columns)})
        pa.orc.write_table(
            table, f"{out}/{seed}.orc", file_version=r.choice(["0.11", "0.12"]), batch_size=r.choice([1, 100, 1024, 10_000]), stripe_size=r.choice([1024, 16 << 10, 64 << 20]),
            compression=r.choice(CODECS), compression_block_size=r.choice([64 << 10, 256 << 10]), compression_strategy=r.choice(["speed", "compression"]),
            row_index_stride=r.choice([100, 1000, 10_000]), dictionary_key_size_threshold=r.choice([0.0, 0.5, 1.0]), bloom_filter_columns=range(1, 30) if r.random() < 0.4 else None)  # numbers of types


if __name__ == "__main__":
    main()
