#!/usr/bin/env python3
"""flight_put_judge.py BIN: pyarrow's Flight client puts tables into `arrowio serve --writable`, and exchanges batches with it.

What is in the files is judged by pyarrow's own readers, and what comes back is compared with what was sent. Prints "ok", or
what is wrong.
"""

import datetime
import decimal
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.feather
import pyarrow.flight as flight
import pyarrow.parquet as pq
from pyarrow import orc

from flight_judge import Server, fails, plain, same, table

UTC = datetime.timezone.utc
AT = datetime.datetime(2021, 3, 4, 5, 6, 7, 890123)

# A value of every type.
BASIC = {
    "bool": (pa.bool_(), True), "i8": (pa.int8(), -128), "i16": (pa.int16(), -32768), "i32": (pa.int32(), -(2**31)), "i64": (pa.int64(), -(2**63)),
    "f32": (pa.float32(), 0.5), "f64": (pa.float64(), 0.1), "text": (pa.string(), "it's é"), "bytes": (pa.binary(), b"\0\xff"),
    "dec": (pa.decimal128(12, 2), decimal.Decimal("-12.50")), "date": (pa.date32(), datetime.date(2020, 2, 29)),
    "list": (pa.list_(pa.int32()), [1, None]), "struct": (pa.struct([("a", pa.int32()), ("b", pa.string())]), {"a": 1, "b": "x"}),
    "map": (pa.map_(pa.string(), pa.int32()), [("k", 1)]),
}
PARQUET = {
    **BASIC, "u8": (pa.uint8(), 255), "u16": (pa.uint16(), 65535), "u32": (pa.uint32(), 2**32 - 1), "u64": (pa.uint64(), 2**64 - 1),
    "fixed": (pa.binary(2), b"ab"), "ts": (pa.timestamp("us"), AT), "tsz": (pa.timestamp("us", "UTC"), AT.replace(tzinfo=UTC)),
    "time": (pa.time64("us"), datetime.time(1, 2, 3, 4)),
}
IPC = {
    **PARQUET, "null": (pa.null(), None), "f16": (pa.float16(), 1.5), "large": (pa.large_string(), "x"), "largeb": (pa.large_binary(), b"x"),
    "dec256": (pa.decimal256(50, 3), decimal.Decimal("1.125")), "date64": (pa.date64(), datetime.date(2020, 2, 29)),
    "time32": (pa.time32("s"), datetime.time(1, 2, 3)), "tss": (pa.timestamp("s", "+01:00"), AT.replace(microsecond=0, tzinfo=UTC)),
    "tsn": (pa.timestamp("ns"), AT), "dur": (pa.duration("ms"), datetime.timedelta(seconds=5)), "month": (pa.month_day_nano_interval(), (1, 2, 3)),
    "largel": (pa.large_list(pa.int8()), [1]), "fsl": (pa.list_(pa.int8(), 2), [1, 2]), "deep": (pa.list_(pa.struct([("a", pa.list_(pa.string()))])), [{"a": ["x"]}]),
    "view": (pa.string_view(), "a string that is longer than twelve"), "viewb": (pa.binary_view(), b"short"),
    "lview": (pa.list_view(pa.int32()), [1, 2]),
    "dict": (pa.dictionary(pa.int8(), pa.string()), "word"), "dictn": (pa.list_(pa.dictionary(pa.int32(), pa.int64())), [5, 7]),
    "ree": (pa.run_end_encoded(pa.int32(), pa.string()), "run"),
}


def of(types):
    """Values, nulls and values again, in batches of several sizes."""
    columns = {}
    for name, (t, value) in types.items():
        values = [value] * 5 + [None] * 3 + [value] * 4
        if pa.types.is_run_end_encoded(t):
            columns[name] = pc.run_end_encode(pa.array(values, t.value_type), run_end_type=t.run_end_type)
        else:
            columns[name] = pa.array(values, t)
    t = pa.table(columns)
    return pa.Table.from_batches([t.slice(0, 6).combine_chunks().to_batches()[0], t.slice(6, 1).combine_chunks().to_batches()[0],
                                  t.slice(7).combine_chunks().to_batches()[0]])


