#!/usr/bin/env python3
"""corrupt.py CFILES OUT: damaged CFiles, made from the fixtures in CFILES or from two small files that are made here, numbers
and words, and their manifest.

expect says what a reader owes: "error" a clean failure in bounded time and memory; "rows" the rows of lines; "either" an
error, or a clean reading of whatever it makes of it, because nothing protects the bytes in question or because the file is
only absurd.
"""

import hashlib
import json
import pathlib
import struct
import sys

from cfilebytes import (CODEC, COMPATIBLE, DICTIONARY, ENCODING, FEATURES, INTERNAL, KEYS, LZ4, META, NONE, NULLABLE, POSITIONS, SNAPPY, TYPE, V1,
                        V2, VALUES, ZLIB, File, Fixed, at, crc, decode, encode, get, leaf, new, number, plain, pointer, put, splice, tail, tree,
                        u32, varint)

CFILES, OUT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
OUT.mkdir(parents=True, exist_ok=True)
MAX = 0xFFFFFFFF
PLAIN, WORDS = "numbers", "words"
listed = []


def made():
    """Two blocks of a few values each; numbers without a codec, words with zlib."""
    numbers = [7, -1, 1 << 40, 0, 5, 6, -(1 << 63), 9]
    words = ["a" * 60 + str(i) for i in range(5)] + ["", "b" * 40, "end"]
    four, five = struct.pack(">I", 4), struct.pack(">I", 5)
    blocks = [u32(4) + u32(i) + struct.pack("<4q", *numbers[i : i + 4]) for i in (0, 4)]
    yield PLAIN, new(7, 1, 8, blocks, keys=[bytes(4), four]).build(), [f"[{n}]" for n in numbers]
    blocks = [plain([w.encode() for w in words[:5]]), plain([w.encode() for w in words[5:]], 5)]
    yield WORDS, new(8, 1, 8, blocks, keys=[bytes(4), five], codec=ZLIB).build(), [f'["{w}"]' for w in words]


MADE = {name: (data, lines) for name, data, lines in made()}


def load(name):
    return MADE[name][0] if name in MADE else (CFILES / f"{name}.cfile").read_bytes()


def save(name, data, damage, expect="error", base=PLAIN, lines=None):
    data = bytes(data)
    (OUT / f"{name}.cfile").write_bytes(data)
    entry = {"file": f"{name}.cfile", "from": base, "damage": damage, "expect": expect}
    if expect == "rows" or lines is not None:
        entry["lines"] = MADE[base][1] if lines is None else lines
    listed.append(entry | {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})


def refoot(data, footer):
    """data with another footer, as bytes."""
    return data[: -16 - at(data, len(data) - 4)] + tail(footer)


