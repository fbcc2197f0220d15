"""What rows are written from, and in what order, types and directories."""

import io

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as pads
import pytest

import arrowio

TABLE = pa.table({"a": [3, 1, 2, None], "s": ["x", "y", "x", "z"]})


def written(rows, path, **options):
    arrowio.write(rows, path, **options)
    return arrowio.open(path).to_table()


SOURCES = {
    "dataset": lambda: pads.dataset(TABLE),
    "scanner": lambda: pads.dataset(TABLE).scanner(columns=["a", "s"]),
    "generator": lambda: (b for b in TABLE.to_batches(max_chunksize=2)),
    "list": lambda: TABLE.to_batches(max_chunksize=3),
    "tables": lambda: [TABLE.slice(0, 1), TABLE.slice(1)],
    "frames": lambda: iter([pl.DataFrame(TABLE).slice(0, 2), pl.DataFrame(TABLE).slice(2)]),
    "pandas": lambda: [pd.DataFrame({"a": pd.array([3, 1], "Int64"), "s": ["x", "y"]}), pd.DataFrame({"a": pd.array([2, None], "Int64"), "s": ["x", "z"]})],
    "batches of pyarrow": lambda: pads.dataset(TABLE).to_batches(),
    "batches of polars": lambda: pl.DataFrame(TABLE).lazy().collect_batches(chunk_size=2),
    "chunks of pandas": lambda: pd.read_csv(io.StringIO("a,s\n3,x\n1,y\n2,x\n,z\n"), chunksize=2, dtype={"a": "Int64"}),
    "lines of pandas": lambda: pd.read_json(io.StringIO('{"a":3,"s":"x"}\n{"a":1,"s":"y"}\n{"a":2,"s":"x"}\n{"a":null,"s":"z"}\n'), lines=True, chunksize=2, dtype={"a": "Int64"}),
    "lazy": lambda: pl.DataFrame(TABLE).lazy().filter(pl.lit(True)),
    "lazy, no rows": lambda: pl.DataFrame(TABLE).lazy().filter(pl.lit(False)),
}


@pytest.mark.parametrize("name", SOURCES)
def test_sources(name, tmp_path):
    want = TABLE.to_pydict() if name != "lazy, no rows" else {"a": [], "s": []}
    assert written(SOURCES[name](), tmp_path / "t.orc").to_pydict() == want


def test_a_generator_is_read_as_rows_are_written(tmp_path):
    """Its own exception arrives, and no file."""

    class Own(Exception):
        pass

    def batches():
        yield TABLE
        raise Own("after the first")

    with pytest.raises(Own, match="after the first"):
        arrowio.write(batches(), tmp_path / "t.orc")
    with pytest.raises(arrowio.OptionError, match="batch 1"):
        arrowio.write([TABLE, TABLE.select(["s"])], tmp_path / "t.orc")
    with pytest.raises(arrowio.OptionError, match="int is no batch"):
        arrowio.write([TABLE, 5], tmp_path / "t.orc")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("rows", [5, "text", b"bytes", {"a": [1]}, [], [5], iter(())], ids=str)
def test_what_is_no_source(rows, tmp_path):
    with pytest.raises(arrowio.OptionError):
        arrowio.write(rows, tmp_path / "t.orc")


def test_schema(tmp_path):
    """Types are cast, and values that do not fit are refused."""
    schema = pa.schema([("a", pa.int16()), ("s", pa.dictionary(pa.int32(), pa.string()))])
    path = tmp_path / "t.arrow"
    for rows in (TABLE, TABLE.to_batches(max_chunksize=2), pl.DataFrame(TABLE).lazy()):
        got = written(rows, path, schema=pa.schema([("a", pa.int16()), ("s", pa.string())]), force=True)
        assert got.schema.types == [pa.int16(), pa.string()] and got.to_pydict() == TABLE.to_pydict()
    assert written(TABLE, path, schema=schema, force=True).schema.types == schema.types
    assert written([], path, schema=schema, force=True).schema.types == schema.types
    wrong = [
        ({"s": ["x"], "a": [300]}, pa.schema([("s", pa.string()), ("a", pa.int8())]), "column 'a', rows 0 to 0: .*300"),
        ({"a": [1, None]}, pa.schema([pa.field("a", pa.int8(), nullable=False)]), "column 'a' has nulls in rows 0 to 1"),
        ({"a": [[1]]}, pa.schema([("a", pa.int8())]), r"column 'a' is list<.*>, which cannot become int8"),
        ({"a": [{"x": 1}]}, pa.schema([("a", pa.struct([("y", pa.int8())]))]), "column 'a' is struct<x: .*the names of fields differ"),  # null in pyarrow
    ]
    for rows, other, text in wrong:
        with pytest.raises(arrowio.OptionError, match=text):
            arrowio.write(pa.table(rows), path, schema=other, force=True)
    for bad in (pa.schema([("b", pa.int8())]), {"a": "int8"}):
        with pytest.raises(arrowio.OptionError, match="schema"):
            arrowio.write(TABLE, path, schema=bad, force=True)
    assert arrowio.open(path).schema.types == schema.types


