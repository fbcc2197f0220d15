"""The examples in docstrings are run."""

import doctest
import importlib
import pkgutil

import pytest

import arrowio


@pytest.mark.parametrize("name", ["arrowio"] + [f"arrowio.{m.name}" for m in pkgutil.iter_modules(arrowio.__path__) if m.name not in ("libarrowio", "ray", "spark", "dask")])
def test_examples(name, small):
    module = importlib.import_module(name)
    result = doctest.testmod(module, extraglobs={"example": str(small), "arrowio": arrowio})
    assert result.failed == 0
