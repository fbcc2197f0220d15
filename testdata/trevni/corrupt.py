#!/usr/bin/env python3
"""corrupt.py JAVA OUT: damaged files, made from the Java writer's fixtures in JAVA and from nothing, and their manifest.

expect says what a reader owes: "error" a clean failure in bounded time and memory; "either" that or a clean reading,
because nothing protects the bytes in question or because the file is only absurd.
"""

import bz2
import hashlib
import json
import pathlib
import struct
import sys
import zlib

from trevnibytes import Block, Column, Layout, bits, blob, build, deflate, metadata, run, zigzag

JAVA, OUT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
OUT.mkdir(parents=True, exist_ok=True)
BASE = "rows7"
ARRAY = ("trevni.array", b"")
MAX = (1 << 31) - 1
listed = []


def load(name=BASE):
    return bytearray((JAVA / f"{name}.trv").read_bytes())


def save(name, data, damage, expect="error", base="built"):
    data = bytes(data)
    (OUT / f"{name}.trv").write_bytes(data)
    listed.append({"file": f"{name}.trv", "from": base, "damage": damage, "expect": expect, "bytes": len(data),
                   "sha256": hashlib.sha256(data).hexdigest()})


def patched(name, at, form, v, damage, expect="error", base=BASE):
    b = load(base)
    struct.pack_into(form, b, at, v)
    save(name, b, damage, expect, base)


def header():
    whole = Layout(bytes(load()))
    save("empty", b"", "no bytes at all")
    for name, magic in ("magic-text", b"Trvx"), ("magic-version3", b"Trv\x03"), ("magic-avro", b"Obj\x01"):
        b = load()
        b[:4] = magic
        save(name, b, f"the first four bytes are {magic!r}; the Java reader takes any", base=BASE)
    column = whole.column("string")
    for what, n in {
        "magic": 3, "rows": 9, "columns": 14, "file-meta": 30, "column-meta": whole.starts_at - 20,
        "starts": whole.header_end - 3, "header": whole.header_end, "block-count": whole.columns[1].start + 2,
        "descriptor": column.start + 9, "block": column.blocks[0][4] + 40, "checksum": len(load()) - 2,
    }.items():
        save(f"cut-{what}", load()[:n], f"cut after {n} bytes", base=BASE)
    for name, n in ("columns-huge", MAX), ("columns-negative", -1), ("columns-one-more", whole.column_count + 1), ("columns-million", 10**6):
        patched(name, 12, "<i", n, f"{n} columns")
    patched("columns-one-less", 12, "<i", whole.column_count - 1, "one column less than described", "either")
    for name, n in ("rows-huge", 1 << 62), ("rows-negative", -5), ("rows-one-more", whole.rows + 1), ("rows-one-less", whole.rows - 1):
        patched(name, 4, "<q", n, f"{n} rows in the header, blocks unchanged")
    long = whole.column("long")
    for name, n in ("start-negative", -1), ("start-far", 10**12), ("start-max", (1 << 63) - 1), ("start-end", len(load())), ("start-header", 4):
        patched(name, long.start_at, "<q", n, f"a column starts at {n}")
    patched("start-shared", long.start_at, "<q", whole.column("double").start, "two columns start at one place", "either")
    head = b"Trv\x02" + struct.pack("<qi", 0, 0)
    save("meta-count-huge", head + zigzag(MAX, 32), "2^31-1 pairs of metadata")
    save("meta-count-negative", head + zigzag(-3, 32), "-3 pairs of metadata", "either")
    save("meta-key-huge", head + zigzag(1) + zigzag(1 << 30) + b"abc", "a key of 2^30 bytes")
    save("meta-key-negative", head + zigzag(1) + zigzag(-1) + b"abc", "a key of -1 bytes")
    save("meta-key-text", head + zigzag(1) + blob(b"\xff\xfe") + blob("v"), "a key that is not UTF-8", "either")
    save("meta-value-huge", head + zigzag(1) + blob("k") + zigzag(MAX), "a value of 2^31-1 bytes")
    save("meta-varint-long", head + b"\xff" * 12, "a count whose varint does not end")
    save("no-starts", b"Trv\x02" + struct.pack("<qi", 0, 1) + metadata([]) + metadata([("trevni.name", "c"), ("trevni.type", "int")]),
         "the file ends before the starts")


