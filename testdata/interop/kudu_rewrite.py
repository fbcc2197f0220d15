#!/usr/bin/env python3
"""kudu_rewrite.py --bin ARROWIO --kudu KUDU.SH [--only TEXT] DIR: reads the column files of DIR/columns/cfiles.json, writes
them again as they are, type, encoding, codec and block size, and compares what Kudu's tool prints of the copy with what it
printed of the original. Prints a line for each difference, how many copies are the same byte for byte, then N/M exact."""
import argparse
import concurrent.futures
import gzip
import json
import os
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True)
parser.add_argument("--kudu", required=True)
parser.add_argument("--only", default="")
parser.add_argument("dir")
args = parser.parse_args()
columns = os.path.join(args.dir, "columns")
encodings = {"BIT_SHUFFLE": "bitshuffle"}
codecs = {"NO_COMPRESSION": "none"}


def parts(text):
    """The footer's words that a copy must have too, and the lines of the values."""
    head, _, values = text.removeprefix(b"Header:\n\n").partition(b"\n\n")
    said = dict(line.split(b": ", 1) for line in head.split(b"\n") if b": " in line and not line.startswith(b" "))
    facts = [said.get(k, b"").decode() for k in (b"data_type", b"encoding", b"compression", b"is_type_nullable", b"num_values")]
    return facts, values


def copy(job):
    """Writes the copy of a file; returns what went wrong."""
    n, f = job
    facts, _ = original(f)
    flags = ["--cfile-encoding", encodings.get(facts[1], facts[1].lower().removesuffix("_encoding")), "--compression", codecs.get(facts[2], facts[2].lower())]
    column = f.get("column", {})
    block = 4096 if f["role"] == "adhoc_index" else column.get("cfileBlockSize") or 0
    if block:
        flags += ["--cfile-block-size", str(block)]
    kind = column.get("typeAttributes", {})
    if "precision" in kind:
        flags += ["--cfile-decimal", f"{kind['precision']},{kind.get('scale', 0)}"]
    words = [args.bin, "convert", "--jobs", "1", "--progress", "never", *flags, os.path.join(columns, f["file"]), os.path.join(tmp, f"{n}.cfile")]
    p = subprocess.run(words, capture_output=True, text=True, errors="replace")
    return p.stderr.strip()[-300:] if p.returncode else ""


def original(f):
    with gzip.open(os.path.join(columns, f["judge"])) as text:
        return parts(text.read())


def content(path):
    with open(path, "rb") as f:
        return f.read()


with open(os.path.join(columns, "cfiles.json")) as listed:
    files = [f for f in json.load(listed)["files"] if f["role"] in ("column", "adhoc_index") and f["dump_rc"] == 0 and args.only in f["file"]]
bad, same = 0, 0
with tempfile.TemporaryDirectory() as tmp, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    lines = []
    for n, wrong in enumerate(pool.map(copy, enumerate(files))):
        if wrong:
            print(f"{files[n]['file']}: {wrong}")
            bad += 1
        else:
            lines.append(f"{tmp}/{n}.cfile/value.cfile\t{tmp}/{n}.txt\n")
    p = subprocess.run([args.kudu, "dumps"], input="".join(lines), capture_output=True, text=True, errors="replace")
    answers = p.stdout.splitlines()
    for a in answers:
        verdict, path, *why = a.split("\t", 2)
        n = int(os.path.basename(os.path.dirname(path)).removesuffix(".cfile"))
        if verdict != "ok":
            print(f"{files[n]['file']}: {why}")
            bad += 1
            continue
        ours, theirs = parts(content(f"{tmp}/{n}.txt")), original(files[n])
        same += content(path) == content(os.path.join(columns, files[n]["file"]))
        if ours != theirs:
            first = next((f"row {i}: {x[:100]}, not {y[:100]}" for i, (x, y) in enumerate(zip(ours[1].split(b"\n"), theirs[1].split(b"\n"))) if x != y), "")
            print(f"{files[n]['file']}: {ours[0]}, {theirs[0]}; {first}")
            bad += 1
    if len(answers) != len(lines):
        print(f"{len(answers)} answers to {len(lines)} questions: {p.stderr[-300:]}")
        bad += 1
print(f"{same} copies are the same byte for byte")
print(f"{len(files) - bad}/{len(files)} exact")
sys.exit(bad > 0)
