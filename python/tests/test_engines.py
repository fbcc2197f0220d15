"""pyarrow, polars, pandas and DuckDB: every type there and back, scans, filters that reach the files."""

import copy
import datetime
import decimal
import gc
import pickle
import subprocess
import sys
import textwrap

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads
import pytest

import arrowio

D = decimal.Decimal
F = pads.field

# Every type that a reader makes (docs/formats), with values at its edges and a null.
TYPES = {
    "bool": (pa.bool_(), [True, False, None]),
    "int8": (pa.int8(), [-128, 127, None]),
    "int16": (pa.int16(), [-(2**15), 2**15 - 1, None]),
    "int32": (pa.int32(), [-(2**31), 2**31 - 1, None]),
    "int64": (pa.int64(), [-(2**63), 2**63 - 1, None]),
    "uint8": (pa.uint8(), [0, 255, None]),
    "uint16": (pa.uint16(), [0, 2**16 - 1, None]),
    "uint32": (pa.uint32(), [0, 2**32 - 1, None]),
    "uint64": (pa.uint64(), [0, 2**64 - 1, None]),
    "float32": (pa.float32(), [-0.0, 1.5, None]),
    "float64": (pa.float64(), [float("inf"), 0.1, None]),
    "utf8": (pa.string(), ["", "Zürich", None]),
    "binary": (pa.binary(), [b"", b"\x00\xff", None]),
    "fixed_size_binary": (pa.binary(3), [b"abc", b"\x00\x01\x02", None]),
    "date32": (pa.date32(), [datetime.date(1500, 1, 1), datetime.date(2038, 1, 20), None]),
    "time32[ms]": (pa.time32("ms"), [datetime.time(0, 0), datetime.time(23, 59, 59, 999000), None]),
    "time64[us]": (pa.time64("us"), [datetime.time(0, 0), datetime.time(23, 59, 59, 999999), None]),
    "timestamp[ns]": (pa.timestamp("ns"), [0, 1_600_000_000_123_456_789, None]),
    "timestamp[ns, UTC]": (pa.timestamp("ns", "UTC"), [-1, 1_600_000_000_123_456_789, None]),
    "timestamp[us, UTC]": (pa.timestamp("us", "UTC"), [-1, 1_600_000_000_123_456, None]),
    "timestamp[ms]": (pa.timestamp("ms"), [-1, 1_600_000_000_123, None]),
    "decimal128(38,10)": (pa.decimal128(38, 10), [D("-1.5"), D("9" * 28 + ".0000000001"), None]),
    "decimal256(50,2)": (pa.decimal256(50, 2), [D("-1.5"), D("9" * 48 + ".01"), None]),
    "list": (pa.list_(pa.int32()), [[1, None], [], None]),
    "struct": (pa.struct([("a", pa.int64()), ("b", pa.string())]), [{"a": 1, "b": None}, {"a": None, "b": "x"}, None]),
    "map": (pa.map_(pa.string(), pa.int64()), [[("k", 1), ("l", None)], [], None]),
    "list<struct<list>>": (pa.list_(pa.struct([("v", pa.list_(pa.string()))])), [[{"v": ["x"]}, {"v": None}], [], None]),
    "dictionary": (pa.dictionary(pa.int32(), pa.string()), ["red", "red", None]),
    "null": (pa.null(), [None, None, None]),
    "dense_union": (None, None),
}


def column(name):
    t, values = TYPES[name]
    if name == "dense_union":
        return pa.UnionArray.from_dense(
            pa.array([0, 1, 0], pa.int8()), pa.array([0, 0, 1], pa.int32()), [pa.array([1, None], pa.int64()), pa.array(["x"])], ["_0", "_1"]
        )
    if name == "dictionary":
        return pa.array(values, pa.string()).dictionary_encode()
    return pa.array(values, t)


@pytest.fixture(scope="module", params=TYPES)
def typed(request, tmp_path_factory):
    """A dataset of one column of the type, from an IPC file, which keeps every type as it is."""
    path = tmp_path_factory.mktemp("typed") / "t.arrow"
    table = pa.table({"v": column(request.param)})
    with pa.OSFile(str(path), "wb") as f, pa.ipc.new_file(f, table.schema) as w:
        w.write_table(table)
    return request.param, table, arrowio.open(path)


