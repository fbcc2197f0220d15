"""Signals, threads, forks and interpreters. What may hang runs in a process of its own, with a timeout."""

import subprocess
import sys
import textwrap
import threading

import pyarrow as pa
import pytest

import arrowio


def run(code, *arguments, timeout=60):
    """Runs code in another Python and returns what it prints."""
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)], capture_output=True, text=True, timeout=timeout
    )
    assert out.returncode == 0, out.stdout + out.stderr
    return out.stdout.split()


INTERRUPT = """
    import os, signal, sys, threading, time
    import pyarrow as pa, arrowio
    ds = arrowio.open([sys.argv[1]] * 3000, where="s like '%nowhere%'")
    def kill():
        global sent
        time.sleep(0.5)
        sent = time.monotonic()
        os.kill(os.getpid(), signal.SIGINT)
    threading.Thread(target=kill, daemon=True).start()
    try:
        try:
            {what}
            print("ended")
        except OSError as e:
            for _ in range(1000): pass # where the signal is raised, at the latest
    except KeyboardInterrupt:
        print("interrupted", time.monotonic() - sent)
    import gc; gc.collect()
    time.sleep(0.1)
    print(arrowio.allocated())
"""


@pytest.mark.parametrize(
    "what",
    ["pa.table(ds)", "ds.to_table()", "ds.count_rows()", "list(pa.RecordBatchReader.from_stream(ds))", "arrowio.write(ds, sys.argv[1] + '.csv')"],
)
def test_interrupt(long, what):
    words = run(INTERRUPT.format(what=what), long)
    assert words[0] == "interrupted" and float(words[1]) < 1, words
    assert words[2] == "0"


@pytest.mark.parametrize(
    "what",
    [
        "ds.to_table(filter=e)",
        "ds.count_rows(filter=e)",
        "ds.head(5, filter=e)",
        "list(ds.to_batches(filter=e))",
        "ds.to_table(columns={'y': pc.utf8_length(pads.field('s'))})",
        "ds.to_pyarrow_dataset().filter(e).to_table()",
    ],
)
def test_interrupt_of_what_pyarrow_filters(long, what):
    """The rows that pyarrow filters come from a scan of which no batch has a row, or of which each has many."""
    for where in (", where=\"s like '%nowhere%'\"", ""):
        code = INTERRUPT.replace(", where=\"s like '%nowhere%'\"", where).replace(
            "def kill", "import pyarrow.compute as pc, pyarrow.dataset as pads; e = pc.utf8_length(pads.field('s')) < 0\n    def kill"
        )
        words = run(code.format(what=what), long)
        assert words[0] == "interrupted" and float(words[1]) < 1, words
        assert words[2] == "0"


def test_interrupt_between_batches(long):
    """A scan that gives batches all the time hears the signal, too."""
    code = INTERRUPT.replace(", where=\"s like '%nowhere%'\"", "").format(what="[0 for b in pa.RecordBatchReader.from_stream(ds)]")
    assert run(code, long)[0] == "interrupted"


def test_interrupt_where_the_dataset_goes(long):
    """What closes a dataset that goes together with the error does not swallow the signal."""
    code = """
        import os, signal, sys, threading, time
        import pyarrow as pa, arrowio
        def opened():
            d = arrowio.open([sys.argv[1]] * 300)
            threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            return d
        pa.table(arrowio.open(sys.argv[1])) # what pyarrow imports, it has now
        try:
            try:
                pa.table(opened())
            except OSError:
                for _ in range(1000): pass # where the signal is raised, at the latest
                print("swallowed")
        except KeyboardInterrupt:
            print("interrupted")
    """
    assert run(code, long) == ["interrupted"]


def test_handlers_that_do_not_raise(long):
    """Other handlers run while a scan goes on."""
    code = """
        import os, signal, sys, threading, time
        import pyarrow as pa, arrowio
        seen = []
        signal.signal(signal.SIGUSR1, lambda *_: seen.append(time.monotonic()))
        ds = arrowio.open([sys.argv[1]] * 30, where="s like '%nowhere%'")
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGUSR1)).start()
        n = pa.table(ds).num_rows
        print(n, len(seen))
    """
    assert run(code, long) == ["0", "1"]


def test_fork(small):
    code = """
        import gc, os, signal, sys
        import pyarrow as pa, arrowio
        ds = arrowio.open(sys.argv[1])
        kept, reader = pa.table(ds), ds.to_reader()
        pid = os.fork()
        if pid == 0:
            signal.alarm(20)
            n = 0
            for f in (ds.to_table, lambda: pa.table(ds), lambda: arrowio.open(sys.argv[1]), lambda: ds.num_rows, lambda: ds.schema,
                      lambda: arrowio.write(kept, sys.argv[1] + ".x.orc"), lambda: next(ds.to_batches()), arrowio.formats):
                try:
                    f()
                except RuntimeError as e:
                    n += "forked" in str(e)
            try:
                reader.read_all()
            except OSError as e:
                n += "forked" in str(e)
            n += kept["x"].to_pylist() == list(range(10)) # memory that is there stays there
            ds.close()
            del kept, ds, reader
            gc.collect()
            arrowio.trim()
            os._exit(n)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), ds.to_table().num_rows)
    """
    assert run(code, small) == ["10", "10"]


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_new_processes(small, tmp_path, method):
    script = tmp_path / "pool.py"
    script.write_text(
        textwrap.dedent(
            f"""
            import multiprocessing, sys
            import arrowio

            def rows(path):
                return arrowio.open(path).to_table().num_rows

            if __name__ == "__main__":
                arrowio.open(sys.argv[1]).to_table()
                with multiprocessing.get_context({method!r}).Pool(2) as pool:
                    print(sum(pool.map(rows, [sys.argv[1]] * 4)))
            """
        )
    )
    out = subprocess.run([sys.executable, str(script), str(small)], capture_output=True, text=True, timeout=120)
    assert out.stdout == "40\n", out.stderr


