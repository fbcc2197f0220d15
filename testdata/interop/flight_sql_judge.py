#!/usr/bin/env python3
"""flight_sql_judge.py BIN: the ADBC driver for Flight SQL before `arrowio serve`, over files that pyarrow has written.

What must come is the tables that were written, not anything that arrowio has read. Prints "ok", or what is wrong.
"""

import datetime
import decimal
import pathlib
import sys
import tempfile

import adbc_driver_flightsql
import adbc_driver_flightsql.dbapi as dbapi
import pyarrow as pa
import pyarrow.compute as pc
from adbc_driver_manager import ProgrammingError
from pyarrow import orc

from flight_judge import Server, fails, plain, same, table


def types():
    """A row of values and one of nulls, of every type that a column may have and a client can show."""
    utc, at = datetime.timezone.utc, datetime.datetime(2021, 3, 4, 5, 6, 7, 890123)
    columns = {
        "bool": (pa.bool_(), True), "i8": (pa.int8(), -128), "i16": (pa.int16(), -32768), "i32": (pa.int32(), -(2**31)),
        "i64": (pa.int64(), -(2**63)), "u8": (pa.uint8(), 255), "u16": (pa.uint16(), 65535), "u32": (pa.uint32(), 2**32 - 1),
        "u64": (pa.uint64(), 2**64 - 1), "f32": (pa.float32(), 0.1), "f64": (pa.float64(), 0.1),
        "text": (pa.string(), "it's é"), "large": (pa.large_string(), "x"), "bytes": (pa.binary(), b"\0\xff"), "fixed": (pa.binary(2), b"ab"),
        "dec": (pa.decimal128(12, 2), decimal.Decimal("-12.50")), "dec256": (pa.decimal256(50, 3), decimal.Decimal("1.125")),
        "date": (pa.date32(), datetime.date(2020, 2, 29)), "time": (pa.time64("us"), datetime.time(1, 2, 3, 4)),
        "ts": (pa.timestamp("us"), at), "tsz": (pa.timestamp("us", "UTC"), at.replace(tzinfo=utc)), "dur": (pa.duration("ms"), datetime.timedelta(seconds=5)),
        "list": (pa.list_(pa.int32()), [1, None]), "struct": (pa.struct([("a", pa.int32())]), {"a": 1}), "map": (pa.map_(pa.string(), pa.int32()), [("k", 1)]),
    }
    return pa.table({name: pa.array([value, None], t) for name, (t, value) in columns.items()})


def selects(cursor, want):
    def query(text, parameters=None):
        cursor.execute(text, parameters=parameters)
        return cursor.fetch_arrow_table()

    same(query("SELECT * FROM events"), want, "all")
    same(query('SELECT "s", id FROM arrowio.main.events LIMIT 100 OFFSET 29950'), want.select(["s", "id"]).slice(29_950, 100), "limit")
    keep = want.filter(pc.and_(pc.less(want["x"], 0.2), pc.greater_equal(want["id"], 25_000)))
    same(query("SELECT * FROM events WHERE x < 0.2 AND id >= 25000"), keep, "where")
    same(query("SELECT * FROM events WHERE x < ? AND id >= ?", (0.2, 25_000)), keep, "parameters")
    same(query("SELECT * FROM events WHERE x < 0.2 AND id >= 25000 LIMIT 50 OFFSET 10"), keep.slice(10, 50), "limit behind where")
    got = query("SELECT id AS a, t.b AS inner_b, id FROM events e WHERE e.t.a = ?", (3,))
    rows = want.filter(pc.equal(pc.struct_field(want["t"], "a"), 3))
    same(got, pa.table([rows["id"], pc.struct_field(rows["t"], "b"), rows["id"]], ["a", "inner_b", "id"]), "names and fields")
    assert query("SELECT COUNT(*) AS n FROM events WHERE d >= ?", (datetime.date(2000, 1, 1),)).to_pydict() == {
        "n": [pc.sum(pc.greater_equal(want["d"], datetime.date(2000, 1, 1))).as_py()]
    }
    assert query("SELECT 1").to_pydict() == {"1": [1]}
    like = want.filter(pc.starts_with(want["s"], "éé1"))
    same(query("SELECT * FROM events WHERE s LIKE ?", ("éé1%",)), like, "like")
    cursor.execute("SELECT id FROM events WHERE id IN (?, ?) LIMIT 2", parameters=(5, 6))
    assert cursor.fetchall() == [(5,), (6,)]