def back(obj, tmp_path):
    """Hands obj to arrowio.write and returns what is in the file."""
    path = tmp_path / "back.arrow"
    arrowio.write(obj, path, force=True)
    with pa.OSFile(str(path), "rb") as f:
        return pa.ipc.open_file(f).read_all()


def test_pyarrow(typed, tmp_path):
    """Nothing changes."""
    _, table, ds = typed
    got = pa.table(ds)
    got.validate(full=True)
    assert got.equals(table) and got.schema.equals(table.schema, check_metadata=True)
    assert back(got, tmp_path).equals(table)
    assert back(got.slice(1), tmp_path).equals(table.slice(1))


# What polars makes of a type; others come back as they went, or as the second name says.
POLARS = {
    "fixed_size_binary": "binary_view",
    "time32[ms]": "time64[ns]",
    "time64[us]": "time64[ns]",
    "decimal256(50,2)": None,
    "dense_union": None,
}


def test_polars(typed, tmp_path):
    name, table, ds = typed
    if POLARS.get(name, "") is None:
        with pytest.raises(BaseException):
            pl.DataFrame(ds)
        return
    frame = pl.DataFrame(ds)
    got = back(frame, tmp_path)
    assert got.num_rows == table.num_rows
    if name.startswith("time") or name == "null":
        assert str(got["v"].to_pylist()).replace(", tzinfo=zoneinfo.ZoneInfo(key='UTC')", "") == str(table["v"].to_pylist()).replace(
            ", tzinfo=zoneinfo.ZoneInfo(key='UTC')", ""
        )
    else:
        assert got["v"].to_pylist() == table["v"].to_pylist()


def test_pandas(typed, tmp_path):
    """With Arrow types nothing changes."""
    name, table, ds = typed
    frame = ds.to_pandas(types_mapper=pd.ArrowDtype)
    got = back(frame, tmp_path)
    if name == "dictionary":
        assert got["v"].cast(pa.string()).to_pylist() == table["v"].cast(pa.string()).to_pylist()
    else:
        assert got["v"].to_pylist() == table["v"].to_pylist()


# Types that DuckDB does not take, or gives back with other values.
DUCKDB_REFUSES = {"decimal256(50,2)", "dense_union"}


def test_duckdb(typed, tmp_path):
    name, table, ds = typed
    if name in DUCKDB_REFUSES:
        with pytest.raises(duckdb.Error):
            duckdb.sql("select * from ds").fetchall()
        return
    relation = duckdb.sql("select * from ds")
    got = back(relation, tmp_path)
    a, b = got["v"], table["v"]
    if name == "dictionary":
        a, b = a.cast(pa.string()), b.cast(pa.string())
    if name in ("timestamp[us, UTC]", "timestamp[ns, UTC]"):
        if name == "timestamp[ns, UTC]":
            b = pa.array([0, 1_600_000_000_123_456, None], pa.timestamp("us", "UTC"))  # cut towards zero
        a, b = a.cast(pa.timestamp("us", "UTC")), b.cast(pa.timestamp("us", "UTC"))
    assert str(a.to_pylist()) == str(b.to_pylist())


def test_duckdb_scans_twice(small):
    ds = arrowio.open(small)
    assert duckdb.sql("select count(*) from ds a join ds b using (x)").fetchall() == [(10,)]
    assert duckdb.sql("select sum(x) from ds").fetchall() == duckdb.sql("select sum(x) from ds").fetchall() == [(45,)]


@pytest.fixture
def asked(monkeypatch):
    """What views are scanned."""
    seen = []
    original = arrowio.Dataset._new_stream

    def spy(self, polls=False):
        seen.append((self._columns, self._where))
        return original(self, polls)

    monkeypatch.setattr(arrowio.Dataset, "_new_stream", spy)
    return seen


