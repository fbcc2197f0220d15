#!/usr/bin/env python3
"""blocks.py DIR TABLE OUT: copies the blocks of TABLE's only rowset out of a stopped server with the file block manager.

OUT/COLUMN.cfile is a column, OUT/undo-N.cfile and redo-N.cfile deltas, bloom.cfile and adhoc.cfile what their names say.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

KUDU = os.environ.get("ARROWIO_KUDU", str(pathlib.Path(__file__).with_name("kudu.sh")))


def tool(*words):
    return subprocess.run([KUDU, "tool", *map(str, words)], check=True, capture_output=True).stdout


def superblocks(folder):
    """Pairs of a tablet and its superblock as JSON."""
    for path in sorted((folder / "wal/tablet-meta").iterdir()):
        yield path.name, json.loads(tool("pbc", "dump", path, "--json"))


def path_of(folder, block):
    """Where the file block manager keeps a block: bytes two to four of its number name folders."""
    number = int(block["id"])
    return folder / "data/data" / f"{number >> 40 & 255:02x}" / f"{number >> 32 & 255:02x}" / f"{number >> 24 & 255:02x}" / f"{number:016d}"


def blocks(superblock, rowset):
    """Pairs of a name and a block."""
    names = {c.get("id", 0): c["name"] for c in superblock["schema"]["columns"]}
    for c in rowset.get("columns", []):
        yield names[c["columnId"]], c["block"]
    for kind in "undo", "redo":
        for i, d in enumerate(rowset.get(f"{kind}Deltas", [])):
            yield f"{kind}-{i}", d["block"]
    for name, key in ("bloom", "bloomBlock"), ("adhoc", "adhocIndexBlock"):
        if key in rowset:
            yield name, rowset[key]


def main():
    folder, table, out = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    [superblock] = [s for _, s in superblocks(folder) if s["tableName"] == table]
    [rowset] = superblock["rowsets"]
    for name, block in blocks(superblock, rowset):
        shutil.copyfile(path_of(folder, block), out / f"{name}.cfile")


if __name__ == "__main__":
    main()
