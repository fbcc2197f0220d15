"""LazyFrames whose columns, conditions and limits reach the files, and whose rows are those of polars."""

import datetime
import math
import pickle

import polars as pl
import pyarrow as pa
import pyarrow.orc
import pytest
from test_engines import asked  # noqa: F401, a fixture

import arrowio

C = pl.col
NAN = math.nan
DAY = datetime.datetime(2020, 1, 1)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """The same rows as a DataFrame and in a file."""
    n = 12
    table = pa.table(
        {
            "x": pa.array([None if i == 5 else i for i in range(n)], pa.int32()),
            "s": [None if i == 3 else f"a%{i}'" if i % 2 else f"b_{i}" for i in range(n)],
            "f": pa.array([NAN if i == 2 else None if i == 4 else i / 10 for i in range(n)], pa.float64()),
            "f4": pa.array([NAN if i == 2 else i / 10 for i in range(n)], pa.float32()),
            "d": [datetime.date(2020, 1, 1 + i) for i in range(n)],
            "t": pa.array([DAY + datetime.timedelta(hours=9 * i) for i in range(n)], pa.timestamp("us")),
            "z": pa.array([DAY + datetime.timedelta(hours=9 * i) for i in range(n)], pa.timestamp("us", "UTC")),
            "b": [None if i == 7 else i % 3 == 0 for i in range(n)],
            "st": [{"a": i, 'q"x': f"v{i}"} for i in range(n)],
            "c": pa.array([f"k{i % 3}" for i in range(n)]).dictionary_encode(),
            "m": pa.array(range(n), pa.int64()).cast(pa.decimal128(19, 0)),
            "i8": [2**53 + i - 6 for i in range(n)],
            "odd \"name": list(range(n)),
        }
    )
    path = tmp_path_factory.mktemp("polars") / "t.arrow"
    with pa.OSFile(str(path), "wb") as f, pa.ipc.new_file(f, table.schema) as w:
        w.write_table(table)
    return pl.DataFrame(table), path


CONDITIONS = [
    C("x") > 5,
    5 >= C("x"),
    C("x") != 5,
    C("x") == 1.5,
    (C("x") > 2) & (C("s") == "a%7'") | (C("x") == 0),
    ~(C("x") > 5),
    C("x").is_between(2, 8, closed="left"),
    C("x").is_in([1, 4, 99]),
    C("x").is_null(),
    C("s").is_not_null() & (C("x") < 9),
    C("f") > 0.5,
    C("f") >= 0.5,
    C("f") < 0.5,
    C("f") != 0.5,
    ~(C("f") > 0.5),
    C("f") > NAN,
    C("f") == NAN,
    C("f").is_nan(),
    C("f").is_not_nan(),
    C("x") > 5.5,
    C("x") == 5.5,
    C("i8") > 2**53 - 1.0,
    C("i8") == float(2**53),
    C("i8") != 2.5,
    C("x").cast(pl.Int64) <= 7,
    C("x").cast(pl.Int8) <= 7,
    C("f4").cast(pl.Float64) >= 0.3,
    C("f4").cast(pl.Float64) == 0.1,
    C("x").cast(pl.String) == "7",
    C("f").is_between(0.1, 3),
    C("f4") == 0.1,
    C("f4") >= pl.lit(0.3, pl.Float32),
    C("f") > C("x"),
    C("f") == C("f"),
    C("d") >= datetime.date(2020, 1, 4),
    C("t") < datetime.datetime(2020, 1, 3, 3, 0, 0, 1),
    C("z") > datetime.datetime(2020, 1, 3, tzinfo=datetime.timezone.utc),
    *(getattr(C("t").cast(pl.Date), op)(datetime.date(2020, 1, 3)) for op in ("eq", "ne", "lt", "le", "gt", "ge")),
    C("t").dt.date() == datetime.date(2020, 1, 2),
    C("b"),
    ~C("b"),
    C("b") == True,  # noqa: E712
    C("b").is_null(),
    C("st").struct.field("a") > 6,
    C("st").struct.field('q"x') == "v3",
    C("s").str.starts_with("a%"),
    C("s").str.starts_with("b_"),
    C("s").str.ends_with("'"),
    C("s") > "a%5",
    C("c") == "k1",
    C("c").cast(pl.String) >= "k1",
    C("m") > 4,
    C('odd "name') == 4,
    C("x").map_elements(lambda v: v > 3, return_dtype=pl.Boolean),
    pl.lit(True),
    pl.lit(False),
    (C("x") + 1 > 4) & (C("x") < 7),
]


