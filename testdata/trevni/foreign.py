#!/usr/bin/env python3
"""foreign.py OUT JAVA: legal files that the Java writer does not write, and files of the kinds that it cannot read.

Writes OUT/NAME.trv and OUT/fixtures.tsv (name, what it shows, quirk). For a file that the Java reader refuses or
misreads there is OUT/twins/NAME.trv with the same rows, which it reads; OUT/twins/java holds the same for the files of
JAVA, the Java writer's own fixtures. OUT/twins.tsv says what to change in the first line of a twin's text.
"""

import pathlib
import random
import struct
import sys
import zlib

from trevnibytes import Block, Column, Layout, blob, build, deflate, encode, entries, padded, run, zigzag

KINDS = ["null", "boolean", "int", "long", "fixed32", "fixed64", "float", "double", "string", "bytes"]
OUT, JAVA = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
fixtures, twins = [], []


def put(name, data, shows, quirk="", twin=None, change=("", "")):
    (OUT / f"{name}.trv").write_bytes(data)
    fixtures.append((f"{name}.trv", shows, quirk))
    if twin is not None:
        put_twin(name, twin, change)


def put_twin(name, data, change=("", "")):
    path = OUT / "twins" / f"{name}.trv"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    twins.append((f"{name}.trv", *change))


def value(r, kind):
    match kind:
        case "null":
            return None
        case "boolean":
            return r.random() < 0.4
        case "int" | "fixed32":
            return r.getrandbits(32) - (1 << 31) >> r.randrange(32)
        case "long" | "fixed64":
            return r.getrandbits(64) - (1 << 63) >> r.randrange(64)
        case "float":
            return r.randrange(-4000, 4000) / 8
        case "double":
            return r.randrange(-(1 << 40), 1 << 40) / 64
        case "string":
            return "".join(r.choice("abcdefgh äöü€😀") for _ in range(r.randrange(12)))
    return r.randbytes(r.randrange(9))


def cut(r, n, largest):
    """Block sizes that add up to n."""
    sizes = []
    while n:
        sizes.append(min(n, r.randint(1, largest)))
        n -= sizes[-1]
    return sizes


def blocks(kind, items, sizes, array=False, runs=(), first=False):
    out, at = [], 0
    for n in sizes:
        part = items[at : at + n]
        at += n
        head = b""
        if first:
            head = bytes([part[0]]) if kind == "boolean" else encode(kind, part[0])
        out.append(Block(n, entries(kind, part, array, runs), head))
    return out


def lists(r, kind, n, longest=4):
    return [[value(r, kind) for _ in range(r.randint(0, longest))] for _ in range(n)]


def every_type(r, rows, kinds=KINDS, largest=0, **about):
    """A plain column of each type, in one block or in blocks of up to largest rows."""
    out = []
    for k in kinds:
        items = [value(r, k) for _ in range(rows)]
        out.append(Column(k, k, blocks(k, items, cut(r, rows, largest) if largest else [rows]), **about))
    return out


def every_array(r, rows, kinds=KINDS, runs=(), largest=0):
    out = []
    for k in kinds:
        items = lists(r, k, rows)
        sizes = cut(r, rows, largest) if largest else [rows]
        out.append(Column(f"{k}[]", k, blocks(k, items, sizes, array=True, runs=runs), [("trevni.array", b"")]))
    return out


def versions():
    for version, kinds in (0, [k for k in KINDS if k != "boolean"]), (1, KINDS):
        r = random.Random(10 + version)
        put(
            f"version{version}",
            build(40, every_type(r, 40, kinds) + every_array(r, 40, kinds), magic=b"Trv" + bytes([version])),
            f"format version {version}: lengths are never in runs" + ("; no booleans" if version == 0 else ""),
        )