def frames():
    b = load(PLAIN)
    for name in MADE:
        save(name, load(name), "nothing is wrong", "rows", name)
    n = at(b, len(b) - 4)
    save("empty", b"", "no bytes at all", base="nothing")
    for k in 11, 16, len(b) // 2, len(b) - 1:
        save(f"cut-{k}", b[:k], f"cut after {k} bytes")
    save("head-gone", b[1:], "the first byte is gone")
    save("trailing", b + bytes(7), "seven bytes behind the footer")
    save("header-magic", b"XUDUCFL2" + b[8:], "no magic at the head")
    save("footer-magic", b[:-12] + b"kuducfl9" + b[-4:], "no magic at the end")
    save("no-magic", b"XUDUCFL2" + b[8:-12] + b"XUDUCFL2" + b[-4:], "no magic at either end")
    for k, word in (MAX, "huge"), (0x10001, "over"), (len(b), "file"):
        save(f"header-length-{word}", splice(b, 8, u32(k)), f"a header of {k} bytes")
        save(f"footer-length-{word}", b[:-4] + u32(k), f"a footer of {k} bytes")
    save("footer-length-0", b[:-4] + u32(0), "a footer of no bytes")
    save("footer-length-less", b[:-4] + u32(n - 1), "a footer that begins a byte too late")
    save("header-checksum", splice(b, 12, u32(at(b, 12) ^ 1)), "a wrong checksum of the header")
    save("footer-checksum", splice(b, len(b) - 16 - n, u32(at(b, len(b) - 16 - n) ^ 1)), "a wrong checksum of the footer")
    save("footer-bit", splice(b, len(b) - 12 - n + 3, bytes([b[-12 - n + 3] ^ 1])), "a bit of the footer")
    f = File(b)
    f.header = b"\xff" * 5
    save("header-garbage", f.build(), "a header that is no message")
    f.header = encode([[3, encode([[1, b"who"], [2, b"me"]])]])
    save("header-metadata", f.build(), "metadata in the header", "rows")
    f = File(b)
    save("no-checksums", f.build(sums=False), "no checksums, and the footer says so", "rows")
    save("checksums-gone", f.build(sums=False, footer=lambda m: put(m, FEATURES, 1)), "no checksums, but the footer says that there are")
    save("checksums-unsaid", f.build(footer=lambda m: put(m, FEATURES, None)), "checksums that the footer does not speak of")
    save("version-1", f.build(version=V1), "the old magic: without a codec the same layout", "rows")
    z = File(load(WORDS))
    save("version-1-zlib", z.build(version=V1), "the old magic and the old header of compressed blocks", "rows", WORDS)
    old = load(WORDS)
    head = V1 + old[8:12]
    k = at(old, len(old) - 4)
    relabelled = head + crc(head) + old[16 : -16 - k] + tail(old[-12 - k : -12], V1)
    save("version-1-blocks-2", relabelled, "the old magic, but the new header of blocks", base=WORDS)
    save("versions-differ", splice(old, 0, head + crc(head)), "the old magic at the head, the new one at the end", base=WORDS)


def footers():
    def footer(name, number_, value, damage, expect="error", base=PLAIN):
        save(name, File(load(base)).build(footer=lambda m: put(m, number_, value)), damage, expect, base)

    b = load(PLAIN)
    rows = get(File(b).footer, VALUES)
    save("footer-garbage", refoot(b, b"\xff" * 40), "a footer of 0xff")
    save("footer-wire-type", refoot(b, encode([[TYPE, b"what"]])), "text where the type belongs")
    save("footer-cut", refoot(b, b"\x80\x80"), "a footer that ends in a number")
    for k, word in (TYPE, "type"), (ENCODING, "encoding"), (VALUES, "values"):
        footer(f"no-{word}", k, None, f"no {word}")
    footer("type-99", TYPE, 99, "a type that is not known")
    footer("encoding-99", ENCODING, 99, "an encoding that is not known")
    footer("codec-99", CODEC, 99, "a codec that is not known, which is as if there were none", "rows")
    footer("codec-zlib", CODEC, ZLIB, "says zlib, is not compressed")
    footer("codec-none", CODEC, NONE, "says no codec, is zlib", base=WORDS)
    footer("codec-lz4", CODEC, LZ4, "says LZ4, is zlib", base=WORDS)
    footer("encoding-group-varint", ENCODING, 3, "an encoding that int64 never had")
    for k, word in (2, "prefix"), (5, "dict"), (4, "rle"), (6, "bitshuffle"):
        footer(f"encoding-{word}", ENCODING, k, f"says {word}, is plain")
    footer("encoding-rle-double", ENCODING, 4, "runs of doubles, which there are not", base="double-plain-none-nulls")
    footer("type-int32", TYPE, 5, "says int32, is int64")
    footer("type-string", TYPE, 8, "says string, is int64")
    footer("type-virtual", TYPE, 18, "a type that is never stored")
    footer("features-4", FEATURES, 5, "a feature that is not known")
    footer("features-arrays", FEATURES, 3, "says arrays, but there are none", "either")
    footer("compatible-features", COMPATIBLE, 0xFF, "features that need not be known", "rows")
    footer("nullable-said", NULLABLE, 1, "says nullable, has no nulls")
    footer("nullable-unsaid", NULLABLE, 0, "says not nullable, has nulls", base="double-plain-none-nulls")
    footer("values-more", VALUES, rows + 1, "a value that is in no block")
    footer("values-less", VALUES, rows - 1, "a value that is not counted")
    footer("values-0", VALUES, 0, "no value is counted")
    footer("values-negative", VALUES, -1, "-1 values")
    footer("values-huge", VALUES, 1 << 62, "2^62 values")
    footer("no-index", POSITIONS, None, "no index")
    footer("index-tree-empty", POSITIONS, b"", "an index without a root")
    footer("index-pointer-cut", POSITIONS, encode([[1, encode([[1, 16]])]]), "a pointer without a size")
    for word, offset, size in (("far", 1 << 40, 40), ("negative", -8, 40), ("end", len(b) - 8, 40), ("0", 0, 16), ("data", 16, at(b, 16) * 8 + 12)):
        footer(f"index-at-{word}", POSITIONS, tree(offset, size), f"an index of {size} bytes at {offset}")
    for size in 0, 3, 4, 0x7FFFFFFF, -1:
        footer(f"index-size-{size & MAX:x}", POSITIONS, tree(16, size), f"an index of {size} bytes")
    footer("dictionary-gone", DICTIONARY, None, "no dictionary", base="string-dict-zlib")
    footer("dictionary-far", DICTIONARY, pointer(1 << 40, 60), "a dictionary at 2^40", base="string-dict-zlib")
    footer("dictionary-unasked", DICTIONARY, pointer(16, 20), "a dictionary, but no code words", "either")
    footer("metadata-binary", META, encode([[1, b"k"], [2, b"\xff\x00"]]), "metadata that is no text", "rows")


