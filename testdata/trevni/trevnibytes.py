"""Trevni files byte by byte: what the Java writer cannot be made to write is built here.

build() lays out a whole file from Columns; entries() encodes what goes into a block; Layout finds every field of a
file again, so that a script can damage or repair exactly one of them.
"""

import bz2
import dataclasses
import struct
import zlib

MAGIC = b"Trv\x02"


def zigzag(n, bits=64):
    """A zig-zag varint of the given width."""
    n = (n << 1 ^ n >> bits - 1) & (1 << bits) - 1
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def padded(n, size):
    """The same number in more bytes than it needs."""
    b = zigzag(n)
    if len(b) >= size:
        return b
    return b[:-1] + bytes([b[-1] | 0x80]) + b"\x80" * (size - len(b) - 1) + b"\x00"


def blob(b):
    """Bytes or text behind their length."""
    b = b.encode() if isinstance(b, str) else b
    return zigzag(len(b)) + b


def metadata(pairs):
    return zigzag(len(pairs)) + b"".join(blob(k) + blob(v) for k, v in pairs)


def encode(kind, v):
    """One value of any type but boolean, whose bits are packed by bits()."""
    match kind:
        case "null":
            return b""
        case "int":
            return zigzag(v, 32)
        case "long":
            return zigzag(v, 64)
        case "fixed32":
            return struct.pack("<i", v)
        case "fixed64":
            return struct.pack("<q", v)
        case "float":
            return struct.pack("<f", v)
        case "double":
            return struct.pack("<d", v)
        case "string" | "bytes":
            return blob(v)
    raise ValueError(kind)


