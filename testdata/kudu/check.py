#!/usr/bin/env python3
"""check.py KEPT MADE: is a folder of fixtures, or a manifest, what its script makes?

Everything is compared byte by byte but for what timestamps and numbers of blocks get into. Of a delta file the rows are
compared, with each timestamp as its rank; of a server what Kudu's client saw and the shape of the tables; of a manifest
everything but the hashes and lengths of such files.
"""

import gzip
import json
import pathlib
import re
import sys


def changing(path):
    """Files whose bytes are others each time; the damaged deltas are made by a script."""
    return path.name in ("file.tar.gz", "log.tar.gz") or path.name.startswith("delta-") and path.parent.name != "cfile"


def ranked(text):
    """Lines of deltas, their timestamps replaced by which one it is."""
    times = sorted(set(re.findall(rb"^\[\d+,(\d+),", text, re.M)), key=int)
    return re.sub(rb"^(\[\d+,)(\d+),", lambda m: m[1] + b"%d," % times.index(m[2]), text, flags=re.M)


def lasting(node):
    """A manifest without what is new each time."""
    if isinstance(node, list):
        return [lasting(n) for n in node]
    if not isinstance(node, dict):
        return node
    drop = {"timestamp"}
    if changing(pathlib.PurePath(node.get("file", ""))) and "expect" not in node:
        drop |= {"bytes", "sha256"}
    return {k: lasting(v) for k, v in node.items() if k not in drop}


def same(kept, made):
    if kept.name == "manifest.json":
        return lasting(json.loads(kept.read_text())) == lasting(json.loads(made.read_text()))
    if changing(kept):
        return not kept.name.endswith(".jsonl.gz") or ranked(gzip.decompress(kept.read_bytes())) == ranked(gzip.decompress(made.read_bytes()))
    return kept.read_bytes() == made.read_bytes()


def main():
    kept, made = map(pathlib.Path, sys.argv[1:3])
    names = {p.relative_to(r) for r in (kept, made) if r.is_dir() for p in r.rglob("*") if p.is_file()} or {pathlib.Path()}
    for n in sorted(names):
        a, b = kept / n, made / n
        if not (a.exists() and b.exists()):
            sys.exit(f"{b if a.exists() else a} is not there")
        if not same(a, b):
            sys.exit(f"{a} is not what {b} is")


if __name__ == "__main__":
    main()