def indexes():
    def index(name, edit, damage, expect="error"):
        save(name, File(load(PLAIN)).build(index=edit), damage, expect)

    def entries(name, edit, damage, expect="error", base=PLAIN):
        save(name, File(load(base)).build(entries=edit), damage, expect, base)

    def trailer(name, length, damage):
        index(name, lambda b: b[:-4] + u32(length), damage)

    trailer("trailer-huge", MAX, "a trailer of 2^32-1 bytes")
    trailer("trailer-0", 0, "a trailer of no bytes")
    count = len(File(load(PLAIN)).keys)

    def retrail(fields):
        return lambda b: b[: -4 - at(b, len(b) - 4)] + encode(fields) + u32(len(encode(fields)))

    index("entries-huge", retrail([[1, 0x7FFFFFFF], [2, 0]]), "2^31-1 entries")
    index("entries-negative", retrail([[1, -1], [2, 0]]), "-1 entries")
    index("entries-more", retrail([[1, count + 1], [2, 0]]), "an entry that is not there")
    index("entries-less", retrail([[1, count - 1], [2, 0]]), "an entry that is not counted")
    index("index-kind-9", retrail([[1, count], [2, 9]]), "a kind of index block that is not known")
    index("index-internal", retrail([[1, count], [2, INTERNAL]]), "data blocks where index blocks belong")
    index("entry-offset", lambda b: splice(b, len(b) - 12 - at(b, len(b) - 4), u32(0xFFFF)), "an entry outside of the block")
    index("entry-key", lambda b: b"\x7f" + b[1:], "a key that runs past its entry")
    index("index-nothing", lambda b: b"", "an index block of no bytes")
    entries("ordinal-first", lambda e: [(b"\0\0\0\5", *e[0][1:]), *e[1:]], "rows begin with the fifth")
    entries("ordinal-short", lambda e: [(k[1:], o, s) for k, o, s in e], "ordinals of three bytes")
    entries("ordinal-long", lambda e: [(k + b"\0", o, s) for k, o, s in e], "ordinals of five bytes")
    entries("ordinal-backwards", lambda e: e[::-1], "blocks from last to first")
    entries("ordinal-gap", lambda e: [e[0], *((struct.pack(">I", int.from_bytes(k, "big") + 7), o, s) for k, o, s in e[1:])], "seven rows are in no block")
    entries("block-twice", lambda e: [e[0], (e[1][0], *e[0][1:]), *e[2:]], "the first block in the place of the second")
    entries("block-gone", lambda e: e[:-1], "the last block is in no entry")
    entries("block-far", lambda e: [(k, o + (1 << 41), s) for k, o, s in e], "blocks at 2^41")
    entries("block-size-huge", lambda e: [(k, o, 0x7FFFFFFF) for k, o, s in e], "blocks of 2^31-1 bytes")
    entries("block-size-2", lambda e: [(k, o, 2) for k, o, s in e], "blocks of two bytes")
    entries("block-is-footer", lambda e: [(k, o + 100_000 if k == e[-1][0] else o, s) for k, o, s in e], "a block behind the file")

    def rooted(name, blocks, damage, expect="error", base=PLAIN):
        """The footer's index is the last of blocks, each made from where it and the one before it stand."""
        b = load(base)
        end = len(b) - 16 - at(b, len(b) - 4)
        fields = decode(b[-12 - at(b, len(b) - 4) : -12])
        before = decode(get(decode(get(fields, POSITIONS)), 1))
        place, out = (get(before, 1), get(before, 2)), b[:end]
        for make in blocks:
            raw = make(len(out), place)
            place = len(out), len(raw) + 4
            out += raw + crc(raw)
        put(fields, POSITIONS, tree(*place))
        save(name, out + tail(encode(fields)), damage, expect, base)

    def over(_, below):
        return leaf([(bytes(4), *below)], INTERNAL)

    def cycle(here, _):
        size = len(leaf([(bytes(4), here, 40)], INTERNAL)) + 4
        return leaf([(bytes(4), here, size)], INTERNAL)

    rooted("index-levels-2", [over], "an internal block of one entry over the leaf", "rows")
    rooted("index-levels-60", [over] * 60, "sixty levels of one entry", "either")
    rooted("index-cycle", [cycle], "an internal block whose child it is itself")
    rooted("index-fan", [lambda _, below: leaf([(struct.pack(">I", i), *below) for i in range(90)], INTERNAL)] * 3, "the same leaf 90^3 times")
    rooted("index-internal-empty", [lambda *_: leaf([], INTERNAL)], "an internal block of no entries")


