"""Dask with two worker processes."""

import dask.distributed
import pandas as pd
import pyarrow as pa
import pytest

import arrowio
import arrowio.dask
from conftest import ROWS, SUM


@pytest.fixture(scope="module", autouse=True)
def cluster():
    with dask.distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1") as c:
        with dask.distributed.Client(c, timeout=120) as client:
            yield client


def test_rows_and_sums(source):
    df = arrowio.dask.read(source, parallelism=8)
    assert df.npartitions > 4
    assert df.dtypes.x == pd.ArrowDtype(pa.int64()) and df.dtypes.t == pd.ArrowDtype(pa.timestamp("ns"))
    n, total, missing = dask.compute(df.x.count(), df.x.sum(), df.s.isna().sum())
    assert (n, total, missing) == (ROWS, SUM, ROWS // 10)
    assert df.groupby("g").x.count().compute().to_dict() == {f"g{i}": ROWS // 5 for i in range(5)}


def test_each_endpoint_once(server):
    want = server.endpoints(8)
    df = arrowio.dask.read(server.source, parallelism=8)
    assert server.reads() == []
    assert df.x.sum().compute() == SUM
    assert sorted(server.reads()) == sorted(want)


def test_columns_and_filters(source):
    df = arrowio.dask.read(source, ["s", "x"], "x < 5 and s is not null", parallelism=3)
    assert list(df.columns) == ["s", "x"]
    assert df.compute().x.tolist() == [1, 2, 3, 4]
    assert df[["x"]].compute().columns.tolist() == ["x"]
    assert arrowio.dask.read(source, rows="10:20").x.sum().compute() == sum(range(10, 20))


def test_empty(source):
    df = arrowio.dask.read(source, where="x < 0")
    assert len(df) == 0
    assert df.compute().dtypes.x == pd.ArrowDtype(pa.int64())
    assert df.x.sum().compute() == 0


def test_worker_killed(source, kill):
    def dying(frame):
        kill()
        return frame

    df = arrowio.dask.read(source, parallelism=6).map_partitions(dying, meta=arrowio.dask.read(source)._meta)
    assert (df.x.count().compute(), kill.killed) == (ROWS, True)


def test_refused(server, files):
    with pytest.raises(arrowio.OptionError):
        arrowio.dask.read(files, [])
    with pytest.raises(arrowio.OptionError):
        arrowio.dask.read(files, token="t")
    with pytest.raises(arrowio.OptionError):
        arrowio.dask.read(server.uri)
    with pytest.raises(arrowio.SchemaError):
        arrowio.dask.read(files, ["nothing"])
    with pytest.raises(FileNotFoundError):
        arrowio.dask.read(files + "/nothing")


def test_page(page, cluster):
    """docs/dask.md"""
    names = page("dask.md", {"tcp://scheduler:8786": cluster.scheduler.address})
    assert len(names["df"]) == 400
    names["client"].close()
