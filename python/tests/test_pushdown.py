"""What pyarrow has to filter or compute: only the columns for that are read, and only as many rows as are wanted."""

import datetime

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads
import pytest

import arrowio

F = pads.field
ODD = pc.bit_wise_and(F("x"), 1) == 1  # nothing that arrowio can say


@pytest.fixture(scope="module")
def damaged(tmp_path_factory):
    """A file of which only column x can be read, in several stripes."""
    path = tmp_path_factory.mktemp("damaged") / "t.orc"
    n = 50_000
    text = [f"{i * 7919 % n} {i}" for i in range(n)]
    arrowio.write(pa.table({"x": list(range(n)), "y": [float(i) for i in range(n)], "s": text}), path, compression="none")
    stored = bytearray(path.read_bytes())
    at = stored.index(b"7919 1")
    stored[at - 5 : at + 100_000] = b"\xff" * 100_005
    path.write_bytes(stored)
    ds = arrowio.open(path)
    with pytest.raises(arrowio.CorruptError):
        ds.to_table(columns=["s"])
    return ds


def test_only_the_columns_that_are_needed_are_read(damaged):
    for ds in (damaged, damaged.to_pyarrow_dataset()):
        assert ds.count_rows(filter=ODD) == 25_000
        assert ds.count_rows(filter=F("x") + F("y") < 10) == 5
        assert ds.to_table(columns={"z": F("x") * 2}).column("z")[49_999].as_py() == 99_998
        assert ds.to_table(columns={"z": F("x") * 2}, filter=F("y") + 1 < 3).to_pydict() == {"z": [0, 2]}
        assert ds.head(2, columns=["y"], filter=ODD).to_pydict() == {"y": [1.0, 3.0]}
        assert ds.to_table(columns={"one": pads.scalar(1)}, filter=F("x") < 2).to_pydict() == {"one": [1, 1]}


def test_head_reads_no_more_than_it_needs(long, monkeypatch):
    """A few batches of the first of a thousand files."""
    seen = []
    original = arrowio.Dataset._to_batches

    def spy(self, pa):
        for b in original(self, pa):
            seen.append(b.num_rows)
            yield b

    monkeypatch.setattr(arrowio.Dataset, "_to_batches", spy)
    ds = arrowio.open([long] * 1000)
    assert ds.head(3, columns=["x"], filter=ODD).to_pydict() == {"x": [1, 3, 5]}
    assert ds.head(3, columns={"y": F("x") + 1}).to_pydict() == {"y": [1, 2, 3]}
    assert len(seen) == 2
    assert ds.head(0, columns=["x"], filter=ODD).num_rows == 0


def test_paths_as_columns(tmp_path):
    """Columns of a scan may be paths, as those of open and select may."""
    table = pa.table({"st": [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}], "f": [1.5, 2.5], "st.x": ["p", "q"]})
    path = tmp_path / "t.arrow"
    with pa.OSFile(str(path), "wb") as f, pa.ipc.new_file(f, table.schema) as w:
        w.write_table(table)
    ds = arrowio.open(path)
    for x in (ds, ds.to_pyarrow_dataset()):
        assert x.to_table(columns=["st.y"]).to_pydict() == {"st": [{"y": "a"}, {"y": "b"}]}
        assert x.to_table(columns=["st.y", "f"]).column_names == ["st", "f"]
        assert x.to_table(columns=["f", "st.y"], filter=F("f") > 2).to_pydict() == {"f": [2.5], "st": [{"y": "b"}]}
        assert x.to_table(columns=["st.y"], filter=F("f") + 1 > 3).to_pydict() == {"st": [{"y": "b"}]}
        assert x.to_table(columns=["st.x"]).to_pydict() == {"st.x": ["p", "q"]}, "the name of a column comes before a path"
        with pytest.raises(arrowio.SchemaError, match='no field "z"'):
            x.to_table(columns=["st.z"])


def test_dir_shows_what_there_is(small):
    """Nothing that raises whatever it is asked."""
    ds = arrowio.open(small)
    for x in (ds, ds.to_pyarrow_dataset()):
        for name in dir(x):
            if name != "__reduce_ex__":
                getattr(x, name)
        assert {"to_table", "schema", "filter"} <= set(dir(x))
        assert not {"join", "join_asof", "sort_by", "replace_schema"} & set(dir(x))


def test_days_and_fields_are_pushed_down(tmp_path, monkeypatch):
    """What says something of a column's statistics reaches the files, although it is no plain column."""
    start = datetime.datetime(2020, 1, 1)
    table = pa.table(
        {
            "t": pa.array([None, *(start + datetime.timedelta(hours=7 * i) for i in range(-20, 20))], pa.timestamp("us")),
            "st": [{"x": i} for i in range(41)],
        }
    )
    path = tmp_path / "t.orc"
    arrowio.write(table, path)
    seen = []
    original = arrowio.Dataset._new_stream

    def spy(self, polls=False):
        seen.append(self._where)
        return original(self, polls)

    monkeypatch.setattr(arrowio.Dataset, "_new_stream", spy)
    ds = arrowio.open(path)
    for op in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
        e = getattr(F("t").cast(pa.date32()), op)(datetime.date(2020, 1, 2))
        assert ds.to_table(filter=e).equals(pads.dataset(ds.to_table()).to_table(filter=e))
        assert "TIMESTAMP '2020-01-0" in seen[-2]
    assert duckdb.sql("select count(*) from ds where st.x > 37").fetchall() == [(3,)]
    assert seen[-1] == '("st"."x" > 37)'


