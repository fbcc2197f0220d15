#!/usr/bin/env python3
"""corrupt.py JAVA OUT: damaged files, made from the Java writer's fixtures in JAVA, and their manifest.

expect says what a reader owes: "error" a clean failure in bounded time and memory; "rows" the rows of the file that it
was made from; "either" an error, or a clean reading of whatever it makes of it, because nothing protects the bytes in
question or because the file is only absurd. kind, where it stands, is the kind of the error.
"""

import hashlib
import json
import pathlib
import sys

from orcbytes import (DATA, DICTIONARY_DATA, LENGTH, PRESENT, ROW_INDEX, SECONDARY, File, Stream, change, chunk, chunks, decode, encode,
                      every, get, header, put, varint, zigzag)

JAVA, OUT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
OUT.mkdir(parents=True, exist_ok=True)
U64 = (1 << 64) - 1
listed = []


def load(name):
    return (JAVA / f"{name}.orc").read_bytes()


def save(name, data, damage, expect="error", base="tiny-none", kind=None):
    data = bytes(data)
    (OUT / f"{name}.orc").write_bytes(data)
    entry = {"file": f"{name}.orc", "from": base, "damage": damage, "expect": expect}
    if kind:
        entry["kind"] = kind
    listed.append(entry | {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})


def tail():
    t, z = load("tiny-none"), load("tiny-zlib")
    save("empty", b"", "no bytes at all; to the Java reader a table of no rows", "either", "nothing")
    for n in 3, 4, 16, len(t) // 2, len(t) - 1:
        save(f"cut-{n}", t[:n], f"cut after {n} bytes")
    save("cut-in-postscript", z[:-10], "the last ten bytes are gone", base="tiny-zlib")
    save("head-gone", t[100:], "the first hundred bytes are gone")
    save("postscript-of-0", t[:-1] + b"\0", "a postscript of no bytes")
    save("postscript-of-255", t[:-1] + b"\xff", "a postscript of 255 bytes")
    save("header-magic", b"XYZ" + t[3:], "no magic at the head", "rows")
    save("no-magic", b"XYZ" + File(t).build(ps=lambda p: put(p, 8000, b"CRO"))[3:], "no magic at either end")

    def script(name, number, value, damage, expect="error", base="tiny-none", kind=None):
        save(name, File(load(base)).build(ps=lambda p: put(p, number, value)), damage, expect, base, kind)

    script("postscript-magic", 8000, b"CRO", "no magic in the postscript", "either")
    length = get(decode(t[-1 - t[-1] : -1]), 1)
    for name, n in ("huge", 1 << 40), ("u63", 1 << 63), ("u64", U64), ("0", 0), ("less", length - 1):
        script(f"footer-length-{name}", 1, n, f"a footer of {n} bytes")
    script("footer-length-more", 1, length + 1, "a footer that begins a byte too early", "either")
    for name, n in ("huge", 1 << 62), ("u64", U64):
        script(f"metadata-length-{name}", 5, n, f"metadata of {n} bytes")
    script("codec-77", 2, 77, "compression kind 77")
    script("codec-other", 2, 2, "says snappy, is zlib", base="small-zlib")
    script("codec-none", 2, 0, "says no compression, is zlib", base="small-zlib")
    script("codec-added", 2, 1, "says zlib, is not compressed")
    script("block-size-0", 3, 0, "chunks of at most 0 bytes", "either", "small-zlib")
    script("block-size-1", 3, 1, "chunks of at most 1 byte, which are longer", base="small-zlib")
    script("block-size-huge", 3, 1 << 45, "chunks of at most 2^45 bytes", "either", "tiny-zlib")
    script("version-19.99", 4, bytes([19, 99]), "a version that is not known", "either")
    script("postscript-wire-type", 1, b"what", "text where the length of the footer belongs")
    script("postscript-version-cut", 4, bytes([0x80, 0x80]), "a version that does not end")


