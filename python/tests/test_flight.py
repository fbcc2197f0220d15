"""A server of arrowio, by the command where it is there."""

import os
import re
import subprocess

import duckdb
import pytest

import arrowio


@pytest.fixture(scope="module")
def server(small):
    program = os.environ.get("ARROWIO_BIN", "arrowio")
    process = subprocess.Popen(
        [program, "serve", "--listen", "grpc://127.0.0.1:0", f"small={small}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        line = ""
        while "grpc://" not in line:
            line = process.stdout.readline()
            assert line, "the server ended"
        yield re.search(r"grpc://[0-9.]+:[0-9]+", line)[0]
    finally:
        process.terminate()
        process.wait(20)


def test_connect(server):
    with arrowio.connect(server) as c:
        assert c.list() == ["small"]
        rows = c.open("small", columns=["x"], where="x > 6")
        assert rows.to_table().to_pydict() == {"x": [7, 8, 9]}
        assert duckdb.sql("select sum(x) from rows").fetchall() == [(24,)]
    with pytest.raises(arrowio.OptionError):
        arrowio.connect("here")
