"""Scans under asyncio."""

import asyncio
import gc
import threading
import time

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads
import pytest
from fsspec.implementations.memory import MemoryFileSystem

import arrowio

#: Nothing in long has it, and no statistics tell.
NOWHERE = "s like '%nowhere%'"


def test_batches(small):
    async def main():
        ds = arrowio.open(small, batch_rows=4)
        assert [b.num_rows async for b in ds.abatches()] == [4, 4, 2]
        assert [b.to_pydict() async for b in ds.abatches(["name"], where="x = 3")] == [{"name": ["n3"]}]
        async for b in ds.abatches():
            break
        odd = pc.bit_wise_and(pads.field("x"), 1) == 1  # which pyarrow applies
        assert (await ds.ato_table(filter=odd))["x"].to_pylist() == [1, 3, 5, 7, 9]

    asyncio.run(main())


def test_table(small):
    async def main():
        ds = arrowio.open(small)
        assert await ds.ato_table() == ds.to_table()
        assert await ds.ato_table(["x"], where="x > 7") == pa.table({"x": [8, 9]})
        assert (await ds.ato_table(where="x > 100")).schema == ds.schema
        tables = await asyncio.gather(*(ds.ato_table(where=f"x = {i}") for i in range(20)))
        assert [t["x"].to_pylist() for t in tables] == [[i] if i < 10 else [] for i in range(20)]

    asyncio.run(main())


def test_errors(small):
    async def main():
        ds = arrowio.open(small)
        with pytest.raises(arrowio.SchemaError):
            await ds.ato_table(where="nothing = 1")
        with pytest.raises(TypeError, match="did you mean where"):
            ds.abatches(wher="x = 1")
        ds.close()
        with pytest.raises(ValueError, match="closed"):
            [b async for b in ds.abatches()]

    asyncio.run(main())


def test_the_loop_runs_on(long):
    async def main():
        ticks = 0

        async def tick():
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        start = time.monotonic()
        await arrowio.open([long] * 20, where=NOWHERE).ato_table()
        took = time.monotonic() - start
        ticking.cancel()
        assert ticks > took / 0.01 / 10

    asyncio.run(main())


@pytest.mark.parametrize("read", [lambda ds: ds.ato_table(), lambda ds: first(ds.abatches())])
def test_cancelled(long, read):
    """The scan ends, and gives back what it holds, before whoever cancelled it goes on."""

    async def main():
        ds = arrowio.open([long] * 3000, where=NOWHERE)
        for _ in range(3):
            start = time.monotonic()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(read(ds), 0.2)
            assert time.monotonic() - start < 1.4
        ds.close()

    before = arrowio.allocated()
    asyncio.run(main())
    gc.collect()
    assert arrowio.allocated() <= before


async def first(batches):
    async for b in batches:
        return b


class Slow(MemoryFileSystem):
    """A file system that answers late, once it is told to."""

    cachable = False
    wait = 0.0

    def cat_file(self, path, **options):
        time.sleep(self.wait)
        return super().cat_file(path, **options)


def test_cancelled_while_a_file_system_is_asked(long):
    fs = Slow()
    fs.pipe_file("/long.orc", long.read_bytes())

    async def main():
        ds = arrowio.open("/long.orc", filesystem=fs)
        fs.wait = 1.5
        start = time.monotonic()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(ds.ato_table(), 0.2)
        assert time.monotonic() - start < 1.4
        fs.wait = 0
        assert (await ds.ato_table()).num_rows == 400_000

    try:
        asyncio.run(main())
    finally:
        fs.rm("/long.orc")
    gc.collect()
    until = time.monotonic() + 10
    while any(t.name.startswith("arrowio-place") for t in threading.enumerate()):
        assert time.monotonic() < until
        time.sleep(0.01)
