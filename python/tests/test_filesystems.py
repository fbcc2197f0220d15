"""File systems of fsspec and pyarrow as places."""

import concurrent.futures
import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import zipfile

import fsspec
import polars
import pyarrow as pa
import pytest
from fsspec.implementations.arrow import ArrowFSWrapper
from fsspec.implementations.memory import MemoryFileSystem
from pyarrow import fs as pafs

import arrowio
from arrowio import _tasks

ROWS = {"x": [8, 9], "name": ["n8", "n9"]}


@pytest.fixture
def memory(small):
    """The file system in memory, with small twice in it."""
    fs = fsspec.filesystem("memory")
    for k in (1, 2):
        fs.pipe_file(f"/lake/k={k}/small.orc", small.read_bytes())
    yield fs
    fs.rm("/lake", recursive=True)


@pytest.fixture(autouse=True)
def no_thread_left():
    """Every test ends the threads that serve its file systems."""
    yield
    gc.collect()
    until = time.monotonic() + 10
    while left := [t.name for t in threading.enumerate() if t.name.startswith("arrowio-place")]:
        assert time.monotonic() < until, left
        time.sleep(0.01)


class Odd(MemoryFileSystem):
    """A file system that notes what is read of it, and can be worse than others."""

    cachable = False
    protocol = "odd"
    slow = 0.0
    most = None  # bytes of one answer
    broken = None  # an exception

    def __init__(self):
        super().__init__()
        self.reads = []
        self.at_once = self.most_at_once = 0
        self.noting = threading.Lock()
        self.awake = threading.Event()  # ends slow reads

    def cat_file(self, path, start=None, end=None, **options):
        with self.noting:
            self.reads.append(end - start)
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            if self.broken is not None:
                raise self.broken
            self.awake.wait(self.slow)
            data = super().cat_file(path, start=start, end=end, **options)
            return data if self.most is None else data[: self.most]
        finally:
            with self.noting:
                self.at_once -= 1


@pytest.fixture
def odd(memory):
    return Odd()


@pytest.mark.parametrize("path", ["memory://lake/k=1/small.orc", "/lake/k=1/small.orc", "lake/k=1/small.orc", "lake/k=1/*.orc", "memory://lake/*/small.orc"])
@pytest.mark.parametrize("given", [True, False])
def test_paths(memory, path, given):
    """With the file system, and URLs alone."""
    if not given:
        path = "memory:///" + path.split("://")[-1].lstrip("/")
    with arrowio.open(path, columns=["x", "name"], where="x > 7 and k = 1" if "*/" in path else "x > 7", filesystem=memory if given else None) as ds:
        assert ds.to_table().to_pydict() == ROWS
        assert ds.files[0] == "memory:///lake/k=1/small.orc"
    with arrowio.dataset("memory://lake", filesystem=memory) as ds:
        assert ds.num_rows == 20 and ds.schema.names == ["x", "name", "k"]


@pytest.mark.parametrize(
    "make",
    [
        lambda at: (pafs.LocalFileSystem(), str(at)),
        lambda at: (pafs.SubTreeFileSystem(str(at), pafs.LocalFileSystem()), ""),
        lambda at: (pafs.SubTreeFileSystem(str(at.parent), pafs.LocalFileSystem()), f"{at.name}/*.orc"),
        lambda at: (pafs.SubTreeFileSystem(str(at), pafs.LocalFileSystem()), "small*.orc"),
        lambda at: (pafs.PyFileSystem(pafs.FSSpecHandler(fsspec.filesystem("dir", path=str(at), fs=fsspec.filesystem("file")))), "small.orc"),
        lambda at: (fsspec.filesystem("file"), f"file://{at}/"),
        lambda at: (fsspec.filesystem("dir", path=str(at), fs=fsspec.filesystem("file")), "*.orc"),
        lambda at: (ArrowFSWrapper(pafs.SubTreeFileSystem(str(at), pafs.LocalFileSystem())), "small.orc"),
        lambda at: (None, fsspec.open(f"file://{at}/small.orc")),
        lambda at: (None, [fsspec.open("dir://small.orc", path=str(at), target_protocol="file")]),
    ],
)
def test_kinds(small, make):
    """Each is read, by threads of DuckDB and polars too, which may hold Python's lock, and goes through pickle."""
    fs, path = make(small.parent)
    ds = arrowio.open(path, where="x > 7", filesystem=fs)
    assert polars.DataFrame(ds).to_dict(as_series=False) == ROWS
    assert pa.table(pickle.loads(pickle.dumps(ds))).to_pydict() == ROWS
    assert arrowio.scan_polars(ds).filter(polars.col("x") > 8).collect().height == 1
    view = ds.select("x")
    ds.close()
    with pytest.raises(ValueError, match="closed"):
        view.to_table()


