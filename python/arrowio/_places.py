"""Places: file systems of Python that the library reads.

The library never calls Python. Threads of Python wait for its questions, answer them, and end with what was opened: with the
last scan of it, too, so that the file system lives as long as anybody reads it.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import threading
import time
import weakref
from typing import Any

from . import _library as library
from ._filesystems import Files
from .errors import keep_cause

#: How many questions are answered at once. Each may wait for a store.
_MOST = 16

#: How long a thread waits for a question before it looks whether it is needed.
_IDLE_MILLIS = 20_000

#: How long the end of Python waits for answers under way.
_LAST_SECONDS = 10.0


class Place:
    """A file system that the library can ask."""

    def __init__(self, files: Files) -> None:
        if not library.polls:
            raise RuntimeError("file systems of Python are read in the main interpreter only, not in sub-interpreters")
        library.require_parent()
        self.number = int(library.lib.arrowio_place())
        self.request = {"number": self.number, "schemes": files.schemes}
        self._files = files
        self._lock = threading.Lock()
        self._idle = 0
        self._threads: "set[threading.Thread]" = set()
        try:
            self._grow()
        except BaseException:
            self.close()
            raise
        _places.add(self)

    def close(self) -> None:
        """Ends it, whoever reads. Otherwise it ends with what was opened."""
        library.lib.arrowio_place_close(self.number)

    def join(self, seconds: float) -> None:
        """Waits for answers under way."""
        until = time.monotonic() + seconds
        with self._lock:
            threads = list(self._threads)
        for t in threads:
            t.join(max(0.0, until - time.monotonic()))

    def _grow(self) -> None:
        t = threading.Thread(target=self._serve, name=f"arrowio-place-{self.number}", daemon=True)
        with self._lock:
            self._threads.add(t)
            self._idle += 1
        try:
            t.start()
        except RuntimeError:  # Python ends, or the system gives no more threads: those that are there go on
            with self._lock:
                self._threads.discard(t)
                self._idle -= 1
                if not self._threads:
                    raise

    def _serve(self) -> None:
        number, text = ctypes.c_uint64(), ctypes.c_void_p()
        try:
            while True:
                come = library.lib.arrowio_place_next(self.number, _IDLE_MILLIS, ctypes.byref(number), ctypes.byref(text))
                with self._lock:
                    if come == 2 and self._idle == 1:
                        continue  # somebody must wait
                    self._idle -= 1
                    more = come == 1 and self._idle == 0 and len(self._threads) < _MOST
                if come != 1:
                    return
                if more:
                    self._grow()
                self._answer(number.value, library.take_text(text.value))
                with self._lock:
                    self._idle += 1
        finally:
            with self._lock:
                self._threads.discard(threading.current_thread())

    def _answer(self, number: int, question: "dict[str, Any]") -> None:
        data = b""
        try:
            answer, data = self._ask(question)
        except BaseException as e:  # also what ends a thread: somebody waits for the answer
            keep_cause(number, e)
            answer = {"error": _failure(e)}
        library.lib.arrowio_place_answer(self.number, number, json.dumps(answer).encode(), data, len(data))

    def _ask(self, q: "dict[str, Any]") -> "tuple[dict[str, Any], bytes]":
        if q["ask"] == "read":
            return {}, self._files.read(q["url"], q.get("version", ""), q["offset"], q["length"])
        if q["ask"] == "list":
            return {"entries": [e._asdict() for e in self._files.list(q["url"])]}, b""
        return {"entry": self._files.stat(q["url"])._asdict()}, b""


_places: "weakref.WeakSet[Place]" = weakref.WeakSet()


@atexit.register
def _end() -> None:
    """Ends all places while threads can still run."""
    until = time.monotonic() + _LAST_SECONDS
    all_places = list(_places)
    for p in all_places:
        p.close()
    for p in all_places:
        p.join(until - time.monotonic())


def _failure(e: BaseException) -> "dict[str, Any]":
    """Returns what the library is told of an exception."""
    kind = ""
    if isinstance(e, (FileNotFoundError, NotADirectoryError)):
        kind = "missing"
    elif isinstance(e, PermissionError):
        kind = "denied"
    elif isinstance(e, MemoryError):
        kind = "memory"
    errno = e.errno if isinstance(e, OSError) and isinstance(e.errno, int) else 0
    text = str(e.strerror or e) if isinstance(e, OSError) and type(e).__module__ == "builtins" else f"{type(e).__name__}: {e}"
    return {"kind": kind, "errno": errno, "message": text}