def values():
    def block(name, base, edit, damage, expect="error", lines=None, n=0):
        f = File(load(base))
        f.blocks[n] = edit(f.blocks[n])
        save(name, f.build(), damage, expect, base, lines)

    def field(name, base, offset, value, damage, expect="error"):
        block(name, base, lambda b: splice(b, offset, u32(value)), damage, expect)

    count = at(File(load(PLAIN)).blocks[0], 0)
    bits = load(PLAIN)
    save("block-bit", splice(bits, 30, bytes([bits[30] ^ 4])), "a bit of a block, which its checksum tells")
    block("block-nothing", PLAIN, lambda b: b"", "a block of no bytes")
    block("plain-header-cut", PLAIN, lambda b: b[:7], "a block that ends in its header")
    for word, k in ("huge", MAX), ("more", count + 1), ("less", count - 1), ("0", 0):
        field(f"plain-count-{word}", PLAIN, 0, k, f"{k} values, says a plain block")
    field("plain-ordinal", PLAIN, 4, 12345, "a block that says it begins elsewhere")
    block("plain-trailing", PLAIN, lambda b: b + bytes(8), "a value too many behind a plain block")
    block("bool-bits-cut", "bool-plain-none", lambda b: b[:-1], "bits that are not there")
    field("bool-count", "bool-plain-none", 0, MAX, "2^32-1 bits")

    base = "double-plain-none-nulls"

    def nulls(name, edit, damage, expect="error"):
        """edit gets the number of rows, the bitmap, and the values."""
        def change(b):
            rows, i = number(b, 0)
            size, i = number(b, i)
            return edit(rows, b[i : i + size], b[i + size :])

        block(name, base, change, damage, expect)

    nulls("nulls-rows-more", lambda r, m, v: varint(r + 9) + varint(len(m)) + m + v, "more rows than bits")
    nulls("nulls-rows-less", lambda r, m, v: varint(r - 1) + varint(len(m)) + m + v, "fewer rows than bits")
    nulls("nulls-rows-huge", lambda r, m, v: varint(MAX) + varint(len(m)) + m + v, "2^32-1 rows")
    nulls("nulls-bitmap-huge", lambda r, m, v: varint(r) + varint(MAX) + m + v, "a bitmap of 2^32-1 bytes")
    nulls("nulls-bitmap-cut", lambda r, m, v: varint(r) + varint(1) + m[:1] + v, "a bitmap of one byte")
    nulls("nulls-none", lambda r, m, v: varint(r) + varint(len(varint(r << 1)) + 1) + varint(r << 1) + b"\1" + v, "no nulls, but too few values")
    nulls("nulls-all", lambda r, m, v: varint(r) + varint(len(varint(r << 1)) + 1) + varint(r << 1) + b"\0" + v, "nothing but nulls, and values")
    run = varint(0xFFFFFFFE << 1) + b"\0"
    many = varint(0xFFFFFFFE) + varint(len(run)) + run + u32(0) + u32(0)
    save("nulls-bomb", new(7, 1, 0xFFFFFFFE, [many], nullable=1).build(), "2^32-2 nulls in one block", "either", "nothing")

    base = "int64-bitshuffle-none"
    shuffled = at(File(load(base)).blocks[0], 4)
    field("shuffle-count-huge", base, 4, 0xFFFFFFF0, "2^32-16 values, says a bitshuffle block")
    field("shuffle-count-less", base, 4, shuffled - 8, "eight values less than are there")
    field("shuffle-size", base, 8, 5, "a bitshuffle block of five bytes")
    field("shuffle-padded", base, 12, at(File(load(base)).blocks[0], 12) + 8, "eight values more after padding")
    for k in 0, 3, 4, MAX:
        field(f"shuffle-width-{k & 0xFF}", base, 16, k, f"values of {k} bytes")
    block("shuffle-chunk-huge", base, lambda b: splice(b, 20, b"\x7f\xff\xff\xff"), "an inner chunk of 2^31-1 bytes")
    block("shuffle-chunk-0", base, lambda b: splice(b, 20, bytes(4)), "an inner chunk of no bytes")
    block("shuffle-chunk-bytes", base, lambda b: splice(b, 24, b"\xff" * 6), "an inner chunk that is no LZ4")
    block("shuffle-cut", base, lambda b: b[:19], "a bitshuffle block that ends in its header")

    base = "dict-overflow"

    def codes():
        """The first block, which has code words, and the dictionary."""
        f = File(load(base))
        f.keys, f.blocks = f.keys[:1], f.blocks[:1]
        put(f.footer, VALUES, at(f.blocks[0], 8))
        return f

    for name, mode, damage in ("9", 9, "a mode of dictionary blocks that is not known"), ("plain", 2, "code words, says plain"):
        f = codes()
        f.blocks[0] = splice(f.blocks[0], 0, u32(mode))
        save(f"dict-mode-{name}", f.build(), damage, base=base)
    f = codes()
    f.dictionary = plain([b"one"])
    save("dict-short", f.build(), "code words beyond the dictionary", base=base)
    f.dictionary = b"\0" * 5
    save("dict-cut", f.build(), "a dictionary that ends in its header", base=base)

    base = WORDS
    first = File(load(base)).blocks[0]
    count, ends = at(first, 4), at(first, 8)
    field("strings-ends-far", base, 8, 0x7FFFFFFF, "offsets at 2^31-1")
    field("strings-ends-0", base, 8, 0, "offsets in the header")
    field("strings-count-huge", base, 4, 0x0FFFFFFF, "2^28-1 strings")
    field("strings-count-more", base, 4, count + 8, "eight strings more than offsets")
    field("strings-ordinal", base, 0, 999, "a block of strings that says it begins elsewhere")
    block("strings-backwards", base, lambda b: b[:ends] + b"\0\x0c\x50\x4f\xa0" + b[ends + 5 :], "an end before its beginning")
    block("strings-end-far", base, lambda b: b[:ends] + b"\0\x0c\xff\xff\xff" + b[ends + 5 :], "ends that lie elsewhere", "either")
    words = [b"good", b"\xff\xfe", b""]
    save("strings-utf8", new(8, 1, 3, [plain(words)]).build(), "a string that is not UTF-8", "either", "nothing")

    base = "key-string"
    head = 1 + sum((File(load(base)).blocks[0][0] >> k & 3) + 1 for k in (6, 4, 2, 0))
    block("prefix-shared", base, lambda b: splice(b, head, b"\x55"), "the first string shares 85 bytes with nothing")
    block("prefix-long", base, lambda b: splice(b, head + 1, b"\x7f"), "the first string runs into the others")
    block("prefix-restarts-huge", base, lambda b: b[:-4] + u32(1 << 30), "2^30 restarts", "either")
    block("prefix-restarts-far", base, lambda b: splice(b, len(b) - 8, u32(MAX)), "a restart behind the block", "either")
    block("prefix-cut", base, lambda b: b[: head + 3], "a block that ends among its strings")

    base = "long-runs-int32"
    rows = at(File(load(base)).blocks[0], 0)
    field("runs-count-huge", base, 0, MAX, "2^32-1 values in runs")
    field("runs-count-more", base, 0, rows + 9, "more values than runs have")
    field("runs-ordinal", base, 4, 77, "a block of runs that says it begins elsewhere")
    block("runs-cut", base, lambda b: b[:-3], "a run without its value")
    block("runs-endless", base, lambda b: b[:8] + b"\x80\x00" * 9 + b[8:], "runs of no values, and a long way of writing it", "either")
    block("runs-long", base, lambda b: b[:8] + varint(0x7FFFFFFF << 1) + bytes(4), "a run that is longer than the block", "either")
    block("runs-number", base, lambda b: b[:8] + b"\xff" * 12, "the length of a run is no number")


