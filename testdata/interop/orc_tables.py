#!/usr/bin/env python3
"""orc_tables.py --bin ARROWIO DIR: reads the tables of kind evolution in DIR/manifest.json under the schemas that it gives,
with --schema and --cast=java, and compares the rows with those of orc-core. Prints a line for each difference, then N/M
exact."""
import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

import pyarrow as pa
import pyarrow.ipc

parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True)
parser.add_argument("--only", default="")
parser.add_argument("dir")
args = parser.parse_args()
T = pa.types
UNITS = {"ns": 10**9, "us": 10**6, "ms": 10**3, "s": 1}
MATCH = {"default": [], "case_sensitive": [], "case_insensitive": ["--orc-by=name-any-case"], "positional": ["--orc-by=position"]}


def convert(files, schema, flags, target):
    command = [args.bin, "convert", "--force", "--schema", schema, "--cast=java", *flags, *files, target]
    p = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    return p.returncode, p.stderr.strip()[-300:]


def value(a, i):
    """Value i of an array, as the expected rows have it."""
    t = a.type
    if T.is_union(t):
        k = t.type_codes.index(a.type_codes[i].as_py()) if hasattr(t, "type_codes") else a.type_codes[i].as_py()
        j = a.offsets[i].as_py() if t.mode == "dense" else i
        v = value(a.field(k), j)
        return None if v is None else {"tag": k, "value": v}
    if not a[i].is_valid:
        return None
    if T.is_float32(t):
        return "f%08x" % a.slice(i, 1).view(pa.uint32())[0].as_py()
    if T.is_float64(t):
        return "d%016x" % a.slice(i, 1).view(pa.uint64())[0].as_py()
    if T.is_timestamp(t):
        v, per = a[i].value, UNITS[t.unit]
        return [v // per, v % per * (10**9 // per)]
    if T.is_date32(t):
        return a[i].value
    if T.is_decimal(t):
        return format(a[i].as_py(), "f")
    if T.is_binary(t):
        return a[i].as_py().hex()
    if T.is_struct(t):
        return [value(a.field(k), i) for k in range(t.num_fields)]
    if T.is_map(t):
        return [[value(a.keys, j), value(a.items, j)] for j in range(a.offsets[i].as_py(), a.offsets[i + 1].as_py())]
    if T.is_list(t):
        return [value(a.values, j) for j in range(a.offsets[i].as_py(), a.offsets[i + 1].as_py())]
    return a[i].as_py()


def rows(target):
    with open(target, "rb") as f:
        table = pa.ipc.open_file(f).read_all()
    table.validate(full=True)
    for batch in table.to_batches():
        for i in range(batch.num_rows):
            yield [value(batch.column(k), i) for k in range(batch.num_columns)]


def plain(x):
    """An expected value: an Arrow union has no nulls of its own, blanks at the end of char are not shown."""
    if isinstance(x, dict):
        return None if x["value"] is None else {k: plain(v) for k, v in x.items()}
    if isinstance(x, list):
        return [plain(v) for v in x]
    return x



def read(files, schema, flags):
    """Rows in the finest unit that holds all of them, or what the error is."""
    with tempfile.TemporaryDirectory() as tmp:
        target = os.path.join(tmp, "out.arrow")
        for unit in UNITS:
            code, text = convert(files, schema, [*flags, "--timestamp-unit", unit], target)
            if code == 0:
                return list(rows(target)), text
            if "timestamp-unit" not in text:
                break
    return None, text


def finer(files, schema, flags, i):
    """Row i in the finest unit that holds it."""
    out, _ = read(files, schema, [*flags, "--rows", f"{i}:{i + 1}"])
    return out[0] if out else None


def cut(x):
    """A time in the year 9999 has no nanoseconds in Arrow; rounded they are the next second."""
    text = json.dumps(x)
    text = text.replace("[253402300799, 999999999]", "[253402300799, 999999000]")
    text = text.replace("9999-12-31 23:59:59.999999999", "9999-12-31 23:59:59.999999").replace('"253402300800.000000"', '"253402300799.999999"')
    return json.loads(text)


def compare(files, schema, flags, expected):
    got, text = read(files, schema, flags)
    if got is None:
        return "error: " + text
    with gzip.open(expected, "rt") as f:
        want = [plain(json.loads(line)) for line in f]
    if len(got) != len(want):
        return f"{len(got)} rows instead of {len(want)}"
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w and finer(files, schema, flags, i) not in (w, cut(w)):
            return f"row {i} is {json.dumps(g)[:150]} instead of {json.dumps(w)[:150]}"
    return ""


def cases():
    for t in json.load(open(os.path.join(args.dir, "manifest.json"))):
        if t["kind"] != "evolution" or args.only not in t["name"]:
            continue
        at = os.path.join(args.dir, t["path"])
        for r in t.get("reads", []):
            yield t["name"] + " " + r["file"] + " as " + r["read_as"], [os.path.join(at, r["file"])], r["read_as"], [], r
        if "schema" in t:
            files = [os.path.join(at, f) for f in t["files_in_order"]]
            yield t["name"], files, t["schema"], MATCH[t["options"]["match"]], t


exact = total = 0
for name, files, schema, flags, case in cases():
    total += 1
    if "error" in case:
        with tempfile.TemporaryDirectory() as tmp:
            code, text = convert(files, schema, flags, os.path.join(tmp, "out.arrow"))
        problem = "" if code == 1 and "column" in text else f"exit {code}: {text}"
    else:
        problem = compare(files, schema, flags, os.path.join(args.dir, case["expected"]))
    exact += not problem
    if problem:
        print(f"{name}: {problem}")
print(f"{exact}/{total} exact")
sys.exit(exact != total)
