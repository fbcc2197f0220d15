#!/usr/bin/env python3
"""pack.py DIR OUT.tar.gz: packs wal and data of a stopped server, without the caches of its logs, or all of another folder.

Of a server it prints the shape of its tables as JSON: for each a list of tablets, of each the rowsets' live rows, columns, UNDO and REDO files.
"""

import gzip
import io
import json
import pathlib
import sys
import tarfile

from blocks import superblocks


def shape(folder):
    out = {}
    for _, s in superblocks(folder):
        rowsets = [[int(r.get("liveRowCount", -1)), len(r.get("columns", [])), len(r.get("undoDeltas", [])), len(r.get("redoDeltas", []))]
                   for r in s.get("rowsets", [])]
        out.setdefault(s["tableName"], []).append({"state": s["tabletDataState"].removeprefix("TABLET_DATA_").lower(), "rowsets": rowsets})
    return {t: sorted(tablets, key=str) for t, tablets in sorted(out.items())}


def pack(folder, to):
    with open(to, "wb") as f, gzip.GzipFile("", "wb", 9, f, 0) as z, tarfile.open(fileobj=z, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder)
            if path.is_file() and not name.name.startswith("index.") and (name.parts[0] in ("wal", "data") or not is_server(folder)):
                data = path.read_bytes()
                member = tarfile.TarInfo(str(name))
                member.size, member.mode = len(data), 0o644
                tar.addfile(member, io.BytesIO(data))


def is_server(folder):
    return (folder / "wal").exists()


if __name__ == "__main__":
    source = pathlib.Path(sys.argv[1])
    pack(source, sys.argv[2])
    if is_server(source):
        print(json.dumps(shape(source)))
