"""Filters in arrowio's language say what DuckDB says of the same rows; ARROWIO_FILTERS is how many are tried."""

import datetime
import decimal
import os
import random

import duckdb
import pyarrow as pa
import pytest

import arrowio

FILTERS = int(os.environ.get("ARROWIO_FILTERS", "150"))
ROWS = 400
WORDS = ["", "a", "A", "ab", "aB", "b%", "b_", "ä", "Äb", "ss", "n'x", "zz"]


def _columns(r):
    """Columns of every type that both compare; a quarter of the values is null."""

    def some(make):
        return [None if r.random() < 0.25 else make(i) for i in range(ROWS)]

    day = datetime.date(2020, 1, 31)
    hour = datetime.datetime(2020, 1, 31, 10)
    money = decimal.Decimal
    return {
        "id": pa.array(range(ROWS)),
        "i1": pa.array(some(lambda _: r.choice([-128, -1, 0, 1, 2, 127])), pa.int8()),
        "i4": pa.array(some(lambda i: i // 20), pa.int32()),
        "i8": pa.array(some(lambda _: r.choice([-(2**63), -1, 0, 1, 2, 3, 2**53 + 1, 2**63 - 1])), pa.int64()),
        "u8": pa.array(some(lambda _: r.choice([0, 1, 2, 2**63, 2**64 - 1])), pa.uint64()),
        "f4": pa.array(some(lambda _: r.choice([0.1, 0.5, -2.5, 0.0, -0.0, 1.0, 3.0, 1e30])), pa.float32()),
        "f8": pa.array(some(lambda _: r.choice([0.1, 0.5, -2.5, 0.0, -0.0, 1.0, 3.0, 1e300])), pa.float64()),
        "m2": pa.array(some(lambda i: money(i - 200) / 4), pa.decimal128(9, 2)),
        "m5": pa.array(some(lambda _: money(r.randrange(-400, 400)) / 8), pa.decimal128(20, 5)),
        "s": pa.array(some(lambda _: r.choice(WORDS))),
        "s2": pa.array(some(lambda _: r.choice(WORDS))),
        "e": pa.array(some(lambda _: r.choice(WORDS))).dictionary_encode(),
        "ok": pa.array(some(lambda _: r.random() < 0.5)),
        "d": pa.array(some(lambda i: day + datetime.timedelta(days=i // 50))),
        "ts": pa.array(some(lambda _: hour + datetime.timedelta(hours=r.randrange(60))), pa.timestamp("s")),
        "us": pa.array(some(lambda _: hour + datetime.timedelta(minutes=r.randrange(4000))), pa.timestamp("us")),
        "st": pa.array(some(lambda _: {"x": r.choice([None, 1, 2]), "y": r.choice(["a", "b"])}), pa.struct([("x", pa.int32()), ("y", pa.string())])),
        "l": pa.array(some(lambda _: [r.choice([None, 1, 2, 3]) for _ in range(r.randrange(4))]), pa.list_(pa.int32())),
        "t": pa.array(some(lambda _: [r.choice(WORDS) for _ in range(r.randrange(4))]), pa.list_(pa.string())),
        "o": pa.array(some(lambda _: [{"x": r.choice([1, 2]), "y": "a"} for _ in range(r.randrange(3))]), pa.list_(pa.struct([("x", pa.int32()), ("y", pa.string())]))),
        "k": pa.array(some(lambda _: [(w, r.randrange(4)) for w in r.sample(["a", "b", "c"], r.randrange(4))]), pa.map_(pa.string(), pa.int64())),
    }


# Each kind: operands (ours, DuckDB's), and literals, which are the same in both.
_NUMBERS = [
    *((c, c) for c in ("id", "i1", "i4", "i8", "u8", "m2", "m5")),
    ("st.x", "st.x"),
    ("l[0]", "l[1]"),
    ("l[2]", "l[3]"),
    ("o[0].x", "o[1].x"),
    ("k['b']", "k['b']"),
]
_NUMBER_VALUES = ["0", "1", "2", "3", "-1", "2.5", "0.125", "127", "100", "9223372036854775807"]
_FLOATS = [("f4", "f4"), ("f8", "f8")]
_TEXTS = [("s", "s"), ("s2", "s2"), ("e", "e"), ("st.y", "st.y"), ("t[0]", "t[1]"), ("S", "s")]
_TEXT_VALUES = ["'" + w.replace("'", "''") + "'" for w in WORDS]
_TIMES = [("d", "d"), ("ts", "ts"), ("us", "us")]
_TIME_VALUES = ["DATE '2020-02-01'", "TIMESTAMP '2020-02-01 12:00:00'", "TIMESTAMP '2020-01-31 10:30:00'", "DATE '2020-01-31'"]
_SIGNS = ["=", "!=", "<>", "<", "<=", ">", ">="]
_KINDS = [(_NUMBERS, _NUMBER_VALUES), (_FLOATS, ["0.1", "0.5", "-2.5", "1.0", "3.0", "0.2"]), (_TEXTS, _TEXT_VALUES), (_TIMES, _TIME_VALUES)]


def _leaf(r):
    """Makes a test, in both languages."""
    operands, values = r.choice(_KINDS)
    ours, theirs = r.choice(operands)
    ways = ["value", "value", "columns", "in", "between", "null"]
    if operands is _TEXTS:
        ways += ["like", "like"]
    way = r.choice([*ways, "contains", "boolean"])
    sign = r.choice(_SIGNS)
    if way == "columns":
        ours2, theirs2 = r.choice(operands)
        return f"{ours} {sign} {ours2}", f"{theirs} {sign} {theirs2}"
    if way == "in":
        chosen = ", ".join(r.sample(values, r.randrange(1, 4)))
        word = r.choice(["IN", "NOT IN"])
        return f"{ours} {word} ({chosen})", f"{theirs} {word} ({chosen})"
    if way == "between":
        low, high = r.choice(values), r.choice(values)
        return f"{ours} BETWEEN {low} AND {high}", f"{theirs} BETWEEN {low} AND {high}"
    if way == "null":
        word = r.choice(["IS NULL", "IS NOT NULL"])
        return f"{ours} {word}", f"{theirs} {word}"
    if way == "like":
        pattern = "".join(r.choice(["a", "b", "%", "_", "A", "!%", "!_"]) for _ in range(r.randrange(4)))
        word = r.choice(["LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE"])
        return f"{ours} {word} '{pattern}' ESCAPE '!'", f"{theirs} {word} '{pattern}' ESCAPE '!'"
    if way == "contains":
        column, value = r.choice([("l", r.choice("0123")), ("t", r.choice(_TEXT_VALUES))])
        return f"contains({column}, {value})", f"list_contains({column}, {value})"
    if way == "boolean":
        return "ok", "ok"
    value = r.choice(values)
    return f"{ours} {sign} {value}", f"{theirs} {sign} {value}"


def _tree(r, depth):
    if depth == 0 or r.random() < 0.4:
        return _leaf(r)
    a, b = _tree(r, depth - 1), _tree(r, depth - 1)
    word = r.choice(["AND", "OR", "NOT"])
    if word == "NOT":
        return f"NOT ({a[0]})", f"NOT ({a[1]})"
    return f"({a[0]}) {word} ({b[0]})", f"({a[1]}) {word} ({b[1]})"


@pytest.mark.parametrize("ending", ["arrow", "orc", "parquet"])
def test_against_duckdb(tmp_path, ending):
    r = random.Random(24)
    columns = _columns(r)
    if ending == "orc":
        del columns["u8"]  # it holds values beyond int64
    table = pa.table(columns)
    path = tmp_path / f"t.{ending}"
    arrowio.write(table, path)
    ds = arrowio.open(path)
    con = duckdb.connect()
    con.register("rows", table)
    for n in range(FILTERS):
        ours, theirs = _tree(r, 2)
        if ending == "orc" and "u8" in ours:
            continue
        want = sorted(i for (i,) in con.execute(f"SELECT id FROM rows WHERE {theirs}").fetchall())
        got = ds.filter(ours).select("id").to_table().column("id").to_pylist()
        assert got == want, f"filter {n}: {ours}\nDuckDB: {theirs}"
