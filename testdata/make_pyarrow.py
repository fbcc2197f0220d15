#!/usr/bin/env python3
"""make_pyarrow.py [--check]: makes the fixtures of ipc, parquet, csv and jsonl anew, by the make.py beside them, and their
entries in the manifest; with --check compares instead. Needs pyarrow.
"""

import filecmp
import fnmatch
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from manifest import entry, update  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
VERSION = "26.0.1"
SHOWS = {
    "ipc": {
        "types.arrow": "a batch of every type, with nulls, and the same rows again",
        "types.arrows": "a batch of every type, with nulls, and the same rows again, as a stream",
        "types_lz4.arrow": "the same with lz4",
        "types_zstd.arrows": "the rows once with zstd",
        "batches.*": "150 rows in batches of 7: values that say which row they are",
        "empty.*": "no batches",
        "nocolumns.arrow": "no columns",
        "dict_delta.*": "dictionaries that grow by deltas",
        "dict_replace.*": "dictionaries that replace each other",
        "dict_nested.*": "a dictionary in a dictionary",
        "old.*": "metadata version 4 without a continuation, as Arrow wrote before 0.15",
        "expected.json": "what pyarrow reads in types*",
    },
    "parquet": {
        "types.parquet": "a row group of every type, 5 rows with nulls, twice; the Arrow schema stored",
        "plain.parquet": "the same without the Arrow schema, data pages of version 2, no dictionaries",
        "codec_*.parquet": "a column by this compression",
        "groups.parquet": "100 rows in groups of 10, with statistics",
        "nested.parquet": "lists in structs in lists, null and empty at every level",
        "expected.json": "what pyarrow reads in types.parquet and nested.parquet",
    },
    "csv": {
        "types.csv": "the types that CSV readers infer, with nulls; text that needs quotes",
        "quoted.csv": "the same rows with everything in quotes but nulls",
        "semicolon.csv": "the same rows with another delimiter",
    },
    "jsonl": {
        "rows.jsonl": "rows whose types pyarrow's reader and ours infer alike; written by Python's json",
        "expected.json": "the schema and the rows as pyarrow reads them",
    },
}


def main():
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch)
        shutil.copy(HERE / "manifest.json", out)
        entries = []
        for form, shows in SHOWS.items():
            folder = f"{form}/pyarrow-{VERSION}"
            (out / folder).mkdir(parents=True)
            subprocess.run([sys.executable, HERE / folder / "make.py", out / folder], check=True)
            for name in sorted(os.listdir(out / folder)):
                text = next(s for pattern, s in shows.items() if fnmatch.fnmatch(name, pattern))
                entries.append(entry(out, form, "pyarrow", VERSION, f"testdata/{folder}/make.py", f"{folder}/{name}", text))
        update(out, list(SHOWS), entries)
        places = [e["file"] for e in entries] + ["manifest.json"]
        if "--check" not in sys.argv:
            for p in places:
                shutil.copy(out / p, HERE / p)
            return
        wrong = [p for p in places if not filecmp.cmp(out / p, HERE / p, shallow=False)]
        if wrong:
            sys.exit("not what their scripts make: " + " ".join(wrong))
        print("the fixtures are what their scripts make")


main()
