#!/usr/bin/env python3
"""orc_merge.py --bin ARROWIO --jar ORC-JUDGE DIR...: merges each ORC file with itself, splits the result into files of three stripes, and
merges these again. Java must see the rows of the file twice in both, by reading, seeking and searching: those of DIR/NAME.jsonl.gz
beside DIR/NAME.orc. Files that Java itself does not read as it should are left out. Prints a line for each difference, how many files
were refused or left out and why, then N/M exact."""
import argparse
import collections
import glob
import gzip
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


def run(*command):
    p = subprocess.run([args.bin, *command], capture_output=True, text=True, errors="replace")
    return p.stderr.strip()[-300:] if p.returncode else ""


def judge(lines):
    p = subprocess.run(["java", "-Xmx2g", "-jar", args.jar, "verify", "-"], input="".join(lines), capture_output=True, text=True, errors="replace")
    answers = [a.split("\t", 2) for a in p.stdout.splitlines()]
    if len(answers) != len(lines):
        sys.exit(f"{len(answers)} answers to {len(lines)} questions: {p.stderr[-300:]}")
    return answers


bad, count, refused = 0, 0, collections.Counter()
files = [f for folder in args.dirs for f in sorted(glob.glob(os.path.join(folder, "*.orc"))) if os.path.exists(f[:-4] + ".jsonl.gz")]
known = {f for verdict, f, _ in judge([f"{f}\t{f[:-4]}.jsonl.gz\tunions\n" for f in files]) if verdict == "equal"}
with tempfile.TemporaryDirectory() as tmp:
    lines, names = [], {}
    for source in files:
        if source not in known:
            refused["Java does not read the original"] += 1
            continue
        twice, pieces, again = (os.path.join(tmp, f"{count}{x}") for x in (".orc", "", "-again.orc"))
        wrong = run("merge", source, source, twice)
        if "cannot be copied" in wrong:
            refused[re.sub(r".*orc: ", "", wrong)] += 1
            continue
        wrong = wrong or run("split", "--max-file-parts", "3", twice, pieces) or run("merge", pieces, again) or run("verify", twice, again)
        count += 1
        if wrong:
            print(f"{source}: {wrong}")
            bad += 1
            continue
        with gzip.open(source[:-4] + ".jsonl.gz", "rb") as f:
            rows = f.read()
        with open(twice + ".jsonl", "wb") as f:
            f.write(rows + rows)
        for target in twice, again:
            names[target] = source
            lines.append(f"{target}\t{twice}.jsonl\tunions\n")
    for verdict, target, why in judge(lines):
        if verdict != "equal":
            print(f"{names[target]}: {verdict}: {why[:400]}")
            bad += 1
for why, n in refused.items():
    print(f"{n} refused: {why}")
print(f"{count - bad}/{count} exact")
sys.exit(bad > 0 or count == 0)
