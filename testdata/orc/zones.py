#!/usr/bin/env python3
"""zones.py OUT: fixtures by the C++ writer in zones other than UTC, through pyorc, and fixtures.tsv that describes them.

pyarrow cannot choose the zone: its writer is always in GMT. Their expected rows come from the Java reader.
"""

import pathlib
import random
import sys
import zoneinfo

import pyorc

OUT = pathlib.Path(sys.argv[1])
OUT.mkdir(parents=True, exist_ok=True)
YEAR = 31_556_952

# Seconds since 1970 at which the clocks of a zone change, or its first rule begins, and what is special there.
ZONES = {
    "America/New_York": ([-2717650800, 1425798000, 1446357600, 4_118_194_800], "an hour of summer, the first rule in 1883"),
    "Asia/Kolkata": ([-1167642000, -872058600], "half an hour beside the full ones, no summer"),
    "Australia/Lord_Howe": ([1428159600, 1443886200, 352216800], "half an hour of summer, in the south"),
    "Pacific/Apia": ([1325239200, 1301752800], "a day that is not there, 2011-12-30"),
    "Europe/Dublin": ([-1691962479, 57722400, 1427590800], "an offset of minutes and seconds before 1916, winter as the exception"),
}


class Exact:
    """Passes on (seconds, nanoseconds) as they are."""

    @staticmethod
    def from_orc(seconds, nanoseconds, timezone):
        return seconds, nanoseconds

    @staticmethod
    def to_orc(obj, timezone):
        return obj


def times(r, edges):
    nanos = lambda: r.choice([0, 0, 1, 500_000_000, 999_999_999, r.randrange(10**9)])
    yield from ((s, n) for s in (-2, -1, 0, 1, 1420070399, 1420070400) for n in (0, 999_999_999))
    for edge in edges:
        for step in (-86400, -7200, -3601, -3600, -1800, -1, 0, 1, 1799, 1800, 3600, 7200, 86400):
            yield edge + step, nanos()
    for _ in range(60):
        yield r.randrange(-100 * YEAR, 150 * YEAR), nanos()


def main():
    with open(OUT / "fixtures.tsv", "w") as listed:
        for zone, (edges, shows) in ZONES.items():
            r = random.Random(zone)
            rows = list(times(r, edges))
            r.shuffle(rows)
            rows = sorted(rows[: len(rows) // 2]) + rows[len(rows) // 2 :]  # row groups of narrow bounds, and of wide ones
            name = zone.replace("/", "-").replace("_", "-").lower()
            with open(OUT / f"{name}.orc", "wb") as f, pyorc.Writer(
                f, "struct<n:int,t:timestamp,i:timestamp with local time zone>", stripe_size=1, batch_size=20, row_index_stride=20,
                compression=pyorc.CompressionKind.ZLIB, timezone=zoneinfo.ZoneInfo(zone),
                converters={pyorc.TypeKind.TIMESTAMP: Exact, pyorc.TypeKind.TIMESTAMP_INSTANT: Exact},
            ) as w:
                for i, t in enumerate(rows):
                    w.write((i, None if i % 17 == 5 else t, None if i % 13 == 7 else t))
            listed.write(f"{name}.orc\twritten in {zone}: {shows}\t\n")


main()
