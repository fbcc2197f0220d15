#!/usr/bin/env python3
"""flight_session_judge.py URI: ADBC's Flight SQL driver in a session of a server with DuckDB. Prints "ok", or what is wrong."""

import sys

import adbc_driver_flightsql.dbapi as dbapi


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