def footers():
    def footer(name, edit, damage, expect="error", base="tiny-none", kind=None):
        f = slim() if base == "small-none" else File(load(base))
        save(name, f.build(footer=edit), damage, expect, base, kind)

    def stripe(name, n, number, value, damage, expect="error"):
        footer(name, lambda f: change(f, 3, n, lambda s: put(s, number, value)), damage, expect)

    stripe("stripe-offset-far", 0, 1, 1 << 40, "a stripe at 2^40")
    stripe("stripe-offset-u64", 1, 1, U64 - 4, "a stripe at 2^64-5")
    stripe("stripe-offset-0", 0, 1, 0, "a stripe at 0", "either")
    stripe("stripe-twice", 1, 1, 3, "the second stripe lies where the first does", "either")
    stripe("stripe-index-u64", 0, 2, U64, "an index of 2^64-1 bytes")
    stripe("stripe-data-huge", 0, 3, 1 << 50, "data of 2^50 bytes")
    stripe("stripe-data-u63", 0, 3, (1 << 63) - 1, "data of 2^63-1 bytes")
    stripe("stripe-footer-0", 0, 4, 0, "a stripe footer of no bytes")
    stripe("stripe-footer-huge", 1, 4, 1 << 33, "a stripe footer of 2^33 bytes")

    def rows(name, first, total, damage, expect="error"):
        def edit(f):
            change(f, 3, 0, lambda s: put(s, 5, first))
            put(f, 6, total)

        footer(name, edit, damage, expect)

    rows("stripe-rows-more", 14, 25, "a stripe says it has one row more")
    rows("stripe-rows-less", 12, 23, "a stripe says it has one row less", "either")
    rows("stripe-rows-huge", 1 << 40, (1 << 40) + 11, "a stripe of 2^40 rows")
    rows("stripe-rows-u63", (1 << 63) - 1, (1 << 63) + 10, "rows that overflow")
    rows("stripe-rows-u64", U64, 10, "a stripe of 2^64-1 rows")
    rows("rows-differ", 13, 25, "the footer counts a row that is in no stripe")
    rows("rows-0", 13, 0, "the footer counts no rows; the Java reader counts stripes", "either")
    footer("no-types", lambda f: put(f, 4, None), "no types")
    footer("no-stripes", lambda f: put(f, 3, None), "no stripes, but rows")
    footer("stride-u32", lambda f: put(f, 8, 0xFFFFFFFF), "row groups of 2^32-1 rows", "rows")
    footer("stride-1", lambda f: put(f, 8, 1), "row groups of one row, says the footer only", "either")
    footer("garbage", lambda f: f.__setitem__(slice(None), [[31, b"\xff" * 40]]), "a footer of one unknown field")
    b = bytearray(load("tiny-none"))
    n = get(decode(b[-1 - b[-1] : -1]), 1)
    at = len(b) - 1 - b[-1] - n
    save("footer-ff", b[:at] + b"\xff" * n + b[at + n :], "a footer of 0xff")
    save("footer-00", b[:at] + bytes(n) + b[at + n :], "a footer of zeros")

    def type_(name, n, number, value, damage, expect="error", base="tiny-none", kind=None):
        footer(name, lambda f: change(f, 4, n, lambda t: put(t, number, value)), damage, expect, base, kind)

    type_("type-self", 0, 2, bytes([0, 2]), "the root is its own child")
    type_("type-child-far", 0, 2, bytes([1, 127]), "a child that is not there")
    type_("type-child-u32", 0, 2, varint(1) + varint((1 << 32) - 1), "child 2^32-1")
    type_("type-child-cut", 0, 2, b"\x80\x80", "a list of children that does not end")
    type_("type-twice", 0, 2, bytes([1, 1]), "one child twice")
    type_("type-kind-99", 1, 1, 99, "a type of kind 99")
    type_("type-kind-other", 1, 1, 7, "an int that says it is a string")
    type_("type-no-names", 0, 3, None, "a struct without names")
    type_("type-list-no-child", 1, 1, 10, "a list without a child")
    type_("type-map-one-child", 6, 1, 11, "a map of one child", base="small-none")
    type_("type-list-two-children", 12, 1, 10, "a list of two children", base="small-none")
    type_("type-union-of-none", 1, 1, 13, "a union of nothing")
    type_("type-int-with-child", 6, 1, 3, "an int with a child", base="small-none")
    type_("type-decimal-77", 4, 5, 77, "a decimal of 77 digits", base="small-none")
    type_("type-decimal-u32", 4, 6, (1 << 32) - 1, "a decimal of scale 2^32-1", base="small-none")

    def cycle(f):
        change(f, 4, 6, lambda t: put(t, 2, bytes([12])))
        change(f, 4, 12, lambda t: put(t, 2, bytes([6, 7])))

    footer("type-cycle", cycle, "two types that hold each other", base="small-none")

    def lists(n):
        def edit(f):
            at = next(i for i, x in enumerate(f) if x[0] == 4)
            f[:] = [x for x in f if x[0] != 4]
            f[at:at] = [[4, encode([[1, 10], [2, varint(k + 1)]])] for k in range(n)] + [[4, encode([[1, 3]])]]

        return edit

    footer("type-depth-200", lists(200), "200 lists in each other", base="tiny-zlib", kind="limit")
    footer("type-depth-2000", lists(2000), "2000 lists in each other", base="tiny-zlib", kind="limit")

    def stripes(f):
        one = encode([[1, 3], [5, 0]])
        f[:] = [x for x in f if x[0] != 3] + [[3, one]] * 100000
        put(f, 6, 0)

    footer("stripes-100000", stripes, "100000 stripes of no rows", "either", "tiny-zlib")
    f = File(load("tiny-none"))
    f.metadata = [[1, b"\xff" * 30]]
    save("metadata-ff", f.build(), "statistics of stripes that are none", "either")


