"""Compares what arrowio reads in the Iceberg tables of a checkout of Apache Impala with what Impala's own tests expect.

    python3 impala_iceberg.py --bin arrowio --impala DIR

DIR needs testdata/data/iceberg_test and testdata/workloads/functional-query/queries/QueryTest of github.com/apache/impala. Compared are
queries "select COLUMNS from TABLE [for system_version as of N] [where FILTER]", with count(*) or columns, whose filters arrowio has, too.
It prints a line for each table that is not read, and for each result that differs, and the totals.

Some tests change a table before they ask, or mask columns: their results differ. Look at each difference.
"""

import argparse
import csv
import json
import re
import subprocess
from pathlib import Path

QUERY = re.compile(
    r"select (?P<columns>.*?) from (?:functional_parquet\.)?(?P<table>\w+)"
    r"(?: for system_version as of (?P<snapshot>\d+)| for system_time as of now\(\))?"
    r"(?: where (?P<filter>.*?))?(?: order by [^)]*)?",
    re.I,
)
SEQUENCE = re.compile(r"\*, ?iceberg__data__sequence__number", re.I)


def tables(data):
    """Yields the names and directories of tables."""
    for metadata in sorted(data.rglob("metadata")):
        if any(metadata.glob("*.metadata.json")):
            yield metadata.parent.name.lower(), metadata.parent


def moved(directory, data):
    """Returns the options for paths of the cluster on which the tables were made."""
    pairs = {}
    for file in sorted(directory.glob("metadata/*.metadata.json")):
        location = json.loads(file.read_text())["location"].rstrip("/")
        bare = re.sub(r"^(hdfs://[^/]*|file:(//)?)", "", location)
        for prefix in ("hdfs://localhost:20500", ""):
            pairs[prefix + bare] = directory
        pairs[location] = directory
    for prefix in ("hdfs://localhost:20500", ""):
        pairs[prefix + "/test-warehouse/iceberg_test"] = data
        pairs[prefix + "/test-warehouse"] = data
    return [f"--iceberg-relocate={a}={b}" for a, b in pairs.items()]


def queries(folder):
    """Yields file, query and result lines of tests."""
    for file in sorted(folder.glob("*.test")):
        for block in re.split(r"^====.*$", file.read_text(errors="replace"), flags=re.M):
            parts = re.split(r"^---- *([A-Z_]+)[^\n]*\n", block, flags=re.M)
            said = dict(zip(parts[1::2], parts[2::2]))
            if "QUERY" in said and "RESULTS" in said and "row_regex" not in said["RESULTS"]:
                text = re.sub(r"(?m)^\s*#.*$|--.*", "", said["QUERY"])
                yield file.name, " ".join(text.split()).rstrip("; "), [x for x in said["RESULTS"].split("\n") if x and not x.startswith("VERIFY")]


def plain(cell):
    """Returns a value in a form that both have in common."""
    if cell is None:
        return "NULL"
    if not isinstance(cell, str):
        cell = json.dumps(cell)
    cell = cell.strip().strip("'").replace("Z", "").replace("T", " ")
    try:
        return f"{float(cell):.6g}" if re.search("[.e]", cell) else repr(float(cell))
    except ValueError:
        return re.sub(r"\.?0+$", "", cell) if re.match(r"\d{4}-", cell) else cell


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--bin", required=True)
    p.add_argument("--impala", required=True, type=Path)
    a = p.parse_args()
    data = a.impala.resolve() / "testdata/data/iceberg_test"

    def run(command, *args):
        return subprocess.run([a.bin, command, *args], capture_output=True, text=True)

    known = {name: (directory, moved(directory, data)) for name, directory in tables(data)}
    unread = {}
    for name, (directory, options) in known.items():
        r = run("count", *options, str(directory))
        if r.returncode:
            unread[name] = r.stderr.strip()
            print(f"not read: {name}: {unread[name]}")
    same, differ, refused, seen = 0, 0, 0, set()
    for file, query, want in queries(a.impala / "testdata/workloads/functional-query/queries/QueryTest"):
        m = QUERY.fullmatch(SEQUENCE.sub("*", query))
        if not m or m["table"].lower() not in known or m["table"].lower() in unread:
            continue
        name, columns = m["table"].lower(), m["columns"].lower()
        directory, options = known[name]
        options = options + (["--where", m["filter"]] if m["filter"] else []) + (["--iceberg-snapshot", m["snapshot"]] if m["snapshot"] else [])
        if "_row_id" in query or "_last_updated" in query:
            options.append("--iceberg-row-lineage=true")
        counted = re.fullmatch(r"count\((\*|1)\)", columns)
        if not counted and not re.fullmatch(r"\*|[\w, ]+", columns):
            continue
        if counted:
            r = run("count", *options, str(directory))
            got, want = [[r.stdout.strip()]], [[x] for x in want]
        else:
            r = run("cat", "--format", "jsonl", *([] if columns == "*" else ["--columns", columns.replace(" ", "")]), *options, str(directory))
            got = [[plain(c) for c in json.loads(x).values()] for x in r.stdout.splitlines()]
            want = [[plain(c) for c in next(csv.reader([x], quotechar="\0"))] for x in want]
            if SEQUENCE.search(query):
                want = [x[:-1] for x in want]
        if r.returncode:
            refused += 1
            print(f"refused: {file}: {query}: {r.stderr.strip()}")
        elif sorted(got) != sorted(want):
            differ += 1
            print(f"differs: {file}: {query}: {len(got)} rows, and {len(want)} in the test")
        else:
            same += 1
            seen.add(name)
    print(f"{len(known)} tables, {len(known) - len(unread)} read; {same} results the same, of {len(seen)} tables; {differ} differ, {refused} refused")


main()
