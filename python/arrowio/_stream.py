"""A scan that Python itself drives."""

from __future__ import annotations

import contextvars
import ctypes
import threading
from typing import Any, Iterator, Optional

from . import _library as library


class Batch:
    """A batch that can be handed over once, by `__arrow_c_array__`."""

    __slots__ = ("_array", "_schema", "address", "num_rows")

    def __init__(self, schema: Any, array: Any, address: int, num_rows: int) -> None:
        self._schema = schema
        self._array = array
        self.address = address  #: of the ArrowArray, as long as this lives
        self.num_rows = num_rows

    def __arrow_c_array__(self, requested_schema: Any = None) -> tuple[Any, Any]:
        if self._array is None:
            raise ValueError("the batch was handed over already")
        array, self._array = self._array, None
        return self._schema(), array


#: What makes a scan in this context end while it waits; None = nothing does.
stopped: "contextvars.ContextVar[Optional[threading.Event]]" = contextvars.ContextVar("stopped", default=None)


def batches(scan: Any, schema: Any) -> Iterator[Batch]:
    """Yields the batches of a new scan. scan makes its capsule, schema one of its schema.

    Signals are handled while it waits, by the interpreter itself. Where stopped is set meanwhile, it raises CancelledError.
    """
    capsule = scan()
    stream = library.pointer_in(capsule, b"arrow_array_stream")
    while True:
        array, p = library.new_capsule(b"arrow_array")
        code = library.lib.arrowio_stream_next(stream, p, library.WAIT_MILLIS)
        while code == -1:
            stop = stopped.get()
            if stop is not None and stop.is_set():
                from concurrent.futures import CancelledError

                raise CancelledError
            code = library.lib.arrowio_stream_next(stream, p, library.WAIT_MILLIS)
        if code != 0:
            library.require_parent()
            library.check(library.lib.arrowio_stream_error(stream))
            raise OSError(code, "the scan failed")
        if not ctypes.cast(p, ctypes.POINTER(library.ArrowArray)).contents.release:
            return
        yield Batch(schema, array, p, ctypes.cast(p, ctypes.POINTER(library.ArrowArray)).contents.length)


class Shared:
    """An iterator that any number of threads may ask at once, as readers of pyarrow do for theirs. A generator refuses that."""

    def __init__(self, of: "Iterator[Any]") -> None:
        self._of = of
        self._lock = threading.RLock()  # a handler of signals that asks, too, is refused and does not wait for itself

    def __iter__(self) -> "Iterator[Any]":
        return self

    def __next__(self) -> Any:
        with self._lock:
            return next(self._of)
