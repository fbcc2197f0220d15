"""The library, by ctypes."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import sys
import threading
from typing import Any, Callable, Optional

from .errors import OptionError, exception_of

_SUFFIX = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")


class ArrowSchema(ctypes.Structure):
    _fields_ = [
        ("format", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("metadata", ctypes.c_void_p),
        ("flags", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


class ArrowArray(ctypes.Structure):
    _fields_ = [
        ("length", ctypes.c_int64),
        ("null_count", ctypes.c_int64),
        ("offset", ctypes.c_int64),
        ("n_buffers", ctypes.c_int64),
        ("n_children", ctypes.c_int64),
        ("buffers", ctypes.c_void_p),
        ("children", ctypes.c_void_p),
        ("dictionary", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


class ArrowArrayStream(ctypes.Structure):
    _fields_ = [
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.c_void_p),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


def _needed_addresses() -> int:
    """Returns the bytes of addresses that Go reserves when it starts, most of which are never used, with those of a small scan and of the
    stacks of threads. Where Go has less, it does not always notice, and may write elsewhere in the process."""
    return (1500 + 8 * ((os.cpu_count() or 1) + 8)) << 20


#: mallopt of glibc: how many arenas its malloc may have.
_M_ARENA_MAX = -8


def _require_addresses() -> None:
    """Raises MemoryError where `ulimit -v` leaves too little: Go itself would end the process."""
    needed = _needed_addresses()
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return
        with open("/proc/self/statm") as f:
            left = limit - int(f.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, AttributeError):  # there are no such limits, or nothing tells
        return
    if left < needed:
        raise MemoryError(f"arrowio needs {needed >> 20} MiB of addresses, and the limit of the process (ulimit -v) leaves {max(0, left) >> 20} MiB")
    try:
        # Else glibc reserves 64 MiB of the addresses for each thread that Go starts, as long as there are any.
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)
    except AttributeError:  # it is another C library
        pass


def _load() -> ctypes.CDLL:
    _require_addresses()
    path = pathlib.Path(__file__).resolve().parent / f"libarrowio.{_SUFFIX}"
    lib = ctypes.CDLL(str(path))
    u64, i64, text, pointer = ctypes.c_uint64, ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p
    for name, result, arguments in (
        ("arrowio_start", u64, [text, pointer]),
        ("arrowio_wait", ctypes.c_int, [u64, i64, ctypes.POINTER(pointer)]),
        ("arrowio_cancel", None, [u64]),
        ("arrowio_schema", pointer, [u64, text, pointer]),
        ("arrowio_scan", pointer, [u64, text, pointer]),
        ("arrowio_stream_next", ctypes.c_int, [pointer, pointer, i64]),
        ("arrowio_stream_error", pointer, [pointer]),
        ("arrowio_close", None, [u64]),
        ("arrowio_place", u64, []),
        ("arrowio_place_close", None, [u64]),
        ("arrowio_place_next", ctypes.c_int, [u64, i64, ctypes.POINTER(u64), ctypes.POINTER(pointer)]),
        ("arrowio_place_answer", None, [u64, u64, text, text, i64]),
        ("arrowio_allocated", i64, []),
        ("arrowio_trim", None, []),
        ("arrowio_free", None, [pointer]),
        ("arrowio_forked", ctypes.c_int, []),
        ("arrowio_python", None, [u64] + [pointer] * 10),
        ("arrowio_zeros", pointer, [ctypes.c_size_t]),
        ("arrowio_stream_capsule", None, [pointer]),
        ("arrowio_schema_capsule", None, [pointer]),
        ("arrowio_array_capsule", None, [pointer]),
        ("arrowio_handle_capsule", None, [pointer]),
    ):
        f = getattr(lib, name)
        f.restype, f.argtypes = result, arguments
    return lib


lib = _load()

_py = ctypes.pythonapi
_capsule_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", _py))
_capsule_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", _py))


def _address(f: Any) -> int:
    return ctypes.cast(f, ctypes.c_void_p).value or 0


def _in_main_interpreter() -> bool:
    get = ctypes.PYFUNCTYPE(ctypes.c_void_p)(("PyInterpreterState_Get", _py))
    number = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(("PyInterpreterState_GetID", _py))
    return int(number(get())) == 0


#: Whether signals arrive in this interpreter: they do only in the first one of a process.
polls = _in_main_interpreter()

if polls:
    lib.arrowio_python(
        threading.main_thread().ident or 0,
        *(
            _address(getattr(_py, name))
            for name in (
                "PyGILState_Ensure",
                "PyGILState_Release",
                "PyErr_CheckSignals",
                "PyErr_Fetch",
                "PyThreadState_SetAsyncExc",
                "PyCapsule_GetPointer",
                "PyGILState_GetThisThreadState",
                "PyThreadState_GetUnchecked" if hasattr(_py, "PyThreadState_GetUnchecked") else "_PyThreadState_UncheckedGet",
                "PyEval_SaveThread",
                "PyEval_RestoreThread",
            )
        ),
    )

_DESTRUCTORS = {
    b"arrow_array_stream": _address(lib.arrowio_stream_capsule),
    b"arrow_schema": _address(lib.arrowio_schema_capsule),
    b"arrow_array": _address(lib.arrowio_array_capsule),
}

_STRUCTURES: dict[bytes, Any] = {
    b"arrow_array_stream": ArrowArrayStream,
    b"arrow_schema": ArrowSchema,
    b"arrow_array": ArrowArray,
}

#: How long the interpreter may wait before it looks for signals.
WAIT_MILLIS = 100


def new_capsule(name: bytes) -> tuple[Any, int]:
    """Returns a capsule and the address of the structure in it, which is zero. The capsule releases and frees it."""
    p = lib.arrowio_zeros(ctypes.sizeof(_STRUCTURES[name]))
    if not p:
        raise MemoryError
    return _capsule_new(p, name, _DESTRUCTORS[name]), p


def owner_of(handle: int) -> Any:
    """Returns an object that closes a handle when it goes. No code of Python runs then, in which a pending
    KeyboardInterrupt would be raised and, as in all that runs when an object goes, be lost."""
    return _capsule_new(handle, b"arrowio_handle", _address(lib.arrowio_handle_capsule))


def pointer_in(capsule: Any, name: bytes) -> int:
    """Returns the address in somebody's capsule."""
    return int(_capsule_pointer(capsule, name))


