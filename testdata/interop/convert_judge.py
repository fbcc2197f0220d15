"""Converts files of all formats and has pyarrow and DuckDB read the outputs: what differs from the input must be among the
losses that the report tells, and values never differ.

    convert_judge.py --bin arrowio [--conversions N] FILE_OR_DIRECTORY...

The input is what arrowio shows as an Arrow stream, which pyarrow reads: other judges compare that with other readers.
"""

import argparse
import base64
import csv
import datetime
import decimal
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

import duckdb
import pyarrow as pa
import pyarrow.ipc
import pyarrow.orc
import pyarrow.parquet

SOURCES = (".orc", ".trv", ".cfile", ".arrow", ".parquet", ".jsonl")
TARGETS = (".parquet", ".arrow", ".orc", ".csv", ".jsonl")


def files_in(paths, most):
    for path in paths:
        if os.path.isfile(path):
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(f for f in folders if f not in ("bad", "corrupt"))
            for name in sorted(names):
                full = os.path.join(folder, name)
                if name.endswith(SOURCES) and 0 < os.path.getsize(full) <= most:
                    yield full


def run(*args):
    return subprocess.run(args, capture_output=True)


def plain(v):
    """A value as formats that differ in types alone would have it."""
    if isinstance(v, pa.Scalar):
        v = v.as_py()
    if isinstance(v, float):
        return "nan" if math.isnan(v) else v
    if isinstance(v, datetime.datetime):
        if v.tzinfo is not None:
            v = v.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return v
    if isinstance(v, (bytes, bytearray, memoryview)):
        return bytes(v)
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [plain(x) for x in v]
    return v


def column(table, i, texts):
    c = table.column(i)
    if pa.types.is_date32(c.type) and texts:
        return [day(x) for x in c]
    if pa.types.is_temporal(c.type) and not pa.types.is_interval(c.type):  # Python's have no nanoseconds, and fewer years
        return [x.value for x in c]
    return [plain(x) for x in c]


BEYOND = "a day that Python does not have"


def day(x):
    try:
        return x.as_py()
    except OverflowError:
        return BEYOND


def top(path):
    """The name of the column of a path, whose parts are quoted where they need it."""
    if not path.startswith('"'):
        return path.split(".")[0]
    end = 1
    while path[end] != '"' or path[end : end + 2] == '""':
        end += 2 if path[end] == '"' else 1
    return path[1:end].replace('""', '"')


def as_text(v):
    """What CSV has for a value, without types: numbers as they compare."""
    if isinstance(v, bool):
        return str(v).lower()
    if isinstance(v, bytes):
        return base64.b64encode(v).decode()
    if isinstance(v, (int, float, decimal.Decimal)):
        return float(v)
    return str(v)


def read(path, kind, columns):
    if kind == ".parquet":
        return pa.parquet.read_table(path)
    if kind == ".arrow":
        with pa.ipc.open_file(path) as f:
            return f.read_all()
    if kind == ".orc":
        f = pa.orc.ORCFile(path)
        return f.read() if columns else no_columns(f.nrows)  # of which read has no rows
    con = duckdb.connect()
    if kind == ".csv":
        with open(path, newline="", encoding="utf-8") as f:
            header = next(csv.reader(f), [])
        types = "{" + ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(columns))) + "}"  # DuckDB has no empty names, and no two that differ in case alone
        got = con.sql(f"select * from read_csv('{path}', header=true, columns={types}, auto_detect=false, delim=',', quote='\"', escape='\"', nullstr='', strict_mode=false, null_padding=false)").arrow().read_all()
        return got.rename_columns(header) if len(header) == len(columns) else got
    # DuckDB takes names that differ in case alone for the same, and lines that have no names, or an empty one, for no objects.
    if not columns:
        with open(path) as f:
            return no_columns(sum(json.loads(line) == {} for line in f))
    renamed = len({c.lower() for c in columns}) < len(columns) or "" in columns
    if renamed:
        with open(path) as f:
            lines = [json.loads(line, object_pairs_hook=Pairs) for line in f]
        columns = [k for k, _ in lines[0]]
        path += ".renamed"
        with open(path, "w") as f:
            for line in lines:
                f.write(json.dumps({f"c{i}": v.nested() if isinstance(v, Pairs) else v for i, (_, v) in enumerate(line)}) + "\n")
    got = con.sql(f"select * from read_json_auto('{path}', format='newline_delimited', sample_size=-1)").arrow().read_all()
    return got.rename_columns(columns) if renamed else got


def no_columns(rows):
    return pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([])))


class Pairs(list):
    """An object of JSON, whose names may differ in case alone."""

    def nested(self):
        return dict(self)


