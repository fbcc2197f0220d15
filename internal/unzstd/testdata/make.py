"""Writes frames that libzstd 1.5.7 makes, by python-zstandard 0.25, into this folder."""

import pathlib
import random
import struct

import zstandard

here = pathlib.Path(__file__).parent
rnd = random.Random(7)
words = [bytes(rnd.choice(b"etaoinshrdlcumwfgypbvk") for _ in range(rnd.randint(2, 9))) for _ in range(300)]


def text(n):
    b = b""
    while len(b) < n:
        b += words[min(rnd.randrange(300), rnd.randrange(300))] + b" "
    return b


def doubles(n):
    return b"".join(struct.pack("<d", rnd.randrange(1000) / 100) for _ in range(n // 8))


def records(n):
    b, i = b"", 0
    while len(b) < n:
        b += b"id=%08d,kind=%c,flag=%d;" % (i, 97 + rnd.randrange(3), rnd.randrange(2))
        i += 1
    return b


def write(name, frame):
    (here / f"libzstd-{name}.zst").write_bytes(frame)


def compressor(**settings):
    return zstandard.ZstdCompressor(compression_params=zstandard.ZstdCompressionParameters(**settings))


mixed = text(6000) + doubles(6000) + records(8000) + bytes(3000) + bytes(rnd.randrange(256) for _ in range(300)) + text(3000)
for level in -7, 1, 12, 19, 22:
    write(f"level{level}", zstandard.ZstdCompressor(level=level, write_checksum=True).compress(mixed))
long = zstandard.ZstdCompressionParameters.from_level(5, enable_ldm=True, window_log=27, write_content_size=False)
write("long", zstandard.ZstdCompressor(compression_params=long).compress(text(1500) + bytes(400000) + records(3000)))
c = zstandard.ZstdCompressor(level=4, write_content_size=False).compressobj()
flushed = b""
for i in range(6):  # tables and codes that are used again
    flushed += c.compress(mixed[i * 2000 : (i + 1) * 2000]) + c.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
write("flushes", flushed + c.flush())
write("window10", compressor(window_log=10, strategy=zstandard.STRATEGY_BTULTRA2, write_content_size=False).compress(mixed))
write("huge-run", zstandard.ZstdCompressor(level=19).compress(b"a" * 1_000_000 + b"bc" * 200_000))