def put(client, t, command, chunk=None):
    descriptor = flight.FlightDescriptor.for_path(command) if isinstance(command, str) else flight.FlightDescriptor.for_command(json.dumps(command))
    writer, reader = client.do_put(descriptor, t.schema)
    writer.write_table(t, chunk) if chunk else writer.write_table(t)
    writer.done_writing()
    answer = reader.read()
    writer.close()  # raises where there is none
    report = json.loads(answer.to_pybytes())
    assert report["rows"] == t.num_rows, report
    return report


def stored(path):
    """The table of a directory, as pyarrow reads it."""
    assert not [p for p in path.parent.iterdir() if p.name.startswith(".")], list(path.parent.iterdir())
    part, = path.iterdir()
    if part.suffix == ".orc":
        return orc.ORCFile(part).read()
    if part.suffix == ".parquet":
        return pq.ParquetFile(part).read()
    if part.suffix == ".arrows":
        return pa.ipc.open_stream(part).read_all()
    return pa.ipc.open_file(part).read_all()


def equal(got, want, what):
    got.validate(full=True)
    assert got.column_names == want.column_names, f"{what}: {got.column_names}"
    for name in want.column_names:
        g, w = got[name].to_pylist(), want[name].to_pylist()
        assert g == w, f"{what}: {name}: {got[name].type}: {g} is not {w}"


KILLED = """
import os, signal, sys
import pyarrow as pa, pyarrow.flight as flight
t = pa.table({"a": list(range(100_000))})
writer, _ = flight.connect(sys.argv[1]).do_put(flight.FlightDescriptor.for_path("in-half"), t.schema)
writer.write_table(t, 1000)
os.kill(os.getpid(), signal.SIGKILL)
"""


def puts(client, address, folder):
    for form, types in {"ipc": IPC, "ipc-stream": IPC, "parquet": PARQUET, "orc": BASIC}.items():
        t = of(types)
        report = put(client, t, {"dataset": f"in-{form}", "format": form})
        assert report["format"] == form and report["bytes"] > 0 and len(report["files"]) == 1, report
        got = stored(folder / f"in-{form}")
        equal(got, t, form)
        if form.startswith("ipc"):
            assert got.schema.equals(t.schema), got.schema
        back = client.do_get(flight.Ticket(json.dumps({"dataset": f"in-{form}"}))).read_all()
        equal(back, t, form + ", read again")
    t = of({k: v for k, v in BASIC.items() if k not in ("i8", "i16", "dec", "date", "map")})
    put(client, t, {"dataset": "in-trevni", "format": "trevni"})
    equal(client.do_get(flight.Ticket(b'{"dataset":"in-trevni"}')).read_all(), t, "trevni")

    big = table(1)
    put(client, big, "in-path", 777)
    same(stored(folder / "in-path"), big, "path")
    put(client, big, {"dataset": "in-sorted", "format": "orc", "sort": ["x", "id"], "compression": "zstd"})
    same(stored(folder / "in-sorted"), big.sort_by([("x", "ascending"), ("id", "ascending")]), "sorted")
    report = put(client, big.slice(0, 10), {"dataset": "in-sorted", "mode": "replace"})
    assert report["replaced"], report
    same(stored(folder / "in-sorted"), big.slice(0, 10), "replaced")
    names = {bytes(i.descriptor.path[0]).decode() for i in client.list_flights()}
    assert {"in-ipc", "in-path", "in-sorted"} <= names, names

    # Dictionaries that are replaced in mid-stream.
    kind = pa.dictionary(pa.int8(), pa.string())
    batches = [pa.record_batch({"d": pa.array(words, pa.string()).dictionary_encode().cast(kind)}) for words in (["a", "b"], ["c", None, "a"], ["z"])]
    t = pa.Table.from_batches(batches)
    put(client, t, {"dataset": "in-dict"})
    equal(stored(folder / "in-dict"), t, "dictionaries")

    def refused(what, kind, t, command):
        fails(kind, what, lambda: put(client, t, command))

    refused("already exists", pa.ArrowException, big, "in-path")
    refused("may not write", flight.FlightUnauthorizedError, big, "other")
    refused("orc", pa.ArrowException, of({"u": (pa.month_day_nano_interval(), (1, 2, 3))}), {"dataset": "in-no", "format": "orc"})
    refused("not an option", pa.ArrowInvalid, big, {"dataset": "in-no", "format": "orc", "options": {"orc-keys": "/etc/passwd"}})

    # A client that is killed leaves nothing.
    died = subprocess.run([sys.executable, "-c", KILLED, address], timeout=60, check=False)
    assert died.returncode == -9, died
    for _ in range(100):
        if not [p for p in folder.iterdir() if "in-half" in p.name]:
            return
        time.sleep(0.1)
    raise SystemExit(f"left: {list(folder.iterdir())}")