def test_duckdb_pushes_down(small, asked):
    x = arrowio.open(small).to_pyarrow_dataset()
    assert duckdb.sql("select name from x where x = 3").fetchall() == [("n3",)]
    assert asked[-1][1] == '("x" = 3)'
    assert duckdb.sql("select x from x where name in ('n1', 'n2') and x between 2 and 8").fetchall() == [(2,)]
    assert "IN ('n1', 'n2')" in asked[-1][1]
    assert duckdb.sql("select x from x where name like 'n7%'").fetchall() == [(7,)]
    assert duckdb.sql("select count(*) from x a join x b using (x) where a.x < 4").fetchall() == [(4,)]


def test_duckdb_pushes_into_the_object_itself(small, asked):
    f = arrowio.open(small)
    assert duckdb.sql("select name from f where x between 3 and 4").fetchall() == [("n3",), ("n4",)]
    assert asked == [(['"x"', '"name"'], '("x" >= 3) AND ("x" <= 4)')]
    assert duckdb.sql("select count(*) from f").fetchall() == [(10,)]
    assert duckdb.sql("select count(*) from f a join f b using (x) where a.x < 4").fetchall() == [(4,)]
    con = duckdb.connect()
    con.register("g", f)
    assert con.sql("select name from g where x = 2").fetchall() == duckdb.from_arrow(f).filter("x = 2").project("name").fetchall() == [("n2",)]
    assert '("x" = 2)' in asked[-1][1] and '("x" = 2)' in asked[-2][1]
    view = f.select("x").filter("x > 6")
    assert duckdb.sql("select * from view where x < 9").fetchall() == [(7,), (8,)]


def test_duckdb_reads_only_what_it_is_asked_for(tmp_path):
    """The bytes of a column that nobody asks for may be anything."""
    path = tmp_path / "t.orc"
    n = 50_000
    arrowio.write(pa.table({"x": list(range(n)), "s": [f"{i * 7919 % n} {i}" for i in range(n)]}), path, compression="none")
    stored = bytearray(path.read_bytes())
    at = stored.index(b"7919 1")
    stored[at - 5 : at + 100_000] = b"\xff" * 100_005
    path.write_bytes(stored)
    f = arrowio.open(path)
    assert duckdb.sql("select count(*), sum(x) from f where x between 30000 and 30002").fetchall() == [(3, 90003)]
    with pytest.raises(duckdb.Error):
        duckdb.sql("select max(s) from f").fetchall()


PYTHON_SEES = """
    import sys
    {first}
    import arrowio
    seen = []
    original = arrowio.Dataset.__arrow_c_stream__
    def spy(self, requested_schema=None):
        seen.append(self._where)
        return original(self, requested_schema)
    arrowio.Dataset.__arrow_c_stream__ = spy
    f = arrowio.open(sys.argv[1])
    {then}
    import duckdb
    print(duckdb.sql("select sum(x) from f where x > 7").fetchall()[0][0], seen[0] is not None, "pyarrow.dataset" in sys.modules)
"""


@pytest.mark.parametrize(
    ("first", "then", "want"),
    [
        ("pass", "pass", "17 True True"),
        ("import pyarrow", "pass", "17 True True"),
        ("import duckdb, pyarrow.dataset", "pass", "17 True True"),
        ("pass", "import pandas, polars; isinstance(f, int)", "17 True True"),
        ("sys.modules['pyarrow'] = None", "assert type(f) is f.__class__ is arrowio.Dataset", "17 False False"),
    ],
)
def test_whatever_is_imported_when(small, first, then, want):
    """The first query has its filter pushed down, whether pyarrow was there before or DuckDB; without pyarrow it is DuckDB's."""
    code = textwrap.dedent(PYTHON_SEES).format(first=first, then=then)
    out = subprocess.run([sys.executable, "-c", code, str(small)], capture_output=True, text=True, timeout=120)
    assert out.stdout.strip() == want, out.stderr


def test_pyarrow_alone_loads_no_datasets(small):
    code = "import sys, pyarrow, arrowio; f = arrowio.open(sys.argv[1]); print(pyarrow.table(f).num_rows, 'pyarrow.dataset' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code, str(small)], capture_output=True, text=True, timeout=120)
    assert out.stdout.strip() == "10 False", out.stderr