def compressed():
    base = WORDS

    def stored(name, edit, damage, expect="error", base=base):
        save(name, File(load(base)).build(stored=lambda n, b: edit(b) if n == 0 else b), damage, expect, base)

    stored("raw-size-huge", lambda b: u32(MAX) + b[4:], "2^32-1 bytes before compression")
    stored("raw-size-1g", lambda b: u32(1 << 30) + b[4:], "2^30 bytes before compression")
    stored("raw-size-less", lambda b: u32(at(b, 0) - 1) + b[4:], "a byte less before compression than there is")
    stored("raw-size-more", lambda b: u32(at(b, 0) + 100) + b[4:], "a hundred bytes more before compression than there are")
    stored("raw-size-0", lambda b: u32(0) + b[4:], "nothing before compression")
    stored("raw-header-cut", lambda b: b[:3], "a block that ends in its header")
    stored("deflate", lambda b: b[:8] + b"\xff" * 4 + b[12:], "a damaged stream")
    stored("deflate-cut", lambda b: b[:-9], "a stream that ends too soon")

    def patched(name, base, damage):
        b = load(base)
        # The first block reaches to where its checksum fits.
        end = next(e for e in range(24, len(b)) if crc(b[16:e]) == b[e : e + 4])
        block = splice(b[16:end], 6, b"\xff" * 6)
        save(name, b[:16] + block + crc(block) + b[end + 4 :], damage, base=base)

    patched("lz4-bytes", "string-plain-lz4", "LZ4 that is none")
    patched("snappy-bytes", "double-plain-snappy", "snappy that is none")


