"""CFiles byte by byte: what Kudu cannot be made to write is made here from what it writes.

File takes a file apart into blocks and puts it together again, pointers and checksums right; a script changes what lies in
between. Files whose ordinal index, or index of values where there is no other, is one leaf; codecs none and zlib, and blocks
of any codec that are stored as they are.
"""

import pathlib
import struct
import sys
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "orc"))
from orcbytes import Fixed, decode, encode, every, get, put, varint  # noqa: E402, F401

TYPE, ENCODING, VALUES, POSITIONS, KEYS, CODEC, META, NULLABLE, DICTIONARY, FEATURES, COMPATIBLE = range(1, 12)
NONE, SNAPPY, LZ4, ZLIB = 1, 2, 3, 4
LEAF, INTERNAL = 0, 1
V1, V2 = b"kuducfil", b"kuducfl2"

TABLE = []
for i in range(256):
    c = i
    for _ in range(8):
        c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    TABLE.append(c)


def crc(b):
    c = 0xFFFFFFFF
    for x in b:
        c = TABLE[(c ^ x) & 255] ^ c >> 8
    return u32(c ^ 0xFFFFFFFF)


def u32(n):
    return struct.pack("<I", n & 0xFFFFFFFF)


def at(b, i):
    return struct.unpack_from("<I", b, i)[0]


def number(b, i):
    n = shift = 0
    while True:
        n |= (b[i] & 127) << shift
        shift += 7
        i += 1
        if b[i - 1] < 128:
            return n, i


def splice(b, i, new):
    """b with new in the place of as many bytes at i."""
    return b[:i] + new + b[i + len(new) :]


def pointer(offset, size):
    return encode([[1, offset], [2, size]])


def tree(offset, size):
    return encode([[1, pointer(offset, size)]])


def leaf(entries, kind=LEAF, trailer=None):
    """An index block of triples of key, offset and size."""
    out, offsets = b"", b""
    for key, offset, size in entries:
        offsets += u32(len(out))
        out += varint(len(key)) + key + varint(offset) + varint(size)
    trailer = encode([[1, len(entries)], [2, kind]]) if trailer is None else trailer
    return out + offsets + trailer + u32(len(trailer))


def group(numbers):
    """Four numbers as a group varint."""
    sizes = [max(1, (n.bit_length() + 7) // 8) for n in numbers]
    selector = 0
    for s in sizes:
        selector = selector << 2 | s - 1
    return bytes([selector]) + b"".join(n.to_bytes(s, "little") for n, s in zip(numbers, sizes))


def plain(values, ordinal=0):
    """A plain block of strings."""
    body, starts = b"", []
    for v in values:
        starts.append(12 + len(body))
        body += v
    starts += [0] * (-len(starts) % 4)
    return u32(ordinal) + u32(len(values)) + u32(12 + len(body)) + body + b"".join(group(starts[i : i + 4]) for i in range(0, len(starts), 4))


class File:
    """keys are those of the index; blocks, and dictionary where there is one, are as they are before compression."""

    def __init__(self, data=None):
        self.keys, self.blocks, self.dictionary, self.footer, self.header = [], [], None, [], b""
        if data is None:
            return
        n = at(data, len(data) - 4)
        self.footer = decode(data[-12 - n : -12])
        self.codec = get(self.footer, CODEC, NONE)
        self.kind = POSITIONS if get(self.footer, POSITIONS) else KEYS
        index = self.open(data, get(decode(get(self.footer, self.kind)), 1))
        trailer = decode(index[-4 - at(index, len(index) - 4) : -4])
        if get(trailer, 2) != LEAF:
            raise ValueError("the index has several levels")
        i = 0
        for _ in range(get(trailer, 1)):
            n, i = number(index, i)
            key, i = index[i : i + n], i + n
            offset, i = number(index, i)
            size, i = number(index, i)
            self.keys.append(key)
            self.blocks.append(self.open(data, pointer(offset, size)))
        if get(self.footer, DICTIONARY):
            self.dictionary = self.open(data, get(self.footer, DICTIONARY))

    def open(self, data, where):
        where = decode(where)
        b = data[get(where, 1) : get(where, 1) + get(where, 2) - 4]
        if self.codec == NONE:
            return b
        if at(b, 0) == len(b) - 4:
            return b[4:]
        if self.codec == ZLIB:
            return zlib.decompress(b[4:])
        raise ValueError(f"codec {self.codec}")

    def close(self, b, version):
        if self.codec == NONE:
            return b
        z = zlib.compress(b) if self.codec == ZLIB else b
        if version == V1:
            return u32(len(z)) + u32(len(b)) + z
        return u32(len(b)) + (z if len(z) < 0.9 * len(b) else b)

    def build(self, stored=lambda n, b: b, entries=lambda e: e, index=lambda b: b, footer=lambda f: None, version=V2, sums=True):
        """The file. stored changes a block as it is in the file, entries and index its index, footer the footer's fields."""
        out = version + u32(len(self.header)) + self.header
        out += crc(out) if sums else b""

        def add(b):
            nonlocal out
            offset = len(out)
            out += b + (crc(b) if sums else b"")
            return offset, len(out) - offset

        places = [(k, *add(stored(n, self.close(b, version)))) for n, (k, b) in enumerate(zip(self.keys, self.blocks))]
        root = add(self.close(index(leaf(entries(places))), version))
        fields = [f for f in self.footer if f[0] not in (POSITIONS, KEYS, DICTIONARY)]
        put(fields, self.kind, tree(*root))
        if self.dictionary is not None:
            put(fields, DICTIONARY, pointer(*add(self.close(self.dictionary, version))))
        if not sums:
            put(fields, FEATURES, None)
        footer(fields)
        return out + tail(encode(fields), version, sums)


def tail(footer, version=V2, sums=True):
    b = footer + version + u32(len(footer))
    return (crc(b) if sums else b"") + b


def new(type_, encoding, values, blocks, kind=POSITIONS, keys=None, nullable=0, codec=NONE, more=()):
    """A file that is not made from another."""
    f = File()
    f.codec, f.kind, f.blocks, f.keys = codec, kind, blocks, keys if keys is not None else [bytes(4)] * len(blocks)
    f.footer = sorted([[TYPE, type_], [ENCODING, encoding], [VALUES, values], [CODEC, codec], [NULLABLE, nullable], [FEATURES, 1], *more])
    return f
