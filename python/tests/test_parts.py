"""Scans divided into parts."""

import errno
import json
import pickle
import subprocess
import sys

import pyarrow as pa
import pytest

import arrowio


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Six files in two directories, of three schemas, each of several stripes: v = 0..2999 twice."""
    root = tmp_path_factory.mktemp("tree")
    for year in (2020, 2021):
        (root / f"year={year}").mkdir()
        for k in range(3):
            v = pa.array(range(1000 * k, 1000 * k + 1000), pa.int32() if (year, k) == (2021, 1) else pa.int64())
            columns = {"v": v}
            if k == 2:
                columns["w"] = [str(i) for i in range(1000)]
            arrowio.write(pa.table(columns), root / f"year={year}" / f"{k}.orc", row_group_bytes=2000)
    return root


def read(parts):
    # What comes over is what JSON can hold.
    return [arrowio.open_part(p).to_table() for p in json.loads(json.dumps(parts))]


@pytest.mark.parametrize("parts", [None, 1, 2, 3, 5, 1000])
def test_every_row_once(tree, parts):
    whole = arrowio.open(tree).to_table()
    assert whole.num_rows == 6000 and whole.column_names == ["v", "w", "year"]
    planned = arrowio.plan(tree, parts)
    tables = read(planned)
    assert pa.concat_tables(tables).equals(whole)
    assert [p["rows"] for p in planned] == [t.num_rows for t in tables] == [arrowio.open_part(p).num_rows for p in planned]
    assert all(p["bytes"] > 0 for p in planned)
    assert 1 <= len(planned) <= (parts or 1)


@pytest.mark.parametrize(
    "where, rows",
    [
        ("v > 1500", None),
        ("year = 2021", None),
        ("year = 2021 and v = 5", None),
        ("v > 1500 and year = 2020", "500:4000"),
        (None, "10:20"),
        (None, "999:1001"),
        (None, "5990:"),
        ("w is not null", (None, 3000)),
        (None, "0:0"),
        ("v < 0", None),
        ("year = 1999", None),
    ],
)
@pytest.mark.parametrize("parts", [1, 4, 50])
def test_filters_and_rows(tree, where, rows, parts):
    want = arrowio.open(tree, where=where, rows=rows).to_table()
    got = read(arrowio.plan(tree, parts, where=where, rows=rows))
    assert sum(t.num_rows for t in got) == want.num_rows
    assert not want.num_rows or pa.concat_tables(got).equals(want)


def test_inside_a_file(tmp_path):
    path = tmp_path / "one.orc"
    n = 200_000
    arrowio.write(pa.table({"v": range(n), "s": [f"{i * 7919 % n:09d}" for i in range(n)]}), path, row_group_bytes=300_000)
    parts = arrowio.plan(path, 4)
    assert len(parts) > 1, "a file of several stripes is divided"
    assert all(p["files"][0]["input"]["path"] == str(path) for p in parts)
    assert [v for t in read(parts) for v in t["v"].to_pylist()] == list(range(n))
    # Splits that the filter cannot match are in no part.
    (part,) = arrowio.plan(path, 100, where="v = 199999")
    assert part["range"] is None and part["files"][0]["from"] > 0 and arrowio.open_part(part).to_table()["v"].to_pylist() == [199_999]


def test_columns(tree):
    for columns in (["w"], ["year", "v"], []):
        tables = read(arrowio.plan(tree, 3, columns))
        assert {tuple(t.column_names) for t in tables} == {tuple(columns)}
        assert sum(t.num_rows for t in tables) == 6000


def test_views_of_parts(tree):
    part = arrowio.plan(tree, 1, where="v >= 10")[0]
    ds = arrowio.open_part(part, jobs=1)
    assert ds.filter("v < 12").select("v").to_table()["v"].to_pylist() == [10, 11, 10, 11]
    assert ds.num_rows is None and ds.count_rows() == 5980


def test_partition_types_are_those_of_all(tmp_path):
    """A directory whose value looks like a number has the type that all of them have together."""
    for value in ("1", "two", "__HIVE_DEFAULT_PARTITION__"):
        (tmp_path / f"k={value}").mkdir()
        arrowio.write(pa.table({"v": [1]}), tmp_path / f"k={value}" / "a.parquet")
    tables = read(arrowio.plan(tmp_path, 3))
    assert len(tables) == 3 and {t.schema.field("k").type for t in tables} == {pa.string()}
    assert sorted(str(t["k"][0].as_py()) for t in tables) == ["1", "None", "two"]


def test_unknown_rows(tmp_path):
    for k in range(3):
        (tmp_path / f"{k}.csv").write_text("a,b\n" + "".join(f"{i},x\n" for i in range(k * 10, k * 10 + 10)))
    arrowio.write(pa.table({"a": list(range(30, 40)), "b": ["x"] * 10}), tmp_path / "3.parquet")
    parts = arrowio.plan(tmp_path, 100)
    assert [p["rows"] for p in parts] == [None, None, None, 10]
    assert [v for t in read(parts) for v in t["a"].to_pylist()] == list(range(40))
    (one,) = arrowio.plan(tmp_path, 1)
    assert one["rows"] is None and arrowio.open_part(one).to_table()["a"].to_pylist() == list(range(40))
    (one,) = arrowio.plan(tmp_path, 100, rows="5:35")
    assert arrowio.open_part(one).to_table()["a"].to_pylist() == list(range(5, 35))


def test_changed_files(tree, tmp_path):
    path = tmp_path / "t.orc"
    arrowio.write(pa.table({"v": [1, 2]}), path)
    (part,) = arrowio.plan(path)
    assert arrowio.open_part(part).to_table().num_rows == 2
    arrowio.write(pa.table({"v": [3, 4]}), path, force=True)
    with pytest.raises(OSError) as e:
        arrowio.open_part(part).to_table()
    assert (e.value.errno, e.value.filename) == (errno.ESTALE, str(path))
    path.unlink()
    with pytest.raises(FileNotFoundError):
        arrowio.open_part(part).to_table()


def test_added_files_change_nothing(tmp_path):
    arrowio.write(pa.table({"v": [1]}), tmp_path / "a.orc")
    parts = arrowio.plan(tmp_path)
    arrowio.write(pa.table({"v": [2.5], "more": [1]}), tmp_path / "b.orc")
    (t,) = read(parts)
    assert t.to_pydict() == {"v": [1]}


def test_another_process(tree):
    parts = arrowio.plan(tree, 3, ["v"], "v < 100")
    code = "import arrowio, json, sys; print(sum(sum(arrowio.open_part(p).to_table()['v'].to_pylist()) for p in json.load(sys.stdin)))"
    out = subprocess.run([sys.executable, "-c", code], input=json.dumps(parts), capture_output=True, text=True, timeout=120)
    assert out.stdout == f"{2 * 4950}\n", out.stderr
    assert pickle.loads(pickle.dumps(parts)) == parts


def test_refused(small):
    with pytest.raises(arrowio.OptionError):
        arrowio.plan(small, 0)
    with pytest.raises(arrowio.SchemaError):
        arrowio.plan(small, where="nothing = 1")
    (part,) = arrowio.plan(small)
    for change in (
        {"schema": "0" * 16},
        {"schemas": []},
        {"schemas": [{**part["whole"]["schemas"][0], "ipc": "AAAA"}]},
        {"types": {"k": "float"}},
    ):
        with pytest.raises(arrowio.ArrowioError):
            arrowio.open_part({**part, "whole": {**part["whole"], **change}})
    with pytest.raises(arrowio.ArrowioError):
        arrowio.open_part({**part, "files": [{**part["files"][0], "schema": 7}]})
    for change in ({"to": 1000}, {"from": -1}, {"from": 1, "to": 0}, {"start": -1}, {"start": 2, "end": 1}, {"f": -1}):
        with pytest.raises(arrowio.OptionError):
            arrowio.open_part({**part, "files": [{**part["files"][0], **change}]}).to_table()
    ipc = part["whole"]["schemas"][0]["ipc"]
    for n in range(0, len(ipc) - 16, 4):  # groups of base64; at the end it says only that there is no more
        with pytest.raises(arrowio.ArrowioError):
            broken = {**part["whole"]["schemas"][0], "ipc": ipc[:n]}
            arrowio.open_part({**part, "whole": {**part["whole"], "schemas": [broken]}})
