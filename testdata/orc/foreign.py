#!/usr/bin/env python3
"""foreign.py JAVA OUT: files that other writers may make and those of Java and C++ do not, from the Java writer's
fixtures in JAVA, and fixtures.tsv that describes them. Each holds the rows of the file that it was made from.
"""

import pathlib
import sys

from orcbytes import PRESENT, ROW_INDEX, File, Stream, change, chunk, every, put, unchunk

JAVA, OUT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
OUT.mkdir(parents=True, exist_ok=True)
listed = []


def load(name):
    return File((JAVA / f"{name}.orc").read_bytes())


def save(name, base, shows, data, quirk=""):
    """A quirk marks what the Java reader does not read, and we do."""
    (OUT / f"{name}.orc").write_bytes(data)
    listed.append(f"{name}.orc\t{shows}\t\t{base}\t{quirk}\n")


def without(*numbers):
    def edit(fields):
        for n in numbers:
            put(fields, n, None)

    return edit


def postscript():
    save("hive-0.11.0", "small-none", "no magic, version, writer version or metadata in the postscript, as Hive 0.11.0 wrote",
         slim("small-none").build(ps=without(8000, 4, 6, 5)))
    save("no-block-size", "small-zlib", "no compression block size: the default holds", load("small-zlib").build(ps=without(3)))

    def unpack(fields):
        at = next(i for i, x in enumerate(fields) if x[0] == 4)
        fields[at : at + 1] = [[4, n] for n in fields[at][1]]

    save("version-unpacked", "tiny-none", "the version as two fields", load("tiny-none").build(ps=unpack))


def slim(name):
    """A file without metadata, statistics and indexes."""
    f = load(name)
    f.metadata = []
    put(f.footer, 7, None)
    put(f.footer, 8, None)
    for s in f.stripes:
        s.streams = [x for x in s.streams if x.kind != ROW_INDEX]
    return f


def footer():
    f = load("small-zlib")
    for i in range(len(f.types())):
        change(f.footer, 4, i, lambda t: t.__setitem__(slice(None), [x for n, v in t for x in ([[n, k] for k in v] if n == 2 else [[n, v]])]))
    save("subtypes-unpacked", "small-zlib", "each child of a type as a field of its own", f.build())

    f = load("small-zlib")
    f.tail_chunk = 7
    save("tail-in-chunks", "small-zlib", "footer and metadata in chunks of seven bytes", f.build())

    save("no-statistics", "small-zlib", "neither statistics nor row index", slim("small-zlib").build())

    f = load("small-none")
    put(f.footer, 7, None)
    f.metadata = f.metadata[:1]
    save("few-statistics", "small-none", "statistics of the first stripe only", f.build())

    f = load("small-none")
    for i in range(len(every(f.footer, 7))):
        change(f.footer, 7, i, without(10))
    for i in range(len(f.metadata)):
        change(f.metadata, 1, i, lambda m: [change(m, 1, k, without(10)) for k in range(len(m))])
    save("no-has-null", "small-none", "statistics that do not say whether there are nulls", f.build())

    def backwards(fields):
        fields.sort(key=lambda x: -x[0])

    save("fields-backwards", "small-none", "the fields of messages in the other order",
         load("small-none").build(footer=backwards, ps=backwards, stripe_footer=lambda i, fields: backwards(fields)))

    f = load("small-zlib")

    def strange(fields):
        fields += [[99, 12345], [1000, b"nobody knows"]]

    for number in 3, 4, 7:
        for i in range(len(every(f.footer, number))):
            change(f.footer, number, i, strange)
    for s in f.stripes:
        strange(s.info)
        for i in range(len(s.encodings())):
            change(s.footer, 2, i, strange)
    save("fields-unknown", "small-zlib", "fields that nobody knows in every message",
         f.build(footer=strange, ps=lambda p: p.insert(0, [99, 1]), stripe_footer=lambda i, fields: strange(fields)))


def stripes():
    f = load("small-none")
    f.gap = b"\xff" * 17
    save("gaps", "small-none", "something between stripes", f.build())

    f = load("small-none")
    for s in f.stripes:
        put(s.footer, 3, None)
    save("no-zone", "small-none", "stripes that do not name a time zone", f.build())

    f = load("small-zlib")
    for s in f.stripes:
        s.streams.reverse()
    save("streams-backwards", "small-zlib", "streams in the other order", f.build())

    f = load("small-none")
    for s in f.stripes:
        s.streams.insert(5, Stream(77, 3, b"what is this"))
        s.streams.insert(0, Stream(99, 0, b"?"))
    save("streams-unknown", "small-none", "streams of kinds that nobody knows", f.build(), "streams-unknown")

    f = slim("small-none")
    for s in f.stripes:
        have = {x.column for x in s.streams if x.kind == PRESENT}
        s.streams[:0] = [Stream(PRESENT, c, b"") for c in range(len(f.types())) if c not in have]
    save("present-empty", "small-none", "streams of nulls without a byte where there are no nulls", f.build(), "present-empty")

    f = load("small-none")
    for s in f.stripes:
        s.streams = [x for x in s.streams if x.kind != ROW_INDEX]
    save("index-missing", "small-none", "a stride, but no row index", f.build())

    f = slim("small-zlib")
    for s in f.stripes:
        for x in s.streams:
            raw = unchunk(x.stored, f.codec)
            x.stored = b"".join(chunk(raw[i : i + 5], original=i % 2 == 0) for i in range(0, len(raw), 5))
    save("chunks-of-five", "small-zlib", "chunks of five bytes, every other one as it is", f.build())

    f = slim("small-none")
    empty = load("small-none").stripes[0]
    put(empty.info, 5, 0)
    empty.streams = []
    f.stripes.insert(1, empty)
    save("stripe-of-no-rows", "small-none", "a stripe without rows and streams between the others", f.build())


postscript()
footer()
stripes()
(OUT / "fixtures.tsv").write_text("".join(listed))
