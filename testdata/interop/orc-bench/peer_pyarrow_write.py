#!/usr/bin/env python3
"""peer_pyarrow_write.py FILE OUT CODEC PASSES: writes the rows of an ORC file on one thread; a line of JSON for each pass."""

import json
import os
import sys
import time

import pyarrow as pa
from pyarrow import orc

pa.set_cpu_count(1)
pa.set_io_thread_count(1)
source, out, codec, passes = sys.argv[1:]
table = orc.read_table(source)
for _ in range(int(passes)):
    if os.path.exists(out):
        os.remove(out)  # which takes time
    cpu, wall = time.process_time(), time.perf_counter()
    orc.write_table(table, out, compression={"none": "uncompressed"}.get(codec, codec), compression_block_size=256 << 10, dictionary_key_size_threshold=0.8)
    print(json.dumps({"rows": table.num_rows, "cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall,
                      "bytes": os.path.getsize(out), "arrow_bytes": table.nbytes}), flush=True)
