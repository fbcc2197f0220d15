#!/usr/bin/env python3
"""sizes.py --bin ARROWIO --jar ORC_JUDGE --dir DIR [--rows N]: bytes of ORC and Trevni files of four tables, as Markdown.

ORC files are measured against those that Java's writer makes of the same rows with its defaults; Trevni files of columns that may be null
and have no nulls against plain columns, and against lengths as Java stores them.
"""

import argparse
import pathlib
import subprocess
import sys

import numpy as np
import pyarrow as pa
from pyarrow import orc

sys.path.insert(0, str(pathlib.Path(__file__).parent / "orc-bench"))
from mkbig import lineitem, nested, pick  # noqa: E402

rng = np.random.default_rng(20261126)


def taxi(n):
    start = np.sort(rng.integers(0, 31 * 86400, n)) + 1_767_225_600
    cents = rng.gamma(3, 5, n) * 100
    return pa.table({
        "vendor": pa.array(rng.integers(1, 3, n).astype("int32")),
        "pickup": pa.array(start * 1_000_000, pa.timestamp("us")),
        "dropoff": pa.array((start + rng.integers(60, 3600, n)) * 1_000_000, pa.timestamp("us")),
        "passengers": pa.array(rng.integers(1, 6, n).astype("int32")),
        "distance": pa.array(np.round(rng.gamma(2, 1.5, n), 2)),
        "rate": pick(["standard", "JFK", "Newark", "negotiated"], n, [0.93, 0.04, 0.02, 0.01]),
        "from": pa.array(rng.integers(1, 266, n).astype("int32")),
        "to": pa.array(rng.integers(1, 266, n).astype("int32")),
        "fare": pa.array(np.round(cents) / 100),
        "tip": pa.array(np.round(cents * rng.choice([0, 0.15, 0.2, 0.25], n)) / 100),
    })


def logs(n):
    paths = [f"/shop/{a}/{b}" for a in ("shoes", "hats", "coats", "bags") for b in range(500)]
    return pa.table({
        "at": pa.array((1_767_225_600_000 + np.cumsum(rng.integers(0, 40, n))) * 1000, pa.timestamp("us")),
        "host": pa.array([f"10.{a}.{b}.{c}" for a, b, c in zip(rng.integers(0, 4, n), rng.integers(0, 256, n), rng.integers(0, 256, n))]),
        "method": pick(["GET", "POST", "HEAD"], n, [0.9, 0.08, 0.02]),
        "path": pick(paths, n),
        "status": pa.array(rng.choice([200, 304, 404, 500], n, p=[0.85, 0.1, 0.04, 0.01]).astype("int32")),
        "bytes": pa.array(rng.pareto(1.2, n).astype("int64") * 100),
        "agent": pick([f"Mozilla/5.0 (X11; Linux x86_64) Browser/{v}.{k}" for v in range(80, 120) for k in range(5)], n),
    })


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--bin", required=True)
    p.add_argument("--jar", required=True)
    p.add_argument("--dir", required=True)
    p.add_argument("--rows", type=int, default=300_000)
    a = p.parse_args()
    work = pathlib.Path(a.dir)
    work.mkdir(parents=True, exist_ok=True)
    java = ["java", "-XX:+UseSerialGC", "-Duser.timezone=UTC", "--add-opens", "java.base/java.nio=ALL-UNNAMED", "-jar", a.jar, "write-bench"]

    def ours(source, name, *flags):
        out = work / name
        subprocess.run([a.bin, "convert", "--force", *flags, str(source), str(out)], check=True, stderr=subprocess.DEVNULL)
        return out.stat().st_size

    orc_rows, trevni_rows = [], []
    for name, make in {"lineitem": lineitem, "taxi rides": taxi, "web logs": logs, "nested": nested}.items():
        source = work / f"{name.replace(' ', '-')}.source.orc"
        table = make(a.rows)
        orc.write_table(table, str(source), compression="zstd")
        for codec in ("none", "zlib", "snappy", "zstd"):
            target = work / "java.orc"
            target.unlink(missing_ok=True)
            subprocess.run([*java, str(source), str(target), codec.upper(), "1"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            theirs = target.stat().st_size
            speed, compact = (ours(source, "ours.orc", "--compression", codec, "--orc-encoding-strategy", s) for s in ("speed", "compression"))
            orc_rows.append(f"| {name} | {codec} | {theirs:,} | {speed:,} | {speed / theirs:.3f} | {compact:,} | {compact / theirs:.3f} |")
        for codec in ("none", "deflate"):
            flags = ["--compression", codec]
            plain = ours(source, "plain.trv", *flags, "--trevni-not-null", "*") if name != "nested" else None
            nullable, lengths = ours(source, "null.trv", *flags), ours(source, "lengths.trv", *flags, "--trevni-lengths", "java")
            ratio = f"{plain:,} | {nullable:,} | {nullable / plain:.4f}" if plain else f"– | {nullable:,} | –"
            trevni_rows.append(f"| {name} | {codec} | {ratio} | {lengths:,} | {nullable / lengths:.3f} |")
    print(f"| table of {a.rows:,} rows | codec | ORC of Java | of arrowio | share | packed in as few bits as needed | share |")
    print("|---|---|---|---|---|---|---|", *orc_rows, sep="\n")
    print("\n| table | codec | Trevni, plain columns | may be null | times | lengths as Java stores them | share |")
    print("|---|---|---|---|---|---|---|", *trevni_rows, sep="\n")


main()
