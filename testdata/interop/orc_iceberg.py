#!/usr/bin/env python3
"""orc_iceberg.py --bin ARROWIO DIR: reads the tables of kind iceberg in DIR/manifest.json under the schemas that it gives, with
--orc-iceberg-schema, and compares the rows with those of Iceberg's generic reader; and files of data less the rows that a
file of position deletes names. Prints a line for each difference, then N/M exact."""
import argparse
import gzip
import json
import os
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


def value(a, i):
    """Value i of an array, as the expected rows have it."""
    if isinstance(a, pa.ExtensionArray):
        a = a.storage
    t = a.type
    if not a[i].is_valid:
        return None
    if T.is_float32(t):
        return "f%08x" % a.slice(i, 1).view(pa.uint32())[0].as_py()
    if T.is_float64(t):
        return "d%016x" % a.slice(i, 1).view(pa.uint64())[0].as_py()
    if T.is_timestamp(t):
        v, per = a[i].value, UNITS[t.unit]
        return [v // per, v % per * (10**9 // per)]
    if T.is_date32(t) or T.is_time64(t):
        return a[i].value
    if T.is_decimal(t):
        return format(a[i].as_py(), "f")
    if T.is_binary(t) or T.is_fixed_size_binary(t):
        return a[i].as_py().hex()
    if T.is_struct(t):
        return [value(a.field(k), i) for k in range(t.num_fields)]
    if T.is_map(t):
        return ordered([[value(a.keys, j), value(a.items, j)] for j in range(a.offsets[i].as_py(), a.offsets[i + 1].as_py())])
    if T.is_list(t):
        return [value(a.values, j) for j in range(a.offsets[i].as_py(), a.offsets[i + 1].as_py())]
    return a[i].as_py()


def ordered(entries):
    """Maps have no order, and the last of several entries of one key counts: Iceberg's reader makes hash maps of them."""
    return sorted({json.dumps(e[0]): e for e in entries}.values(), key=json.dumps)


def maps(x, t):
    """An expected value with its maps ordered."""
    if x is None or not isinstance(t, dict):
        return x
    if t["type"] == "struct":
        return [maps(v, f["type"]) for v, f in zip(x, t["fields"])]
    if t["type"] == "list":
        return [maps(v, t["element"]) for v in x]
    return ordered([[maps(k, t["key"]), maps(v, t["value"])] for k, v in x])


def convert(files, schema, flags, tmp):
    """The rows and the schema, or what the error is."""
    target, text = os.path.join(tmp, "out.arrow"), os.path.join(tmp, "schema.json")
    with open(text, "w") as f:
        json.dump(schema, f)
    command = [args.bin, "convert", "--force", "--orc-iceberg-schema", text, *flags, *files, target]
    p = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=120)
    if p.returncode:
        return None, None, f"exit {p.returncode}: {p.stderr.strip()[-300:]}"
    with open(target, "rb") as f:
        table = pa.ipc.open_file(f).read_all()
    table.validate(full=True)
    rows = [[value(b.column(k), i) for k in range(b.num_columns)] for b in table.to_batches() for i in range(b.num_rows)]
    return rows, table.schema, ""


def differs(files, schema, flags, want):
    with tempfile.TemporaryDirectory() as tmp:
        got, arrow, text = convert(files, schema, flags, tmp)
    if got is None:
        return text
    ids = [int(f.metadata[b"PARQUET:field_id"]) for f in arrow]
    names = [f.name for f in arrow]
    if ids != [f["id"] for f in schema["fields"]] or names != [f["name"] for f in schema["fields"]]:
        return f"columns {names} with ids {ids}"
    want = [maps(r, schema) for r in want]
    if len(got) != len(want):
        return f"{len(got)} rows instead of {len(want)}"
    for i, (g, w) in enumerate(zip(got, want)):
        if g != w:
            return f"row {i} is {json.dumps(g)[:200]} instead of {json.dumps(w)[:200]}"
    return ""


def lines(path):
    with gzip.open(os.path.join(args.dir, path), "rt") as f:
        return [json.loads(line) for line in f]


def fails(files, schema, flags):
    with tempfile.TemporaryDirectory() as tmp:
        got, _, text = convert(files, schema, flags, tmp)
    return "" if got is None and text.startswith("exit 1:") else f"no error: {text}"


POSITIONS = 2147483546


def cases():
    for t in json.load(open(os.path.join(args.dir, "manifest.json"))):
        if t["kind"] != "iceberg" or args.only not in t["name"]:
            continue
        at = os.path.join(args.dir, t["path"])
        files = [os.path.join(at, f) for f in t["files_in_order"]]
        deletes = [f for f in files if "delete" in os.path.basename(f)]
        data = [f for f in files if f not in deletes]
        for r in t["reads"]:
            name, schema = t["name"] + " " + r["label"], r["iceberg_schema"]
            flags = ["--orc-name-mapping", json.dumps(r["name_mapping"])] if "name_mapping" in r else []
            of = deletes if schema["fields"][0]["id"] == POSITIONS else data
            if "error" in r:
                yield name, min((fails([f], schema, flags) for f in of), key=len)
                continue
            want = lines(r["expected"])
            # A schema of an earlier time reads the files up to then.
            of = next((of[:n] for n in range(1, len(of) + 1) if rows(of[:n]) == len(want)), of)
            yield name, differs(of, schema, flags, want)
            if deletes and of == data:
                gone = next(lines(x["expected"]) for x in t["reads"] if x["iceberg_schema"]["fields"][0]["id"] == POSITIONS)
                left = [row for i, row in enumerate(want) if ["data/" + os.path.basename(data[0]), i] not in gone]
                moved = [*flags, "--orc-delete-move", "data/=" + os.path.join(at, ""), *(x for d in deletes for x in ("--orc-deletes", d))]
                yield name + " less deletes", differs(of, schema, moved, left)
                yield name + ", moved", elsewhere(of, schema, deletes[0])


def elsewhere(of, schema, delete):
    with tempfile.TemporaryDirectory() as tmp:
        _, _, text = convert(of, schema, ["--orc-deletes", delete], tmp)
    return "" if "--orc-delete-move" in text else f"deletes of a file elsewhere: {text}"


def rows(files):
    n = 0
    for f in files:
        p = subprocess.run([args.bin, "inspect", "--json", f], capture_output=True, text=True, timeout=60)
        n += json.loads(p.stdout)["rows"]
    return n


exact = total = 0
for name, problem in cases():
    total += 1
    exact += not problem
    if problem:
        print(f"{name}: {problem}")
print(f"{exact}/{total} exact")
sys.exit(exact != total)