def exchanges(client):
    def exchange(command):
        return client.do_exchange(flight.FlightDescriptor.for_command(json.dumps(command)))

    big = table(2)
    writer, reader = exchange({"columns": ["s", "t.b", "id"], "where": "x < 0.3 AND s LIKE 'é%'"})
    with writer:
        writer.begin(big.schema)
        got = []
        for i, batch in enumerate(big.to_batches(1000)):  # each is answered before the next is sent
            writer.write_with_metadata(batch, f"note {i}".encode())
            chunk = reader.read_chunk()
            assert chunk.app_metadata.to_pybytes() == f"note {i}".encode(), chunk.app_metadata
            got.append(chunk.data)
        writer.done_writing()
        try:
            reader.read_chunk()
            raise SystemExit("there is more")
        except StopIteration:
            pass
    keep = big.filter(pc.and_(pc.less(big["x"], 0.3), pc.starts_with(big["s"], "é")))
    got = pa.Table.from_batches(got)
    assert got.column_names == ["s", "t", "id"], got.schema
    assert got["id"].to_pylist() == keep["id"].to_pylist() and got["s"].to_pylist() == keep["s"].to_pylist()
    assert [v and v["b"] for v in got["t"].to_pylist()] == [v and v["b"] for v in keep["t"].to_pylist()]

    # Every type comes back as it went, and its rows can be chosen.
    t = of(IPC)
    for command, want in (({}, t), ({"where": "i64 IS NOT NULL", "compression": "zstd"}, None)):
        writer, reader = exchange(command)
        with writer:
            writer.begin(t.schema)
            writer.write_table(t)
            writer.done_writing()
            got = reader.read_all()
        assert got.schema.equals(t.schema), got.schema
        equal(got, want or pa.concat_tables([t.slice(0, 5), t.slice(8)]), str(command))

    # No batches at all: there is a schema.
    writer, reader = exchange({"columns": ["id"]})
    with writer:
        writer.begin(big.schema)
        writer.done_writing()
        assert reader.read_all().schema.names == ["id"]

    def refused():
        writer, reader = exchange({"where": "nothing > 5"})
        with writer:
            writer.begin(big.schema)
            reader.read_chunk()

    fails(pa.ArrowInvalid, "nothing", refused)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        place = folder / "place"
        place.mkdir()
        server = Server(sys.argv[1], folder, "--writable", f"in-*={place}")
        client = flight.connect(server.ready["addresses"][0])
        puts(client, server.ready["addresses"][0], place)
        exchanges(client)
        client.close()
        server.end()
        left = [p for p in os.listdir(place) if p.startswith(".")]
        assert not left, left
    print("ok")


if __name__ == "__main__":
    main()