def slim():
    """small-none in one stripe, without statistics and indexes."""
    f = File(load("small-none"))
    f.metadata = []
    put(f.footer, 7, None)
    put(f.footer, 8, None)
    f.stripes = f.stripes[:1]
    f.stripes[0].streams = [x for x in f.stripes[0].streams if x.kind != ROW_INDEX]
    put(f.footer, 6, get(f.stripes[0].info, 5))
    return f


# Type ids of small-none.
BIGINT, DICTIONARY, DIRECT, DECIMAL, TIMESTAMP, LIST, UNION, BOOLEAN, MAP, DOUBLE, TINYINT = 1, 2, 3, 4, 5, 6, 8, 11, 12, 15, 16


def directories():
    def stripe(name, edit, damage, expect="error", **more):
        f = slim()
        edit(f.stripes[0])
        save(name, f.build(**more), damage, expect, "small-none")

    def length(column, kind, n):
        return lambda s: setattr(s.stream(column, kind), "length", n)

    stripe("stream-length-huge", length(BIGINT, DATA, 1 << 48), "a stream of 2^48 bytes")
    stripe("stream-length-u63", length(BIGINT, DATA, 1 << 63), "a stream of 2^63 bytes")
    stripe("stream-length-u64", length(DICTIONARY, DICTIONARY_DATA, U64), "a stream of 2^64-1 bytes")
    stripe("stream-last-more", lambda s: setattr(s.streams[-1], "length", len(s.streams[-1].stored) + 1), "the last stream is a byte longer than there is")
    stripe("stream-column", lambda s: setattr(s.stream(BIGINT, DATA), "column", 5000), "a stream of column 5000")
    stripe("stream-kind", lambda s: setattr(s.stream(BIGINT, DATA), "kind", 55), "a stream of kind 55 in place of the data")
    for column, kind, what in ((BIGINT, DATA, "data"), (BIGINT, PRESENT, "nulls"), (DICTIONARY, DICTIONARY_DATA, "dictionary"), (DIRECT, LENGTH, "lengths"),
                               (DECIMAL, SECONDARY, "scales"), (TIMESTAMP, SECONDARY, "nanoseconds"), (LIST, LENGTH, "list-lengths"), (UNION, DATA, "tags")):
        stripe(f"stream-missing-{what}", lambda s: s.drop(column, kind), f"a stream is not there: {what}")
    stripe("stream-twice", lambda s: s.streams.append(Stream(DATA, BIGINT, b"\xff" * 9)), "two streams of one column and kind", "either")
    for column, kind, what in ((BIGINT, DATA, "data"), (BIGINT, PRESENT, "nulls"), (DICTIONARY, DATA, "ids"), (DIRECT, DATA, "text"), (DOUBLE, DATA, "doubles"),
                               (BOOLEAN, DATA, "booleans"), (TINYINT, DATA, "bytes"), (DECIMAL, DATA, "decimals"), (UNION, DATA, "tags")):
        def cut(s):
            x = s.stream(column, kind)
            x.stored = x.stored[:-1]

        stripe(f"stream-short-{what}", cut, f"a stream without its last byte: {what}")

    stripe("encodings-missing", lambda s: put(s.footer, 2, None), "no encodings")
    stripe("encodings-few", lambda s: s.footer.remove(s.encodings()[-1]), "no encoding for the last column")

    def encoding(n, *fields):
        return lambda s: s.encodings()[n].__setitem__(1, encode(list(fields)))

    stripe("encoding-9", encoding(BIGINT, [1, 9]), "encoding 9")
    stripe("encoding-of-int", encoding(BIGINT, [1, 3], [2, 1 << 31]), "a dictionary of integers")
    stripe("encoding-of-struct", encoding(0, [1, 3], [2, 4]), "a dictionary of structs", "either")
    stripe("encoding-version", encoding(BIGINT, [1, 0]), "the runs of the other version", "either")
    size = get(decode(slim().stripes[0].encodings()[DICTIONARY][1]), 2)
    for name, n in ("less", size - 1), ("more", size + 1), ("huge", 1 << 30), ("u32", (1 << 32) - 1), ("0", 0):
        stripe(f"dictionary-{name}", encoding(DICTIONARY, [1, 3], [2, n]), f"a dictionary of {n} entries, which are {size}")
    for name, zone in ("mars", b"Mars/Olympus"), ("path", b"../../etc/passwd"), ("bytes", b"\xff\x00"):
        stripe(f"zone-{name}", lambda s: put(s.footer, 3, zone), f"the time zone {zone}")