def deltas():
    """Delta files: the CFile is sound, what its strings say is not."""
    time = struct.pack(">Q", 7 << 50)
    low = Fixed(struct.pack("<Q", 7 << 50))
    stats = encode([[1, 1], [3, low], [4, low], [5, encode([[1, 2], [2, 1]])], [6, 0]])

    def key(row):
        return bytes([row]) + b"\xff" + time

    def delta(name, changes, damage, expect="error", lines=None, stats=stats, count=None):
        more = [[META, encode([[1, b"deltafilestats"], [2, stats]])]] if stats is not None else []
        f = new(12, 1, len(changes) if count is None else count, [plain(changes)], KEYS, [changes[0][:10]], codec=LZ4, more=more)
        save(name, f.build(), damage, expect, "nothing", lines)

    update, delete = key(0) + b"\x01\x02\x05\x01\0\0\0", key(1) + b"\x02"
    said = [f'[0,{7 << 50},"update",[[2,"01000000"]]]', f'[1,{7 << 50},"delete",[]]']
    delta("delta-made", [update, delete], "an update and a delete, nothing wrong", "rows", said)
    delta("delta-kind-9", [key(0) + b"\x09", delete], "a kind of change that is not known")
    delta("delta-kind-0", [key(0) + b"\x00", delete], "a kind of change that is none")
    delta("delta-nothing", [key(0), delete], "a change of no bytes")
    delta("delta-value-far", [key(0) + b"\x01\x02\x7f\x01\0", delete], "a value that runs past its change")
    delta("delta-value-cut", [key(0) + b"\x01\x02", delete], "a column without its value")
    delta("delta-column-number", [key(0) + b"\x01" + b"\xff" * 11, delete], "the number of a column is none")
    delta("delta-key-cut", [bytes([0, 255, 1, 2])] * 2, "a key that ends in its time")
    delta("delta-delete-tail", [update, delete + b"junk"], "bytes behind a delete")
    delta("delta-no-stats", [update, delete], "no statistics", "either", stats=None)
    delta("delta-stats-garbage", [update, delete], "statistics that are no message", "either", stats=b"\xff" * 9)
    delta("delta-count", [update, delete], "a change more than there is", count=3)
    delta("delta-unsorted", [delete, update], "rows from last to first", "either")


def others():
    save("no-rows", new(5, 6, 0, [], keys=[]).build(), "an index of no entries, no rows", "rows", "nothing", [])
    save("no-rows-no-index", new(5, 6, 0, [], keys=[]).build(footer=lambda m: put(m, POSITIONS, None)), "no index, no rows", "either", "nothing")
    one = u32(1) + u32(0)
    save("decimal-wide", new(15, 1, 1, [one + u32(2_000_000_000)]).build(), "a decimal of ten digits where nine are all", "either", "nothing")
    save("uint32-group-varint", new(4, 3, 5, [b"\0\5\1\0\0" + b"\0\0\1\2\3" + b"\0\4\0\0\0"]).build(),
         "an encoding that went before the first release, as its description has it", "either", "nothing", ["[1]", "[2]", "[3]", "[4]", "[5]"])


frames()
footers()
indexes()
values()
compressed()
deltas()
others()
files = ",\n".join("  " + json.dumps(x) for x in listed)
(OUT / "manifest.json").write_text(f'{{\n "made_by": "testdata/kudu/corrupt.py",\n "files": [\n{files}\n ]\n}}\n')
print(len(listed), "damaged files,", sum(x["bytes"] for x in listed), "bytes")
