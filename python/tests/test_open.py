"""Opening, views, and what is known without reading."""

import datetime
import json
import os
import pathlib
import pickle

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import arrowio
from conftest import TESTDATA


def test_everything(small):
    ds = arrowio.open(small)
    assert ds.schema.names == ["x", "name"]
    assert ds.num_rows == 10
    assert ds.files == [str(small)]
    assert ds.warnings == []
    assert ds.info["format"] == "orc" and ds.info["rows"] == 10
    want = {"x": list(range(10)), "name": [f"n{i}" for i in range(10)]}
    assert ds.to_table().to_pydict() == want
    assert pa.table(ds).to_pydict() == want
    assert ds.to_reader().read_all().to_pydict() == want
    assert pa.schema(ds) == ds.schema


def test_arguments(small):
    ds = arrowio.open(small, columns=["name", "x"], where="x >= 2", rows=(1, 5), batch_rows=2, jobs=1, memory=1 << 26)
    assert ds.to_table().to_pydict() == {"name": ["n2", "n3", "n4"], "x": [2, 3, 4]}
    assert ds.num_rows is None and ds.count_rows() == 3


@pytest.mark.parametrize("rows", [(2, 5), "2:5", slice(2, 5), range(2, 5)])
def test_rows(small, rows):
    ds = arrowio.open(small, rows=rows)
    assert ds.num_rows == 3
    assert ds.to_table()["x"].to_pylist() == [2, 3, 4]


@pytest.mark.parametrize("rows, n", [("8:", 2), (":3", 3), ((None, None), 10), ("4:4", 0), ("0:0", 0), ("50:60", 0)])
def test_open_ended_rows(small, rows, n):
    ds = arrowio.open(small, rows=rows)
    assert ds.num_rows == n == ds.to_table().num_rows == ds.count_rows()


def test_views(small):
    ds = arrowio.open(small)
    view = ds.select("name").filter("x > 3").filter(pc.field("x") < 6)
    assert view.to_table().to_pydict() == {"name": ["n4", "n5"]}
    assert ds.to_table().num_columns == 2
    with pytest.raises(arrowio.SchemaError):
        ds.select("nothing")
    with pytest.raises(arrowio.SchemaError):
        ds.filter("nothing = 1")


def test_no_columns(small):
    ds = arrowio.open(small).select()
    assert ds.schema.names == []
    assert sum(b.num_rows for b in ds.to_batches()) == 10
    assert ds.filter("x < 4").count_rows() == 4
    assert ds.to_table().num_rows == 10
    reader = pa.RecordBatchReader.from_stream(ds)
    assert sum(b.num_rows for b in reader) == 10


def test_nothing_matches(small):
    ds = arrowio.open(small, where="x > 100")
    assert ds.to_table().num_rows == 0 and ds.to_table().schema == ds.schema
    assert pa.table(ds).num_rows == 0


def test_several_and_directories(small, tmp_path):
    for year in (2020, 2021):
        (tmp_path / f"year={year}").mkdir()
        arrowio.write(pa.table({"v": [year, year + 1]}), tmp_path / f"year={year}" / "part.parquet")
    ds = arrowio.dataset(tmp_path)
    assert ds.to_table().to_pydict() == {"v": [2020, 2021, 2021, 2022], "year": [2020, 2020, 2021, 2021]}
    assert ds.filter("year = 2021").to_table()["v"].to_pylist() == [2021, 2022]
    assert len(ds.info) == 2 and ds.num_rows == 4
    assert arrowio.open(tmp_path / "*" / "*.parquet", partitions="none").schema.names == ["v"]
    assert arrowio.open(tmp_path, partition_types={"year": "utf8"}).schema.field("year").type == pa.string()
    assert arrowio.open([small, small]).num_rows == 20
    assert arrowio.open(tmp_path / "**" / "*.parquet").num_rows == 4


