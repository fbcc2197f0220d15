#!/usr/bin/env python3
"""cfiles.py DIR TEXTS OUT: the lone CFiles of a stopped server DIR, which kudu-judge filled with its command files.

TEXTS/TABLE/COLUMN.jsonl.gz is what Kudu's client saw in each column. What deltas and key indexes hold is said by Kudu's own
tool. OUT gets the files, their texts and fixtures.tsv: name, what it shows, options to read it with.
"""

import gzip
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "interop/kudu"))
from blocks import blocks, path_of, superblocks, tool  # noqa: E402

DIR, TEXTS, OUT = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
FS = [f"--fs_wal_dir={DIR}/wal", f"--fs_data_dirs={DIR}/data", "--block_manager=file"]
# Files that are not those of columns, and what they show.
OTHERS = {
    ("undo", "undo-0"): ("delta-undo", "an UNDO file: inserts, updates, deletes and reinserts before the flush"),
    ("undo", "redo-0"): ("delta-redo-flushed", "a REDO file of rows that were deleted before the flush"),
    ("redo", "redo-0"): ("delta-redo-update", "a REDO file: one update a row, of two columns"),
    ("redo", "redo-1"): ("delta-redo-twice", "a REDO file: two updates a row, of one column"),
    ("redo", "redo-2"): ("delta-redo-delete", "a REDO file of deletes"),
    ("int-key", "bloom"): ("bloom", "a bloom file of integer keys"),
    ("composite", "adhoc"): ("key-index", "the index of a composite key, which holds the encoded keys"),
}
MUTATION = re.compile(r"@(\d+)\((DELETE|SET|REINSERT)(.*?)\)(?=, @|\];$)")
SET = re.compile(r'(\w+)=(NULL|-?\d+|"[^"]*")(?:, |$)')
ESCAPE = re.compile(rb"\\(?:x([0-9a-f]{2})|([0-7]{3})|(.))", re.I)
listed = []


def zipped(name, lines):
    with open(OUT / name, "wb") as f, gzip.GzipFile("", "wb", 9, f, 0) as z:
        z.write("".join(x + "\n" for x in lines).encode())


def changes(words, ids):
    """The changes of a mutation as Kudu's tool prints them: names and values as words."""
    out = []
    for name, value in SET.findall(words):
        if value == "NULL":
            out.append(f"[{ids[name]},null]")
            continue
        b = value[1:-1].encode() if value[0] == '"' else int(value).to_bytes(8, "little", signed=True)
        out.append(f'[{ids[name]},"{b.hex()}"]')
    return ",".join(out)


def deltas(tablet, superblock):
    """Kudu's view of the deltas of a tablet with one rowset: UNDO or REDO, row, timestamp, line."""
    ids = {c["name"]: c.get("id", 0) for c in superblock["schema"]["columns"]}
    dump = tool("local_replica", "dump", "rowset", tablet, *FS, "--dump_all_columns=true").decode()
    # The numbers it prints are those within a batch; all rows are there, in order.
    for row, m in enumerate(re.finditer(r"^RowIdxInBlock: .* Undo Mutations: (\[.*\]); Redo Mutations: (\[.*\];)$", dump, re.M)):
        for kind, text in ("undo", m[1] + ";"), ("redo", m[2]):
            for time, op, words in MUTATION.findall(text):
                word = {"DELETE": "delete", "SET": "update", "REINSERT": "reinsert"}[op]
                yield kind, row, int(time), f'[{row},{time},"{word}",[{changes(words.strip(), ids)}]]'


def values(block):
    """How many values a block has, says its footer."""
    text = tool("fs", "dump", "cfile", block["id"], *FS, "--print_rows=false").decode()
    return int(re.search(r"^num_values: (\d+)", text, re.M)[1])


def delta_texts(tablet, superblock, rowset):
    """The lines of each delta file, by name: the files follow each other in time."""
    found = sorted(deltas(tablet, superblock), key=lambda d: d[2])
    for kind in "undo", "redo":
        rest = [d for d in found if d[0] == kind]
        for i, d in enumerate(rowset.get(f"{kind}Deltas", [])):
            n = values(d["block"])
            part, rest = rest[:n], rest[n:]
            part.sort(key=lambda d: (d[1], -d[2] if kind == "undo" else d[2]))
            yield f"{kind}-{i}", [d[3] for d in part]
        if rest:
            sys.exit(f"{superblock['tableName']}: {len(rest)} deltas are in no {kind} file")


def unescape(m):
    return bytes([int(m[1], 16)] if m[1] else [int(m[2], 8)] if m[2] else {b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(m[3], m[3]))


def adhoc(block):
    """The encoded keys, as Kudu's tool prints them."""
    lines = tool("fs", "dump", "cfile", block["id"], *FS, "--print_meta=false").splitlines()
    return ['["' + ESCAPE.sub(unescape, x[1:-1]).hex() + '"]' for x in lines]


def keep(name, shows, options, source):
    shutil.copyfile(source, OUT / f"{name}.cfile")
    listed.append(f"{name}.cfile\t{shows}\t{options}")


def decimal(column):
    a = column.get("typeAttributes", {})
    return f"cfile-decimal={a['precision']},{a['scale']}" if a.get("scale") else ""


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for tablet, superblock in superblocks(DIR):
        table, [rowset] = superblock["tableName"], superblock["rowsets"]
        columns = {c["name"]: c for c in superblock["schema"]["columns"]}
        for name, block in blocks(superblock, rowset):
            if (table, name) in OTHERS:
                as_, shows = OTHERS[table, name]
                keep(as_, shows, "", path_of(DIR, block))
                if name == "adhoc":
                    zipped(f"{as_}.jsonl.gz", adhoc(block))
            elif columns.get(name, {}).get("comment"):
                c = columns[name]
                keep(name, c["comment"], decimal(c), path_of(DIR, block))
                shutil.copyfile(TEXTS / table / f"{name}.jsonl.gz", OUT / f"{name}.jsonl.gz")
        for name, lines in delta_texts(tablet, superblock, rowset) if table in ("undo", "redo") else ():
            if (table, name) in OTHERS:
                zipped(f"{OTHERS[table, name][0]}.jsonl.gz", lines)
    (OUT / "fixtures.tsv").write_text("\n".join(sorted(listed)) + "\n")


if __name__ == "__main__":
    main()
