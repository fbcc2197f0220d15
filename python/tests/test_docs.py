"""The examples in docstrings and in docs/python.md are run."""

import doctest
import importlib
import pathlib
import pkgutil
import re
import subprocess
import sys

import pyarrow as pa
import pytest

import arrowio


@pytest.mark.parametrize("name", ["arrowio"] + [f"arrowio.{m.name}" for m in pkgutil.iter_modules(arrowio.__path__) if m.name not in ("libarrowio", "ray", "spark", "dask")])
def test_examples(name, small):
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"example": str(small), "arrowio": arrowio})
    assert result.failed == 0


PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs"


def test_page(tmp_path, monkeypatch):
    """The Python of docs/python.md runs as it stands there, on files that fit it."""
    blocks = re.findall(r"^```python\n(.*?)^```", (PAGES / "python.md").read_text(), re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    (tmp_path / "trips").mkdir()
    for part in range(2):
        rows = range(part * 500, part * 500 + 500)
        table = pa.table({"city": [f"c{i % 3}" for i in rows], "fare": [float(i * 2) for i in rows], "payload": [b"x"] * len(rows)})
        arrowio.write(table, tmp_path / "trips" / f"{part}.orc")
    monkeypatch.chdir(tmp_path)
    # A process of its own: what the page leaves open ends with it.
    last = """
assert len(few.to_table()) == 499, len(few.to_table())
assert lake.num_rows == 1000
assert cities.num_rows == 949
assert len(pa.table(arrowio.open("trips.parquet"))) == 949
"""
    subprocess.run([sys.executable, "-W", "error::arrowio.ArrowioWarning", "-c", "\n".join(blocks) + last], check=True, timeout=120)