def block_shapes():
    for codec in "null", "snappy":
        r = random.Random(20)
        cols = every_type(r, 9, largest=1, codec=codec) + every_array(r, 9, largest=1)
        for c in cols:
            c.codec = codec
        put(f"one-row-blocks-{codec}", build(9, cols, [("trevni.codec", codec)]), "every row in a block of its own")
    r = random.Random(21)
    put(
        "uneven-blocks",
        build(150, every_type(r, 150, largest=40) + every_array(r, 150, runs=(0,), largest=40)),
        "blocks of random sizes, different in each column",
    )
    r = random.Random(22)
    kinds = [k for k in KINDS if k != "boolean"]
    cols = []
    for k in kinds:
        items = [value(r, k) for _ in range(150)]
        cols.append(Column(k, k, blocks(k, items, cut(r, 150, 40), first=True), [("trevni.values", b"")]))
    put("uneven-blocks-first-values", build(150, cols), "first values in the descriptors of uneven blocks, not sorted")
    r = random.Random(23)
    points = lists(r, "null", 60, 3)
    path = [[[value(r, "int") for _ in range(r.randrange(4))] for _ in p] for p in points]
    ok = [[value(r, "boolean") for _ in p] for p in points]
    x = [[value(r, "double") for _ in p] for p in points]

    def child(name, kind, items, array):
        out, at = [], 0
        for n in cut(r, 60, 17):  # rows of the file, whatever their elements
            flat = [e for row in items[at : at + n] for e in row]
            out.append(Block(n, entries(kind, flat, array)))
            at += n
        return Column(name, kind, out, [("trevni.parent", "p"), *([("trevni.array", b"")] if array else [])])

    parent = Column("p", "null", blocks("null", points, cut(r, 60, 17), array=True, runs=(0, 1)), [("trevni.array", b"")])
    put(
        "parent-child-blocks",
        build(60, [parent, child("p.x", "double", x, False), child("p.ok", "boolean", ok, False), child("p.path", "int", path, True)]),
        "blocks of parent and children end at different rows",
    )
    r = random.Random(24)
    items = [value(r, "long") for _ in range(30)]
    sound = blocks("long", items, [10, 20])
    empty = Block(0, b"")
    put(
        "blocks-of-no-rows",
        build(30, [Column("a", "long", [empty, sound[0], empty, empty, sound[1], empty])]),
        "blocks of no rows between the others; the Java reader takes wrong ones",
        "block-of-no-rows",
        build(30, [Column("a", "long", sound)]),
    )


def lengths():
    r = random.Random(30)
    some = lambda k, n: [[value(r, k) for _ in range(n)] for n in n]
    shape = [0, 1, 1, 1, 0, 0, 2, 1, 1, 0, 0, 0, 0, 1, 3, 1, 1, 1, 1, 1, 0, 1]
    cols = []
    for k in KINDS:
        items = some(k, shape)
        cols.append(Column(f"{k}[]", k, blocks(k, items, [len(items)], array=True, runs=(0, 1)), [("trevni.array", b"")]))
    put("runs-of-ones", build(len(shape), cols), "runs of lengths of 1 before the values of typed arrays")
    split = run(2, 0) + run(3, 0) + zigzag(0) + run(2, 1) + encode("int", 5) + encode("int", -6) + run(2, 1) + encode("int", 7) + encode("int", 8)
    put(
        "runs-side-by-side",
        build(10, [Column("a", "int", [Block(10, split)], [("trevni.array", b"")])]),
        "neighbouring runs of one value, a single length between",
    )
    many = run(100_000, 0) + run(100_000, 1) + zigzag(1000, 32)
    put(
        "runs-long",
        build(200_001, [Column("a", "null", [Block(200_001, many)], [("trevni.array", b"")])]),
        "200 000 rows of a null array in a few bytes",
    )


def layout_of_files():
    r = random.Random(40)
    cols = every_type(r, 50, codec="deflate", checksum="big")
    order = list(range(len(cols)))
    r.shuffle(order)
    put(
        "order-gaps-tail",
        build(50, cols, [("trevni.codec", "deflate"), ("trevni.checksum", "crc32")], order=order, gap=b"\xff" * 5, tail=b"tail" * 9),
        "columns not in order on disk, bytes between them and after the last",
    )
    r = random.Random(41)
    items, arrays = [value(r, "string") for _ in range(20)], lists(r, "int", 20)
    put(
        "odd-metadata",
        build(
            20,
            [
                Column("", "string", blocks("string", items, [20]),
                       head=[("trevni.unknown", b"\xff\x00"), ("trevni.type", "string"), ("mine", "x"), ("trevni.name", "s")]),
                Column("", "int", blocks("int", arrays, [20], array=True),
                       head=[("trevni.name", "first name"), ("trevni.array", "false"), ("trevni.type", "int"), ("trevni.name", "a")]),
            ],
            [("trevni.future", "1"), ("k", "first"), ("k", "second"), ("", ""), ("trevni.codec", "null")],
        ),
        "keys in another order, unknown keys, a repeated key (the last counts), trevni.array with a value (presence counts)",
    )
    numbers = [0, 1, -1, 63, -64, 12345, 1 << 30, -(1 << 31)]
    put(
        "padded-varints",
        build(
            len(numbers),
            [
                Column("int", "int", [Block(len(numbers), b"".join(padded(n, 5) if n >= 0 else zigzag(n, 32) for n in numbers))]),
                Column("long", "long", [Block(len(numbers), b"".join(padded(n, 4 + i % 6) for i, n in enumerate(numbers)))]),
            ],
        ),
        "numbers in more bytes than they need",
    )


