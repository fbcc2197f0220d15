#!/usr/bin/env python3
"""flight_judge.py BIN: pyarrow's Flight client before `arrowio serve`, over files that pyarrow has written.

What must come is the tables that were written, not anything that arrowio has read. Prints "ok", or what is wrong.
"""

import datetime
import decimal
import json
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import threading

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.flight as flight
import pyarrow.parquet as pq
from pyarrow import orc

ROWS = 30_000


def table(seed, rows=ROWS):
    r = random.Random(seed)

    def maybe(f):
        return [None if r.random() < 0.1 else f() for _ in range(rows)]

    return pa.table({
        "id": pa.array(range(rows), pa.int64()),
        "x": pa.array(maybe(r.random), pa.float64()),
        "s": pa.array(maybe(lambda: "é" * r.randrange(5) + str(r.randrange(200))), pa.string()),
        "d": pa.array(maybe(lambda: datetime.date(1990, 1, 1) + datetime.timedelta(r.randrange(9000))), pa.date32()),
        "m": pa.array(maybe(lambda: decimal.Decimal(r.randrange(-10**9, 10**9)) / 100), pa.decimal128(12, 2)),
        "l": pa.array(maybe(lambda: [r.randrange(100) for _ in range(r.randrange(4))]), pa.list_(pa.int32())),
        "t": pa.array(maybe(lambda: {"a": r.randrange(9), "b": str(r.randrange(9))}), pa.struct([("a", pa.int32()), ("b", pa.string())])),
    })


class Server:
    def __init__(self, binary, folder, *args):
        self.socket = folder / "socket"
        self.log = open(folder / "log", "w", encoding="utf-8")
        command = [binary, "serve", "--json", "--listen", "grpc://127.0.0.1:0", "--listen", f"unix://{self.socket}", *args]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log, text=True)
        text = ""
        while not text.rstrip().endswith("\n}"):
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"serve has ended: {open(self.log.name, encoding='utf-8').read()}")
            text += line
        self.ready = json.loads(text)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        assert code == 0, f"serve ended with {code}"


def read(client, info):
    return pa.concat_tables([client.do_get(e.ticket).read_all() for e in info.endpoints])


def ask(client, **command):
    info = client.get_flight_info(flight.FlightDescriptor.for_command(json.dumps(command)))
    t = read(client, info)
    assert t.schema.equals(info.schema), f"{t.schema} is not {info.schema}"
    t.validate(full=True)
    return info, t


