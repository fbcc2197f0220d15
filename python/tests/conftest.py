"""Fixtures: files that this package writes itself, and those of the repository by other writers."""

import gc
import pathlib

import pyarrow as pa
import pytest

import arrowio

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTDATA = ROOT / "testdata"


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """A file of ten rows: x = 0..9, name = n0..n9."""
    path = tmp_path_factory.mktemp("small") / "small.orc"
    arrowio.write(pa.table({"x": list(range(10)), "name": [f"n{i}" for i in range(10)]}), path)
    return path


@pytest.fixture(scope="session")
def long(tmp_path_factory):
    """A file that takes long to read if it is listed often: text that no statistics tell anything about."""
    path = tmp_path_factory.mktemp("long") / "long.orc"
    n = 400_000
    arrowio.write(pa.table({"x": range(n), "s": [f"{i * 7919 % n:09d} some text that is in every row" for i in range(n)]}), path)
    return path


@pytest.fixture(autouse=True)
def nothing_left():
    """Every test gives back all memory of batches."""
    gc.collect()
    before = arrowio.allocated()
    yield
    gc.collect()
    assert arrowio.allocated() <= before, "bytes of batches were not given back"
