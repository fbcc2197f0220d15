"""The source distribution: what pip builds where there is no wheel, with Go and a C compiler."""

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile

import pytest

PYTHON = pathlib.Path(__file__).resolve().parents[1]

#: Run in an environment that has nothing but the package: no numpy, no pyarrow.
CODE = """
import sys, arrowio
ds = arrowio.open(sys.argv[1], where="x >= 4")
assert (ds.count_rows(), arrowio.open(sys.argv[1]).num_rows) == (6, 10)
report = arrowio.write(ds, sys.argv[2])
assert (report.rows, arrowio.open(sys.argv[2]).num_rows) == (6, 6)
assert "pyarrow" not in sys.modules and "numpy" not in sys.modules
print(arrowio.__version__, arrowio.__file__)
"""


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """Builds it as `python -m build --sdist` does."""
    out = tmp_path_factory.mktemp("sdist")
    code = f"from setuptools import build_meta; build_meta.build_sdist({str(out)!r})"
    try:
        subprocess.run([sys.executable, "-c", code], cwd=PYTHON, env={**os.environ, "ARROWIO_VERSION": "0.9.0"}, check=True, capture_output=True)
    finally:
        shutil.rmtree(PYTHON / "arrowio.egg-info", ignore_errors=True)
    (made,) = out.iterdir()
    assert made.name == "arrowio-0.9.0.tar.gz"
    return made


def test_content(sdist):
    """All that is built from is in it, and nothing that is not: no tests, no data of tests, no library that was built."""
    with tarfile.open(sdist) as t:
        names = {m.name.removeprefix("arrowio-0.9.0/") for m in t.getmembers() if m.isfile()}
    assert {"pyproject.toml", "setup.py", "LICENSE", "PKG-INFO", "arrowio/__init__.py", "arrowio/py.typed"} <= names
    assert {"source/go.mod", "source/go.sum", "source/LICENSE", "source/cmd/libarrowio/exports.go", "source/cmd/libarrowio/arrowio.h"} <= names
    assert not [n for n in names if n.endswith(("_test.go", ".so", ".dll", ".dylib")) or "/testdata/" in n]
    assert sdist.stat().st_size < 8_000_000


def test_install(sdist, small, tmp_path):
    """pip builds and installs it into an environment with nothing else, away from the repository."""
    env = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "ARROWIO_VERSION")}
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    pip = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-binary", "arrowio", sdist]
    subprocess.run(pip, cwd=tmp_path, env=env, check=True, timeout=1200)
    run = subprocess.run([python, "-I", "-c", CODE, small, tmp_path / "few.orc"], cwd=tmp_path, env=env, check=True, capture_output=True, text=True)
    version, at = run.stdout.split()
    assert version == "0.9.0" and at.startswith(str(tmp_path))