@pytest.mark.parametrize(("condition", "engine"), [(c, "in-memory" if i % 4 == 0 else "streaming") for i, c in enumerate(CONDITIONS)], ids=str)
def test_conditions_mean_the_same(both, condition, engine):
    frame, path = both
    lazy = arrowio.scan_polars(path, batch_rows=5)
    want = frame.filter(condition)
    assert lazy.filter(condition).collect(engine=engine).equals(want)
    assert lazy.filter(condition).select("s", "x").collect(engine=engine).equals(want.select("s", "x"))
    assert lazy.head(8).filter(condition).collect(engine=engine).equals(frame.head(8).filter(condition))
    assert lazy.filter(condition).head(2).collect(engine=engine).equals(want.head(2))
    assert lazy.filter(condition).select(pl.len()).collect(engine=engine).item() == want.height


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        (C("x") > 7, '("x" > 7)'),
        ((C("x") > 7) & C("s").map_elements(lambda _: True, return_dtype=pl.Boolean), '("x" > 7)'),
        (C("s").map_elements(lambda _: True, return_dtype=pl.Boolean), None),
        ((C("x") > 7) & (C("x") + 1 < 99), '("x" > 7)'),
        (C("f") > 0.5, "(\"f\" > DOUBLE '0.5') OR \"f\" IS NAN"),
        (C("st").struct.field("a") > 6, '"st"."a" > 6'),
        (C("t").cast(pl.Date) == datetime.date(2020, 1, 3), "\"t\" >= TIMESTAMP '2020-01-03 00:00:00'"),
        (C("t").dt.date() == datetime.date(2020, 1, 3), "\"t\" >= TIMESTAMP '2020-01-03 00:00:00'"),
        (C("f").is_not_nan(), '(NOT "f" IS NAN)'),
        (C("x") > 5.5, "(\"x\" > DOUBLE '5.5')"),
        (C("x").cast(pl.Int64) > 5, '("x" > 5)'),
        (C("x").cast(pl.Int8) > 5, None),
        (C("f4").cast(pl.Float64) > 0.5, "(\"f4\" > DOUBLE '0.5') OR \"f4\" IS NAN"),
        (C("s").str.starts_with("b_"), "LIKE 'b\\_%'"),
    ],
    ids=str,
)
def test_what_reaches_the_files(both, condition, said, asked):  # noqa: F811
    """Columns, conditions, and how many rows."""
    _, path = both
    lazy = arrowio.scan_polars(path)
    lazy.filter(condition).select("d").collect()
    columns, where = asked[-1]
    assert '"d"' in columns and len(columns) < 4
    assert (where is None) if said is None else said in where


def test_only_so_many_rows_are_read(long, monkeypatch):
    views = []
    original = arrowio.Dataset._new_stream

    def spy(self, polls=False):
        views.append(self._rows)
        return original(self, polls)

    monkeypatch.setattr(arrowio.Dataset, "_new_stream", spy)
    lazy = arrowio.scan_polars([long] * 100)
    assert lazy.head(3).collect()["x"].to_list() == [0, 1, 2]
    assert views[-1] == [0, 3]
    assert arrowio.scan_polars([long] * 100, rows=(10, 12)).head(5).collect()["x"].to_list() == [10, 11]
    assert lazy.head(0).collect().height == 0


def test_views(both):
    """A dataset as it is: its own columns, filter and rows."""
    frame, path = both
    ds = arrowio.open(path).select("st.a", "x", "s").filter("x > 2")
    lazy = arrowio.scan_polars(ds)
    want = frame.filter(C("x") > 2)
    assert lazy.collect_schema() == pl.Schema({"st": pl.Struct({"a": pl.Int64}), "x": pl.Int32, "s": pl.String})
    assert lazy.select("s").head(3).collect()["s"].to_list() == want["s"].to_list()[:3]
    assert lazy.filter(C("st").struct.field("a") > 8).select("x").collect()["x"].to_list() == [9, 10, 11]
    assert lazy.filter(C("x") < 0).collect().height == 0
    with pytest.raises(TypeError, match="columns"):
        arrowio.scan_polars(ds, columns=["x"])
    assert pickle.loads(pickle.dumps(ds)).to_polars().equals(lazy.collect())


def test_errors_arrive(tmp_path):
    with pytest.raises(FileNotFoundError):
        arrowio.scan_polars(tmp_path / "none.orc")


def test_metadata_that_are_not_text(tmp_path):
    """polars panics about them, so they are left out for it; pyarrow has them."""
    table = pa.table({"x": pa.array([1, 2])}).replace_schema_metadata({"raw": b"\xff\xfe", "text": "ä"})
    arrowio.write(table, tmp_path / "t.arrow")
    ds = arrowio.open(tmp_path / "t.arrow")
    assert ds.schema.metadata[b"raw"] == b"\xff\xfe"
    assert ds.to_polars()["x"].to_list() == arrowio.scan_polars(ds).collect()["x"].to_list() == [1, 2]
    assert ds.to_polars(columns=["x"]).height == 2


def test_options_belong_to_paths(small):
    with pytest.raises(TypeError, match="jobs with a path"):
        arrowio.scan_polars(arrowio.open(small), jobs=1)


@pytest.mark.parametrize("rows", [0, 2])
def test_two_columns_of_one_name(tmp_path, rows):
    """polars has no such frames, and panics about those without rows."""
    a = pa.array(range(rows), pa.int64())
    pa.orc.write_table(pa.Table.from_arrays([a, a], ["a", "a"]), tmp_path / "t.orc")
    struct = pa.StructArray.from_arrays([a, a], ["a", "a"])
    arrowio.write(pa.table({"s": [] if not rows else struct}, schema=pa.schema([("s", struct.type)])), tmp_path / "s.orc")
    for name in ("t.orc", "s.orc"):
        ds = arrowio.open(tmp_path / name)
        for read in (ds.to_polars, lambda: ds.to_polars(where="true"), lambda: arrowio.scan_polars(ds)):
            with pytest.raises(pl.exceptions.DuplicateError, match="'a'.*#1"):
                read()
    ds = arrowio.open(tmp_path / "t.orc")
    assert ds.to_polars(columns=["#2"])["a"].to_list() == arrowio.scan_polars(ds.select("#1")).collect()["a"].to_list() == list(range(rows))
    with pytest.raises(pl.exceptions.DuplicateError):
        ds.to_polars(columns=["#2", "#1"])


def test_an_older_polars(small, monkeypatch):
    import polars.io.plugins

    def before(io_source, *, schema, validate_schema=False):
        raise AssertionError("it is not called")

    monkeypatch.setattr(polars.io.plugins, "register_io_source", before)
    with pytest.raises(ImportError, match="needs polars 1.33 or later, and this is"):
        arrowio.scan_polars(small)
    assert arrowio.open(small).to_polars().height == 10