def test_what_others_make_of_a_dataset(small, asked, tmp_path):
    """It says that it is a dataset of pyarrow, too: who asks for that gets rows, or a TypeError."""
    f, table = arrowio.open(small), pads.dataset(arrowio.open(small).to_table())
    assert isinstance(f, arrowio.Dataset) and isinstance(f, pads.Dataset) and type(f) is arrowio.Dataset
    assert issubclass(f.__class__, arrowio.Dataset) and type(f.__class__(f._files, None, None, None, {}, False)) is arrowio.Dataset
    want = table.to_table()
    assert pa.table(f).equals(want) and asked == [(None, None)] * 2  # one made the table
    for x in (f, f.to_pyarrow_dataset()):
        assert isinstance(x, pads.Dataset)
        assert pa.table(x).equals(want) and pl.DataFrame(x).equals(pl.DataFrame(want))
        assert pl.scan_pyarrow_dataset(x).filter(pl.col("x") > 7).select("name").collect()["name"].to_list() == ["n8", "n9"]
        assert asked[-1][1] == '("x" > 7)'
        for arguments in ({}, {"columns": ["name"]}, {"filter": F("x") > 3}, {"columns": {"y": F("x") + 1}, "filter": F("x") + 1 > 4}):
            assert x.to_table(**arguments).equals(table.to_table(**arguments))
            assert pa.Table.from_batches(x.to_batches(**arguments)).equals(table.to_table(**arguments))
            assert x.head(2, **arguments).equals(table.head(2, **arguments))
            assert x.count_rows(filter=arguments.get("filter")) == table.count_rows(filter=arguments.get("filter"))
        for i, data in enumerate((x, x.scanner(), x.scanner(filter=F("x") + 1 > 0))):
            to = tmp_path / f"{type(x).__name__}{i}"
            pads.write_dataset(data, to, format="parquet")
            assert pads.dataset(to).to_table().equals(want)
        assert duckdb.sql("select count(*) from x where x < 4").fetchall() == [(4,)]
        rows = x.scanner(columns=["x"])
        assert duckdb.sql("select sum(x) from rows").fetchall() == [(45,)]
        for bad in (
            lambda: pads.Scanner.from_dataset(x),
            lambda: pads.UnionDataset(want.schema, [x]),
            lambda: pads.dataset([x]),
            lambda: table.join(x, "x"),
            lambda: want.join(x, "x"),
            lambda: pads.Dataset.to_table(table, filter=x),
        ):
            with pytest.raises((TypeError, AttributeError, NotImplementedError)):
                bad()
        del data, rows, bad
    assert copy.copy(f).to_table().equals(want) and copy.deepcopy(f).to_table().equals(want)


def test_a_view_of_children(filtered, tmp_path):
    """A query over a view of some children of a struct has only these; names with dots and quotes are names."""
    _, ds = filtered
    view = ds.select("st.a", "\"odd name.'\"\"x\"")
    assert duckdb.sql("select * from view where st.a > 7").fetchall() == [({"a": 8}, 8), ({"a": 9}, 9)]
    assert view.to_table(columns=["odd name.'\"x", "st"]).column_names == ["odd name.'\"x", "st"]
    wide = pa.table({"s": [{"a": 1, "b": 2}], "a.b": [3], "A": [4], "a": [5]})
    to = tmp_path / "wide.arrow"
    with pa.OSFile(str(to), "wb") as f, pa.ipc.new_file(f, wide.schema) as w:
        w.write_table(wide)
    f = arrowio.open(to)
    assert f.select("s.b").to_table(columns=["s"]).to_pydict() == {"s": [{"b": 2}]}
    assert f.to_table(columns=["a.b"], filter=F("a.b") == 3).to_pydict() == {"a.b": [3]}
    assert f.to_table(columns=["A"]).to_pydict() == {"A": [4]}
    few = f.select("s.b")
    assert duckdb.sql("select s from few").fetchall() == [({"b": 2},)]


def test_polars_pushes_down(small, asked):
    x = arrowio.open(small).to_pyarrow_dataset()
    frame = pl.scan_pyarrow_dataset(x).filter(pl.col("x") > 7).select("name").collect()
    assert frame["name"].to_list() == ["n8", "n9"]
    assert asked[-1][1] == '("x" > 7)'


