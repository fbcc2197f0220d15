"""Spark with two worker processes."""

import decimal
import math
import os
import sys

os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession, datasource

import arrowio
import arrowio.spark
from conftest import ROWS, SUM


@pytest.fixture(scope="module")
def spark():
    builder = SparkSession.builder.master("local[2,4]")  # a task may fail three times
    for key, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
    }.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    arrowio.spark.register(session)
    yield session
    session.stop()


@pytest.fixture
def load(spark):
    def read(source, schema=None, **options):
        reader = spark.read.format("arrowio").options(timestamps="truncate", **options)
        return (reader.schema(schema) if schema else reader).load(source)

    return read


def test_rows_and_sums(load, source):
    df = load(source, parallelism=8)
    assert df.selectExpr("count(*)", "sum(x)", "count(s)").collect() == [(ROWS, SUM, ROWS - ROWS // 10)]
    assert {r.g: r["count"] for r in df.groupBy("g").count().collect()} == {f"g{i}": ROWS // 5 for i in range(5)}


def test_each_endpoint_once(load, server):
    want = server.endpoints(8)
    df = load(server.source, parallelism=8)
    assert server.reads() == []
    assert df.selectExpr("sum(x)").collect() == [(SUM,)]
    assert sorted(server.reads()) == sorted(want)


def test_filters_reach_the_server(load, server):
    df = load(server.source, "x long, g string, f double")
    for where, want in {
        "x < 7 and g = 'g1'": [1, 6],
        "x in (3, 5, -1)": [3, 5],
        "x <= 2 and not x = 1": [0, 2],
        "f < 1.5": [0, 1, 2],
        "g like 'g%' and x < 2": [0, 1],
        "x <=> 4": [4],
        "x is null": [],
    }.items():
        assert sorted(r.x for r in df.where(where).collect()) == want, where
        assert sum(server.reads()) == len(want), where
    assert df.where("x % 100000 = 1").count() == 2 and sum(server.reads()) == ROWS


def test_columns(load, source):
    df = load(source, columns="s, x", where="x < 5 and s is not null")
    assert df.columns == ["s", "x"] and sorted(r.x for r in df.collect()) == [1, 2, 3, 4]
    assert load(source, "x long", rows="10:20").selectExpr("sum(x)").collect() == [(sum(range(10, 20)),)]


def test_several_paths(load, files):
    df = load([f"{files}/0.orc", f"{files}/3.orc"], "x long")
    assert df.selectExpr("count(*)", "max(x)").collect() == [(ROWS // 2, ROWS - 1)]


def test_empty(load, source):
    df = load(source, where="x < 0")
    assert df.count() == 0 and df.collect() == []
    assert load(source).where("x < 0").collect() == []


def test_worker_killed(load, source, kill):
    schema = "x long"

    def dying(batches):
        for b in batches:
            kill()
            yield b

    df = load(source, schema, parallelism=6).mapInArrow(dying, schema)
    assert (df.selectExpr("sum(x)").collect(), kill.killed) == ([(SUM,)], True)


def test_types(load, spark, tmp_path):
    """Values of types that Spark does not have come as wider ones; what it cannot hold is an error."""
    table = pa.table(
        {
            "u": pa.array([2**64 - 1, None], pa.uint64()),
            "b": pa.array([200, 0], pa.uint8()),
            "d": pa.array(["x", "y"]).dictionary_encode(),
            "l": pa.array([[1, None], None], pa.large_list(pa.int16())),
            "m": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int32())),
            "r": pa.array([{"a": 1, "b": b"z"}, None], pa.struct([("a", pa.uint16()), ("b", pa.large_binary())])),
            "e": pa.array([decimal.Decimal("1.50"), None], pa.decimal128(20, 2)),
            "z": pa.array([0, 1_000_000], pa.timestamp("us", "Europe/Paris")),
            "n": pa.array([1001, 2000], pa.timestamp("ns")),
        }
    )
    arrowio.write(table, tmp_path / "t.arrow")
    rows = load(str(tmp_path / "t.arrow"), columns="u,b,d,l,m,r,e").collect()
    assert [tuple(r) for r in rows] == [
        (decimal.Decimal(2**64 - 1), 200, "x", [1, None], {"k": 1}, (1, b"z"), decimal.Decimal("1.50")),
        (None, 0, "y", None, {}, None, None),
    ]
    df = load(str(tmp_path / "t.arrow"))
    assert df.selectExpr("unix_micros(z)", "cast(n as string)").collect() == [
        (0, "1970-01-01 00:00:00.000001"),
        (1_000_000, "1970-01-01 00:00:00.000002"),
    ]
    with pytest.raises(Exception, match="truncate"):
        spark.read.format("arrowio").option("columns", "n").load(str(tmp_path / "t.arrow")).collect()


def test_not_a_number(load, tmp_path):
    """Spark's order of NaN is kept: it is greater than all numbers, and equal to itself."""
    arrowio.write(pa.table({"f": [1.0, math.nan, 3.0, None]}), tmp_path / "t.orc")
    df = load(str(tmp_path / "t.orc"))
    for where, n in {"f > 2": 2, "f >= 3": 2, "not f > 2": 1, "f = double('NaN')": 1, "f < 2": 1, "f != 1": 2, "f is null": 1}.items():
        assert df.where(where).count() == n, where


def test_filter_texts():
    """Filters of which Spark means something else stay with Spark."""
    schema = pa.schema(
        [("a", pa.int64()), ("s", pa.string()), ("f", pa.float64()), ("t", pa.timestamp("us")), ("r", pa.struct([("b.c", pa.int32())]))]
    )

    def text(f):
        return arrowio.spark._Filters(schema, True).text(f)

    d = datasource
    assert text(d.EqualTo(("a",), 1)) == '("a" = 1)'
    assert text(d.Not(d.In(("a",), (1, 2)))) == '(NOT ("a" IN (1, 2)))'
    assert text(d.EqualTo(("r", "b.c"), 1)) == '("r"."b.c" = 1)'
    assert text(d.EqualTo(("s",), "it's")) == "(\"s\" = 'it''s')"
    assert text(d.StringStartsWith(("s",), "x'")) == "(\"s\" LIKE 'x''%')"
    for f in (
        d.StringStartsWith(("s",), "50%"),
        d.StringEndsWith(("s",), "x"),
        d.GreaterThan(("f",), 1.0),
        d.Not(d.EqualTo(("f",), 1.0)),
        d.EqualTo(("f",), math.nan),
        d.EqualTo(("nothing",), 1),
        d.EqualTo(("a",), "1"),
        d.In(("a",), (1, None)),
    ):
        assert text(f) is None, f


def test_page(page, spark, capfd):
    """docs/spark.md"""
    names = page("spark.md", spark=spark)
    assert names["few"].columns == ["user", "price"] and names["few"].count() == 400
    assert names["df"].where("price > 100 and day >= DATE '2024-01-01'").count() == 299
