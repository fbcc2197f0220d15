#!/usr/bin/env python3
"""mkbig.py DIR [ROWS | opening]: the ORC files that speed is measured on, by the C++ writer (pyarrow). Fixed seed, about 1 GB.

  lineitem_{none,zlib,snappy,zstd}.orc   16 columns as in TPC-H, ROWS rows (3 000 000)
  nested_{none,zlib,zstd}.orc            list of structs, map, struct with nulls, ROWS/3 rows
  col_KIND.orc                           one column of one kind, ROWS*4/3 rows, not compressed
  one_stripe.orc                         lineitem, ZLIB, all in one stripe
  sorted.orc                             a sorted key in 300 row groups and a payload, for filters

With "opening" instead, files that are slow to open:
  many_columns.orc                       10,000 columns
  many_stripes.orc                       10,000 stripes of one row
"""

import pathlib
import sys

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import orc

pa.set_cpu_count(1)
rng = np.random.default_rng(20141001)
WORDS = """the special packages sleep furiously among ironic deposits carefully final requests haggle blithely quickly
express accounts nag slyly even pinto beans wake foxes along regular theodolites about pending instructions boost""".split()


def pick(words, n, p=None):
    codes = pa.array(rng.choice(len(words), n, p=p).astype("int32"))
    return pa.DictionaryArray.from_arrays(codes, pa.array(words)).cast(pa.string())


def comments(n):
    pool = np.array([" ".join(rng.choice(WORDS, rng.integers(2, 7))) for _ in range(60000)], dtype=object)
    base, tail = pool[rng.integers(0, len(pool), n)], rng.integers(0, 1 << 20, n).tolist()
    return pa.array([b[: t % 30 + 8] + format(t, "x") for b, t in zip(base, tail)])


def decimals(unscaled, precision, scale):
    words = np.empty((len(unscaled), 2), dtype="<i8")
    words[:, 0], words[:, 1] = unscaled, unscaled >> 63
    return pa.Array.from_buffers(pa.decimal128(precision, scale), len(unscaled), [None, pa.py_buffer(words)])


def dates(days):
    return pa.array(days.astype("int32")).cast(pa.date32())