def repeat(value, n):
    """n times the same unsigned value, in short repeats of 10 and fewer."""
    out = b""
    while n > 0:
        k = min(n, 10)
        assert k >= 3
        out += bytes([0x38 | k - 3]) + (value & U64).to_bytes(8, "big")
        n -= k
    return out


def literals(b):
    return b"".join(bytes([256 - len(b[i : i + 128])]) + b[i : i + 128] for i in range(0, len(b), 128))


def values():
    n = get(slim().stripes[0].info, 5)
    assert n == 20

    def stream(name, column, kind, raw, damage, expect="error", kinds=None):
        f = slim()
        f.stripes[0].set(column, kind, raw)
        save(name, f.build(), damage, expect, "small-none", kinds)

    stream("list-of-2^62", LIST, LENGTH, repeat(1 << 62, n), "lists of 2^62 elements")
    stream("list-of-2^31", LIST, LENGTH, repeat((1 << 31) - 1, n), "lists of 2^31-1 elements")
    stream("list-negative", LIST, LENGTH, repeat(-1, n), "lists of -1 elements")
    stream("list-of-200", LIST, LENGTH, repeat(200, n), "lists of more elements than there are")
    stream("map-of-2^31", MAP, LENGTH, repeat((1 << 31) - 1, n), "maps of 2^31-1 entries")
    stream("text-of-2^40", DIRECT, LENGTH, repeat(1 << 40, n), "strings of 2^40 bytes")
    stream("text-of-2^31", DIRECT, LENGTH, repeat((1 << 31) - 1, n), "strings of 2^31-1 bytes")
    stream("text-longer", DIRECT, LENGTH, repeat(300, n), "strings of more bytes than there are")
    stream("text-not-utf8", DIRECT, DATA, b"\xff" * len(slim().stripes[0].raw(DIRECT, DATA)), "strings that are not UTF-8")
    stream("dictionary-id-1000", DICTIONARY, DATA, repeat(1000, n), "ids that are in no dictionary")
    stream("dictionary-id-2^63", DICTIONARY, DATA, repeat(1 << 63, n), "id 2^63")
    entries = get(decode(slim().stripes[0].encodings()[DICTIONARY][1]), 2)
    stream("dictionary-entries-2^40", DICTIONARY, LENGTH, repeat(1 << 40, entries), "dictionary entries of 2^40 bytes")
    stream("decimal-endless", DECIMAL, DATA, b"\xff" * 60, "a decimal that does not end")
    stream("decimal-of-30-bytes", DECIMAL, DATA, (b"\xff" * 29 + b"\x01") * n, "decimals of 203 bits")
    stream("decimal-of-39-digits", DECIMAL, DATA, (b"\xff" * 18 + b"\x03") * n, "decimals that do not fit in the type", kinds="schema")
    stream("decimal-scale-200", DECIMAL, SECONDARY, repeat(200 << 1, n), "decimals of scale 200", "either")
    stream("decimal-scale-negative", DECIMAL, SECONDARY, repeat((5 << 1) - 1, n), "decimals of scale -5", "either")
    stream("decimal-scale-2^40", DECIMAL, SECONDARY, repeat(1 << 41, n), "decimals of scale 2^40")
    stream("seconds-2^62", TIMESTAMP, DATA, repeat(1 << 63, n), "seconds that no unit holds", kinds="schema")
    stream("nanoseconds-2^60", TIMESTAMP, SECONDARY, repeat(U64, n), "2^61-1 nanoseconds, and eight zeros", "either")
    stream("nanoseconds-10^9", TIMESTAMP, SECONDARY, repeat(10**9 << 3, n), "a second of nanoseconds", "either")
    stream("tag-5", UNION, DATA, literals(bytes([5] * n)), "tags of a variant that is not there")
    stream("tag-negative", UNION, DATA, literals(bytes([255] * n)), "tag -1")
    stream("all-null", BIGINT, PRESENT, literals(bytes(4)), "everything is null, and yet there are values", "either")
    stream("patches-of-nothing", BIGINT, DATA, b"\x8e\x18\x00\x1f" + b"\x01" + b"\xff" * 80, "a patched run whose patches lie beyond it", "either")
    stream("delta-of-64-bits", BIGINT, DATA, b"\xfe\x18\x02\x02" + b"\xff" * 200, "deltas of 64 bits", "either")
    stream("varint-endless", BIGINT, DATA, b"\xc0\x18" + b"\xff" * 30, "a base that does not end")
    stream("run-of-512", BIGINT, DATA, b"\x5f\xff\x11", "a run of 512 values and one byte")

    def whole(name, fill, damage):
        f = slim()
        for x in f.stripes[0].streams:
            x.stored = fill(x.stored)
        save(name, f.build(), damage, "either", "small-none")

    whole("data-ff", lambda b: b"\xff" * len(b), "all streams are 0xff")
    whole("data-00", lambda b: bytes(len(b)), "all streams are zeros")
    for seed in range(4):
        state = [seed * 7919 + 1]

        def flip(b):
            b = bytearray(b)
            for i in range(len(b)):
                state[0] = state[0] * 1103515245 + 12345 & 0x7FFFFFFF
                if state[0] >> 16 & 15 == 0:
                    b[i] ^= 1 << (state[0] >> 20 & 7)
            return bytes(b)

        whole(f"data-flipped-{seed}", flip, "one bit in every sixteenth byte, about, is another")


