"""Files that are open in Python: the library reads files by name, so their bytes become one."""

from __future__ import annotations

import atexit
import contextlib
import os
from typing import Any

from .errors import OptionError


def is_open_file(path: Any) -> bool:
    """Tells whether something is read, and has no path of its own."""
    return hasattr(path, "read") and not hasattr(path, "__fspath__")


def name_of(file: Any) -> str:
    """Returns what an open file is called in messages."""
    name = getattr(file, "name", None)
    return name if isinstance(name, str) and name else type(file).__name__


def _place(file: Any) -> int:
    """Returns how far a file is read; 0 = it does not tell."""
    try:
        return int(file.tell())
    except (AttributeError, OSError, TypeError, ValueError):
        return 0


#: Files that could not be removed yet: on Windows a stream that reads one keeps it.
_kept: list[str] = []


def remove(path: str) -> None:
    """Removes a temporary file: now, or where that cannot be, before the next one is made or at the end."""
    _kept.append(path)
    _remove_kept()


@atexit.register
def _remove_kept() -> None:
    for path in list(_kept):
        try:
            os.unlink(path)
        except PermissionError:
            continue
        except OSError:
            pass
        with contextlib.suppress(ValueError):  # another thread was quicker
            _kept.remove(path)


def spool(file: Any) -> str:
    """Writes what is left to read of a binary file to a temporary one, and returns its path. The caller removes it."""
    import io
    import shutil
    import tempfile

    _remove_kept()
    if isinstance(file, io.TextIOBase):
        raise TypeError(f"open() reads files in binary mode, and {name_of(file)} gives text: open it with mode 'rb'")
    name = getattr(file, "name", "")
    ending = os.path.splitext(name)[1] if isinstance(name, str) else ""
    fd, path = tempfile.mkstemp(prefix="arrowio-", suffix=ending)
    try:
        with os.fdopen(fd, "wb") as out:
            try:
                shutil.copyfileobj(file, out, 1 << 20)
            except TypeError:
                raise TypeError(f"open() reads files in binary mode, and {name_of(file)} gives text") from None
            if out.tell() == 0 and _place(file) > 0:
                raise OptionError(f"nothing is left to read of {name_of(file)}, which is at its end: seek(0) goes back to its beginning", kind="option")
    except BaseException:
        os.unlink(path)
        raise
    return path
