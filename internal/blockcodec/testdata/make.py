"""Writes raw.bin and the blocks that CPython's zlib, libbz2's bzip2 and pyarrow 26 make of it, into this folder."""

import pathlib
import random
import struct
import subprocess
import zlib

import pyarrow as pa

here = pathlib.Path(__file__).parent
rnd = random.Random(7)
words = ("ship mode instructions carefully final deposits sleep quickly above the regular requests "
         "among pending furiously").split()

raw = b""
while len(raw) < 5000:
    raw += (" ".join(rnd.choice(words) for _ in range(rnd.randint(2, 9))) + ".").encode()
raw += bytes(3000)  # a long run
raw += b"".join(struct.pack("<q", 1000 + i * 3) for i in range(400))  # a sequence
raw += bytes(rnd.randrange(256) for _ in range(700))  # noise
raw += raw[:2000]  # a far match
raw += b"ab" * 600 + b"xyz" * 300  # near ones

(here / "raw.bin").write_bytes(raw)
for theirs, ours in ("snappy", "snappy"), ("lz4_raw", "lz4"), ("zstd", "zstd"), ("brotli", "brotli"):
    (here / f"{ours}-pyarrow26.bin").write_bytes(pa.Codec(theirs).compress(raw).to_pybytes())
(here / "bzip2-bzip2.bin").write_bytes(subprocess.run(["bzip2", "-9c"], input=raw, capture_output=True, check=True).stdout)
(here / "zlib-cpython.bin").write_bytes(zlib.compress(raw, 9))
c = zlib.compressobj(1, zlib.DEFLATED, -15)
(here / "deflate-cpython.bin").write_bytes(c.compress(raw) + c.flush())
