#!/usr/bin/env python3
"""Reads ORC files with pyarrow and writes Arrow IPC files: each line of standard input is FILE<tab>OUT, and is answered
by a line at once: ok, or what is wrong."""
import sys

import pyarrow.ipc
import pyarrow.orc

for line in sys.stdin:
    source, target = line.rstrip("\n").split("\t")
    try:
        table = pyarrow.orc.ORCFile(source).read()
        table.validate(full=True)
        with pyarrow.ipc.new_file(target, table.schema) as out:
            out.write_table(table)
        print("ok", flush=True)
    except Exception as e:  # noqa: BLE001 - whatever it is, it is the answer
        print(repr(e).replace("\n", " "), flush=True)
