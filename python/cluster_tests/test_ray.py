"""Ray Data with two worker processes."""

import os

os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
os.environ["RAY_worker_niceness"] = "0"  # a busy machine is not to starve them

import pyarrow as pa
import pytest
import ray
from ray.data.expressions import col

import arrowio
import arrowio.ray
from conftest import ROWS, SUM


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=200 << 20)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def test_rows_and_sums(source):
    ds = arrowio.ray.read(source, parallelism=8)
    assert ds.schema().base_schema.field("t").type == pa.timestamp("ns")
    assert ds.count() == ROWS
    got = ds.groupby("g").sum("x").take_all()
    assert sum(r["sum(x)"] for r in got) == SUM and len(got) == 5


def test_each_endpoint_once(server):
    want = server.endpoints(8)
    ds = arrowio.ray.read(server.source, parallelism=8)
    assert server.reads() == []
    assert ds.sum("x") == SUM
    assert sorted(server.reads()) == sorted(want)


def test_pushdown(server):
    """What Ray selects and filters is selected and filtered by the server."""
    ds = arrowio.ray.read(server.source, parallelism=4).filter(expr=(col("x") < 7) & (col("g") == "g1")).select_columns(["x", "f"])
    assert ds.take_all() == [{"x": 1, "f": 0.5}, {"x": 6, "f": 3.0}]
    assert sum(server.reads()) == 2
    # What cannot be said to the server Ray does itself.
    ds = arrowio.ray.read(server.source, parallelism=4).filter(expr=col("x") * 2 < 7)
    assert sorted(r["x"] for r in ds.take_all()) == [0, 1, 2, 3]
    assert sum(server.reads()) == ROWS


def test_columns_and_filters(source):
    ds = arrowio.ray.read(source, ["s", "x"], "x < 5 and s is not null", parallelism=3)
    assert sorted(r["x"] for r in ds.take_all()) == [1, 2, 3, 4] and ds.columns() == ["s", "x"]
    assert ds.count() == 4
    assert arrowio.ray.read(source, rows="10:20").sum("x") == sum(range(10, 20))
    assert arrowio.ray.read(source).limit(3).count() == 3


def test_empty(source):
    ds = arrowio.ray.read(source, where="x < 0")
    assert ds.count() == 0 and ds.take_all() == [] and ds.columns() == ["x", "g", "f", "s", "t"]


def test_worker_killed(source, kill):
    def dying(t):
        kill()
        return t

    ds = arrowio.ray.read(source, parallelism=6).map_batches(dying, batch_format="pyarrow")
    assert (ds.sum("x"), kill.killed) == (SUM, True)


def test_refused(files):
    with pytest.raises(arrowio.OptionError):
        arrowio.ray.read(files, [])
    with pytest.raises(arrowio.SchemaError):
        arrowio.ray.read(files, where="nothing = 1")


def test_page(page, capfd):
    """docs/ray.md"""
    names = page("ray.md")
    assert names["ds"].count() == 400
    assert "'user': 'u3'" in capfd.readouterr().out
