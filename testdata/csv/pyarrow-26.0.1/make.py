#!/usr/bin/env python3
"""Makes the CSV files beside it. Run with pyarrow 26: python3 make.py [DIR]

types.csv      what pyarrow writes for the types that CSV readers infer, with nulls; text that needs quotes
quoted.csv     the same rows with everything in quotes but nulls
semicolon.csv  the same rows with another delimiter
"""
import datetime
import os
import sys

import pyarrow as pa
from pyarrow import csv

OUT = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))

table = pa.table({
    "i": pa.array([0, None, -1, 2**63 - 1], pa.int64()),
    "f": pa.array([0.5, None, -1e-300, 1e300]),
    "b": pa.array([True, None, False, True]),
    "d": pa.array([datetime.date(1970, 1, 1), None, datetime.date(1, 2, 3), datetime.date(2024, 2, 29)]),
    "t": pa.array([0, None, -1, 1700000000123456], pa.timestamp("us")),
    "z": pa.array([0, None, -1, 1700000000123456], pa.timestamp("us", "UTC")),
    "s": pa.array(["", None, 'a "b", c', "line\nbreak é"]),
})
csv.write_csv(table, os.path.join(OUT, "types.csv"))
csv.write_csv(table, os.path.join(OUT, "quoted.csv"), csv.WriteOptions(quoting_style="all_valid"))
csv.write_csv(table, os.path.join(OUT, "semicolon.csv"), csv.WriteOptions(delimiter=";"))