def every_type(cursor, want):
    cursor.execute("SELECT * FROM types")
    same(cursor.fetch_arrow_table(), want, "types")
    for name in want.schema.names:
        value = want[name][0]
        if pa.types.is_nested(value.type) or name == "f32":  # the double 0.1 is no float
            continue
        bound = pa.record_batch([pa.array([value.as_py()], value.type)], names=["1"])
        cursor.execute(f'SELECT "{name}" FROM types WHERE "{name}" = ?', parameters=bound)
        same(cursor.fetch_arrow_table(), want.select([name]).slice(0, 1), f"parameter of {value.type}")


def catalog(connection, want):
    objects = connection.adbc_get_objects(depth="all").read_all().to_pylist()
    assert [o["catalog_name"] for o in objects] == ["arrowio"], objects
    schemas = objects[0]["catalog_db_schemas"]
    assert [s["db_schema_name"] for s in schemas] == ["main"], schemas
    tables = {t["table_name"]: t for t in schemas[0]["db_schema_tables"]}
    assert sorted(tables) == ["events", "types"] and tables["events"]["table_type"] == "TABLE", tables
    assert [c["column_name"] for c in tables["events"]["table_columns"]] == want.schema.names
    some = connection.adbc_get_objects(depth="tables", table_name_filter="ev%").read_all().to_pylist()
    assert [t["table_name"] for s in some[0]["catalog_db_schemas"] for t in s["db_schema_tables"]] == ["events"], some
    assert connection.adbc_get_table_types() == ["TABLE"]
    schema = connection.adbc_get_table_schema("events", db_schema_filter="main")
    assert schema.names == want.schema.names, schema
    assert connection.adbc_get_info()["vendor_name"] == "arrowio"


def refusals(cursor):
    for text, said in {
        "SELECT * FROM nope": "nope",
        "SELECT nope FROM events": "nope",
        "SELECT id FROM events ORDER BY id": "DuckDB",
        "SELECT max(id) FROM events": "DuckDB",
        "SELECT * FROM events JOIN types ON true": "DuckDB",
        "SELECT FROM": "FROM",
    }.items():
        fails((ProgrammingError, dbapi.Error), said, lambda: cursor.execute(text))
    cursor.adbc_prepare("SELECT id FROM events WHERE id = ? AND s = ?")
    got = cursor.adbc_prepare("SELECT id FROM events WHERE id = ? AND s = ?")
    assert [f.type for f in got] == [pa.int64(), pa.string()], got
    assert cursor.adbc_execute_schema("SELECT s AS a FROM events").names == ["a"]


