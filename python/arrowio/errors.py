"""The exceptions of arrowio."""

from __future__ import annotations

import collections
import os
import threading
from typing import Any, Mapping, Optional


class ArrowioError(Exception):
    """Trouble with data: what kind, and where.

    What the operating system says comes as OSError and its subclasses (FileNotFoundError, PermissionError, …) instead.

    Attributes:
        kind: "corrupt", "unsupported", "limit", "schema", "option" or "internal".
        message: what is wrong, without the file.
        file: the file or URL; None = it is about none.
        format: "orc", "trevni", …; None = of none.
        column: the dotted path of the column; None = of none.
        split: the ordinal of the stripe, row group or range of rows; None = of none.
        offset: bytes from the beginning of the file; None = unknown.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "internal",
        file: Optional[str] = None,
        format: Optional[str] = None,
        column: Optional[str] = None,
        split: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> None:
        super().__init__(f"{file}: {message}" if file else message)
        self.message = message
        self.kind = kind
        self.file = file
        self.format = format
        self.column = column
        self.split = split
        self.offset = offset

    def of_file(self, file: str) -> "ArrowioError":
        """Returns the same error of another file."""
        return _restore(type(self), {**{n: getattr(self, n) for n in _FIELDS}, "file": file})

    def __reduce__(self) -> Any:
        return (_restore, (type(self), {n: getattr(self, n) for n in _FIELDS}))


class CorruptError(ArrowioError):
    """The bytes contradict the format."""


class UnsupportedError(ArrowioError):
    """The file is legal, but this is not implemented."""


class LimitError(ArrowioError):
    """The file is legal, but larger than limits allow."""


class SchemaError(ArrowioError):
    """What was asked for, or the target, does not fit the schema."""


class OptionError(ArrowioError, ValueError):
    """An option that does not exist, or a value that it does not take."""


class InternalError(ArrowioError):
    """A bug in arrowio. The message has the stack."""


class ArrowioWarning(UserWarning):
    """What reading a file hides: rows or values that are lost, masked or doubtful, and metadata in which files differ.

    Attributes:
        kind: "masked", "lost", "history", "missing-file", "missing-column", "left-out-column", "same-name", "metadata", "extension-type" or "doubt".
        message: what it is, without the file.
        file: the file or URL.
        place: where in it, in the words of the format; None = all of it.
        columns: dotted paths of the columns concerned; None = all.
        rows: how many rows are concerned at most; None = not known.
        row_range: of a loss of salvage=, the first row of the file that is lost, and the one behind the last; None = not known.
        byte_range: of a loss of salvage=, where in the file the damaged part begins, and where it ends; None = not known.
    """

    def __init__(
        self,
        message: str,
        kind: str = "doubt",
        file: Optional[str] = None,
        place: Optional[str] = None,
        columns: Optional[list[str]] = None,
        rows: Optional[int] = None,
        row_range: Optional[tuple[int, int]] = None,
        byte_range: Optional[tuple[int, int]] = None,
    ) -> None:
        super().__init__(f"{file}: {message}" if file else message)
        self.message = message
        self.kind = kind
        self.file = file
        self.place = place
        self.columns = columns
        self.rows = rows
        self.row_range = row_range
        self.byte_range = byte_range

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "ArrowioWarning":
        """Makes a warning of what the library tells."""
        spans = [(told[key]["start"], told[key]["end"]) if key in told else None for key in ("row_range", "byte_range")]
        return cls(told["message"], told["kind"], told["file"] or None, told.get("place"), told.get("columns"), told["rows"], *spans)

    def __reduce__(self) -> Any:
        return (type(self), (self.message, self.kind, self.file, self.place, self.columns, self.rows, self.row_range, self.byte_range))


_FIELDS = ("message", "kind", "file", "format", "column", "split", "offset")

_KINDS = {
    "corrupt": CorruptError,
    "unsupported": UnsupportedError,
    "limit": LimitError,
    "schema": SchemaError,
    "option": OptionError,
    "internal": InternalError,
}


def _restore(cls: type[ArrowioError], fields: dict[str, Any]) -> ArrowioError:
    return cls(fields.pop("message"), **fields)


#: The latest exceptions of file systems of Python, by the number of the question that they are the answer to.
_causes: "collections.OrderedDict[int, BaseException]" = collections.OrderedDict()
_keeping = threading.Lock()


def keep_cause(question: int, e: BaseException) -> None:
    """Keeps an exception for the one that comes of it."""
    with _keeping:
        _causes[question] = e
        while len(_causes) > 8:
            _causes.popitem(last=False)


def exception_of(failure: Mapping[str, Any]) -> Exception:
    """Makes the exception of what the library says of a failure."""
    e = _exception_of(failure)
    question = failure.get("question")
    if question:
        with _keeping:
            e.__cause__ = _causes.pop(question, None)
    return e


def _exception_of(failure: Mapping[str, Any]) -> Exception:
    kind = failure.get("kind", "internal")
    message, file = failure.get("message", ""), failure.get("file")
    if kind == "forked":
        return RuntimeError(message)
    if kind == "memory":
        return MemoryError(f"{file}: {message}" if file else message)
    if kind == "closed":
        return ValueError("the dataset is closed")
    if kind in _KINDS:
        return _KINDS[kind](
            message,
            kind=kind,
            file=file,
            format=failure.get("format"),
            column=failure.get("column"),
            split=failure.get("split"),
            offset=failure.get("offset"),
        )
    errno = failure.get("errno")
    if errno:
        # os.strerror is what OSError says of itself; the library's text is longer where more is known.
        text = message if message and message != os.strerror(errno).lower() else os.strerror(errno)
        return OSError(errno, text, file) if file else OSError(errno, text)
    return OSError(f"{file}: {message}" if file else message)