WIDER = [
    ("i4", pa.int64(), 37),
    ("i4", pa.int64(), -(2**40)),
    ("i4", pa.float64(), 37),
    ("i4", pa.float64(), 36.5),
    ("u1", pa.int16(), 200),
    ("u1", pa.float32(), 199.5),
    ("f4", pa.float64(), 0.1),
    ("f4", pa.float64(), 2),
]


@pytest.mark.parametrize(("column", "to", "value"), WIDER, ids=str)
def test_casts_to_wider_types_are_pushed_down(tmp_path, monkeypatch, column, to, value):
    """The condition of the column says the same, and statistics tell something about it."""
    rows = range(-20, 21)
    table = pa.table(
        {
            "i4": pa.array([None if i == 3 else i * 2 for i in rows], pa.int32()),
            "u1": pa.array([i + 200 for i in rows], pa.uint8()),
            "f4": pa.array([i / 10 for i in rows], pa.float32()),
        }
    )
    path = tmp_path / "t.arrow"
    arrowio.write(table, path)
    seen = []
    original = arrowio.Dataset._new_stream
    monkeypatch.setattr(arrowio.Dataset, "_new_stream", lambda self, polls=False: [seen.append(self._where), original(self, polls)][1])
    for op in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
        e = getattr(F(column).cast(to), op)(value)
        assert arrowio.open(path).to_table(filter=e).equals(pads.dataset(table).to_table(filter=e))
        assert f'("{column}" ' in seen[-1]


def test_casts_that_say_something_else_are_not_pushed_down(tmp_path):
    """Those that fail for a value still fail, and those that round are pyarrow's."""
    table = pa.table({"i8": pa.array([2**53 + 1, 2**53, 5]), "f8": [0.1, None, 3.0]})
    path = tmp_path / "t.arrow"
    arrowio.write(table, path)
    ds = arrowio.open(path)
    for e in (F("i8").cast(pa.int32(), safe=False) > 3, F("i8").cast(pa.float64(), safe=False) == float(2**53), F("f8").cast(pa.float32(), safe=False) == pa.scalar(0.1, pa.float32())):
        assert ds.to_table(filter=e).equals(pads.dataset(table).to_table(filter=e))
    with pytest.raises(pa.ArrowInvalid, match="out of bounds|not in range"):
        ds.to_table(filter=F("i8").cast(pa.int32()) > 3)
    with pytest.raises(pa.ArrowInvalid, match="out of bounds|not in range"):
        ds.to_table(filter=F("i8").cast(pa.float64()) > 3)


SPECIAL = [0.0, -0.0, float("inf"), float("-inf"), float("nan"), 1.5, None]


@pytest.mark.parametrize("type", [pa.float32(), pa.float64()])
@pytest.mark.parametrize("values", [[0.0, float("inf")], [0.0, float("nan")], [0.0, None], [1.5, None, float("nan"), float("-inf")], [None], [float("nan")]])
def test_lists_of_special_numbers(tmp_path, type, values):
    """-0.0 is in a list that has 0.0, whatever else it has; NaN, infinities and null are found as pyarrow finds them."""
    arrowio.write(pa.table({"f": pa.array(SPECIAL, type)}), tmp_path / "t.orc")
    ds = arrowio.open(tmp_path / "t.orc")
    expression = F("f").isin(pa.array(values, type))
    want = sum(any(v is w or v == w or v != v and w is not None and w != w for w in values if (v is None) == (w is None)) for v in SPECIAL)
    assert ds.count_rows(filter=expression) == want
    assert ds.count_rows(filter=~expression) == len(SPECIAL) - want


def test_duckdb_2_sees_a_dataset_of_pyarrow(tmp_path):
    """It asks for the modules of the bases of a class, then isinstance, and calls the class's scanner."""
    arrowio.write(pa.table({"x": [1, 2, 3]}), tmp_path / "t.orc")
    ds = arrowio.open(tmp_path / "t.orc")
    assert isinstance(ds, pads.Dataset)
    assert "pyarrow._dataset" in {c.__module__ for c in type(ds).__mro__}
    assert type(ds).scanner(ds, columns=["x"], filter=F("x") > 1).to_reader().read_all().to_pydict() == {"x": [2, 3]}


def test_one_column_by_its_name(tmp_path):
    arrowio.write(pa.table({"city": ["a"], "c": [1]}), tmp_path / "t.orc")
    ds = arrowio.open(tmp_path / "t.orc")
    assert ds.to_table(columns="city").to_pydict() == ds.to_table("city").to_pydict() == {"city": ["a"]}