def bits(values):
    out = bytearray((len(values) + 7) // 8)
    for i, v in enumerate(values):
        out[i >> 3] |= v << (i & 7)
    return bytes(out)


def run(n, value):
    """The code of a run of n lengths that are all 0 or all 1."""
    return zigzag(3 - 2 * n if value == 0 else 2 - 2 * n, 32)


def entries(kind, items, array=False, runs=()):
    """A block of a column. An array column's items are lists; in any other column an item is a value.

    runs says which lengths may be coded as runs: none, (0,), or (0, 1) as no Java writer does for a typed column.
    """
    if not array:
        return bits(items) if kind == "boolean" else b"".join(encode(kind, v) for v in items)
    out, i = [], 0
    while i < len(items):
        n = len(items[i])
        j = i + 1
        while n in runs and j < len(items) and len(items[j]) == n:
            j += 1
        out.append(run(j - i, n) if j - i > 1 else zigzag(n, 32))
        for item in items[i:j]:  # after the code come the values of all its entries
            out.append(bits(item) if kind == "boolean" else b"".join(encode(kind, v) for v in item))
        i = j
    return b"".join(out)


def snappy(raw):
    """Raw Snappy: literals, and copies of all three kinds where a byte repeats."""
    out, n = bytearray(), len(raw)
    while True:
        out.append(n & 0x7F | (0x80 if n > 0x7F else 0))
        n >>= 7
        if not n:
            break
    i = kind = 0
    while i < len(raw):
        j = i
        while i and j < len(raw) and j - i < 64 and raw[j] == raw[i - 1]:
            j += 1
        if j - i >= 4:  # copy from one byte back
            n, kind = j - i, kind % 3 + 1
            if kind == 1 and n <= 11:
                out += bytes([n - 4 << 2 | 1, 1])
            elif kind == 3:
                out += bytes([n - 1 << 2 | 3]) + struct.pack("<I", 1)
            else:
                out += bytes([n - 1 << 2 | 2]) + struct.pack("<H", 1)
            i = j
            continue
        j = i + 1
        while j < len(raw) and j - i < 60 and raw[j : j + 1] * 4 != raw[j + 1 : j + 5]:
            j += 1
        out += bytes([j - i - 1 << 2]) + raw[i:j]
        i = j
    return bytes(out)


def deflate(raw, level=6, strategy=zlib.Z_DEFAULT_STRATEGY):
    c = zlib.compressobj(level, zlib.DEFLATED, -15, 9, strategy)
    return c.compress(raw) + c.flush()


CODECS = {"null": bytes, "deflate": deflate, "snappy": snappy, "bzip2": bz2.compress}


@dataclasses.dataclass
class Block:
    rows: int
    raw: bytes
    first: bytes = b""  # the first value, for columns with trevni.values


@dataclasses.dataclass
class Column:
    name: str
    kind: str
    blocks: list
    meta: list = dataclasses.field(default_factory=list)  # pairs beside name and type
    codec: str = "null"
    checksum: str = "null"  # null, big or little: the byte order of the stored CRC
    head: list | None = None  # the whole metadata, where name and type are not to come first
    pack: object = None  # packs a block in a way of its own

    def metadata(self):
        return self.head if self.head is not None else [("trevni.name", self.name), ("trevni.type", self.kind), *self.meta]

    def body(self):
        packed = [(self.pack or CODECS[self.codec])(b.raw) for b in self.blocks]
        out = [struct.pack("<i", len(packed))]
        for b, p in zip(self.blocks, packed):
            out.append(struct.pack("<iii", b.rows, len(b.raw), len(p)) + b.first)
        for b, p in zip(self.blocks, packed):
            out.append(p)
            if self.checksum != "null":
                out.append(struct.pack(">I" if self.checksum == "big" else "<I", zlib.crc32(b.raw)))
        return b"".join(out)


def build(rows, columns, meta=(), magic=MAGIC, order=None, gap=b"", tail=b""):
    """A whole file; order is the order of the columns' bodies, gap stands before each of them."""
    head = magic + struct.pack("<qi", rows, len(columns)) + metadata(list(meta))
    head += b"".join(metadata(c.metadata()) for c in columns)
    at = len(head) + 8 * len(columns)
    starts, body = [0] * len(columns), b""
    for i in order or range(len(columns)):
        body += gap
        starts[i] = at + len(body)
        body += columns[i].body()
    return head + b"".join(struct.pack("<q", s) for s in starts) + body + tail


class Layout:
    """Where everything is in a sound file."""

    class Column:
        def __init__(self, meta, inherited):
            text = lambda k: meta[k].decode() if k in meta else None
            self.name, self.kind, self.parent = text("trevni.name"), text("trevni.type"), text("trevni.parent")
            self.array, self.values = "trevni.array" in meta, "trevni.values" in meta
            effective = lambda k: meta.get(k, inherited.get(k, b"null")).decode()
            self.codec, self.checksum = effective("trevni.codec"), effective("trevni.checksum")
            self.start_at = self.start = 0  # where the start is stored, and the start
            self.blocks = []  # (descriptor offset, rows, raw size, packed size, data offset)

    def __init__(self, data):
        self.data, self.at = data, 4
        self.rows, self.column_count = struct.unpack("<qi", self.take(12))
        self.meta = self.metadata()
        self.columns = [Layout.Column(self.metadata(), self.meta) for _ in range(self.column_count)]
        self.starts_at = self.at
        for c in self.columns:
            c.start_at = self.at
            (c.start,) = struct.unpack("<q", self.take(8))
        self.header_end = self.at
        for c in self.columns:
            self.blocks(c)

    def take(self, n):
        self.at += n
        return self.data[self.at - n : self.at]

    def varint(self):
        n = shift = 0
        while True:
            b = self.take(1)[0]
            n |= (b & 0x7F) << shift
            shift += 7
            if b < 0x80:
                return n >> 1 ^ -(n & 1)

    def metadata(self):
        m = {}
        for _ in range(self.varint()):
            k = self.take(self.varint()).decode()
            m[k] = self.take(self.varint())
        return m

    def skip_value(self, kind):
        match kind:
            case "null":
                pass
            case "boolean":
                self.take(1)
            case "int" | "long":
                self.varint()
            case "fixed32" | "float":
                self.take(4)
            case "fixed64" | "double":
                self.take(8)
            case _:
                self.take(self.varint())

    def blocks(self, c):
        self.at = c.start
        (count,) = struct.unpack("<i", self.take(4))
        found = []
        for _ in range(count):
            at = self.at
            found.append((at, *struct.unpack("<iii", self.take(12))))
            if c.values:
                self.skip_value(c.kind)
        for at, rows, raw, packed in found:
            c.blocks.append((at, rows, raw, packed, self.at))
            self.take(packed + (4 if c.checksum != "null" else 0))

    def column(self, name):
        return next(c for c in self.columns if c.name == name)