def compressed():
    def stored(name, edit, damage, expect="error", column=DIRECT, kind=DATA):
        f = File(load("small-zlib"))
        f.metadata = []
        put(f.footer, 7, None)
        f.stripes = f.stripes[:1]
        put(f.footer, 6, get(f.stripes[0].info, 5))
        f.stripes[0].streams = [x for x in f.stripes[0].streams if x.kind != ROW_INDEX]
        put(f.footer, 8, None)
        x = f.stripes[0].stream(column, kind)
        x.stored = edit(bytearray(x.stored))
        save(name, f.build(), damage, expect, "small-zlib")

    stored("chunk-length", lambda b: b"\xfe\xff\xff" + b[3:], "a chunk longer than its stream")
    stored("chunk-original", lambda b: bytes([b[0] ^ 1]) + b[1:], "a chunk is not compressed, says its header, or the other way round")
    stored("chunk-deflate", lambda b: header(30, False) + b"\xff" * 30, "a chunk that is no deflate stream")
    stored("chunk-header-cut", lambda b: b[:2], "a stream that ends in a chunk header")
    stored("chunk-cut", lambda b: b[:-3], "a stream that ends in a chunk")
    stored("chunk-empty", lambda b: header(0, True) + b, "a chunk of no bytes in front", "either")
    stored("chunk-trailing", lambda b: b + header(0, True) * 3, "chunks of no bytes behind", "either")
    stored("chunk-bomb", lambda b: chunk(bytes(4 << 20)), "a chunk of 4 MiB in blocks of 256 KiB")
    stored("chunk-short", lambda b: chunk(b"few"), "a chunk of less than the strings need")


