#!/usr/bin/env python3
"""servers.py OUT: puts together what was made of the servers of both block managers, and writes the manifest.

OUT/MANAGER.tar.gz is a server, MANAGER.shape.json the shape of its tables, MANAGER what Kudu's client saw in them: the same
rows with both, which are kept once.
"""

import gzip
import hashlib
import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop/kudu"))
from pack import pack  # noqa: E402

ABOUT = (
    "A tablet server's directories wal and data, one of each block manager, killed while rows were in its log alone. rows.tar.gz has what Kudu's "
    "client saw in both: TABLE.jsonl the latest rows, TABLE@N.jsonl those at the Nth snapshot, in the order of tablets and keys. A rowset is "
    "[live rows, columns, UNDO files, REDO files]. Timestamps and the bytes of servers are others whenever they are made."
)
MANAGERS = "file", "log"


def tables(out, manager):
    shape = json.loads((out / f"{manager}.shape.json").read_text())
    (out / f"{manager}.shape.json").unlink()
    seen = json.loads((out / manager / "tables.json").read_text())
    (out / manager / "tables.json").unlink()
    seen += [{"table": t, "rows": 0, "snapshots": []} for t in sorted(shape.keys() - {t["table"] for t in seen})]
    return [{"server": f"{manager}.tar.gz", **t, "tablets": shape[t["table"]]} for t in seen]


def rows(folder):
    for p in sorted(folder.glob("*.gz")):
        p.with_suffix("").write_bytes(gzip.decompress(p.read_bytes()))
        p.unlink()
    return {p.name: p.read_bytes() for p in folder.iterdir()}


def lines(items):
    return "[\n" + ",\n".join("  " + json.dumps(x) for x in items) + "\n ]"


def main():
    out = pathlib.Path(sys.argv[1])
    found = [t for m in MANAGERS for t in tables(out, m)]
    if rows(out / "file") != rows(out / "log"):
        sys.exit("the rows of the block managers differ")
    pack(out / "file", out / "rows.tar.gz")
    for m in MANAGERS:
        shutil.rmtree(out / m)
    files = [{"file": p.name, "bytes": p.stat().st_size, "sha256": hashlib.sha256(p.read_bytes()).hexdigest()} for p in sorted(out.iterdir())]
    (out / "manifest.json").write_text(f'{{\n "about": {json.dumps(ABOUT)},\n "files": {lines(files)},\n "tables": {lines(found)}\n}}\n')
    print(len(files), "archives of servers and rows,", sum(f["bytes"] for f in files), "bytes")


if __name__ == "__main__":
    main()
