"""ORC files byte by byte: what the writers cannot be made to write is made here from what they write.

A message is a list of [field number, value], value an int or bytes. File takes a file apart into stripes and streams
and puts it together again, lengths and offsets right; a script changes what lies in between, or afterwards one field.
Codecs: none and zlib.
"""

import zlib

NONE, ZLIB = 0, 1
PRESENT, DATA, LENGTH, DICTIONARY_DATA, SECONDARY, ROW_INDEX, BLOOM = 0, 1, 2, 3, 5, 6, 7
MAGIC = b"ORC"


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def zigzag(n):
    return varint(n << 1 ^ n >> 63)


def decode(b):
    """A message's fields in order. Only varints and bytes occur in what is taken apart, and fixed64 in statistics."""
    i, fields = 0, []

    def number():
        nonlocal i
        n = shift = 0
        while True:
            c = b[i]
            i += 1
            n |= (c & 127) << shift
            shift += 7
            if c < 128:
                return n

    while i < len(b):
        key = number()
        if key & 7 == 0:
            value = number()
        elif key & 7 == 2:
            n = number()
            value = bytes(b[i : i + n])
            i += n
        elif key & 7 == 1:
            value = Fixed(b[i : i + 8])
            i += 8
        else:
            raise ValueError(f"wire type {key & 7}")
        fields.append([key >> 3, value])
    return fields


class Fixed(bytes):
    """A fixed64 as stored."""


def encode(fields):
    out = bytearray()
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        elif isinstance(value, Fixed):
            out += varint(number << 3 | 1) + value
        else:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return bytes(out)


def get(fields, number, default=0):
    return next((v for f, v in fields if f == number), default)


def every(fields, number):
    return [v for f, v in fields if f == number]


def put(fields, number, value):
    """Sets a field, which is added where it is missing; None takes it away."""
    kept = [x for x in fields if x[0] != number]
    if value is not None:
        at = next((i for i, x in enumerate(fields) if x[0] == number), len(kept))
        kept.insert(at, [number, value])
    fields[:] = kept


def change(fields, number, nth, edit):
    """Takes the nth message of that number apart, lets edit change it, and puts it back."""
    x = [f for f in fields if f[0] == number][nth]
    message = decode(x[1])
    edit(message)
    x[1] = encode(message)


def chunk(b, original=False):
    """A compression chunk with its header."""
    c = zlib.compressobj(9, zlib.DEFLATED, -15)
    z = c.compress(b) + c.flush()
    if original or len(z) >= len(b):
        return header(len(b), True) + b
    return header(len(z), False) + z


def header(n, original):
    return (n << 1 | original).to_bytes(3, "little")


def chunks(b, codec, size=256 << 10, original=False):
    if codec == NONE:
        return bytes(b)
    return b"".join(chunk(b[i : i + size], original) for i in range(0, len(b), size))


def unchunk(b, codec):
    if codec == NONE:
        return bytes(b)
    out = bytearray()
    while b:
        h = int.from_bytes(b[:3], "little")
        c = b[3 : 3 + (h >> 1)]
        out += c if h & 1 else zlib.decompress(c, -15)
        b = b[3 + (h >> 1) :]
    return bytes(out)


class Stream:
    def __init__(self, kind, column, stored):
        self.kind, self.column, self.stored = kind, column, stored
        self.length = None  # what the directory says instead of the truth

    @property
    def index(self):
        return self.kind in (ROW_INDEX, BLOOM, BLOOM + 1)

    def entry(self):
        n = len(self.stored) if self.length is None else self.length
        return [1, encode([[1, self.kind], [2, self.column], [3, n]])]


class Stripe:
    def __init__(self, b, info, codec):
        self.info, self.codec = info, codec  # the footer's StripeInformation
        at, index, data, length = (get(info, n) for n in (1, 2, 3, 4))
        self.footer = decode(unchunk(b[at + index + data :][:length], codec))
        self.streams = []
        for s in every(self.footer, 1):
            s = decode(s)
            n = get(s, 3)
            self.streams.append(Stream(get(s, 1), get(s, 2), bytes(b[at : at + n])))
            at += n
        put(self.footer, 1, None)  # streams; the rest stays
        self.directory = None  # entries instead of those of the streams

    def stream(self, column, kind):
        return next(s for s in self.streams if (s.column, s.kind) == (column, kind))

    def raw(self, column, kind):
        return unchunk(self.stream(column, kind).stored, self.codec)

    def set(self, column, kind, raw):
        """Replaces what is in a stream."""
        self.stream(column, kind).stored = chunks(raw, self.codec)

    def drop(self, column, kind):
        self.streams.remove(self.stream(column, kind))

    def encodings(self):
        return [x for x in self.footer if x[0] == 2]


class File:
    def __init__(self, b):
        size = b[-1]
        self.ps = decode(b[-1 - size : -1])
        self.codec = get(self.ps, 2)
        at = len(b) - 1 - size - get(self.ps, 1)
        self.footer = decode(unchunk(b[at : len(b) - 1 - size], self.codec))
        self.metadata = decode(unchunk(b[at - get(self.ps, 5) : at], self.codec))
        self.stripes = [Stripe(b, decode(s), self.codec) for s in every(self.footer, 3)]
        self.gap = b""  # in front of each stripe
        self.tail_chunk = 256 << 10

    def types(self):
        return [x for x in self.footer if x[0] == 4]

    def build(self, footer=None, ps=None, stripe_footer=None):
        """The file. The arguments change the finished messages: footer(fields), ps(fields), stripe_footer(i, fields)."""
        out = bytearray(MAGIC)
        infos = []
        for i, s in enumerate(self.stripes):
            out += self.gap
            info = [list(x) for x in s.info]
            put(info, 1, len(out))
            ordered = [x for x in s.streams if x.index] + [x for x in s.streams if not x.index]
            put(info, 2, sum(len(x.stored) for x in ordered if x.index))
            put(info, 3, sum(len(x.stored) for x in ordered if not x.index))
            for x in ordered:
                out += x.stored
            fields = (s.directory if s.directory is not None else [x.entry() for x in ordered]) + [list(x) for x in s.footer]
            if stripe_footer:
                stripe_footer(i, fields)
            b = chunks(encode(fields), self.codec)
            put(info, 4, len(b))
            out += b
            infos.append([3, encode(info)])
        fields = [list(x) for x in self.footer]
        at = next((i for i, x in enumerate(fields) if x[0] == 3), len(fields))
        fields = [x for x in fields if x[0] != 3]
        fields[at:at] = infos
        put(fields, 2, len(out))
        if footer:
            footer(fields)
        metadata = chunks(encode(self.metadata), self.codec, self.tail_chunk)
        b = chunks(encode(fields), self.codec, self.tail_chunk)
        out += metadata + b
        script = [list(x) for x in self.ps]
        put(script, 1, len(b))
        put(script, 5, len(metadata))
        if ps:
            ps(script)
        b = encode(script)
        return bytes(out + b + bytes([len(b) & 255]))
