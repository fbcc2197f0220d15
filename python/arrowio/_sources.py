"""Where the rows come from that are written."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, Iterator, Optional

from . import _library as library
from .errors import OptionError


class Source:
    """Rows as a stream. An exception of the code of Python that makes them is kept: the stream itself tells only its text."""

    def __init__(self, rows: Any, schema: Any = None) -> None:
        self.error: Optional[BaseException] = None
        self.capsule = self._stream(rows) if schema is None else self._cast(rows, schema)

    @property
    def address(self) -> int:
        return library.pointer_in(self.capsule, b"arrow_array_stream")

    def _cast(self, rows: Any, schema: Any) -> Any:
        """Returns the stream of rows with other types, or an error where a value does not fit."""
        import pyarrow as pa

        if not isinstance(schema, pa.Schema):
            raise OptionError(f"schema cannot be {schema!r}: give a pyarrow.Schema", kind="option")
        if isinstance(rows, Iterable) and _is_nothing_else(rows):
            rows = iter(rows)
            rows = _Once(self._batches(rows, schema))
        reader = pa.RecordBatchReader.from_stream(_Once(self._stream(rows)))
        if reader.schema.names != schema.names:
            raise OptionError(f"schema has the columns {schema.names}, and the rows have {reader.schema.names}", kind="option")
        return reader.cast(schema).__arrow_c_stream__()

    def _stream(self, rows: Any) -> Any:
        """Returns the capsule of a stream."""
        from ._dataset import Dataset

        if isinstance(rows, Dataset):
            return rows._new_stream()  # which is read in another thread, where nothing needs to be polled
        if hasattr(rows, "__arrow_c_stream__"):
            return rows.__arrow_c_stream__()
        module = type(rows).__module__.split(".")[0]
        if module == "polars" and hasattr(rows, "collect_schema"):
            return self._lazy_frame(rows)
        if module == "pyarrow":
            if hasattr(rows, "scanner"):
                rows = rows.scanner()
            if hasattr(rows, "to_reader"):
                return rows.to_reader().__arrow_c_stream__()
        if hasattr(rows, "__arrow_c_array__") or module == "pandas":
            return _table(rows).__arrow_c_stream__()
        if isinstance(rows, Iterable) and _is_nothing_else(rows):
            return self._batches(iter(rows), None)
        raise OptionError(
            f"{type(rows).__name__} is nothing that rows can be read from: it has no __arrow_c_stream__, and is no list or "
            "generator of batches",
            kind="option",
        )

    def _batches(self, rows: Iterator[Any], schema: Any) -> Any:
        """Returns the stream of batches, tables and DataFrames, whose schema is that of the first one; schema is that of none."""
        import pyarrow as pa

        first = next(rows, None)
        if first is None:
            if schema is None:
                raise OptionError("there is no batch that says which columns there are: give schema", kind="option")
            return schema.empty_table().__arrow_c_stream__()
        table = _table(first)

        def batches() -> "Iterator[pa.RecordBatch]":
            try:
                for n, t in enumerate(itertools.chain([table], map(_table, rows))):
                    if not t.schema.equals(table.schema):
                        raise OptionError(f"batch {n} has the columns {t.schema}, and those before it {table.schema}", kind="option")
                    yield from t.to_batches()
            except BaseException as e:
                self.error = e
                raise

        return pa.RecordBatchReader.from_batches(table.schema, batches()).__arrow_c_stream__()

    def _lazy_frame(self, frame: Any) -> Any:
        """Returns the stream of a query of polars, as it is computed where polars can."""
        if not hasattr(frame, "collect_batches"):
            return frame.collect().__arrow_c_stream__()
        empty = type(frame.clear().collect())(schema=frame.collect_schema())
        return self._batches(itertools.chain([empty], frame.collect_batches()), None)


class _Once:
    """A capsule as an object that is read."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._capsule


def _is_nothing_else(rows: Any) -> bool:
    """Tells whether something that is iterated has batches in it: texts, bytes, dicts and open files have others."""
    return not isinstance(rows, (str, bytes, bytearray, memoryview, dict)) and not hasattr(rows, "read")


def _table(rows: Any) -> Any:
    """Returns what one element of a list is as a table of pyarrow."""
    import pyarrow as pa

    if hasattr(rows, "__arrow_c_stream__"):
        return pa.table(rows)
    if hasattr(rows, "__arrow_c_array__"):
        return pa.Table.from_batches([pa.record_batch(rows)])
    if type(rows).__module__.split(".")[0] == "pandas":
        return pa.Table.from_pandas(rows)
    raise OptionError(f"{type(rows).__name__} is no batch of rows: it has no __arrow_c_array__ or __arrow_c_stream__", kind="option")
