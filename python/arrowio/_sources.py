"""Where the rows come from that are written."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Iterator, Optional

from . import _library as library
from ._arrow import need_pyarrow, pyarrow_or_none
from .errors import OptionError

if TYPE_CHECKING:
    import pyarrow as pa


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
        pa = need_pyarrow("write(schema=)")

        if not isinstance(schema, pa.Schema):
            raise OptionError(f"schema cannot be {schema!r}: give a pyarrow.Schema", kind="option")
        if _has_batches(rows):
            batches = self._each(iter(rows), schema)
        else:
            batches = pa.RecordBatchReader.from_stream(_Once(self._stream(rows)))
            _check_casts("the rows have", batches.schema, schema)
        return pa.RecordBatchReader.from_batches(schema, self._cast_batches(batches, schema)).__arrow_c_stream__()

    def _each(self, rows: Iterator[Any], schema: Any) -> "Iterator[pa.RecordBatch]":
        """Yields the batches of batches, tables and DataFrames whose types may differ: each can be cast to schema."""
        try:
            for n, t in enumerate(map(_table, rows)):
                _check_casts(f"batch {n} has", t.schema, schema)
                yield from t.to_batches()
        except BaseException as e:
            self.error = e
            raise

    def _cast_batches(self, batches: Any, schema: Any) -> "Iterator[pa.RecordBatch]":
        """Yields batches with other types. A value that does not fit is an error with its column."""
        import pyarrow as pa

        rows = 0
        for b in batches:
            columns = []
            for field, column in zip(schema, b.columns):
                if column.null_count and not field.nullable:
                    self.error = OptionError(f"column {field.name!r} has nulls in rows {rows} to {rows + b.num_rows - 1}, and schema allows none", kind="option")
                    raise self.error
                try:
                    columns.append(column.cast(field.type))
                except pa.ArrowException as e:
                    self.error = OptionError(f"column {field.name!r}, rows {rows} to {rows + b.num_rows - 1}: {e}", kind="option")
                    raise self.error from e
            rows += b.num_rows
            yield pa.RecordBatch.from_arrays(columns, schema=schema)

    def _stream(self, rows: Any) -> Any:
        """Returns the capsule of a stream."""
        from ._dataset import Dataset

        if isinstance(rows, Dataset):
            return rows._new_stream()  # which is read in another thread, where nothing needs to be polled
        _refuse_objects(rows)
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
        if _has_batches(rows):
            return self._batches(iter(rows))
        if hasattr(rows, "__arrow_c_array__") or module == "pandas":
            return _table(rows).__arrow_c_stream__()
        raise OptionError(
            f"{type(rows).__name__} is nothing that rows can be read from: it has no __arrow_c_stream__, and is no list or "
            "generator of batches",
            kind="option",
        )

    def _batches(self, rows: Iterator[Any]) -> Any:
        """Returns the stream of batches, tables and DataFrames, whose schema is that of the first one."""
        pa = need_pyarrow("writing lists and generators")

        first = next(rows, None)
        if first is None:
            raise OptionError("there is no batch that says which columns there are: give schema", kind="option")
        table = _table(first)

        def batches() -> Iterator[Any]:
            try:
                for n, t in enumerate(itertools.chain([table], map(_table, rows))):
                    if not t.schema.equals(table.schema):
                        raise _other_schema(n, t.schema, table.schema)
                    yield from t.to_batches()
            except BaseException as e:
                self.error = e
                raise

        return pa.RecordBatchReader.from_batches(table.schema, batches()).__arrow_c_stream__()

    def _lazy_frame(self, frame: Any) -> Any:
        """Returns the stream of a query of polars, as it is computed where polars can."""
        if not hasattr(frame, "collect_batches") or pyarrow_or_none() is None:
            return frame.collect().__arrow_c_stream__()
        empty = type(frame.clear().collect())(schema=frame.collect_schema())
        return self._batches(itertools.chain([empty], frame.collect_batches()))


def _check_casts(whose: str, have: Any, want: Any) -> None:
    """Refuses rows that cannot become those of a schema."""
    if have.names != want.names:
        raise OptionError(f"schema has the columns {want.names}, and {whose} {have.names}", kind="option")
    for f, g in zip(have, want):
        _check_cast(f, g)


def _other_schema(n: int, have: Any, before: Any) -> OptionError:
    """Returns the error of batch n, which has other columns than those before it."""
    if have.names != before.names:
        return OptionError(f"batch {n} has the columns {have.names}, and those before it have {before.names}", kind="option")
    f, g = next((f, g) for f, g in zip(have, before) if not f.equals(g))
    what = "that has nulls" if f.type == g.type and f.nullable else "without nulls" if f.type == g.type else f"of {f.type}"
    then = "" if f.type == g.type else f" of {g.type}"
    return OptionError(f"batch {n} has a column {f.name!r} {what}, and those before it have one{then}: give schema, to which all are cast", kind="option")


def _check_cast(have: Any, want: Any) -> None:
    """Refuses a cast that pyarrow does not have, and one to a struct of other names, whose values it makes null."""
    import pyarrow as pa

    if _names(have.type) != _names(want.type):
        raise OptionError(f"column {have.name!r} is {have.type}, and schema has {want.type}: the names of fields differ", kind="option")
    try:
        pa.array([], have.type).cast(want.type)
    except pa.ArrowException as e:
        raise OptionError(f"column {have.name!r} is {have.type}, which cannot become {want.type}: {e}", kind="option") from None


def _names(t: Any) -> "list[Any]":
    """Returns the names of the fields of structs in a type, in their order."""
    import pyarrow as pa

    if pa.types.is_struct(t):
        fields = [t.field(i) for i in range(t.num_fields)]
        return [(f.name, _names(f.type)) for f in fields]
    if pa.types.is_map(t):
        return _names(t.key_type) + _names(t.item_type)
    if hasattr(t, "value_type"):
        return _names(t.value_type)
    return []


def _refuse_objects(rows: Any) -> None:
    """Refuses columns of polars with objects of Python, in whose place polars gives their addresses."""
    if type(rows).__module__.split(".")[0] != "polars" or not hasattr(rows, "collect_schema"):
        return
    for name, t in rows.collect_schema().items():
        if _has_objects(t):
            raise OptionError(f"column {name!r} has objects of Python, which cannot be written: cast it to another type, or leave it out", kind="option")


def _has_objects(t: Any) -> bool:
    fields = [f.dtype for f in getattr(t, "fields", [])]
    inner = getattr(t, "inner", None)
    return str(t) == "Object" or any(map(_has_objects, fields if inner is None else [*fields, inner]))


class _Once:
    """A capsule as an object that is read."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._capsule


def _has_batches(rows: Any) -> bool:
    """Tells whether something is iterated that may have batches in it: lists, generators, and what pandas reads in chunks, but no
    texts, bytes, dicts and open files, and nothing that is itself rows."""
    if not isinstance(rows, Iterable) or isinstance(rows, (str, bytes, bytearray, memoryview, dict)):
        return False
    if type(rows).__module__.split(".")[0] == "pandas":
        return hasattr(rows, "__next__")
    return not any(hasattr(rows, n) for n in ("read", "__arrow_c_stream__", "__arrow_c_array__", "scanner", "to_reader", "collect_schema"))


def _table(rows: Any) -> Any:
    """Returns what one element of a list is as a table of pyarrow."""
    pa = need_pyarrow("writing this")

    _refuse_objects(rows)
    if hasattr(rows, "__arrow_c_stream__"):
        return pa.table(rows)
    if hasattr(rows, "__arrow_c_array__"):
        return pa.Table.from_batches([pa.record_batch(rows)])
    if type(rows).__module__.split(".")[0] == "pandas":
        return pa.Table.from_pandas(rows)
    raise OptionError(f"{type(rows).__name__} is no batch of rows: it has no __arrow_c_array__ or __arrow_c_stream__", kind="option")
