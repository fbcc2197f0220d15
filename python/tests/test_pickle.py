"""Datasets go to other processes as what was asked for; there the files are opened anew."""

import concurrent.futures
import multiprocessing
import os
import pickle

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads
import pytest

import arrowio


def rows_of(ds):
    return ds.to_table().to_pydict()


def test_spawned_processes_read_datasets(small, monkeypatch):
    """Views, parts and datasets of pyarrow, of a path that is relative."""
    monkeypatch.chdir(small.parent)
    ds = arrowio.open(small.name, rows=(1, 9), batch_rows=3)
    view = ds.select("name").filter("x > 6")
    odd = ds.to_pyarrow_dataset().filter(pc.bit_wise_and(pads.field("x"), 1) == 1)
    parts = [arrowio.open_part(p) for p in arrowio.plan(small, 2, where="x = 3")]
    monkeypatch.chdir("/")
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        got = list(pool.map(rows_of, [ds, view, odd, *parts], timeout=120))
    assert got[0] == {"x": list(range(1, 9)), "name": [f"n{i}" for i in range(1, 9)]}
    assert got[1] == {"name": ["n7", "n8"]}
    assert got[2]["x"] == [1, 3, 5, 7]
    assert got[3:] == [{"x": [3], "name": ["n3"]}]


def test_a_copy_has_files_of_its_own(small):
    ds = arrowio.open(small, columns=["x"])
    kept = pickle.dumps(ds)
    ds.close()
    with pytest.raises(ValueError, match="closed"):
        pickle.dumps(ds)
    again = pickle.loads(kept)
    assert again.schema == pa.schema([("x", pa.int64())]) and repr(again) == repr(ds).replace(str(small), os.path.abspath(small))


def test_the_files_are_opened_anew(tmp_path):
    """A copy reads what is there then, or says that it is not."""
    path = tmp_path / "t.orc"
    arrowio.write(pa.table({"x": [1]}), path)
    kept = pickle.dumps(arrowio.open(path))
    arrowio.write(pa.table({"x": [1, 2]}), path, force=True)
    assert pickle.loads(kept).num_rows == 2
    path.unlink()
    with pytest.raises(FileNotFoundError):
        pickle.loads(kept)