def descriptors():
    long = Layout(bytes(load())).column("long")
    for name, n in ("blocks-huge", MAX), ("blocks-100m", 10**8), ("blocks-negative", -7), ("blocks-zero", 0), ("blocks-one-more", len(long.blocks) + 1):
        patched(name, long.start, "<i", n, f"{n} blocks in one column")
    at, rows, raw, packed, _ = long.blocks[0]
    for field, o, values in (
        ("rows", 0, {"negative": -1, "huge": MAX, "zero": 0, "less": rows - 1, "more": rows + 1}),
        ("raw", 4, {"negative": -1, "huge": MAX, "zero": 0, "less": raw - 1, "more": raw + 1}),
        ("packed", 8, {"negative": -1, "huge": MAX, "near-max": MAX - 3, "zero": 0, "less": packed - 1, "more": packed + 1}),
    ):
        for how, n in values.items():
            patched(f"{field}-size-{how}" if field != "rows" else f"block-rows-{how}", at + o, "<i", n, f"{field} = {n} in one descriptor")
    base = "first-values"
    small = Layout(bytes(load(base)))
    b = load(base)[: small.column("string").start + 20]
    save("first-value-missing", bytes(b[: small.column("int").start + 16]), "cut before a first value", base=base)
    one("first-value-huge", "string", blob("x"), [("trevni.values", b"")], first=zigzag(MAX), damage="a first value of 2^31-1 bytes")
    one("first-value-negative", "bytes", blob("x"), [("trevni.values", b"")], first=zigzag(-9), damage="a first value of -9 bytes")
    one("first-value-lies", "long", zigzag(5), [("trevni.values", b"")], first=zigzag(6), damage="a first value that is not the block's", expect="either")
    one("array-with-values", "int", zigzag(1) + zigzag(5), [ARRAY, ("trevni.values", b"")], damage="trevni.values on an array column")