def test_threads(long):
    """Many scans at once, of one dataset, with consumers that hold the lock of the interpreter and such that do not."""
    ds = arrowio.open(long, columns=["x"])
    want, results = ds.to_table(), []

    def work(i):
        for _ in range(3):
            t = pa.table(ds) if i % 2 else ds.to_table()
            results.append(t.equals(want))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    while any(t.is_alive() for t in threads):
        assert pa.table(ds).num_rows == 400_000  # the main thread polls meanwhile
    for t in threads:
        t.join(60)
    assert results == [True] * 24


@pytest.mark.parametrize("how", ["ds.to_reader()", "ds.scanner().to_reader()", "ds.filter('x >= 0').to_reader()", "ds.to_reader(filter=pc.field('x') + 1 > 0)"])
def test_threads_share_a_reader(small, how):
    """Each row comes to one of them, and the end to all, and to those who ask again."""
    code = """
        import sys, threading, arrowio, pyarrow.compute as pc
        ds = arrowio.open([sys.argv[1]] * 40, batch_rows=1)
        for _ in range(8):
            reader, rows = {how}, []
            def work():
                for _ in range(2):
                    try:
                        while True:
                            rows.append(reader.read_next_batch()["x"][0].as_py())
                    except StopIteration:
                        pass
            threads = [threading.Thread(target=work) for _ in range(4)]
            for t in threads: t.start()
            for t in threads: t.join()
            assert sorted(rows) == sorted([*range(10)] * 40)
        print("ended")
    """
    assert run(code.replace("{how}", how), small, timeout=120) == ["ended"]


def test_the_lock_is_not_held(long):
    """Other threads run while the main thread waits for a scan."""
    ticks, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            stop.wait(0.001)

    t = threading.Thread(target=tick)
    t.start()
    pa.table(arrowio.open([long] * 5, where="s like '%nowhere%'"))
    stop.set()
    t.join(10)
    assert ticks[0] > 5


def test_duckdb_in_threads(long):
    """DuckDB pulls in threads of its own while the main thread waits: nothing there may wait for the main thread."""
    code = """
        import sys, duckdb, arrowio
        ds = arrowio.open([sys.argv[1]] * 4)
        print(*duckdb.sql("select count(*), sum(a.x) from ds a").fetchall()[0])
    """
    assert run(code, long) == ["1600000", str(4 * sum(range(400_000)))]


def test_sub_interpreters(small):
    """Where Python has them, they read as the first one does. Signals stay with the first one."""
    code = """
        import sys
        try:
            import _xxsubinterpreters as sub
        except ImportError:
            import _interpreters as sub
        import arrowio
        n = arrowio.open(sys.argv[1]).count_rows()
        inner = "; ".join([
            "import sys",
            f"sys.path[:] = {sys.path!r}",
            "sys.modules['pyarrow'] = None",  # which does not take several interpreters
            "import arrowio",
            "from arrowio import _library",
            "assert not _library.polls",
            f"assert arrowio.open({sys.argv[1]!r}, where='x > 3').count_rows() == 6",
            f"arrowio.open({sys.argv[1]!r}).__arrow_c_stream__()",
            f"arrowio.open({sys.argv[1]!r}).__arrow_c_schema__()",
        ])
        i = sub.create() if sys.version_info < (3, 12) else sub.create("legacy")
        sub.run_string(i, inner)
        sub.destroy(i)
        print(n, arrowio.open(sys.argv[1]).count_rows())
    """
    assert run(code, small) == ["10", "10"]


def test_the_end_of_the_process(small):
    """What is still open at the end does not matter."""
    code = """
        import sys, pyarrow as pa, arrowio
        ds = arrowio.open(sys.argv[1])
        keep = [pa.table(ds), ds.to_reader(), ds.__arrow_c_stream__(), ds.to_batches()]
        next(keep[-1])
        print("end")
    """
    assert run(code, small) == ["end"]


def test_progress(long, capsys):
    arrowio.open(long, progress=True).to_table()
    assert "400k" in capsys.readouterr().err


def test_progress_of_a_write(long, tmp_path, capsys):
    arrowio.write(arrowio.open(long), tmp_path / "x.orc", progress=True)
    assert "400k" in capsys.readouterr().err
