"""What importing the package costs and needs."""

import subprocess
import sys

import pyarrow as pa
import pytest


def run(code, *arguments):
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def test_time():
    """50 ms at most, of processor time, so that others on the machine do not count; the best of ten runs."""
    code = "import time; a = time.process_time(); import arrowio; print(time.process_time() - a)"
    assert min(float(run(code).stdout) for _ in range(10)) < 0.05


def test_nothing_else_is_imported():
    code = "import sys, arrowio; print({m.split('.')[0] for m in sys.modules} & {'pyarrow', 'numpy', 'pandas', 'polars', 'duckdb', 'fsspec', 'asyncio', 'inspect'})"
    assert run(code).stdout == "set()\n"


def test_without_numpy_and_pyarrow(small):
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('numpy', 'pyarrow', 'pandas')))\n"
        "import arrowio, polars\n"
        "ds = arrowio.open(sys.argv[1], where='x > 6')\n"
        "print(ds.count_rows(), polars.DataFrame(ds)['name'].to_list(), arrowio.scan_polars(ds).collect().height, ds.info['format'])\n"
        "print(arrowio.write(ds, sys.argv[1] + '.few.orc', force=True).rows)\n"
    )
    out = run(code, small)
    assert out.stdout == "3 ['n7', 'n8', 'n9'] 3 orc\n3\n", out.stderr


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]) << 20,) * 2)
try:
    import arrowio
    print(arrowio.open(sys.argv[1]).count_rows(where="x > 6"))
except MemoryError as e:
    print(e)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system has no such limit")
@pytest.mark.parametrize("mebibytes", [100, 600, 1000, 1300, 3000, 4000])
def test_limit_of_addresses(small, mebibytes):
    """Go reserves addresses when it starts. Where there are too few, that is a MemoryError, and not the end of the process."""
    out = run(LIMITED, small, mebibytes)
    assert out.returncode == 0, out.stderr
    assert out.stdout == "3\n" if mebibytes >= 3000 else "(ulimit -v) leaves" in out.stdout


SHORT = """
import resource, sys
import arrowio
small, large = arrowio.open(sys.argv[1]), arrowio.open(sys.argv[2])
small.to_table()
with open("/proc/self/statm") as f:
    used = int(f.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (192 << 20), resource.RLIM_INFINITY))
try:
    large.to_table()
except MemoryError as e:
    print("MemoryError", small.to_table().num_rows)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system has no such limit")
def test_memory_that_the_system_refuses(small, tmp_path):
    """A batch that is larger than what there is is a MemoryError, after which others are read. (Where the system refuses even
    the little that Go itself needs, it ends the process.)"""
    path = tmp_path / "large.arrow"
    n = 48 << 20
    with pa.OSFile(str(path), "wb") as f, pa.ipc.new_file(f, pa.schema([("x", pa.int64())])) as w:
        w.write_batch(pa.record_batch([pa.Array.from_buffers(pa.int64(), n, [None, pa.py_buffer(bytes(8 * n))])], ["x"]))
    out = run(SHORT, small, path)
    assert out.stdout == "MemoryError 10\n", out.stdout + out.stderr