class Web(MemoryFileSystem):
    """A file system whose paths are URLs, as those of fsspec's HTTP are."""

    cachable = False
    protocol = ("http", "https")

    @classmethod
    def _strip_protocol(cls, path):
        return path

    def info(self, path, **options):
        return {**super().info(path.replace("http://lake", "/lake"), **options), "name": path}

    def cat_file(self, path, **options):
        return super().cat_file(path.replace("http://lake", "/lake"), **options)


def test_paths_that_are_urls(memory):
    url = "http://lake/k=1/small.orc"
    with arrowio.open(url, where="x > 7", filesystem=Web()) as ds:
        assert ds.files == [url] and ds.to_table().to_pydict() == ROWS
        assert pickle.loads(pickle.dumps(ds)).to_table().to_pydict() == ROWS
    cached = fsspec.open("simplecache::memory://lake/k=1/small.orc")
    with arrowio.open(cached, where="x > 7") as ds:
        assert ds.to_table().to_pydict() == ROWS


def test_chained(memory, small, tmp_path):
    """fsspec's chains of URLs, each reached by the one before it."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as z:
        z.write(small, "in/small.orc")
    for url in ("simplecache::memory://lake/k=1/small.orc", "filecache::memory://lake/k=1/*.orc", f"zip://in/small.orc::{tmp_path}/a.zip", f"zip://in/::{tmp_path}/a.zip"):
        with arrowio.open(url, where="x > 7") as ds:
            assert ds.select("x", "name").to_table().to_pydict() == ROWS, url
    assert arrowio.open([f"simplecache::memory://lake/k={k}/small.orc" for k in (1, 2)]).num_rows == 20
    with pytest.raises(FileNotFoundError, match="nosuch.orc"):
        arrowio.open("simplecache::memory://lake/nosuch.orc")
    with pytest.raises(FileNotFoundError, match="a::b.orc"):
        arrowio.open(str(tmp_path / "a::b.orc"))  # a name like others


def test_a_scan_keeps_it(memory):
    reader = arrowio.open("memory://lake/k=1/small.orc", where="x > 7").to_reader()
    gc.collect()
    assert reader.read_all().to_pydict() == ROWS


def test_few_reads(long, odd):
    """Pieces are large, and several are read at once."""
    odd.pipe_file("/lake/long.orc", long.read_bytes())
    odd.slow = 0.02
    with arrowio.open("lake/long.orc", filesystem=odd) as ds:
        assert ds.to_table().num_rows == 400_000
        assert len(odd.reads) <= 10 and max(odd.reads) > 1 << 20, odd.reads
        before = len(odd.reads)
        assert ds.select("x").count_rows(where="x = 5") == 1
        assert sum(odd.reads[before:]) < long.stat().st_size / 4


def test_threads(long, odd):
    odd.pipe_file("/lake/long.orc", long.read_bytes())
    odd.slow = 0.005
    with arrowio.open("lake/long.orc", filesystem=odd) as ds, concurrent.futures.ThreadPoolExecutor(8) as pool:
        want = ds.select("x").to_table()
        got = list(pool.map(lambda i: (ds.select("x").to_table(), polars.DataFrame(ds.select("x")).height)[i % 2], range(16)))
        assert all(g == (want if i % 2 == 0 else 400_000) for i, g in enumerate(got))
        assert odd.most_at_once > 1
        assert sum(t.name.startswith("arrowio-place") for t in threading.enumerate()) <= 16


def test_short_reads(small, odd):
    odd.most = 100
    with arrowio.open("lake/k=1/small.orc", where="x > 7", filesystem=odd) as ds:
        assert ds.to_table().to_pydict() == ROWS
    odd.most = 0
    with pytest.raises(OSError, match="EOFError: the file system gave 0 of") as e:
        arrowio.open("lake/k=1/small.orc", filesystem=odd)
    assert isinstance(e.value.__cause__, EOFError)


def test_a_server_that_reads_no_parts(odd, monkeypatch):
    monkeypatch.setattr(Odd, "cat_file", lambda self, path, **_: self.store[path].getvalue() * 200)
    with pytest.raises(OSError, match="does not read parts of files"):
        arrowio.open("/lake/k=1/small.orc", filesystem=odd)


@pytest.mark.parametrize(
    "broken, kind, text",
    [
        (ZeroDivisionError("boom"), OSError, "ZeroDivisionError: boom"),
        (PermissionError(13, "not you"), PermissionError, "not you"),
        (OSError(5, "the disk is on fire"), OSError, "on fire"),
        (MemoryError(), MemoryError, "memory"),
        (KeyboardInterrupt(), OSError, "KeyboardInterrupt"),
    ],
)
def test_exceptions(odd, broken, kind, text):
    """They come back with their text, the file, and themselves as the cause."""
    odd.broken = broken
    with pytest.raises(kind, match=text) as e:
        arrowio.open("lake/k=1/small.orc", filesystem=odd)
    assert "odd://" in str(e.value) and e.value.__cause__ is broken
    odd.broken = None
    with arrowio.open("lake/k=1/small.orc", filesystem=odd) as ds:
        odd.broken = broken
        for read in (ds.to_table, lambda: pa.table(ds), lambda: polars.DataFrame(ds)):
            try:
                assert read()["x"].to_list() == list(range(10))  # it was read with the tail
            except Exception as e:  # noqa: PERF203
                assert text in str(e)


def test_missing(memory):
    for path in ("memory://lake/none.orc", "memory://none/*.orc"):
        with pytest.raises(FileNotFoundError, match="none"):
            arrowio.open(path)
    with pytest.raises(FileNotFoundError):
        arrowio.open("none/x.orc", filesystem=pafs.SubTreeFileSystem("/", pafs.LocalFileSystem()))


def test_refused(small, memory):
    for wrong in ("memory", 5, object()):
        with pytest.raises(arrowio.OptionError, match="filesystem cannot be"):
            arrowio.open("x.orc", filesystem=wrong)
    with pytest.raises(arrowio.OptionError, match="reads memory://"):
        arrowio.open("gs://lake/x.orc", filesystem=memory)
    with pytest.raises(arrowio.OptionError, match="reads subtree://"):
        arrowio.open("gs://lake/x.orc", filesystem=pafs.SubTreeFileSystem("/", pafs.LocalFileSystem()))
    with pytest.raises(arrowio.OptionError, match="no store nowhere://"):
        arrowio.open("nowhere://x.orc")
    with pytest.raises(arrowio.OptionError, match="memory://lake/new.orc: write.. writes files of this machine, .*nothing to memory://"):
        arrowio.write(pa.table({"x": [1]}), "memory://lake/new.orc")
    with open(small, "rb") as f, pytest.raises(TypeError, match="open file"):
        arrowio.open(f, filesystem=memory)
    with pytest.raises(arrowio.OptionError, match="compression"):
        arrowio.open(fsspec.open("memory://lake/k=1/small.orc", compression="gzip"))


def test_open_files_of_fsspec(memory):
    with memory.open("/lake/k=1/small.orc") as f:
        ds = arrowio.open(f, where="x > 7")
    assert ds.to_table().to_pydict() == ROWS
    ds.close()


def test_parts(memory):
    """Whoever opens a part gives the file system again, unless its URL says it."""
    parts = arrowio.plan("lake", 2, where="x > 7", filesystem=memory)
    for given in (memory, None):
        got = [arrowio.open_part(p, filesystem=given) for p in parts]
        assert [ds.to_table()["x"].to_pylist() for ds in got] == [[8, 9], [8, 9]]
    (task,) = _tasks.plan("lake/k=1/small.orc", filesystem=memory).tasks
    assert sum(b.num_rows for b in pickle.loads(pickle.dumps(task)).batches()) == 10
    memory.pipe_file("/lake/k=1/small.orc", memory.cat_file("/lake/k=1/small.orc"))  # another time
    with pytest.raises(OSError, match="changed since"):
        [arrowio.open_part(p).to_table() for p in parts]
    del got
    gc.collect()


def test_interrupted(long, odd):
    """Ctrl-C does not wait for the file system."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what runs in the background ignore it
    odd.pipe_file("/lake/long.orc", long.read_bytes())
    with arrowio.open("lake/long.orc", filesystem=odd) as ds:
        for read, swallows in ((ds.to_table, False), (lambda: polars.DataFrame(ds), True)):
            odd.slow = 3
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            start = time.monotonic()
            heard, error = False, None
            try:
                try:
                    read()
                except Exception as e:  # polars' own, which now and then is all that becomes of the signal
                    heard, error = swallows, e
                    for _ in range(1000):  # where the signal is raised, at the latest
                        pass
            except KeyboardInterrupt:
                heard = True
            timer.join()
            assert heard, error
            assert time.monotonic() - start < 2.5
            odd.slow = 0
            assert ds.to_table().num_rows == 400_000


