#!/usr/bin/env python3
"""trevni_merge.py --bin ARROWIO --jar TREVNI-JUDGE DIR...: merges each Trevni file with itself, and the result with it. Java must see the
rows of the file three times, as stored columns and as records: those of DIR/NAME.raw.jsonl.gz and DIR/NAME.avro.jsonl.gz beside
DIR/NAME.trv. Files that Java itself does not read are left out. Prints a line for each difference, then N/M exact."""
import argparse
import glob
import gzip
import os
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True)
parser.add_argument("--jar", required=True)
parser.add_argument("dirs", nargs="+")
args = parser.parse_args()


def run(*command):
    p = subprocess.run([args.bin, *command], capture_output=True, text=True, errors="replace")
    return p.stderr.strip()[-300:] if p.returncode else ""


def judge(lines):
    p = subprocess.run(["java", "-jar", args.jar, "judge", "-"], input="".join(lines), capture_output=True, text=True)
    answers = [a.split("\t") for a in p.stdout.splitlines()]
    if len(answers) != len(lines):
        sys.exit(f"{len(answers)} answers to {len(lines)} questions: {p.stderr[-300:]}")
    return answers


bad, lines, names = [], [], {}
found = [f for folder in args.dirs for f in sorted(glob.glob(os.path.join(folder, "*.trv"))) if os.path.exists(f[:-4] + ".raw.jsonl.gz")]
files = [f for verdict, f, *_ in judge([f"{f}\t{f[:-4]}.raw.jsonl.gz\traw\n" for f in found]) if verdict == "equal"]
print(f"{len(found) - len(files)} files left out: Java does not read the original")
with tempfile.TemporaryDirectory() as tmp:
    for k, source in enumerate(files):
        twice, thrice = (os.path.join(tmp, f"{k}-{n}.trv") for n in (2, 3))
        if wrong := run("merge", source, source, twice) or run("merge", twice, source, thrice) or run("verify", twice, thrice):
            print(f"{source}: {wrong}")
            bad.append(source)
            continue
        names[thrice] = source
        for mode in "raw", "avro":
            if not os.path.exists(f"{source[:-4]}.{mode}.jsonl.gz"):
                continue
            with gzip.open(f"{source[:-4]}.{mode}.jsonl.gz", "rb") as f:
                head, rows = f.readline(), f.read()
            with open(f"{thrice}.{mode}", "wb") as f:
                f.write(head + 3 * rows)
            lines.append(f"{thrice}\t{thrice}.{mode}\t{mode}-rows\n")
    for verdict, file, *why in judge(lines):
        if verdict != "equal":
            print(names[file], verdict, *why)
            bad.append(names[file])
print(f"{len(files) - len(set(bad))}/{len(files)} exact")
sys.exit(len(bad) > 0)
