"""Scans for asyncio: each step is done in a thread of the loop's executor."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from typing import Any, AsyncGenerator, Callable, Iterator, TypeVar

from . import _stream

T = TypeVar("T")


async def each(batches: "Iterator[T]") -> "AsyncGenerator[T, None]":
    """Yields what batches yields. When nobody wants more, by cancellation too, the scan has ended before this has."""
    stop, stepping = threading.Event(), threading.Lock()
    done: Any = object()

    def step() -> Any:
        with stepping:
            return done if stop.is_set() else next(batches, done)

    def end() -> None:
        with stepping, contextlib.suppress(RuntimeError):  # it ended with an exception
            close: Callable[[], None] = getattr(batches, "close", lambda: None)
            close()

    loop = asyncio.get_running_loop()
    try:
        while True:
            context = contextvars.copy_context()
            context.run(_stream.stopped.set, stop)
            b = await loop.run_in_executor(None, context.run, step)
            if b is done:
                return
            yield b
    finally:
        stop.set()
        await asyncio.shield(loop.run_in_executor(None, end))


async def all_of(batches: "Iterator[T]") -> "list[T]":
    """Returns all that batches yields."""
    found = each(batches)
    try:
        return [b async for b in found]
    finally:
        await found.aclose()