def indexes():
    def index(name, edit, damage):
        f = File(load("small-none"))
        for s in f.stripes:
            for x in s.streams:
                if x.kind == ROW_INDEX:
                    x.stored = edit(x.stored)
        save(name, f.build(), damage, "either", "small-none")

    def positions(b):
        m = decode(b)
        for i in range(len(m)):
            change(m, 1, i, lambda e: put(e, 1, varint(U64) * 8))
        return encode(m)

    index("index-ff", lambda b: b"\xff" * len(b), "a row index of 0xff")
    index("index-empty", lambda b: b"", "a row index of no bytes")
    index("index-positions", positions, "positions of 2^64-1")
    index("index-many", lambda b: b * 3, "three times the entries")


def encryption():
    base = "encrypted-2-zlib"

    def encrypted(name, edit, damage, expect="error"):
        f = File(load(base))
        f.stripes = f.stripes[:0]
        put(f.footer, 6, 0)
        f.metadata = []
        save(name, f.build(footer=lambda m: change(m, 10, 0, edit)), damage, expect, base)

    encrypted("encrypted-key-far", lambda e: change(e, 3, 0, lambda v: put(v, 2, 9)), "a variant whose key is not there")
    encrypted("encrypted-root-far", lambda e: change(e, 3, 0, lambda v: put(v, 1, 900)), "a variant of a column that is not there")
    encrypted("encrypted-key-short", lambda e: change(e, 3, 0, lambda v: put(v, 3, b"x")), "a local key of one byte", "either")
    encrypted("encrypted-algorithm", lambda e: change(e, 2, 0, lambda v: put(v, 3, 9)), "an algorithm that is not known", "either")


tail()
footers()
directories()
values()
compressed()
indexes()
encryption()
(OUT / "manifest.json").write_text(json.dumps({"made_by": "testdata/orc/corrupt.py", "files": listed}, indent=1) + "\n")
print(len(listed), "damaged files,", sum(x["bytes"] for x in listed), "bytes")