def test_closing(small):
    with arrowio.open(small) as ds:
        view = ds.select("x")
        reader = ds.to_reader()
    for d in (ds, view):
        with pytest.raises(ValueError, match="closed"):
            d.to_table()
    assert reader.read_all().num_rows == 10  # a scan that had begun goes on
    ds.close()


def test_no_pyarrow_needed(small):
    """The package itself imports nothing but the standard library."""
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "import arrowio\n"
        f"ds = arrowio.open({str(small)!r}, where='x > 4')\n"
        "print(ds.count_rows(), type(ds.schema).__name__, ds.info['rows'])\n"
        "ds.schema.__arrow_c_schema__(); ds.__arrow_c_stream__()\n"
        f"arrowio.write(ds, {str(small) + '.csv'!r}, force=True)\n"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert out.stdout == "5 Schema 10\n", out.stderr


def test_requested_schema(small):
    ds = arrowio.open(small, columns=["x"])
    want = pa.schema([("x", pa.int32())])
    assert pa.RecordBatchReader.from_stream(ds, schema=want).read_all().schema == want
    same = pa.RecordBatchReader.from_stream(ds, schema=ds.schema).read_all()
    assert same.num_rows == 10


def test_kudu_directory():
    servers = sorted(p.parent for p in TESTDATA.glob("kudu/*/**/tablet-meta"))
    if not servers:
        return
    with pytest.raises(arrowio.ArrowioError):
        arrowio.kudu(servers[0], table="no such table")


@pytest.mark.parametrize("path", sorted(TESTDATA.glob("orc/pyarrow-*/*.orc"))[:40], ids=lambda p: p.name)
def test_as_pyarrow_reads(path):
    """Files by pyarrow read as pyarrow reads them, where it can."""
    import pyarrow.orc

    ours = arrowio.open(path).to_table()
    theirs = pyarrow.orc.read_table(path)
    assert ours.num_rows == theirs.num_rows
    assert ours.column_names == theirs.column_names
    for name in theirs.column_names:
        a, b = ours[name], theirs[name]
        if a.type == b.type:
            assert a.to_pylist() == b.to_pylist() or a.equals(b) or str(a.to_pylist()) == str(b.to_pylist())


def test_formats():
    formats = {f.name: f for f in arrowio.formats()}
    assert formats["orc"].reads and formats["orc"].writes and ".orc" in formats["orc"].extensions
    assert "orc-timezone" in [o.name for o in formats["orc"].read_options]


def test_paths(small):
    assert arrowio.open(pathlib.Path(small)).num_rows == 10
    assert arrowio.open(str(small).encode()).num_rows == 10


def test_filters_in_a_list(small):
    ds = arrowio.open(small, where=["x > 2", "x < 6 OR x = 9"])
    assert ds.to_table().column("x").to_pylist() == [3, 4, 5, 9]
    assert ds.filter(["X != 4", pc.field("name") != "n9"]).to_table().column("x").to_pylist() == [3, 5]
    assert ds.filter([]).count_rows() == 4
    with pytest.raises(arrowio.OptionError):
        arrowio.open(small, where=[["x > 2"], 5])