@pytest.mark.parametrize("name", ["t.orc", "t.parquet", "t.trv", "t.csv", "t.arrow", "named like nothing"])
def test_interrupted_opening(odd, tmp_path, name):
    """Ctrl-C does not wait for the file system while a file is opened, or others of the dataset are looked into."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    own = tmp_path / (name if "." in name else "t.orc")
    arrowio.write(pa.table({"x": range(1000)}), own)
    for directory in ("a", "b"):
        odd.pipe_file(f"/lake/{directory}/{name}", own.read_bytes())
    both = [f"lake/{directory}/{name}" for directory in ("a", "b")]

    def interrupted(what):
        odd.slow = 60
        odd.awake.clear()
        try:
            timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            start = time.monotonic()
            with pytest.raises(KeyboardInterrupt):
                what()
                time.sleep(60)  # where it was too fast
            timer.join()
            assert time.monotonic() - start < 30
        finally:
            odd.awake.set()

    interrupted(lambda: arrowio.open(both[0], filesystem=odd))
    with arrowio.open(both, filesystem=odd) as ds:
        interrupted(ds.count_rows)
        assert ds.to_table().num_rows == 2000


def test_whoever_holds_the_lock(long):
    """A library that waits for rows, or lets go of a scan, and keeps the lock of the interpreter meanwhile."""
    code = f"""
