#!/usr/bin/env python3
"""manifest.py TESTDATA FORMAT LIST...: writes the entries of FORMAT in TESTDATA/manifest.json.

Each LIST is DIR=TOOL=VERSION=COMMAND: a directory under TESTDATA with fixtures.tsv (name, what it shows, quirk) and the
expected texts beside the files. A quirk marks a file that the tool's own reader does not read.
"""

import gzip
import hashlib
import json
import pathlib
import sys


def digest(b):
    return hashlib.sha256(b).hexdigest()


root, form = pathlib.Path(sys.argv[1]), sys.argv[2]
entries = []
for group in sys.argv[3:]:
    directory, tool, version, command = group.split("=", 3)
    for line in sorted((root / directory / "fixtures.tsv").read_text().splitlines()):
        name, shows, quirk = line.split("\t")
        data = (root / directory / name).read_bytes()
        entry = {"file": f"{directory}/{name}", "format": form, "tool": tool, "version": version, "command": command,
                 "shows": shows, "bytes": len(data), "sha256": digest(data), "java_reads": not quirk}
        if quirk:
            entry["quirk"] = quirk
        for mode in "raw", "avro":
            text = root / directory / name.replace(".trv", f".{mode}.jsonl.gz")
            if not text.exists():
                continue
            lines = gzip.decompress(text.read_bytes())
            entry[mode] = {"file": f"{directory}/{text.name}", "sha256": digest(lines)}
            entry["rows"] = lines.count(b"\n") - 1
        if "raw" not in entry:
            sys.exit(f"{name}: no expected text")
        entries.append(entry)

path = root / "manifest.json"
files = json.loads(path.read_text())["files"] if path.exists() else []
files = [e for e in files if e["format"] != form] + entries
about = {
    "about": "Files written by other tools and the rows that the reference readers see in them. sha256 beside raw and "
    "avro is of the text before gzip. A file that is not listed here has no business in testdata.",
    "files": sorted(files, key=lambda e: e["file"]),
}
path.write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n")
print(f"{len(entries)} {form} files, {sum(e['bytes'] for e in entries)} bytes")
