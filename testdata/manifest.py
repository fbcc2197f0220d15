#!/usr/bin/env python3
"""manifest.py TESTDATA FORMAT LIST...: writes the entries of FORMAT in TESTDATA/manifest.json.

Each LIST is DIR=TOOL=VERSION=COMMAND: a directory under TESTDATA with the expected texts beside the files, and
fixtures.tsv that describes these: name, what it shows, then

  trevni  quirk
  orc     options to read it with (NAME=VALUE ...), name of the fixture in another DIR that it holds the rows of, quirk
  cfile   options to read it with

A quirk marks a file that the tool's own reader does not read. Of equal ORC texts one is kept, for all.
"""

import gzip
import hashlib
import json
import pathlib
import sys

ABOUT = (
    "Files written by other tools and what the reference readers see in them. sha256 beside raw, avro, text and masked is "
    "of the text before gzip. A file that is not listed here has no business in testdata."
)


def digest(b):
    return hashlib.sha256(b).hexdigest()


def described(root, directory):
    """The lines of fixtures.tsv, each filled up to six columns."""
    for line in sorted((root / directory / "fixtures.tsv").read_text().splitlines()):
        yield (line.split("\t") + [""] * 6)[:6]


def entry(root, form, tool, version, command, file, shows):
    data = (root / file).read_bytes()
    return {"file": file, "format": form, "tool": tool, "version": version, "command": command, "shows": shows,
            "bytes": len(data), "sha256": digest(data)}


def trevni(root, directory, *tool):
    for name, shows, quirk, *_ in described(root, directory):
        e = entry(root, "trevni", *tool, f"{directory}/{name}", shows)
        e["java_reads"] = not quirk
        if quirk:
            e["quirk"] = quirk
        for mode in "raw", "avro":
            text = root / directory / name.replace(".trv", f".{mode}.jsonl.gz")
            if not text.exists():
                continue
            lines = gzip.decompress(text.read_bytes())
            e[mode] = {"file": f"{directory}/{text.name}", "sha256": digest(lines)}
            e["rows"] = lines.count(b"\n") - 1
        if "raw" not in e:
            sys.exit(f"{name}: no expected text")
        yield e


kept = {}  # digest of a text -> its file


def orc(root, directory, *tool):
    for name, shows, options, base, quirk, *_ in described(root, directory):
        e = entry(root, "orc", *tool, f"{directory}/{name}", shows)
        e["java_reads"] = not quirk
        if quirk:
            e["quirk"] = quirk
        if options:
            e["options"] = dict(o.split("=") for o in options.split(" "))
        for what, end in ("text", ".jsonl.gz"), ("masked", ".masked.jsonl.gz"):
            text = root / directory / name.replace(".orc", end)
            if not text.exists():
                continue
            lines = gzip.decompress(text.read_bytes())
            sha = digest(lines)
            if sha in kept:
                text.unlink()
            e[what] = {"file": kept.setdefault(sha, f"{directory}/{text.name}"), "sha256": sha}
            e["rows"] = lines.count(b"\n")
        if "text" not in e:
            sys.exit(f"{name}: no expected text")
        if base and e["text"]["sha256"] != rows[base]:
            sys.exit(f"{name}: not the rows of {base}")
        rows[name.removesuffix(".orc")] = e["text"]["sha256"]
        yield e


rows = {}  # name of an ORC fixture -> digest of its text


def cfile(root, directory, *tool):
    for name, shows, options, *_ in described(root, directory):
        e = entry(root, "cfile", *tool, f"{directory}/{name}", shows)
        if options:
            e["options"] = dict(o.split("=") for o in options.split(" "))
        text = root / directory / name.replace(".cfile", ".jsonl.gz")
        if text.exists():
            lines = gzip.decompress(text.read_bytes())
            e["text"] = {"file": f"{directory}/{text.name}", "sha256": digest(lines)}
            e["rows"] = lines.count(b"\n")
        yield e


def update(root, formats, entries):
    """Puts entries in the place of all that are of these formats."""
    path = root / "manifest.json"
    files = json.loads(path.read_text())["files"] if path.exists() else []
    files = [e for e in files if e["format"] not in formats] + entries
    about = {"about": ABOUT, "files": sorted(files, key=lambda e: e["file"])}
    path.write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(entries)} {' '.join(formats)} files, {sum(e['bytes'] for e in entries)} bytes")


def main():
    root, form = pathlib.Path(sys.argv[1]), sys.argv[2]
    make = {"trevni": trevni, "orc": orc, "cfile": cfile}[form]
    update(root, [form], [e for group in sys.argv[3:] for e in make(root, *group.split("=", 3))])


if __name__ == "__main__":
    main()
