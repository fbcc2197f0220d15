#!/usr/bin/env python3
"""flight_session_judge.py URI: ADBC's Flight SQL driver in a session of a server with DuckDB. Prints "ok", or what is wrong."""

import sys

import adbc_driver_flightsql.dbapi as dbapi
import pyarrow


def main():
    faults = []
    options = {"adbc.flight.sql.rpc.with_cookie_middleware": "true"}
    with dbapi.connect(sys.argv[1], db_kwargs=options, autocommit=True) as c, c.cursor() as cursor:

        def same(sql, want):
            cursor.execute(sql)
            if (got := cursor.fetchall()) != want:
                faults.append(f"{sql}: {got}, not {want}")

        same("create temp table t as select * from range(5) r(a)", [(5,)])
        same("set timezone = 'Europe/Berlin'", [(0,)])
        same("select timestamptz '2020-07-01 00:00:00Z'::varchar", [("2020-07-01 02:00:00+02",)])
        same("begin", [(0,)])
        same("insert into t values (77)", [(1,)])
        same("rollback", [(0,)])
        same("select count(*) from t", [(5,)])
        cursor.executemany("insert into t values (?)", [(10,), (20,)])
        cursor.execute("select count(*) from t where a >= ?", parameters=(10,))
        if (got := cursor.fetchall()) != [(2,)]:
            faults.append(f"what executemany has inserted: {got}")
    with dbapi.connect(sys.argv[1], db_kwargs=options) as c, c.cursor() as cursor:  # autocommit is off

        def rows(sql):
            cursor.execute(sql)
            return cursor.fetchall()

        rows("create temp table t as select 1::bigint as a")
        c.commit()
        rows("insert into t values (2)")
        cursor.adbc_ingest("u", pyarrow.table({"x": [1, 2, 3]}), mode="create", temporary=True)
        if (got := rows("select count(*) from t, u")) != [(6,)]:
            faults.append(f"in a transaction: {got}")
        c.rollback()
        if (got := rows("select count(*) from t")) != [(1,)]:
            faults.append(f"after a rollback: {got}")
        cursor.adbc_ingest("t", pyarrow.table({"a": [5]}), mode="append", temporary=True)
        c.commit()
        if (got := rows("select sum(a)::int from t")) != [(6,)]:
            faults.append(f"after a commit: {got}")
        if (got := c.adbc_get_table_schema("t")) != pyarrow.schema([("a", pyarrow.int64())]):
            faults.append(f"the schema of a temporary table: {got}")
    with dbapi.connect(sys.argv[1], autocommit=True) as c, c.cursor() as cursor:
        try:
            cursor.execute("create temp table t as select 1 as a")
            faults.append("a client without cookies makes a temporary table")
        except dbapi.Error as e:
            if "keep cookies" not in str(e):
                faults.append(str(e))
    print("\n".join(faults) if faults else "ok")
    sys.exit(bool(faults))


main()
