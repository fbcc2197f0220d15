"""Who owns the memory, and that all of it comes back."""

import gc
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import arrowio


def rss():
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS")) << 10


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    path = tmp_path_factory.mktemp("wide") / "wide.orc"
    n = 300_000
    arrowio.write(pa.table({"i": np.arange(n), "f": np.arange(n) / 3, "s": [f"value {i}" for i in range(n)]}), path)
    return path


def test_a_hundred_scans(wide):
    ds = arrowio.open(wide)
    for _ in range(10):
        pa.table(ds)
    gc.collect()
    before = rss()
    for i in range(100):
        t = pa.table(ds) if i % 2 else ds.to_table()
        assert t.num_rows == 300_000
        assert arrowio.allocated() > 0
        del t
    gc.collect()
    assert arrowio.allocated() == 0
    assert rss() - before < 32 << 20
    arrowio.trim()


def test_released_early(wide):
    ds = arrowio.open(wide, batch_rows=1000)
    reader = ds.to_reader()
    reader.read_next_batch()
    del reader
    batches = ds.to_batches()
    next(batches)
    del batches
    reader = ds.to_reader()
    reader.close()
    gc.collect()
    assert arrowio.allocated() == 0


def test_never_read(wide):
    ds = arrowio.open(wide)
    capsules = [ds.__arrow_c_stream__() for _ in range(10)]
    schemas = [ds.__arrow_c_schema__() for _ in range(10)]
    del capsules, schemas, ds
    gc.collect()
    assert arrowio.allocated() == 0


def test_batches_outlive_everything(wide):
    ds = arrowio.open(wide, batch_rows=1000)
    reader = ds.to_reader()
    batch = reader.read_next_batch()
    del reader
    ds.close()
    del ds
    gc.collect()
    assert batch["i"].to_pylist() == list(range(1000))
    column = batch["s"]
    del batch
    gc.collect()
    assert column[999].as_py() == "value 999"


def test_collected_in_a_cycle(wide):
    ds = arrowio.open(wide)
    loop = [ds.to_reader(), ds]
    loop.append(loop)
    loop[0].read_next_batch()
    del loop, ds
    gc.collect()
    assert arrowio.allocated() == 0


def addresses(array):
    return [b.address for b in array.buffers() if b is not None and b.size]


class Handed:
    """One batch of a scan, of which the addresses are known, as a stream for somebody else."""

    def __init__(self, batch):
        self.batch = batch

    def __arrow_c_stream__(self, requested_schema=None):
        return pa.Table.from_batches([self.batch]).__arrow_c_stream__()


def own_address(ds):
    """The address of the first column's values, as the library hands it over."""
    import ctypes

    from arrowio import _library, _stream

    for b in _stream.batches(ds._new_stream, ds.__arrow_c_schema__):
        p = _library.pointer_in(b._array, b"arrow_array")
        root = ctypes.cast(p, ctypes.POINTER(_library.ArrowArray)).contents
        child = ctypes.cast(ctypes.c_void_p.from_address(root.children).value, ctypes.POINTER(_library.ArrowArray)).contents
        address = ctypes.c_void_p.from_address(child.buffers + 8).value
        yield address, b


def test_no_copy_pyarrow(wide):
    ds = arrowio.open(wide, columns=["i"], batch_rows=1 << 19)
    for address, b in own_address(ds):
        batch = pa.record_batch(b)
        assert addresses(batch.column(0)) == [address]
        assert pa.table(Handed(batch)).column(0).chunk(0).buffers()[1].address == address


def test_no_copy_pandas(wide):
    for address, b in own_address(arrowio.open(wide, columns=["i"], batch_rows=1 << 19)):
        frame = pa.Table.from_batches([pa.record_batch(b)]).to_pandas(types_mapper=pd.ArrowDtype)
        assert pa.chunked_array(frame["i"].array.__arrow_array__()).chunk(0).buffers()[1].address == address
        assert frame["i"].sum() == sum(range(300_000))


def test_no_copy_polars(wide):
    for address, b in own_address(arrowio.open(wide, columns=["i"], batch_rows=1 << 19)):
        frame = pl.DataFrame(Handed(pa.record_batch(b)))
        assert frame["i"].to_arrow().buffers()[1].address == address


def test_no_copy_duckdb(wide):
    """DuckDB copies values into its own vectors as it scans: what it reads is the memory of the batch, which it gives back."""
    import duckdb

    ds = arrowio.open(wide)
    assert duckdb.sql("select sum(i), max(s), count(*) from ds").fetchall() == [(sum(range(300_000)), "value 99999", 300_000)]
    gc.collect()
    assert arrowio.allocated() == 0


def test_references_of_python(wide):
    ds = arrowio.open(wide)
    before = sys.getrefcount(ds)
    for _ in range(20):
        pa.table(ds)
    assert sys.getrefcount(ds) == before