def test_timestamps_that_nanoseconds_cannot_hold(tmp_path):
    """INT96 of Parquet, which pyarrow writes, and nanoseconds of every format in another unit."""
    times = [datetime.datetime(2001, 1, 1), datetime.datetime(9000, 1, 1, 0, 0, 0, 1500), None]
    path = tmp_path / "far.parquet"
    pq.write_table(pa.table({"at": pa.array(times, pa.timestamp("us"))}), path, use_deprecated_int96_timestamps=True, store_schema=False)
    with pytest.raises(arrowio.ArrowioError, match='timestamp_unit="us" can hold it'):
        arrowio.open(path).to_table()
    assert arrowio.open(path, parquet_int96="us").to_table()["at"].to_pylist() == times
    whole = arrowio.open(path, timestamp_unit="ms").to_table()["at"]
    assert whole.type == pa.timestamp("ms")
    assert whole.to_pylist() == [times[0], datetime.datetime(9000, 1, 1, 0, 0, 0, 1000), None]


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.csv"])
def test_nanoseconds_into_trevni(tmp_path, name):
    path = tmp_path / name
    arrowio.write(pa.table({"at": pa.array([-1, 1999], pa.timestamp("ns"))}), path)
    arrowio.write(arrowio.open(path), tmp_path / "ns.trv")
    kept = arrowio.open(tmp_path / "ns.trv").to_table()["at"]
    assert kept.type == pa.timestamp("ns")
    assert kept.cast(pa.int64()).to_pylist() == [-1, 1999]
    arrowio.write(arrowio.open(path, timestamp_unit="us"), tmp_path / "us.trv")
    assert arrowio.open(tmp_path / "us.trv").to_table()["at"].cast(pa.int64()).to_pylist() == [-1, 1]


def test_salvage(tmp_path):
    """What is intact of a damaged file, and what is said of the rest."""
    stored = bytearray((TESTDATA / "orc" / "java-2.3.1" / "strides-none.orc").read_bytes())
    stored[29191] ^= 16  # in the second row group
    path = tmp_path / "damaged.orc"
    path.write_bytes(stored)
    with pytest.raises(arrowio.CorruptError, match='salvage="rows" reads what is intact'):
        arrowio.open(path).to_table()
    ds = arrowio.open(path, salvage="rows")
    whole = arrowio.open(TESTDATA / "orc" / "java-2.3.1" / "strides-none.orc").to_table(columns=["i__finite"])
    with pytest.warns(arrowio.ArrowioWarning, match=r"lost: rows 1000 to 2000 \(stripe 0\): left out because of column h__small__r10"):
        assert ds.to_table(columns=["i__finite"]) == pa.concat_tables([whole.slice(0, 1000), whole.slice(2000)])
    assert ds.count_rows() == 1200
    (loss,) = ds.warnings
    assert (loss.kind, loss.place, loss.rows, loss.row_range) == ("lost", "stripe 0", 1000, (1000, 2000))
    assert loss.byte_range[0] < 29191 < loss.byte_range[1]


def test_names_that_are_not_text(tmp_path):
    """Names of files are bytes: those that are no UTF-8 are as Python has them."""
    names = [b"\xfe.orc", b"\xff.orc", "ü\U0001f600".encode() + b"\xc3.orc"]
    for i, name in enumerate(names):
        path = os.fsencode(tmp_path / "new") + name
        assert os.fsencode(arrowio.write(pa.table({"x": [i]}), path).path) == path
        with pytest.raises(FileExistsError) as e:
            arrowio.write(pa.table({"x": [i]}), path)
        assert e.value.filename == os.fsdecode(path)
    assert sorted(os.listdir(os.fsencode(tmp_path))) == sorted(b"new" + n for n in names)
    for i, name in enumerate(names):
        path = os.fsencode(tmp_path / "new") + name
        for given in (path, os.fsdecode(path), tmp_path / os.fsdecode(b"new" + name)):
            ds = arrowio.open(given)
            assert ds.to_table().to_pydict() == {"x": [i]}
            assert ds.files == [os.fsdecode(path)]
        assert [arrowio.open_part(json.loads(json.dumps(p))).to_table().to_pydict() for p in arrowio.plan(path)] == [{"x": [i]}]
        assert pickle.loads(pickle.dumps(ds)).count_rows() == 1
        assert ds._repr_html_().encode()
    assert sorted(arrowio.open(tmp_path).to_table()["x"].to_pylist()) == [0, 1, 2]
    with pytest.raises(FileNotFoundError) as e:
        arrowio.open(os.fsencode(tmp_path) + b"/\xee.orc")
    assert e.value.filename == os.fsdecode(os.fsencode(tmp_path) + b"/\xee.orc")
