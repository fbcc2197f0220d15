#!/usr/bin/env python3
"""orc_rewrite.py --bin ARROWIO --jar ORC-JUDGE DIR...: reads ORC files and writes them as ORC again, in one way after the
other, and has Java compare what it sees in the copy, by reading, seeking and searching, with what it saw in the original:
DIR/NAME.jsonl.gz beside DIR/NAME.orc, or "canonical" of DIR/manifest.json. Prints a line for each difference, then N/M exact."""
import argparse
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True)
parser.add_argument("--jar", required=True)
parser.add_argument("dirs", nargs="+")
args = parser.parse_args()
here = os.path.dirname(os.path.abspath(__file__))
keys = os.path.join(here, "..", "orc", "keys.json")
ways = [
    ["--compression", c, "--orc-version", v, "--orc-row-index-stride", s]
    for v, s in (("0.12", "1000"), ("0.11", "100"))
    for c in ("zlib", "zstd", "none", "snappy", "lz4", "brotli")
]


def files(folder):
    manifest = os.path.join(folder, "manifest.json")
    listed = json.load(open(manifest)) if os.path.exists(manifest) else []
    if any("canonical" in x for x in listed):
        for x in listed:
            if x.get("canonical"):
                yield os.path.join(folder, x["file"]), os.path.join(folder, x["canonical"])
        return
    for f in sorted(glob.glob(os.path.join(folder, "*.orc"))):
        expected = f[:-4] + ".jsonl.gz"
        if os.path.exists(expected):
            yield f, expected


def convert(source, target, way):
    """Returns whether times had to become microseconds, and what went wrong."""
    flags = ["--orc-keys", keys] if os.path.exists(source[:-4] + ".masked.jsonl.gz") else []
    if "null_keys" in source:
        flags.append("--orc-null-keys=list")
    for unit in ([], ["--timestamp-unit=us"]):
        p = subprocess.run([args.bin, "convert", "--force", *flags, *unit, *way, source, target], capture_output=True, text=True, errors="replace")
        if p.returncode == 0 or "timestamp-unit" not in p.stderr:
            break
    return bool(unit), p.stderr.strip()[-300:] if p.returncode else ""


def microseconds(expected, target):
    """Expected rows whose pairs of numbers, which may be times, have no nanoseconds."""
    cut = lambda m: f"[{m[1]},{int(m[2]) // 1000 * 1000}]"
    with gzip.open(expected, "rt") as lines, open(target, "w") as out:
        out.writelines(re.sub(r"\[(-?\d+),(\d+)\]", cut, line) for line in lines)


bad, count = 0, 0
with tempfile.TemporaryDirectory() as tmp:
    lines, names = [], {}
    for folder in args.dirs:
        for source, expected in files(folder):
            target = os.path.join(tmp, f"{count}.orc")
            coarse, wrong = convert(source, target, ways[count % len(ways)])
            count += 1
            if wrong:
                print(f"{source}: {wrong}")
                bad += 1
                continue
            if coarse:
                microseconds(expected, target + ".jsonl")
                expected = target + ".jsonl"
            names[target] = source
            lines.append(f"{target}\t{expected}\tunions\n")
    p = subprocess.run(["java", "-Xmx2g", "-jar", args.jar, "verify", "-"], input="".join(lines), capture_output=True, text=True, errors="replace")
    answers = p.stdout.splitlines()
    for a in answers:
        verdict, target, why = a.split("\t", 2)
        if verdict != "equal":
            print(f"{names[target]}: {verdict}: {why[:400]}")
            bad += 1
    if len(answers) != len(lines):
        print(f"{len(answers)} answers to {len(lines)} questions: {p.stderr[-300:]}")
        bad += 1
print(f"{count - bad}/{count} exact")
sys.exit(bad > 0)
