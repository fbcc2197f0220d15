#!/usr/bin/env python3
"""Makes the JSON Lines file beside it with Python's own json, and says what pyarrow 26 reads from it.
Run: python3 make.py [DIR]

rows.jsonl     rows whose types pyarrow's reader and ours infer alike: bool, int64, float64, text, lists, structs
expected.json  the schema and the rows as pyarrow reads them
"""
import json
import os
import sys

import pyarrow.json

OUT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))

rows = [
    {"i": i - 3 if i != 4 else 2**63 - 1, "f": i / 8, "b": i % 2 == 0, "s": ["", "é", "\U0001F600", 'q"\\\n\t', "x" * 50][i % 5],
     "l": [] if i == 2 else [i, None], "o": {"x": i, "y": {"z": str(i)}} if i % 3 else {"x": None}, "ll": [[{"k": i}], []], "n": None}
    for i in range(12)
]
rows[5].pop("f")
rows[6]["o"] = None
path = os.path.join(OUT, "rows.jsonl")
with open(path, "w", encoding="utf-8") as f:
    for i, r in enumerate(rows):
        f.write(json.dumps(r, ensure_ascii=i % 2 == 0) + "\n")
t = pyarrow.json.read_json(path)
with open(os.path.join(OUT, "expected.json"), "w", encoding="utf-8") as f:
    json.dump({"schema": {n: str(t.schema.field(n).type) for n in t.column_names}, "rows": t.to_pylist()}, f, indent=1)
    f.write("\n")
