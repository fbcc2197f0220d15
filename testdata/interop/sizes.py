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
from pyarrow import orc

sys.path.insert(0, str(pathlib.Path(__file__).parent / "orc-bench"))
from mkbig import lineitem, nested  # noqa: E402
from shapes import logs, taxi  # noqa: E402

rng = np.random.default_rng(20261126)


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
    for name, make in {"lineitem": lineitem, "taxi rides": lambda n: taxi(n, rng), "web logs": lambda n: logs(n, rng), "nested": nested}.items():
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