import ctypes, time, fsspec, arrowio
from arrowio import _library as library
fs = fsspec.filesystem("memory")
fs.pipe_file("/long.orc", open({str(long)!r}, "rb").read())
read = type(fs).cat_file
def slow(self, *a, **k):
    time.sleep(0.05)
    return read(self, *a, **k)
type(fs).cat_file = slow
rows = 0
for all_of_them in (True, False):
    capsule = arrowio.open("memory:///long.orc").__arrow_c_stream__()
    at = library.pointer_in(capsule, b"arrow_array_stream")
    stream = library.ArrowArrayStream.from_address(at)
    get_next = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(stream.get_next)  # which keeps the lock
    while True:
        array, p = library.new_capsule(b"arrow_array")
        assert get_next(at, p) == 0
        n = library.ArrowArray.from_address(p).length
        rows += n
        if not n or not all_of_them:
            break
    del capsule
print(rows > 400_000)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (out.returncode, out.stdout) == (0, "True\n"), out


def test_the_end_of_python(long):
    """Scans, datasets and answers under way do not keep Python from ending, and nothing crashes."""
    code = f"""
import sys, threading, time, fsspec, arrowio
fs = fsspec.filesystem("memory")
fs.pipe_file("/long.orc", open({str(long)!r}, "rb").read())
read = type(fs).cat_file
def slow(self, *a, **k):
    time.sleep(0.2)
    return read(self, *a, **k)
type(fs).cat_file = slow
ds = arrowio.open("memory:///long.orc")
batches = ds.to_batches()
threading.Thread(target=lambda: next(batches), daemon=True).start()
time.sleep(0.1)
kept = arrowio.open("memory:///long.orc").to_reader()
print("done")
"""
    start = time.monotonic()
    out = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code], capture_output=True, text=True, timeout=60)
    assert (out.returncode, out.stdout, out.stderr) == (0, "done\n", ""), out
    assert time.monotonic() - start < 8


def test_without_fsspec(memory, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(arrowio.OptionError, match="memory:// is read by fsspec, which is not installed: pip install fsspec"):
        arrowio.open("memory://lake/k=1/small.orc")