def ingesting(connection):
    """Bulk ingestion in every mode, session options, and several rows of values."""
    rows = pa.table({"i": pa.array([1, 2, None], pa.int64()), "s": ["a", "é", None]})
    with connection.cursor() as cursor:

        def read(name):
            cursor.execute(f"SELECT * FROM {name}")
            return cursor.fetch_arrow_table()

        def fails(word, *args, **kwargs):
            try:
                cursor.adbc_ingest(*args, **kwargs)
            except dbapi.Error as e:
                assert word in str(e), e
            else:
                raise AssertionError(f"{args}, {kwargs}: nothing is wrong")

        assert cursor.adbc_ingest("in_a", rows, mode="create") == 3
        assert read("in_a").equals(rows)
        fails("ALREADY_EXISTS", "in_a", rows, mode="create")
        fails("NOT_FOUND", "in_b", rows, mode="append")
        assert cursor.adbc_ingest("in_a", rows, mode="append") == 3
        assert read("in_a").equals(pa.concat_tables([rows, rows]))
        assert [cursor.adbc_ingest("in_b", rows, mode="create_append") for _ in range(2)] == [3, 3]
        assert read("in_b").equals(pa.concat_tables([rows, rows]))
        assert cursor.adbc_ingest("in_a", rows.slice(1), mode="replace", catalog_name="arrowio", db_schema_name="main") == 2
        assert read("in_a").equals(rows.slice(1))
        fails("NOT_IMPLEMENTED", "in_t", rows, mode="create", temporary=True)
        fails("INVALID_ARGUMENT", "in_a", pa.table({"i": ["x"]}), mode="append")
        fails("UNAUTHORIZED", "out", rows, mode="create")

        cursor.execute("SELECT s FROM in_b WHERE i >= ? LIMIT ?", (1, 3))
        assert cursor.fetchall() == [("a",), ("é",), ("a",)]
        cursor.execute("SELECT s FROM in_a WHERE i = $1", (2,))
        assert cursor.fetchall() == [("é",)]
        cursor.execute("SELECT s FROM in_b WHERE i = ? LIMIT 1", pa.record_batch([pa.array([2, 1, 7])], ["v"]))
        assert cursor.fetchall() == [("é",), ("a",)]
        fails("NOT_FOUND", "in_t", rows, mode="create", db_schema_name="other")  # which the cursor keeps
    options = {"adbc.connection.catalog": "arrowio", "adbc.connection.db_schema": "main"}
    for name, value in options.items():
        assert connection.adbc_connection.get_option(name) == value
    connection.adbc_connection.set_options(**options)
    try:
        connection.adbc_connection.set_options(**{"adbc.connection.catalog": "other"})
    except dbapi.Error:
        return
    raise AssertionError("there is another catalog")


def cancelling(connection):
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM events")
        cursor.fetchone()
        cursor.adbc_cancel()
    with connection.cursor() as cursor:  # the connection lives on
        cursor.execute("SELECT COUNT(*) FROM events")
        assert cursor.fetchone() == (60_000,)


def main():
    with tempfile.TemporaryDirectory() as tmp:
        folder = pathlib.Path(tmp)
        (folder / "events").mkdir()
        tables = [table(i) for i in range(2)]
        for i, t in enumerate(tables):
            orc.write_table(t, folder / "events" / f"{i}.orc", stripe_size=256 << 10, compression="zlib")
        want, all_types = pa.concat_tables(tables), types()
        with pa.ipc.new_file(folder / "types.arrow", all_types.schema) as w:
            w.write_table(all_types)
        (folder / "put").mkdir()
        server = Server(sys.argv[1], folder, "--writable", f"in_*={folder / 'put'}", f"events={folder / 'events'}", f"types={folder / 'types.arrow'}")
        try:
            uri = server.ready["addresses"][0].replace("grpc://", "grpc+tcp://")
            timeouts = {f"adbc.flight.sql.rpc.timeout_seconds.{c}": "60" for c in ("fetch", "query", "update")}
            with dbapi.connect(uri, db_kwargs=timeouts, autocommit=True) as connection:
                with connection.cursor() as cursor:
                    selects(cursor, want)
                with connection.cursor() as cursor:
                    every_type(cursor, all_types)
                with connection.cursor() as cursor:
                    refusals(cursor)
                catalog(connection, plain(want))
                ingesting(connection)
                cancelling(connection)
        finally:
            if sys.exc_info()[0]:
                print(open(server.log.name, encoding="utf-8").read()[-4000:], file=sys.stderr)
            server.end()
    print("ok")


if __name__ == "__main__":
    main()