def chunks():
    """Of what pandas has read in parts: types are told by the values that each has."""
    yield pd.DataFrame({"a": [1], "b": [None]})
    yield pd.DataFrame({"a": [2], "b": ["x"]})
    yield pd.DataFrame({"a": [None], "b": [None]})


def test_chunks_of_other_types(tmp_path):
    """With schema each is cast; without, the error names the column."""
    schema = pa.schema([("a", pa.int64()), ("b", pa.string())])
    want = {"a": [1, 2, None], "b": [None, "x", None]}
    for rows in (chunks(), list(chunks()), [pa.table({"a": [1]}, pa.schema([("a", pa.int8())])).append_column("b", pa.nulls(1)), *list(chunks())[1:]]):
        assert written(rows, tmp_path / "t.orc", schema=schema, force=True).to_pydict() == want
    with pytest.raises(arrowio.OptionError, match=r"^batch 1 has a column 'b' of (large_)?string, and those before it have one of null: give schema") as e:
        arrowio.write(chunks(), tmp_path / "t.orc", force=True)
    assert "pandas" not in str(e.value)
    for rows, text in (
        ([TABLE, TABLE.select(["s", "a"])], r"batch 1 has the columns \['s', 'a'\], and those before it have \['a', 's'\]"),
        ([TABLE, TABLE.cast(pa.schema([TABLE.schema.field("a"), pa.field("s", pa.string(), nullable=False)]))], "batch 1 has a column 's' without nulls"),
    ):
        with pytest.raises(arrowio.OptionError, match=text):
            arrowio.write(rows, tmp_path / "t.orc", force=True)
    with pytest.raises(arrowio.OptionError, match=r"schema has the columns \['a', 's'\], and batch 1 has \['s'\]"):
        arrowio.write([TABLE, TABLE.select(["s"])], tmp_path / "t.orc", schema=TABLE.schema, force=True)
    assert written(pl.DataFrame(TABLE), tmp_path / "t.orc", schema=TABLE.schema, force=True).equals(TABLE)
    assert written(TABLE.to_pandas(), tmp_path / "t.orc", schema=TABLE.schema, force=True).to_pydict() == TABLE.to_pydict()


@pytest.mark.parametrize(
    ("sort", "want"),
    [
        ("a", [1, 2, 3, None]),
        (["-a"], [3, 2, 1, None]),
        (["s", "a"], [2, 3, 1, None]),
        ("a nulls first", [None, 1, 2, 3]),
    ],
)
def test_sort(tmp_path, sort, want):
    assert written(TABLE, tmp_path / "t.orc", sort=sort).column("a").to_pylist() == want


def test_sort_by_key(tmp_path):
    table = TABLE.slice(0, 3)
    assert written(table, tmp_path / "t.kudu", sort=True, kudu_key="a").column("a").to_pylist() == [1, 2, 3]
    with pytest.raises(arrowio.OptionError, match="no key"):
        arrowio.write(table, tmp_path / "t.orc", sort=True)
    with pytest.raises(arrowio.SchemaError, match="nothing"):
        arrowio.write(table, tmp_path / "t.orc", sort=["nothing"])
    with pytest.raises(arrowio.OptionError, match="sort"):
        arrowio.write(table, tmp_path / "t.orc", sort=5)


def test_sort_of_more_than_memory(tmp_path):
    """What does not fit goes to scratch files, of which none is left."""
    n = 200_000
    rows = (pa.record_batch({"x": [i * 7919 % n for i in range(at, at + 10_000)]}) for at in range(0, n, 10_000))
    assert written(rows, tmp_path / "t.orc", sort="x", memory=1 << 20).column("x").to_pylist() == list(range(n))
    assert [p.name for p in tmp_path.iterdir()] == ["t.orc"]


def test_partition_by(tmp_path):
    """pyarrow reads the directories, and so does arrowio."""
    out = tmp_path / "out"
    report = arrowio.write(TABLE, out, format="parquet", partition_by=["s"])
    assert sorted(name.split("/")[0] for name, _ in report.files) == ["s=x", "s=y", "s=z"] and report.rows == 4
    theirs = pads.dataset(out, partitioning="hive").to_table().select(["a", "s"])
    assert sorted(map(str, theirs.to_pylist())) == sorted(map(str, TABLE.to_pylist()))
    assert arrowio.open(out).filter("s = 'x'").to_table().column("a").to_pylist() == [3, 2]
    with pytest.raises(FileExistsError, match="force=True"):
        arrowio.write(TABLE, out, format="parquet", partition_by="s")
    with pytest.raises(arrowio.SchemaError):
        arrowio.write(TABLE, tmp_path / "other", format="parquet", partition_by="nothing")


def test_objects_of_python(tmp_path):
    """polars gives their addresses, which mean nothing in a file."""
    frame = pl.DataFrame({"a": [1, 2], "o": [object(), "x"]})
    assert frame.schema["o"] == pl.Object
    for rows in (frame, frame.lazy(), [frame], iter([frame])):
        with pytest.raises(arrowio.OptionError, match="column 'o' has objects of Python"):
            arrowio.write(rows, tmp_path / "t.orc")
    assert list(tmp_path.iterdir()) == []
    assert written(frame.drop("o"), tmp_path / "t.orc")["a"].to_pylist() == [1, 2]
