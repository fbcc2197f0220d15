#!/usr/bin/env python3
"""peer_pyarrow.py MIB URI [ORCFILE...]: pyarrow's own Flight server, over the rows of flight-bench and over ORC files.

Tickets: "memory"; "stripes FILE", an ORC file stripe by stripe as it is sent; "table FILE", read as a whole first.
Prints where it listens when it is ready.
"""

import sys

import numpy as np
import pyarrow as pa
import pyarrow.flight as flight
from pyarrow import orc

ROWS, DISTINCT = (1 << 20) // (4 * 8 + 2 * (4 + 12)), 256


def memory(mib):
    batches = []
    for k in range(min(mib, DISTINCT)):
        n = np.arange(k * ROWS, (k + 1) * ROWS)
        text = [pa.array([f"{c}{i:011d}" for i in n]) for c in "st"]
        batches.append(pa.record_batch([pa.array(n), pa.array(n * 7), pa.array(n / 3), pa.array(n * 1.5), *text], names=list("abxyst")))
    return pa.Table.from_batches([batches[k % len(batches)] for k in range(mib)])


def stripes(path):
    file = orc.ORCFile(path)
    for i in range(file.nstripes):
        batch = file.read_stripe(i)
        for at in range(0, batch.num_rows, 16384):  # 2 or 3 MiB of lineitem, which suits the transport best
            yield batch.slice(at, 16384)


class Server(flight.FlightServerBase):
    def __init__(self, uri, mib):
        super().__init__(uri)
        self.memory = memory(mib)

    def do_get(self, context, ticket):
        what, _, path = ticket.ticket.decode().partition(" ")
        if what == "memory":
            return flight.RecordBatchStream(self.memory)
        if what == "stripes":
            return flight.GeneratorStream(orc.ORCFile(path).schema, stripes(path))
        return flight.RecordBatchStream(pa.Table.from_batches(orc.read_table(path).to_batches(max_chunksize=16384)))


server = Server(sys.argv[2], int(sys.argv[1]))
print(sys.argv[2] if sys.argv[2].startswith("grpc+unix") else f"grpc://127.0.0.1:{server.port}", flush=True)
server.serve()