def compare(want, got, losses, chars, kind):
    """Says in what two tables differ beyond what is told."""
    lossy = {top(x) for x in losses}
    if got.num_rows != want.num_rows:
        return f"{want.num_rows} rows come back as {got.num_rows}"
    if got.num_columns != want.num_columns:
        return f"{want.num_columns} columns come back as {got.num_columns}"
    for i, f in enumerate(want.schema):
        g = got.schema.field(i)
        if g.name != f.name:
            return f"column {f.name} comes back as {g.name}"
        untyped = kind in (".csv", ".jsonl")
        if pa.types.is_union(f.type):
            continue  # pyarrow names their children otherwise, and Python shows only values
        if not untyped and f.name not in lossy and not like(f.type, g.type, kind):
            return f"column {f.name} of {f.type} comes back as {g.type}, and the plan does not say so"
        if untyped and not pa.types.is_primitive(f.type) and not pa.types.is_string(f.type):
            continue
        if pa.types.is_temporal(f.type) and (untyped or f.type != g.type) and not pa.types.is_date32(f.type):
            continue
        if f.type == g.type and want.column(i).equals(got.column(i)):
            continue
        if not untyped and not like(f.type, g.type, kind) and not (flat(f.type) and flat(g.type)):
            continue
        a = column(want, i, untyped)
        b = column(got, i, untyped)
        for row, (x, y) in enumerate(zip(a, b)):
            if x is BEYOND and y is not None:
                continue
            if kind == ".csv" and x is not None and y is not None:
                x = as_text(x)
                if x == "nan":
                    y = y.lower()
                if isinstance(x, float):
                    y = float(y)
            if kind == ".csv" and x == "" and y is None:
                y = ""  # DuckDB takes both for null
            if kind == ".jsonl" and isinstance(y, str) and (x == "nan" or isinstance(x, float)):
                y = y.strip('"')  # DuckDB shows JSON's own text of a column of numbers and texts
            if kind == ".jsonl" and x == "nan" and y is not None:
                y = plain(float(y))
            if kind == ".jsonl" and isinstance(x, float) and isinstance(y, str):
                y = float(y)
            if untyped and pa.types.is_float32(f.type) and isinstance(x, float) and isinstance(y, float):
                x, y = (struct.unpack("<f", struct.pack("<f", v))[0] for v in (x, y))
            if kind == ".jsonl" and isinstance(x, datetime.date) and isinstance(y, str):
                x = x.isoformat()
            if f.name in chars and kind == ".orc" and isinstance(y, str):
                x, y = x.rstrip(" "), y.rstrip(" ")
            if isinstance(x, float) and isinstance(y, float) and math.isnan(x) and math.isnan(y):
                continue
            if x != y:
                return f"column {f.name}, row {row}: {x!r} comes back as {y!r}"
    return None


def flat(t):
    return not pa.types.is_nested(t) and not pa.types.is_dictionary(t)


def like(a, b, kind):
    """Types of the same values: what lists call their items does not count, nor what pyarrow makes of the unions of ORC."""
    if pa.types.is_list(a) and pa.types.is_list(b):
        return like(a.value_type, b.value_type, kind)
    if pa.types.is_struct(a) and pa.types.is_struct(b):
        return a.num_fields == b.num_fields and all(x.name == y.name and like(x.type, y.type, kind) for x, y in zip(a, b))
    if pa.types.is_map(a) and pa.types.is_map(b):
        return like(a.key_type, b.key_type, kind) and like(a.item_type, b.item_type, kind)
    if kind == ".orc" and pa.types.is_union(a) and pa.types.is_union(b):
        return a.num_fields == b.num_fields and all(like(a.field(i).type, b.field(i).type, kind) for i in range(a.num_fields))
    return a == b


def convert(binary, path, want, kind, out):
    """Converts path to the file out, and returns what became of it: refused, passed over, or done, with what is wrong."""
    report = run(binary, "convert", "--json", path, out)
    if report.returncode == 1:
        return "refused", None  # it says why
    if report.returncode != 0:
        return "done", report.stderr.decode()
    plan = json.loads(report.stdout)["plan"]
    chars = {top(c["path"]) for c in plan["columns"] if c["stored"].startswith("char(")}  # which pyarrow pads
    losses = [c["path"] for c in plan["columns"] if c.get("loss")]
    try:
        return "done", compare(want, read(out, kind, want.column_names), losses, chars, kind)
    except (pa.ArrowException, duckdb.Error, OverflowError, ValueError) as e:
        # pyarrow reads no root that is no struct, and no shapes; Java judges these in orc_rewrite.py.
        if "top-level struct" in str(e) or "Unknown Orc type kind: geo" in str(e):
            return "passed over", None
        if "out of range for nanosecond resolution" in str(e) and any("after 2262" in c.get("loss", "") for c in plan["columns"]):
            return "done", None
        return "done", f"not read: {type(e).__name__}: {str(e)[:300]}"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--bin", required=True)
    p.add_argument("--conversions", type=int, default=60)
    p.add_argument("--each", action="store_true", help="each file to each format")
    p.add_argument("--most", type=int, default=200_000, help="bytes of a file")
    p.add_argument("paths", nargs="+")
    a = p.parse_args()
    files = list(files_in(a.paths, a.most))
    random.Random(24).shuffle(files)
    done, failed, refused = 0, 0, 0
    with tempfile.TemporaryDirectory() as tmp:
        for n, path in enumerate(files):
            if done >= a.conversions:
                break
            stream = run(a.bin, "convert", "--to", "ipc-stream", path, "-")
            if stream.returncode != 0:
                continue
            try:
                want = pa.ipc.open_stream(stream.stdout).read_all()
            except pa.ArrowException as e:
                print(f"{path}: pyarrow does not read the stream: {e}")
                failed += 1
                continue
            if not 0 < want.num_rows <= 20_000:
                continue
            for kind in TARGETS if a.each else [TARGETS[done % len(TARGETS)]]:
                became, wrong = convert(a.bin, path, want, kind, os.path.join(tmp, f"{n}{kind}"))
                done += became == "done"
                refused += became == "refused"
                if wrong:
                    print(f"{path} to {kind}: {wrong}", flush=True)
                    failed += 1
    print(f"{done} conversions read back, {refused} refused, {failed} wrong")
    return 1 if failed or done < a.conversions and not a.each else 0


if __name__ == "__main__":
    sys.exit(main())