def plain(t):
    """Only what the rows are: chunks, dictionaries and nullability aside."""
    fields = [pa.field(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in t.schema]
    return t.cast(pa.schema(fields)).combine_chunks()


def same(got, want, what):
    got, want = plain(got), plain(want)
    assert got.equals(want), f"{what}: {got.num_rows} rows of {got.schema}, want {want.num_rows} of {want.schema}"


def fails(kind, text, call):
    try:
        call()
    except kind as e:
        assert text in str(e), f"{e!r} does not tell {text!r}"
        return
    raise AssertionError(f"nothing raised, want {kind.__name__}: {text}")


def meta(b):
    """Reads BatchMeta by the layout that flatbuffers give a table: see batchmeta.fbs."""
    table_at = struct.unpack_from("<I", b)[0]
    vtable = table_at - struct.unpack_from("<i", b, table_at)[0]
    size = struct.unpack_from("<H", b, vtable)[0]

    def field(i, layout):
        at = struct.unpack_from("<H", b, vtable + 4 + 2 * i)[0] if 4 + 2 * i < size else 0
        return struct.unpack_from(layout, b, table_at + at) if at else tuple([0] * len(layout[1:]))

    fragment, split, row = field(4, "<iiq")
    return {"rows": field(3, "<q")[0], "resume": {"fragment": fragment, "split": split, "row": row}}


def rows_and_columns(client, want):
    listed = {f.descriptor.path[0].decode(): f for f in client.list_flights()}
    assert sorted(listed) == ["arrow", "events", "parquet"], sorted(listed)
    assert [f.descriptor.path[0] for f in client.list_flights(b'{"name":"e*"}')] == [b"events"]
    assert listed["events"].total_records == want.num_rows and listed["events"].ordered
    same(read(client, client.get_flight_info(flight.FlightDescriptor.for_path("events"))), want, "all")
    assert client.get_schema(flight.FlightDescriptor.for_path("events")).schema.names == want.schema.names
    info, t = ask(client, dataset="events", columns=["s", "id"], endpoints=4)
    assert len(info.endpoints) >= 3
    same(t, want.select(["s", "id"]), "columns")
    for compression in "none", "lz4", "zstd":
        same(ask(client, dataset="events", compression=compression, batch_rows=1000)[1], want, compression)
        keep = pc.and_(pc.less(want["x"], 0.2), pc.greater_equal(want["id"], 25_000))
        same(ask(client, dataset="events", where="x < 0.2 AND id >= 25000", compression=compression)[1], want.filter(keep), "where")
    same(ask(client, dataset="events", rows="29990:60010")[1], want.slice(29_990, 30_020), "rows")
    counted = [b.data.num_rows for b in client.do_get(flight.Ticket(b'{"dataset":"events","columns":[]}'))]
    assert sum(counted) == want.num_rows, counted  # a table without columns does not know its rows
    _, t = ask(client, dataset="events", where="id < 0")
    assert t.num_rows == 0 and t.schema.names == want.schema.names


def dictionaries(client, want):
    for compression in "none", "zstd":
        _, t = ask(client, dataset="events", dictionary=True, columns=["s", "id"], batch_bytes=100_000, compression=compression)
        assert pa.types.is_dictionary(t.schema.field("s").type), t.schema
        same(t, want.select(["s", "id"]), "dictionary")
    _, t = ask(client, dataset="arrow")
    assert pa.types.is_dictionary(t.schema.field("s").type), t.schema
    same(t, want.slice(0, ROWS), "dictionary of a file")
    _, t = ask(client, dataset="arrow", dictionary=False)
    assert pa.types.is_string(t.schema.field("s").type), t.schema
    same(t, want.slice(0, ROWS), "without it")


def resuming(client, want):
    info = client.get_flight_info(flight.FlightDescriptor.for_command(json.dumps({"dataset": "events", "batch_rows": 7000})))
    ticket = json.loads(info.endpoints[0].ticket.ticket)
    reader, parts = client.do_get(info.endpoints[0].ticket), []
    for _ in range(6):
        chunk = reader.read_chunk()
        m = meta(chunk.app_metadata.to_pybytes())
        assert m["rows"] == chunk.data.num_rows
        parts.append(chunk.data)
    reader.cancel()
    rest = client.do_get(flight.Ticket(json.dumps({**ticket, "resume": m["resume"]}).encode())).read_all()
    same(pa.concat_tables([pa.Table.from_batches(parts), rest]), want, "resumed")


def refusals(client, folder):
    path, command = flight.FlightDescriptor.for_path, flight.FlightDescriptor.for_command
    fails(KeyError, 'no dataset "nope"', lambda: client.get_flight_info(path("nope")))
    fails(pa.ArrowInvalid, 'unknown field "limit"', lambda: client.get_flight_info(command(b'{"dataset":"events","limit":1}')))
    fails(pa.ArrowInvalid, "nope", lambda: client.get_flight_info(command(b'{"dataset":"events","columns":["nope"]}')))
    fails(pa.ArrowInvalid, "ticket", lambda: client.do_get(flight.Ticket(b"x")).read_all())
    fails(pa.ArrowNotImplementedError, "no action", lambda: list(client.do_action(flight.Action("nope", b""))))
    info = client.get_flight_info(path("parquet"))
    pq.write_table(table(99), folder / "one.parquet")
    fails(Exception, "the dataset has changed: get a new FlightInfo", lambda: read(client, info))
    same(read(client, client.get_flight_info(path("parquet"))), table(99), "after the change")


def actions(client):
    assert {"inspect", "formats", "verify", "refresh", "cancel"} <= {a.type for a in client.list_actions()}
    found = [json.loads(r.body.to_pybytes()) for r in client.do_action(flight.Action("inspect", b'{"dataset":"events"}'))]
    assert [f["info"]["rows"] for f in found] == [ROWS] * 3 and found[1]["file"] == "events/1.orc", found[1]["file"]
    verdict = [json.loads(r.body.to_pybytes()) for r in client.do_action(flight.Action("verify", b'{"dataset":"events"}'))]
    assert verdict == [{"ok": True, "files": 3, "faults": 0}], verdict


def cancelling(client, server):
    """A stream that is not read is ended by its name."""
    options = flight.FlightCallOptions(headers=[(b"x-request-id", b"of-the-judge")])
    reader = client.do_get(flight.Ticket(b'{"dataset":"events","batch_rows":100}'), options)
    reader.read_chunk()
    out = [json.loads(r.body.to_pybytes()) for r in client.do_action(flight.Action("cancel", b'{"request_id":"of-the-judge"}'))]
    assert out == [{"cancelled": 1}], out
    try:
        while True:
            reader.read_chunk()
    except flight.FlightCancelledError as e:
        assert "cancelled on request" in str(e), e
    except StopIteration:
        raise AssertionError("the stream came to its end") from None


def together(server, want):
    faults = []

    def one(i):
        try:
            c = flight.FlightClient(server.ready["addresses"][i % 2])
            same(ask(c, dataset="events", batch_rows=500 + i)[1], want, f"client {i}")
            c.close()
        except Exception as e:  # whatever it is, it is the verdict
            faults.append(e)

    threads = [threading.Thread(target=one, args=(i,)) for i in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not faults, faults


def main():
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp)
        (folder / "events").mkdir()
        tables = [table(i) for i in range(3)]
        for i, t in enumerate(tables):
            orc.write_table(t, folder / "events" / f"{i}.orc", stripe_size=256 << 10, compression="zlib")
        want = pa.concat_tables(tables)
        pq.write_table(tables[0], folder / "one.parquet")
        encoded = tables[0].set_column(2, "s", tables[0]["s"].dictionary_encode().combine_chunks())
        with pa.ipc.new_file(folder / "one.arrow", encoded.schema) as w:
            w.write_table(encoded)
        server = Server(sys.argv[1], folder, f"events={folder / 'events'}", f"parquet={folder / 'one.parquet'}", f"arrow={folder / 'one.arrow'}")
        try:
            for address in server.ready["addresses"]:
                client = flight.FlightClient(address)
                rows_and_columns(client, want)
                dictionaries(client, want)
                resuming(client, want)
                actions(client)
                client.close()
            client = flight.FlightClient(server.ready["addresses"][0])
            refusals(client, folder)
            cancelling(client, server)
            together(server, want)
            client.close()
        finally:
            if sys.exc_info()[0]:
                print(open(server.log.name, encoding="utf-8").read()[-4000:], file=sys.stderr)
            server.end()
    print("ok")


if __name__ == "__main__":
    main()