def codecs():
    r = random.Random(50)
    words = [" ".join(r.choice(["one", "two", "three", "four"]) for _ in range(12)) for _ in range(120)]
    text = blocks("string", words, [120])
    ways = {
        "stored": lambda b: deflate(b, 0),
        "fixed": lambda b: deflate(b, 6, zlib.Z_FIXED),
        "huffman": lambda b: deflate(b, 6, zlib.Z_HUFFMAN_ONLY),
        "flushed": flushed,
    }
    put(
        "deflate-kinds",
        build(120, [Column(n, "string", text, codec="deflate", checksum="big", pack=p) for n, p in ways.items()],
              [("trevni.codec", "deflate"), ("trevni.checksum", "crc32")]),
        "deflate streams of stored, fixed, literal-only and many blocks",
    )
    runs = [bytes([i % 7]) * (i % 90) for i in range(120)]
    put(
        "snappy-copies",
        build(120, [Column("y", "bytes", blocks("bytes", runs, [60, 60]), codec="snappy", checksum="big")],
              [("trevni.codec", "snappy"), ("trevni.checksum", "crc32")]),
        "Snappy copies of all three kinds, overlapping",
    )
    r = random.Random(51)
    put(
        "null-codec-true-crc",
        build(50, every_type(r, 50, largest=20, checksum="big"), [("trevni.checksum", "crc32")]),
        "no codec with the true CRC, which the Java reader accepts",
    )
    r = random.Random(52)
    cols = every_type(r, 50, codec="deflate", checksum="little")
    spec = [("trevni.codec", "deflate"), ("trevni.checksum", "crc32")]
    little = build(50, cols, spec)
    for c in cols:
        c.checksum = "big"
    big = build(50, cols, spec)
    put("crc-little-endian", little, "CRC little-endian, as the specification has it; the Java reader refuses",
        "crc-little-endian", big)
    named = [("trevni.codec", "deflate"), ("trevni.checksum", "crc-32")]
    put("crc-32-name", build(50, cols, named), "checksum named crc-32, as the specification has it, big-endian; the Java reader refuses",
        "checksum-named-crc-32", big, ('"crc32"', '"crc-32"'))
    for c in cols:
        c.checksum = "little"
    put("crc-32-name-little-endian", build(50, cols, named), "the specification's checksum: its name and its byte order",
        "checksum-named-crc-32", big, ('"crc32"', '"crc-32"'))


def flushed(raw):
    c = zlib.compressobj(9, zlib.DEFLATED, -15)
    out = b""
    for i in range(0, len(raw), 500):
        out += c.compress(raw[i : i + 500]) + c.flush(zlib.Z_SYNC_FLUSH)
    return out + c.flush()


def java_twins():
    """Files of the Java writer that its reader does not read, repaired."""
    name = "prim-null-crc32"
    data = bytearray((JAVA / f"{name}.trv").read_bytes())
    for c in Layout(bytes(data)).columns:
        for _, _, _, packed, at in c.blocks:
            struct.pack_into(">I", data, at + packed, zlib.crc32(data[at : at + packed]))
    put_twin(f"java/{name}", bytes(data))
    put_twin("java/first-values-boolean-2blocks", (JAVA / "first-values-boolean-2blocks-without.trv").read_bytes(),
             ('"type":"boolean"', '"type":"boolean","values":true'))


versions()
block_shapes()
lengths()
layout_of_files()
codecs()
java_twins()
(OUT / "fixtures.tsv").write_text("".join("\t".join(f) + "\n" for f in fixtures))
(OUT / "twins.tsv").write_text("".join("\t".join(t) + "\n" for t in twins))
