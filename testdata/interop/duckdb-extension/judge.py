"""What the tests of the extension share: a database with the extension, and the same rows by another way."""

import os
import pathlib
import subprocess
import tempfile

import duckdb
import pyarrow as pa
import pyarrow.ipc

ROOT = pathlib.Path(__file__).resolve().parents[3]
DATA = ROOT / "testdata"
BIN = os.environ["ARROWIO_BIN"]
EXTENSION = os.environ["ARROWIO_DUCKDB_EXTENSION"]


def connect(path=":memory:", threads=2):
    con = duckdb.connect(str(path), config={"allow_unsigned_extensions": "true", "threads": threads})
    con.execute(f"load '{EXTENSION}'")
    con.execute("set timezone = 'UTC'")
    return con


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def call(function, paths, **options):
    """Returns the text of a call of a table function."""

    def literal(v):
        if isinstance(v, (list, tuple)):
            return "[" + ", ".join(map(literal, v)) + "]"
        return "'" + str(v).replace("'", "''") + "'"

    return f"{function}({', '.join([literal(paths), *(f'{k} := {literal(v)}' for k, v in options.items())])})"


def converted(path, **options):
    """Returns a file as pyarrow reads what `arrowio convert` makes of it."""
    with tempfile.TemporaryDirectory() as d:
        out = pathlib.Path(d, "x.arrow")
        flags = [f"--{k.replace('_', '-')}={v}" for k, v in options.items()]
        subprocess.run([BIN, "convert", *flags, str(path), str(out)], check=True, capture_output=True)
        return pa.ipc.open_file(pa.BufferReader(out.read_bytes())).read_all()


def has(t, test):
    """Tells whether a type, or one in it, passes a test."""
    return test(t) or any(has(t.field(i).type, test) for i in range(t.num_fields))


def one(con, sql, *parameters):
    """Returns the only value of a statement."""
    ((value,),) = con.execute(sql, *parameters).fetchall()
    return value


def pairs(v):
    """Returns values of maps and structs in one form, whatever library made them: as lists of pairs, where of equal keys the
    last one counts."""
    if isinstance(v, list) and v and all(isinstance(x, tuple) for x in v):
        v = dict(v)
    if isinstance(v, dict):
        return [[k, pairs(x)] for k, x in v.items()]
    if isinstance(v, (list, tuple)):
        return [pairs(x) for x in v]
    return "NaN" if v != v else v


def differences(con, relation, table):
    """Yields what differs between the rows of a table of arrowio and those of pyarrow, in order. DuckDB's own conversion of
    Arrow is the judge; where it refuses a type, or 1.2 has a mistake, the values as Python shows them are."""
    con.execute(f"create or replace table ours as select * from {relation}")
    names = [c[0] for c in con.execute("describe ours").fetchall()]
    n = one(con, "select count(*) from ours")
    if n != table.num_rows:
        yield f"{n} rows, want {table.num_rows}"
    if (counted := one(con, f"select count(*) from {relation}")) != n:
        yield f"count(*) is {counted}"
    for i, name in enumerate(names):
        theirs = pa.table({"v": table.column(i)})
        if has(theirs["v"].type, lambda t: pa.types.is_union(t) or pa.types.is_map(t) or pa.types.is_fixed_size_binary(t)):
            yield from by_values(con, name, theirs["v"])
            continue
        con.register("arrow", theirs)
        con.execute("create or replace table theirs as select * from arrow")
        con.unregister("arrow")
        types = [one(con, f"select typeof(any_value({c})) from {t}") for c, t in ((quoted(name), "ours"), ("v", "theirs"))]
        types = [t for t in types if t != '"NULL"']
        if len(set(types)) > 1:
            yield f"{name}: the type is {types[0]}, DuckDB's {types[1]}"
        odd = con.execute(
            f"select o.v, t.v from (select {quoted(name)} v from ours) o positional join theirs t where o.v is distinct from t.v limit 3"
        ).fetchall()
        if odd:
            yield f"{name}: {odd}"


def by_values(con, name, column):
    """Compares values in Python. Maps that are columns are compared as entries, since keys may occur twice."""
    expression, theirs = quoted(name), column.to_pylist()
    if pa.types.is_map(column.type):
        expression = f"map_entries({expression})"
        theirs = [v and [{"key": k, "value": x} for k, x in v] for v in theirs]
    ours = [r[0] for r in con.execute(f"select {expression} from ours").fetchall()]
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if pairs(a) != pairs(b):
            yield f"{name}, row {i}: {a!r}, want {b!r}"
            return