FILTERS = [
    F("x") == 3,
    F("x") != 3,
    (F("x") > 2) & (F("x") <= 6) | (F("name") == "n9"),
    ~(F("x") < 5),
    F("x").isin([1, 5, 77]),
    ~F("name").isin(["n1"]),
    F("name").is_null(),
    F("name").is_valid() & (F("x") < 2),
    F("x") + 1 == 4,
    (F("x") + 1 > 4) & (F("x") < 6),
    pc.starts_with(F("name"), "n3"),
    F("x") < 4.5,
    F("name") > "n'",
    pads.scalar(True),
    F("nul") == 1,
    ~(F("nul") == 1),
    ~F("nul").isin([1]),
    F("nul").isin([1, None]),
    F("d") >= datetime.date(2020, 1, 4),
    F("t") < datetime.datetime(2020, 1, 1, 0, 0, 0, 5),
    F("t") == pa.scalar(1577836800000003001, pa.timestamp("ns")),
    F("m") > D("4.50"),
    F("b") == b"\x03\xff",
    F("f") == 0.1,
    F("f4") == 0.1,  # no: 0.1 is a double, and f4 is of floats
    F("f4") > 0.3,
    F("f4") == pa.scalar(0.1, pa.float32()),
    F("x") < F("f4"),
    F("x") == F("odd name.'\"x"),
    ~(F("nul") < F("nul2")),
    F("x") >= F("nul"),
    pc.is_nan(F("f4")),
    ~pc.is_nan(F("f")),
    pc.match_like(F("name"), "n_"),
    pc.match_like(F("name"), r"n\_"),
    pc.match_like(F("name"), "N3", ignore_case=True),
    ~pc.ends_with(F("name"), "3"),
    pc.match_substring(F("name"), "N", ignore_case=True) & (F("x") > 3),
    pc.match_substring(F("name"), "%"),
    pc.starts_with(F("name"), "n'"),
    F("ok"),
    ~F("ok") & (F("x") > 2),
    pc.field("st", "a") > 6,
    *(getattr(F("t").cast(pa.date32()), op)(datetime.date(2020, 1, 1)) for op in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")),
    ~(F("t").cast(pa.date32()) > datetime.date(2019, 12, 31)),
    F("d").cast(pa.timestamp("s")) > datetime.datetime(2020, 1, 4),
    F("odd name.'\"x") == 4,
]


@pytest.fixture(scope="module")
def filtered(tmp_path_factory):
    n = 10
    table = pa.table(
        {
            "x": list(range(n)),
            "name": [f"n{i}" for i in range(n)],
            "nul": pa.array([None if i % 3 == 0 else i % 2 for i in range(n)], pa.int32()),
            "d": [datetime.date(2020, 1, 1 + i) for i in range(n)],
            "t": pa.array([1577836800000000001 + i * 1500 for i in range(n)], pa.timestamp("ns")),
            "m": pa.array([D(i) / 2 * 2 for i in range(n)], pa.decimal128(10, 2)),
            "b": [bytes([i, 255]) for i in range(n)],
            "f": [i / 10 for i in range(n)],
            "f4": pa.array([i / 10 for i in range(n)], pa.float32()),
            "nul2": pa.array([None if i % 4 == 0 else 1 for i in range(n)], pa.int32()),
            "ok": [i % 2 == 0 for i in range(n)],
            "st": pa.array([{"a": i} for i in range(n)]),
            "odd name.'\"x": list(range(n)),
        }
    )
    path = tmp_path_factory.mktemp("filtered") / "t.arrow"
    with pa.OSFile(str(path), "wb") as f, pa.ipc.new_file(f, table.schema) as w:
        w.write_table(table)
    return table, arrowio.open(path)


@pytest.mark.parametrize("expression", FILTERS, ids=str)
def test_filters_mean_the_same(filtered, expression):
    table, ds = filtered
    want = pads.dataset(table).to_table(filter=expression)
    x = ds.to_pyarrow_dataset()
    assert x.to_table(filter=expression).equals(want)
    assert x.to_table(columns=["name"], filter=expression).equals(want.select(["name"]))
    assert x.count_rows(filter=expression) == want.num_rows
    assert x.filter(expression).to_table(columns={"y": F("x") + 1}).equals(pads.dataset(table).filter(expression).to_table(columns={"y": F("x") + 1}))


def test_nan_is_found_as_by_pyarrow(tmp_path):
    table = pa.table({"x": [1, 2, 3, 4], "f": pa.array([1.5, float("nan"), None, 0.0], pa.float32())})
    arrowio.write(table, tmp_path / "nan.orc")
    x = arrowio.open(tmp_path / "nan.orc").to_pyarrow_dataset()
    for expression in (pc.is_nan(F("f")), ~pc.is_nan(F("f")), ~(F("f") > 1), pc.is_nan(F("x")), ~pc.is_nan(F("x"))):
        assert x.to_table(columns=["x"], filter=expression).equals(pads.dataset(table).to_table(columns=["x"], filter=expression)), expression


@pytest.mark.parametrize("columns", [None, ["name"], ["name", "x"], ["x", "name"], ["x", "x"], []], ids=str)
def test_every_way_through_a_scanner(filtered, columns):
    """Whoever has a scanner may use all of it, whether pyarrow has something left to do with the rows or not."""
    table, ds = filtered
    theirs, ours = pads.dataset(table), ds.to_pyarrow_dataset()
    for expression in (None, F("x") > 3, F("x") + 1 > 4):

        def both(use):
            outcomes = []
            for d in (theirs, ours):
                try:
                    outcomes.append(use(d.scanner(columns=columns, filter=expression)))
                except pa.ArrowInvalid:
                    outcomes.append("refused")
            assert outcomes[0] == outcomes[1]

        both(lambda s: s.to_table())
        both(lambda s: s.to_reader().read_all())
        both(lambda s: pa.Table.from_batches(s.to_batches(), s.projected_schema))
        both(lambda s: pa.Table.from_batches([b.record_batch for b in s.scan_batches()], s.projected_schema))
        both(lambda s: s.count_rows())
        both(lambda s: s.head(2))
        both(lambda s: s.take(pa.array([0, 2])))
    assert ours.scanner(columns=columns).dataset_schema is not None


def test_what_a_pushdown_dataset_lacks(small):
    x = arrowio.open(small).to_pyarrow_dataset()
    assert x.head(3).num_rows == 3 and x.count_rows() == 10
    for f in (lambda: x.join(x, "x"), lambda: x.sort_by("x"), lambda: x.replace_schema(x.schema)):
        with pytest.raises(NotImplementedError):
            f()
    repr(x)


def test_write_from_each(tmp_path, small):
    want = {"a": [1, 2, 3]}
    table = pa.table(want)
    relation = duckdb.from_arrow(table)
    for i, rows in enumerate(
        [table, table.to_batches()[0], table.to_reader(), pl.DataFrame(want), pd.DataFrame(want), relation, arrowio.open(small).select("x")]
    ):
        path = tmp_path / f"{i}.orc"
        report = arrowio.write(rows, path)
        got = arrowio.open(path).to_table().to_pydict()
        assert got == (want if i < 6 else {"x": list(range(10))}) and report.rows == len(next(iter(got.values())))
        assert report.bytes == path.stat().st_size


def test_write(tmp_path):
    path = tmp_path / "t.trv"
    t = pa.table({"a": [1, 2], "d": pa.array(["x", "y"]).dictionary_encode()})
    plan = arrowio.write(t, path, dry_run=True)
    assert plan.rows == 0 and [c.path for c in plan.columns] == ["a", "d"] and not path.exists()
    assert arrowio.write(t, path).files == [("t.trv", path.stat().st_size)]
    arrowio.write(t, path, force=True, compression="deflate")
    assert arrowio.open(path).num_rows == 2
    with pytest.raises(arrowio.SchemaError):
        arrowio.write(pa.table({"a": [[1]]}), tmp_path / "t.cfile")
    with pytest.raises(arrowio.OptionError):
        arrowio.write(5, path)
    with pytest.raises(arrowio.OptionError):
        arrowio.write(t, tmp_path / "t.nothing")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t.trv"]


def test_write_refused(tmp_path):
    """The plan tells which values of a type cannot be written, and names of files are relative to the path."""
    t = pa.table({"n": pa.array([1], pa.uint64()), "a": [1]})
    plan = arrowio.write(t, tmp_path / "t.trv", dry_run=True)
    assert [c.refused for c in plan.columns] == ["values above 9223372036854775807", ""]
    report = arrowio.write(t, tmp_path / "parts.trv", max_file_bytes=1 << 20)
    assert [name for name, _ in report.files] == [p.name for p in (tmp_path / "parts.trv").iterdir()]


def test_write_metadata(tmp_path):
    """Metadata is kept where the format can, set and left out where that is asked for, and what is lost is told."""
    t = pa.table({"a": [1, 2]}).replace_schema_metadata({"plain": "text", "orc.owner": "ops", "raw": b"\xff\x00"})
    path = tmp_path / "t.orc"
    report = arrowio.write(t, path, metadata={"more": "x"}, drop_metadata=["plain"])
    assert report.losses == []
    assert pa.table(arrowio.open(path)).schema.metadata == {b"orc.owner": b"ops", b"raw": b"\xff\x00", b"more": b"x"}
    lossy = arrowio.write(t, tmp_path / "t.csv", dry_run=True).losses
    assert {(x.of, x.key) for x in lossy} == {("metadata", "plain"), ("metadata", "orc.owner"), ("metadata", "raw"), ("file", "")}
    with pytest.raises(arrowio.SchemaError, match="drop_metadata"):
        arrowio.write(t, tmp_path / "t.parquet")
    with pytest.raises(arrowio.OptionError, match="no metadata"):
        arrowio.write(t, path, force=True, drop_metadata="palin")


def test_write_of_a_source_that_fails(tmp_path):
    """The stream is released, and nothing is left."""

    def batches():
        yield pa.record_batch({"a": [1]})
        raise RuntimeError("no more")

    reader = pa.RecordBatchReader.from_batches(pa.schema([("a", pa.int64())]), batches())
    with pytest.raises(OSError, match="no more"):
        arrowio.write(reader, tmp_path / "t.orc")
    assert list(tmp_path.iterdir()) == []
    gc.collect()


def test_a_stream_can_be_written_once(tmp_path):
    capsule = pa.table({"a": [1]}).__arrow_c_stream__()

    class Once:
        def __arrow_c_stream__(self, requested_schema=None):
            return capsule

    arrowio.write(Once(), tmp_path / "a.orc")
    with pytest.raises(arrowio.OptionError, match="once"):
        arrowio.write(Once(), tmp_path / "b.orc")


def test_times_with_a_zone_need_pytz(tmp_path):
    """DuckDB makes objects of Python with it, and hands columns over without it."""
    path = tmp_path / "t.orc"
    arrowio.write(pa.table({"t": pa.array([datetime.datetime(2020, 1, 1)], pa.timestamp("us", "UTC"))}), path)
    code = (
        "import sys; sys.modules['pytz'] = None\nimport arrowio, duckdb\nds = arrowio.open(sys.argv[1])\n"
        "print(duckdb.sql('from ds').to_arrow_table().num_rows, duckdb.sql('from ds').pl().height, len(duckdb.sql('from ds').df()))\n"
        "try: duckdb.sql('from ds').fetchall()\nexcept duckdb.Error as e: print('pytz' in str(e))\n"
    )
    out = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=120)
    assert out.stdout == "1 1 1\nTrue\n", out.stderr


def test_what_duckdb_hands_over(filtered, asked):
    """Fields of structs and beginnings of texts, and no functions or casts."""
    _, ds = filtered
    for condition, said in (("st.a > 7", True), ("name like 'n8%'", True), ("isnan(f)", False), ("cast(t as date) = date '2020-01-01'", False), ("t >= timestamp '2020-01-01'", True)):
        duckdb.sql(f"select count(x) from ds where {condition}").fetchall()
        assert (asked[-1][1] is not None) == said, condition