def payloads():
    for codec in "deflate", "snappy", "bzip2":
        base = f"prim-{codec}-crc32"
        at, _, _, packed, data = Layout(bytes(load(base))).column("string").blocks[0]
        for name, o, what in ("bit", packed // 2, "a bit flipped in a packed block"), ("crc", packed, "a bit flipped in a stored checksum"):
            b = load(base)
            b[data + o] ^= 0x10
            save(f"{name}-{codec}", b, what, base=base)
    for codec in "null", "deflate", "snappy":
        base = f"prim-{codec}-null"
        _, _, _, packed, data = Layout(bytes(load(base))).column("fixed64").blocks[0]
        b = load(base)
        b[data + packed // 2] ^= 0x10
        save(f"bit-{codec}-unchecked", b, "a bit flipped in a packed block without a checksum", "either", base)
    b = load("prim-null-null")
    save("cut-plain", b[:-12], "the last 12 bytes are missing; the Java reader takes stale bytes for them", base="prim-null-null")
    base = "nested3"
    for n in range(2):
        b = load(base)
        c = Layout(bytes(b)).columns[n + 1]
        _, _, raw, packed, data = c.blocks[0]
        b[data + packed // 3] ^= 1 << n
        save(f"bit-nested-{n}", b, f"a bit flipped in column {c.name}", base=base)


def one(name, kind, body, pairs=(), rows=1, meta=(), first=b"", damage="", expect="error", codec="null", pack=None, raw=None):
    """A file of one column of one block."""
    block = Block(rows, body, first)
    data = build(rows, [Column("c", kind, [block], list(pairs), codec=codec, pack=pack)],
                 [*meta, *([("trevni.codec", codec)] if codec != "null" else [])])
    if raw is not None:  # the raw size that the descriptor claims
        at = Layout(data).columns[0].blocks[0][0]
        data = data[: at + 4] + struct.pack("<i", raw) + data[at + 8 :]
    save(name, data, damage, expect)


def values():
    one("string-huge", "string", zigzag(MAX), damage="a string of 2^31-1 bytes in a block of five")
    one("string-negative", "string", zigzag(-1) + b"xxxxxxxx", damage="a string of -1 bytes")
    one("string-one-short", "string", zigzag(4) + b"abc", damage="a string of four bytes, three there")
    one("string-not-utf8", "string", blob(b"\xff\xfe\xc3"), damage="a string that is not UTF-8")
    one("string-surrogate", "string", blob(b"\xed\xa0\x80"), damage="a string with a lone surrogate")
    one("string-overlong", "string", blob(b"\xc0\x80"), damage="a string with an overlong form")
    one("bytes-300m", "bytes", zigzag(300_000_000) + b"ab", damage="300 MB of bytes in a block of seven")
    one("bytes-length-wide", "bytes", b"\x80" * 9 + b"\x02" + b"ab", damage="a length in ten bytes", expect="either")
    one("int-six-bytes", "int", b"\xff" * 6 + b"\x01", damage="a varint too long for an int")
    one("int-above-32-bits", "int", b"\xff\xff\xff\xff\x7f", damage="five bytes of int with bits above the 32nd", expect="either")
    one("int-unfinished", "int", b"\x80", damage="a varint without its last byte")
    one("long-eleven-bytes", "long", b"\xff" * 11 + b"\x01", damage="a varint too long for a long")
    one("long-above-64-bits", "long", b"\xff" * 9 + b"\x7f", damage="ten bytes of long with bits above the 64th", expect="either")
    one("fixed32-short", "fixed32", b"abc", damage="three bytes of fixed32")
    one("double-short", "double", b"abcdefg", rows=1, damage="seven bytes of double")
    one("boolean-short", "boolean", bits([1] * 8), rows=9, damage="eight booleans for nine rows")
    one("bytes-left-over", "int", zigzag(5) + b"\0\0\0", damage="bytes left in a block behind its rows", expect="either")
    one("rows-of-nothing", "null", b"", rows=MAX, damage="2^31-1 rows of null in no bytes: sound, but nothing bounds it", expect="either")


def arrays():
    a = [ARRAY]
    one("array-huge-null", "null", zigzag(MAX), a, damage="a null array of 2^31-1 elements in five bytes", expect="either")
    one("array-huge-long", "long", zigzag(MAX) + b"\0", a, damage="a long array of 2^31-1 elements in six bytes")
    one("array-huge-boolean", "boolean", zigzag(MAX) + b"\0", a, damage="a boolean array of 2^31-1 elements in six bytes")
    one("array-wraps", "fixed64", zigzag(1 << 29) * 2 + bytes(16), a, rows=2, damage="lengths whose bytes together pass 2^32")
    one("run-huge", "null", zigzag(-(1 << 31), 32), a, rows=3, damage="a run of 2^30 lengths for three rows", expect="either")
    one("run-short", "null", run(2, 0), a, rows=5, damage="a run of two lengths for five rows")
    one("run-over-values", "int", run(3, 1) + zigzag(7), a, rows=3, damage="a run of three ones and one value")
    one("run-bomb", "null", run(1 << 30, 1), a, rows=1 << 30, damage="2^30 rows of one null in five bytes: sound, but nothing bounds it", expect="either")
    parent = Column("p", "null", [Block(2, zigzag(MAX, 32) + zigzag(MAX, 32))], a)
    child = Column("c", "null", [Block(2, b"")], [("trevni.parent", "p")])
    save("nested-huge", build(2, [parent, child]), "children of two parents of 2^31-1 elements", "either")
    inner = Column("c", "int", [Block(2, zigzag(1))], [("trevni.parent", "p")])
    save("child-too-few", build(2, [Column("p", "null", [Block(2, zigzag(2) + zigzag(0))], a), inner]), "a child of one value for two elements")
    inner = Column("c", "int", [Block(2, zigzag(1) * 3)], [("trevni.parent", "p")])
    save("child-too-many", build(2, [Column("p", "null", [Block(2, zigzag(2) + zigzag(0))], a), inner]), "a child of three values for two elements", "either")


def columns():
    c = lambda n, kind="int", pairs=(): Column(n, kind, [Block(1, zigzag(1) + zigzag(1) if ARRAY in pairs else zigzag(1))], list(pairs))
    up = lambda n: ("trevni.parent", n)
    save("no-name", build(1, [Column("", "", [Block(1, zigzag(5))], head=[("trevni.type", "int")])]), "a column without a name")
    save("no-type", build(1, [Column("", "", [Block(1, zigzag(5))], head=[("trevni.name", "c")])]), "a column without a type")
    one("type-unknown", "decimal", b"\0", damage="a type that does not exist")
    one("type-empty", "", b"\0", damage="a type without a name")
    one("type-upper", "INT", zigzag(5), damage="a type in capitals; the Java reader folds case", expect="either")
    one("codec-unknown", "int", zigzag(5), meta=[("trevni.codec", "zstd")], damage="a codec that does not exist")
    one("checksum-unknown", "int", zigzag(5), meta=[("trevni.checksum", "md5")], damage="a checksum that does not exist")
    save("parent-missing", build(1, [c("c", pairs=[up("nowhere")])]), "a parent that is not there")
    save("parent-self", build(1, [c("c", pairs=[ARRAY, up("c")])]), "a column that is its own parent")
    save("parent-plain", build(1, [c("a"), c("b", pairs=[up("a")])]), "a parent that is not an array")
    save("parent-after", build(1, [c("b", pairs=[up("a")]), c("a", "null", [ARRAY])]), "a parent that comes after its child")
    save("parent-cycle", build(1, [c("a", pairs=[ARRAY, up("b")]), c("b", pairs=[ARRAY, up("a")])]), "two columns, each the other's parent")
    deep = [Column("0", "null", [Block(1, zigzag(1))], [ARRAY])]
    deep += [Column(str(i), "null", [Block(1, zigzag(1))], [ARRAY, up(str(i - 1))]) for i in range(1, 200)]
    save("parent-deep", build(1, deep), "arrays 200 deep")
    save("names-equal", build(1, [c("c"), c("c")]), "two columns of one name", "either")
    save("impala-levels", build(1, [c("c", pairs=[("trevni.definition", "1"), ("trevni.repetition", "0")])], magic=b"Trv\x01"),
         "the Impala dialect: values with definition and repetition levels")
    save("impala-fixed16", build(1, [Column("c", "fixed16", [Block(1, b"\1\0")])], magic=b"Trv\x01"), "the Impala dialect: a fixed16 column")
    save("impala-timestamp", build(1, [Column("c", "timestamp", [Block(1, bytes(12))])], magic=b"Trv\x01"), "the Impala dialect: a timestamp column")


def bombs():
    zeros = deflate(bytes(24 << 20), 9)
    one("deflate-bomb", "bytes", b"", codec="deflate", pack=lambda _: zeros, raw=65536, damage="24 MiB of zeros where the descriptor promises 64 KiB")
    one("deflate-cut", "string", blob("hello " * 30), codec="deflate", pack=lambda b: deflate(b)[:-6], damage="a deflate stream without its end")
    one("deflate-zlib", "string", blob("hello"), codec="deflate", pack=lambda b: zlib.compress(b), damage="a zlib header before the deflate stream")
    one("deflate-empty", "string", blob("hello"), codec="deflate", pack=lambda b: b"", damage="no deflate stream at all")
    one("deflate-far", "bytes", blob(b"a" * 9), codec="deflate", pack=lambda b: bytes.fromhex("4b04fe9f00"), damage="a deflate distance before the start", expect="error")
    one("snappy-promise", "bytes", b"", codec="snappy", pack=lambda _: b"\xff\xff\xff\xff\x07\0a", raw=MAX, damage="Snappy promises 2^31-1 bytes, and so does the descriptor")
    one("snappy-length", "bytes", blob(b"123456789"), codec="snappy", pack=lambda _: b"\x0a\0a", damage="Snappy says ten bytes, one follows")
    one("snappy-offset", "bytes", blob(b"123456789"), codec="snappy", pack=lambda _: b"\x0a\x04\x12a\x21\xff", damage="a Snappy copy from before the start")
    one("snappy-offset-zero", "bytes", blob(b"123456789"), codec="snappy", pack=lambda _: b"\x0a\x04\x12a\x11\x00", damage="a Snappy copy from no bytes back")
    bomb = bz2.compress(bytes(64 << 20))
    one("bzip2-bomb", "bytes", b"", codec="bzip2", pack=lambda _: bomb, raw=65536, damage="64 MiB of zeros where the descriptor promises 64 KiB")
    one("bzip2-text", "string", blob("hello"), codec="bzip2", pack=lambda b: b"BZh9 but no", damage="no bzip2 behind its magic")
    one("raw-2g", "bytes", blob(b"ab"), codec="deflate", raw=MAX, damage="the descriptor promises 2^31-1 bytes, the stream has three")


def records():
    """Columns that an avro.schema does not fit. Where the columns themselves are sound, they may be shown instead."""
    schema = lambda text: [("avro.schema", text)]
    record = lambda fields: '{"type":"record","name":"R","fields":[' + fields + "]}"
    for name, text, damage in (
        ("schema-not-json", '{"type":', "avro.schema is not JSON"),
        ("schema-other", record('{"name":"a","type":"string"},{"name":"b","type":"long"}'), "avro.schema describes other columns"),
        ("schema-recursive", record('{"name":"c","type":"int"},{"name":"n","type":["null","R"]}'), "avro.schema is recursive"),
        ("schema-deep", '{"type":"array","items":' * 2000 + '"int"' + "}" * 2000, "avro.schema nests 2000 deep"),
        ("schema-brackets", "[" * 20_000, "avro.schema is 20 000 brackets"),
        ("schema-not-utf8", b"\xff\xfe", "avro.schema is not UTF-8"),
        ("schema-empty", "", "avro.schema is empty"),
    ):
        one(name, "int", zigzag(5), meta=schema(text), damage=damage, expect="either")

    def shredded(name, fields, cols, damage, rows=1):
        save(name, build(rows, cols, schema(record(fields))), damage)

    enum = '{"name":"e","type":{"type":"enum","name":"E","symbols":["A","B"]}}'
    for how, n in ("high", 2), ("negative", -1):
        shredded(f"enum-{how}", enum, [Column("e", "int", [Block(1, zigzag(n, 32))])], f"symbol {n} of an enum of two")
    shredded("fixed-short", '{"name":"f","type":{"type":"fixed","name":"F","size":4}}', [Column("f", "bytes", [Block(1, blob("abc"))])],
             "three bytes of a fixed of four")
    optional = '{"name":"o","type":["null","int"]}'
    shredded("optional-two", optional, [Column("o/int", "int", [Block(1, zigzag(2) + zigzag(1) * 2)], [ARRAY])], "two values of an optional field")
    union = '{"name":"u","type":["int","string"]}'
    both = lambda i, s: [Column("u/int", "int", [Block(1, i)], [ARRAY]), Column("u/string", "string", [Block(1, s)], [ARRAY])]
    shredded("union-both", union, both(zigzag(1) + zigzag(7), zigzag(1) + blob("x")), "two branches of a union at once")
    shredded("union-none", union, both(zigzag(0), zigzag(0)), "no branch of a union that has no null")
    decimal = '{"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":4,"scale":2}}'
    shredded("decimal-wide", decimal, [Column("d", "bytes", [Block(1, blob(b"\x7f" * 20))])], "a decimal of 48 digits where the schema allows 4")


header()
descriptors()
payloads()
values()
arrays()
columns()
bombs()
records()
(OUT / "manifest.json").write_text(json.dumps({"made_by": "testdata/trevni/corrupt.py", "files": listed}, indent=1) + "\n")