def lineitem(n):
    lines = rng.integers(1, 8, n // 4 + n)
    order = np.repeat(np.arange(len(lines)), lines)[:n]
    start = np.concatenate(([0], np.flatnonzero(np.diff(order)) + 1))
    number = np.arange(n) - np.repeat(start, np.diff(np.append(start, n))) + 1
    part, quantity = rng.integers(1, 200_001, n), rng.integers(1, 51, n)
    price = 90000 + (part // 10) % 20001 + 100 * (part % 1000)
    ordered = 8036 + rng.integers(0, 2405, len(lines))[order]
    shipped, committed = ordered + rng.integers(1, 122, n), ordered + rng.integers(30, 91, n)
    return pa.table({
        "l_orderkey": pa.array(((order // 8) * 32 + order % 8 + 1).astype("int64")),
        "l_partkey": pa.array(part.astype("int64")),
        "l_suppkey": pa.array(rng.integers(1, 10001, n).astype("int64")),
        "l_linenumber": pa.array(number.astype("int32")),
        "l_quantity": decimals(quantity * 100, 15, 2),
        "l_extendedprice": decimals(quantity * price, 15, 2),
        "l_discount": decimals(rng.integers(0, 11, n), 15, 2),
        "l_tax": decimals(rng.integers(0, 9, n), 15, 2),
        "l_returnflag": pick(["A", "N", "R"], n, [0.25, 0.5, 0.25]),
        "l_linestatus": pick(["O", "F"], n),
        "l_shipdate": dates(shipped),
        "l_commitdate": dates(committed),
        "l_receiptdate": dates(shipped + rng.integers(1, 31, n)),
        "l_shipinstruct": pick(["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"], n),
        "l_shipmode": pick(["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"], n),
        "l_comment": comments(n),
    })


def kinds(n):
    def holes(a, share=0.1):
        return pc.if_else(pa.array(rng.random(n) < share), pa.scalar(None, a.type), a)

    micros = (1_600_000_000_000_000 + np.cumsum(rng.integers(0, 5_000_000, n))).astype("int64")
    yield "int_small", pa.array(rng.integers(0, 1000, n).astype("int32"))
    yield "int_rand64", pa.array(rng.integers(-(2**62), 2**62, n))
    yield "int_seq", pa.array(np.arange(n, dtype="int64"))
    yield "int_outlier", pa.array(np.where(rng.random(n) < 0.03, rng.integers(0, 2**40, n), rng.integers(0, 200, n)))
    yield "int_nulls", holes(pa.array(rng.integers(0, 100000, n).astype("int64")))
    yield "double", pa.array(rng.normal(0, 1e4, n))
    yield "double_nulls", holes(pa.array(rng.normal(0, 1e4, n)))
    yield "string_dict", pick([f"category-{i:04d}" for i in range(1000)], n)
    yield "string_direct", comments(n)
    yield "string_nulls", holes(pick([f"v{i}" for i in range(50)], n))
    yield "decimal15", decimals(rng.integers(-(10**9), 10**9, n), 15, 2)
    yield "decimal38", decimals(rng.integers(-(10**17), 10**17, n), 38, 6)
    yield "timestamp", pa.array(micros * 1000).cast(pa.timestamp("ns"))
    yield "timestamp_s", pa.array(rng.integers(1_000_000_000, 1_700_000_000, n) * 10**9).cast(pa.timestamp("ns"))
    yield "date", dates(rng.integers(8000, 20000, n))
    yield "boolean", pa.array(rng.random(n) < 0.3)
    yield "tinyint", pa.array(rng.integers(-100, 100, n).astype("int8"))
    yield "float", pa.array(rng.normal(0, 1e4, n).astype("float32"))


def nested(n):
    def offsets(most):
        return np.concatenate(([0], np.cumsum(rng.integers(0, most, n)))).astype("int32")

    o = offsets(6)
    m = int(o[-1])
    item = pa.StructArray.from_arrays(
        [pa.array(rng.integers(0, 10**6, m)), pick([f"tag{i}" for i in range(300)], m), pa.array(rng.random(m))], ["id", "tag", "score"])
    p = offsets(4)
    props = pa.MapArray.from_arrays(pa.array(p), pick([f"k{i}" for i in range(40)], int(p[-1])), pa.array(rng.integers(0, 10**5, int(p[-1]))))
    inner = pa.StructArray.from_arrays(
        [pa.array(rng.integers(0, 100, n).astype("int32")), pa.array(rng.random(n))], ["a", "b"], mask=pa.array(rng.random(n) < 0.05))
    return pa.table({"id": pa.array(np.arange(n)), "items": pa.ListArray.from_arrays(pa.array(o), item), "props": props, "inner": inner})


def opening(out):
    """The writer ends a stripe once 64 KiB of a stream are full, so each stripe has one value that is larger."""
    orc.write_table(pa.table({f"c{i}": pa.array(range(i, i + 20)) for i in range(10_000)}), out / "many_columns.orc", compression="zlib")
    pad = pa.array([b"-" * 66_000] * 100)
    with orc.ORCWriter(out / "many_stripes.orc", compression="zlib", stripe_size=1, batch_size=1) as w:
        for i in range(0, 10_000, 100):
            w.write(pa.table({"id": pa.array(range(i, i + 100)), "pad": pad}))


def main():
    out, what = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else 3_000_000
    out.mkdir(parents=True, exist_ok=True)
    if what == "opening":
        opening(out)
        return
    n = int(what)

    def write(table, name, codec, **more):
        path = out / (name + ".orc")
        orc.write_table(table, path, compression=codec, compression_block_size=262144, dictionary_key_size_threshold=0.8, **more)
        print(path.name, table.num_rows, table.nbytes, path.stat().st_size, flush=True)

    t = lineitem(n)
    for codec in "none", "zlib", "snappy", "zstd":
        write(t, "lineitem_" + codec, "uncompressed" if codec == "none" else codec)
    write(t, "one_stripe", "zlib", stripe_size=4 << 30)
    del t
    t = nested(n // 3)
    for codec in "none", "zlib", "zstd":
        write(t, "nested_" + codec, "uncompressed" if codec == "none" else codec)
    del t
    for kind, a in kinds(n * 4 // 3):
        write(pa.table({"value": a}), "col_" + kind, "uncompressed")
    key = pa.array(np.arange(n, dtype="int64"))
    payload = {f"p{i}": pa.array(rng.integers(0, 2**40, n)) for i in range(8)}
    write(pa.table({"key": key, **payload}), "sorted", "zlib", row_index_stride=n // 300)


if __name__ == "__main__":
    main()
