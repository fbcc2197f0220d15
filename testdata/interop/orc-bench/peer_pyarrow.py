#!/usr/bin/env python3
"""peer_pyarrow.py FILE PASSES: reads an ORC file stripe by stripe on one thread; a line of JSON for each pass."""

import json
import sys
import time

import pyarrow as pa
from pyarrow import orc

pa.set_cpu_count(1)
pa.set_io_thread_count(1)


def peak_rss_kb():
    with open("/proc/self/status", encoding="ascii") as f:
        return int(next(line for line in f if line.startswith("VmHWM")).split()[1])


for _ in range(int(sys.argv[2])):
    cpu, wall, rows, size = time.process_time(), time.perf_counter(), 0, 0
    file = orc.ORCFile(sys.argv[1])
    for i in range(file.nstripes):
        batch = file.read_stripe(i)
        rows += batch.num_rows
        size += batch.nbytes
        del batch
    print(json.dumps({"rows": rows, "arrow_bytes": size, "cpu": time.process_time() - cpu,
                      "wall": time.perf_counter() - wall, "peak_rss_kb": peak_rss_kb()}), flush=True)