def take_text(p: Optional[int]) -> Any:
    """Returns the JSON at p, which it frees; None where there is none."""
    if not p:
        return None
    try:
        return json.loads(ctypes.string_at(p))
    finally:
        lib.arrowio_free(p)


def check(p: Optional[int]) -> None:
    """Raises the error at p, if there is one."""
    answer = take_text(p)
    if answer is not None and "error" in answer:
        raise exception_of(answer["error"])


def to_json(request: dict[str, Any]) -> bytes:
    """Makes a request; what is None is left out."""
    return json.dumps({k: v for k, v in request.items() if v is not None}).encode()


def require_parent() -> None:
    """Raises RuntimeError in the child of a fork."""
    if lib.arrowio_forked():
        raise RuntimeError(
            "this process was forked after arrowio had been used, which the Go runtime does not survive: "
            "start it with spawn or forkserver, or use arrowio only after the fork"
        )


def call(name: str, request: dict[str, Any], stream: Optional[int] = None, progress: Optional[Callable[[Any], None]] = None) -> Any:
    """Runs a call of the library. A signal that raises cancels it."""
    require_parent()
    if name in _REACHING:
        tell_environment()
    return _run(name, request, stream, progress)


#: The calls that may open stores.
_REACHING = ("open", "open_part", "write")


def _run(name: str, request: dict[str, Any], stream: Optional[int] = None, progress: Optional[Callable[[Any], None]] = None) -> Any:
    number = lib.arrowio_start(to_json({**request, "call": name}), stream)
    answer = ctypes.c_void_p()
    try:
        while lib.arrowio_wait(number, WAIT_MILLIS, ctypes.byref(answer)):
            told = take_text(answer.value)
            if told is not None and progress is not None:
                progress(told)
    except BaseException:
        lib.arrowio_cancel(number)
        while lib.arrowio_wait(number, WAIT_MILLIS, ctypes.byref(answer)):
            take_text(answer.value)
        unused = take_text(answer.value)
        if name in ("open", "open_part") and unused and "ok" in unused:
            lib.arrowio_close(unused["ok"]["handle"])
        raise
    result = take_text(answer.value)
    if "error" in result:
        raise exception_of(result["error"])
    return result["ok"]


def option_texts(options: dict[str, Any]) -> dict[str, str]:
    """Makes options as the command line has them: orc_timezone="UTC" is orc-timezone UTC."""
    out = {}
    for name, value in options.items():
        if value is not None:
            out[name.replace("_", "-")] = _option_text(name, value)
    return out


def _option_text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    if isinstance(value, os.PathLike):
        return path_text(value)
    if isinstance(value, dict):
        return json.dumps(value)
    if isinstance(value, (list, tuple)):
        return "\n".join(_option_text(name, v) for v in value)
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    raise OptionError(f"{name} cannot be {value!r}", kind="option")


def path_text(path: Any) -> str:
    """Returns a path or URL as text."""
    text: Any = os.fspath(path)
    return os.fsdecode(text)


_STORE_TEXTS = ("s3_endpoint", "s3_region", "s3_access_key", "s3_secret_key", "s3_session_token", "s3_profile")
_STORE_FLAGS = ("s3_path_style", "s3_insecure", "s3_anonymous")
STORES = (*_STORE_TEXTS, *_STORE_FLAGS)


def take_stores(options: dict[str, Any]) -> Optional[dict[str, Any]]:
    """Takes what is about stores out of options."""
    found = {n: options.pop(n) for n in STORES if n in options}
    for name, value in found.items():
        kind = bool if name in _STORE_FLAGS else str
        if value is not None and not isinstance(value, kind):
            shown = "what it was given" if "key" in name or "token" in name else repr(value)
            raise OptionError(f"{name} cannot be {shown}: give {'True or False' if kind is bool else 'it as text'}", kind="option")
    return {k.replace("_", "-"): v for k, v in found.items() if v is not None} or None


def _environment() -> dict[str, str]:
    """Returns the variables that say how stores are reached."""
    return {
        k: v
        for k, v in os.environ.items()
        if k.startswith(("AWS_", "MINIO_", "HADOOP_", "KRB5", "SSL_CERT_")) or k == "HOME" or k.lower().endswith("_proxy")
    }


_told = _environment()
_telling = threading.Lock()


def tell_environment() -> None:
    """Gives the library what has changed in os.environ since it was last told. It reads the environment only when it is loaded."""
    global _told
    with _telling:
        now = _environment()
        changed = {k: now.get(k) for k in _told.keys() | now.keys() if now.get(k) != _told.get(k)}
        if changed:
            _run("environment", {"variables": changed})
            _told = now


def allocated() -> int:
    """Returns how many bytes of batches nobody has released yet.

    >>> import arrowio
    >>> arrowio.allocated()
    0
    """
    return int(lib.arrowio_allocated())


def trim() -> None:
    """Gives the memory that is kept for the next batches back to the system: 64 MiB and an eighth of what is held at most,
    1 GiB more for some seconds."""
    lib.arrowio_trim()
