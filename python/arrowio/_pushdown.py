"""Columns and filters of engines that know datasets of pyarrow.

DuckDB, polars and others hand what they want to `scanner(columns=, filter=)` of a `pyarrow.dataset.Dataset`, the filter as
an expression of pyarrow. Here it becomes a filter of arrowio as far as that says the same; pyarrow applies what is left.
"""

from __future__ import annotations

import ctypes
import datetime
import math
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

import pyarrow as pa
import pyarrow.dataset as pads

from . import _library as library
from ._dataset import Dataset
from ._keywords import checked
from .errors import OptionError


class _Unknown(Exception):
    """The expression has something that arrowio's language does not say, or says otherwise."""


class _Node(NamedTuple):
    """A part of an expression: a field (a list of names), a literal (a scalar) or a call (its function)."""

    kind: str
    value: Any
    arguments: list[Any]
    options: Any


class _Parser:
    """Reads the form in which pyarrow keeps expressions: a walk through the tree as metadata of a batch of its literals."""

    def __init__(self, expression: Any) -> None:
        buffer = expression.__reduce__()[1][0]
        self._batch = pa.ipc.open_file(buffer).get_batch(0)
        self._entries = _entries(self._batch.schema)
        self._at = 0

    def _next(self) -> tuple[str, str]:
        if self._at == len(self._entries):
            raise _Unknown
        self._at += 1
        return self._entries[self._at - 1]

    def node(self) -> _Node:
        key, value = self._next()
        if key == "literal":
            return _Node("literal", self._batch.column(int(value))[0], [], None)
        if key == "field_ref":
            return _Node("field", [value], [], None)
        if key == "nested_field_ref":
            return _Node("field", [self.node().value[0] for _ in range(int(value))], [], None)
        if key != "call":
            raise _Unknown
        arguments: list[Any] = []
        options = None
        while True:
            key, text = self._next()
            if key == "end":
                return _Node("call", value, arguments, options)
            if key == "options":
                options = self._batch.column(int(text))[0]
                continue
            self._at -= 1
            arguments.append(self.node())


def _entries(schema: Any) -> list[tuple[str, str]]:
    """Returns the metadata of a schema, in order and with names that come several times, which a dict cannot show."""
    capsule = schema.__arrow_c_schema__()
    start = library.pointer_in(capsule, b"arrow_schema")
    at: int = ctypes.cast(start, ctypes.POINTER(library.ArrowSchema)).contents.metadata or 0

    def number() -> int:
        nonlocal at
        at += 4
        return ctypes.c_int32.from_address(at - 4).value

    def text() -> str:
        nonlocal at
        n = number()
        at += n
        return ctypes.string_at(at - n, n).decode()

    return [(text(), text()) for _ in range(number())] if at else []


_COMPARISONS = {"equal": "=", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
_PATTERNS = {"match_like": "{}", "starts_with": "{}%", "ends_with": "%{}", "match_substring": "%{}%"}
_LISTS = {"and": "AND", "and_kleene": "AND", "or": "OR", "or_kleene": "OR"}


def _text(n: _Node, schema: Any = None) -> str:
    """Returns what a tree is in arrowio's language.

    Columns of different types are compared exactly there, and by pyarrow after a cast: with a schema, that cannot be said.
    """
    if n.kind == "field":
        return _path(n.value)
    if n.kind == "literal":
        if pa.types.is_boolean(n.value.type) and n.value.is_valid:
            return _literal(n.value)
        raise _Unknown
    if n.value in _LISTS:
        return "(" + f" {_LISTS[n.value]} ".join(_text(a, schema) for a in n.arguments) + ")"
    if n.value == "invert":
        return f"(NOT {_text(n.arguments[0], schema)})"
    if n.value in _COMPARISONS:
        left, right = n.arguments
        if left.kind == right.kind == "field":
            if schema is not None and (_type(schema, left.value) != _type(schema, right.value) or pa.types.is_nested(_type(schema, left.value))):
                raise _Unknown
        elif {left.kind, right.kind} != {"field", "literal"}:
            raise _Unknown
        return f"({_operand(left)} {_COMPARISONS[n.value]} {_operand(right)})"
    if n.value in _PATTERNS:
        return _like(n)
    if n.value in ("is_null", "is_valid", "is_in", "is_nan"):
        (of,) = n.arguments
        if of.kind != "field":
            raise _Unknown
        if n.value == "is_valid":
            return f"({_path(of.value)} IS NOT NULL)"
        if n.value == "is_nan":
            if schema is not None and not pa.types.is_floating(_type(schema, of.value)):
                raise _Unknown
            return f"({_path(of.value)} IS NAN)"
        if n.value == "is_null":
            if n.options is not None and n.options.as_py().get("nan_is_null"):
                raise _Unknown
            return f"({_path(of.value)} IS NULL)"
        return _is_in(of, n.options)
    raise _Unknown


def _like(n: _Node) -> str:
    """Returns a test of text with a pattern, whose escape character is a backslash in pyarrow, too."""
    (of,) = n.arguments
    options = {} if n.options is None else n.options.as_py()
    pattern = options.get("pattern")
    if isinstance(pattern, bytes):
        pattern = pattern.decode()  # a UnicodeDecodeError is a ValueError, as ArrowInvalid is
    if of.kind != "field" or not isinstance(pattern, str) or "\x00" in pattern:
        raise _Unknown
    if n.value != "match_like":
        pattern = pattern.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    elif (len(pattern) - len(pattern.rstrip("\\"))) % 2:
        raise _Unknown
    pattern = _PATTERNS[n.value].format(pattern).replace("'", "''")
    word = "ILIKE" if options.get("ignore_case") else "LIKE"
    return f"({_path(of.value)} {word} '{pattern}' ESCAPE '\\')"


def _type(schema: Any, names: list[str]) -> Any:
    """Returns the type of a column."""
    t = None
    for name in names:
        of = schema if t is None else t
        if t is not None and not pa.types.is_struct(t) or of.get_field_index(name) < 0:
            raise _Unknown
        t = of.field(of.get_field_index(name)).type
    return t


def _is_in(of: _Node, options: Any) -> str:
    values = options["value_set"].values
    if values.null_count:
        raise _Unknown
    # pyarrow says false of null, and arrowio null: the same for a filter, but not below NOT.
    texts = ", ".join(_literal(v) for v in values)
    return f"({_path(of.value)} IS NOT NULL AND {_path(of.value)} IN ({texts}))"


def _path(names: list[str]) -> str:
    return ".".join('"' + n.replace('"', '""') + '"' for n in names)


def _operand(n: _Node) -> str:
    return _path(n.value) if n.kind == "field" else _literal(n.value)


def _literal(s: Any) -> str:
    t = s.type
    if not s.is_valid:
        raise _Unknown
    if pa.types.is_dictionary(t):
        return _literal(s.value)
    if pa.types.is_boolean(t):
        return "TRUE" if s.as_py() else "FALSE"
    if pa.types.is_integer(t):
        return str(s.as_py())
    if pa.types.is_floating(t):
        f = float(s.as_py())
        if not math.isfinite(f):
            raise _Unknown
        # pyarrow compares a double with a column of floats as doubles; a number with a point would be rounded to them.
        return f"DOUBLE '{f!r}'"
    if pa.types.is_decimal(t):
        return f"{s.as_py():f}"
    if pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t):
        v: str = s.as_py()
        if "\x00" in v:
            raise _Unknown
        return "'" + v.replace("'", "''") + "'"
    if pa.types.is_binary(t) or pa.types.is_large_binary(t) or pa.types.is_fixed_size_binary(t):
        return "X'" + str(s.as_py().hex()) + "'"
    if pa.types.is_date32(t):
        return f"DATE '{s.as_py().isoformat()}'"
    if pa.types.is_timestamp(t):
        return _timestamp(s)
    raise _Unknown


def _timestamp(s: Any) -> str:
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[s.type.unit]
    seconds, rest = divmod(s.value, per_second)
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    except OverflowError:
        raise _Unknown from None
    fraction = f".{rest * (10**9 // per_second):09d}" if rest else ""
    zone = "+00:00" if s.type.tz else ""
    return f"TIMESTAMP '{moment.isoformat(sep=' ')}{fraction}{zone}'"


def _conjuncts(n: _Node) -> list[_Node]:
    if n.kind == "call" and n.value in ("and", "and_kleene"):
        return [c for a in n.arguments for c in _conjuncts(a)]
    return [n]


def _fields(n: _Node) -> set[str]:
    """Returns the columns that a tree reads."""
    if n.kind == "field":
        return {n.value[0]}
    return {f for a in n.arguments for f in _fields(a)}


def to_where(expression: Any) -> Optional[str]:
    """Returns what an expression is in arrowio's language; None = it cannot be said."""
    try:
        return _text(_Parser(expression).node())
    except (_Unknown, StopIteration, ValueError):
        return None


class _Rows:
    """A scanner of rows that nothing is left to be done with: pyarrow's own would only add its threads to them.

    It is none of pyarrow's: a subclass would have no scanner of C++ below it, and end the process of who hands it there.
    """

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def to_reader(self) -> Any:
        return self._reader

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._reader.__arrow_c_stream__(requested_schema)

    def to_table(self) -> Any:
        return self._reader.read_all()

    def count_rows(self) -> int:
        return sum(b.num_rows for b in self._reader)

    def to_batches(self) -> Any:
        return iter(self._reader)

    def _scanner(self) -> Any:
        return pads.Scanner.from_batches(self._reader)

    def scan_batches(self) -> Any:
        return self._scanner().scan_batches()

    def take(self, indices: Any) -> Any:
        return self._scanner().take(indices)

    def head(self, num_rows: int) -> Any:
        return self._scanner().head(num_rows)

    @property
    def projected_schema(self) -> Any:
        return self._reader.schema

    @property
    def dataset_schema(self) -> Any:
        return self._reader.schema


def _face(of: type) -> Any:
    """Returns what an object of a class gives as its `__class__`: a class that is a dataset of pyarrow, too.

    So `isinstance` says yes, by which DuckDB decides, and `__class__.scanner`, which it calls, is ours. The object itself is
    none: code of pyarrow in C refuses it with a TypeError, where it would follow the empty pointers of a true subclass.
    """

    def __new__(cls: type, *arguments: Any, **named: Any) -> Any:
        return of(*arguments, **named)

    return type(of.__name__, (of, pads.Dataset), {"__new__": __new__, "__module__": of.__module__, "__doc__": of.__doc__, "__qualname__": of.__qualname__})


class PushdownDataset:
    """A dataset of pyarrow that arrowio scans: columns and filters reach the files.

    It can be scanned as often as one likes, also by several threads. What a dataset of pyarrow has besides scans
    (fragments, partitions, joins) it does not have.
    """

    def __init__(self, dataset: Dataset, expression: Any = None) -> None:
        self._dataset = dataset
        self._expression = expression
        self._schema = dataset.schema

    if not TYPE_CHECKING:

        @property
        def __class__(self) -> Any:
            return _PUSHDOWN_FACE

    @property
    def schema(self) -> Any:
        return self._schema

    @property
    def partition_expression(self) -> Any:
        return pads.scalar(True)

    def __arrow_c_schema__(self) -> Any:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.scanner().to_reader().__arrow_c_stream__(requested_schema)

    def filter(self, expression: Any) -> "PushdownDataset":
        return PushdownDataset(self._dataset, self._and(expression))

    def _and(self, expression: Any) -> Any:
        if self._expression is None or expression is None:
            return self._expression if expression is None else expression
        return self._expression & expression

    @checked
    def scanner(
        self,
        columns: Any = None,
        filter: Any = None,
        batch_size: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        fragment_scan_options: Any = None,
        use_threads: Optional[bool] = None,
        cache_metadata: Optional[bool] = None,
        memory_pool: Any = None,
        *,
        where: Any = None,
    ) -> Any:
        """Returns a scanner over a new scan, with the arguments of `Dataset.scanner`."""
        if where is not None or isinstance(filter, str):
            view, filter = self._dataset._narrowed(filter, where)
            return PushdownDataset(view, self._expression).scanner(columns, filter, batch_size)
        view, left, read = self._dataset, None, None
        expression = self._and(filter)
        if columns is not None and not isinstance(columns, dict):
            read = list(columns)
        if expression is not None:
            view, left, needs = self._push(view, expression)
            if read is not None:
                read += [n for n in needs if n not in read]
        if read is not None:
            view = view.select(self._paths(read))
        if batch_size:
            view = view._view(scan={**view._scan, "batch_rows": view._scan.get("batch_rows") or min(batch_size, 2**31 - 1)})
        reader = pa.RecordBatchReader.from_stream(view)
        if left is None and (columns is None or read == reader.schema.names):
            return _Rows(reader)
        return pads.Scanner.from_batches(reader, columns=columns, filter=left)

    def _push(self, view: Dataset, expression: Any) -> tuple[Dataset, Any, list[str]]:
        """Gives view what can be said of a filter. It returns what pyarrow has to apply, and the columns for that."""
        try:
            tree = _Parser(expression).node()
        except (_Unknown, pa.ArrowInvalid):
            raise NotImplementedError(f"the filter {expression} refers to columns in a way that arrowio does not know") from None
        said, all_of_it = [], True
        for c in _conjuncts(tree):
            try:
                said.append(_text(c, self._schema))
            except (_Unknown, UnicodeDecodeError):
                all_of_it = False
        if said:
            try:
                view = view.filter(" AND ".join(said))
            except OptionError:  # a column or a comparison that pyarrow may know
                all_of_it = False
        if all_of_it:
            return view, None, []
        return view, expression, sorted(_fields(tree))

    def _paths(self, names: list[str]) -> list[str]:
        """Returns columns as paths. Of a struct, a view may have some children only."""
        columns = self._dataset._columns
        if columns is None or not any(c in path for path in columns for c in '."`'):
            return [_path([n]) for n in names]
        paths: dict[str, list[str]] = {}
        for path in columns:
            paths.setdefault(self._dataset.select(path).schema.names[0], []).append(path)
        return [path for n in names for path in paths.get(n, [_path([n])])]

    @checked
    def to_table(
        self,
        columns: Any = None,
        filter: Any = None,
        batch_size: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        fragment_scan_options: Any = None,
        use_threads: Optional[bool] = None,
        cache_metadata: Optional[bool] = None,
        memory_pool: Any = None,
        *,
        where: Any = None,
    ) -> Any:
        return self.scanner(columns, filter, batch_size, where=where).to_table()

    @checked
    def to_batches(
        self,
        columns: Any = None,
        filter: Any = None,
        batch_size: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        fragment_scan_options: Any = None,
        use_threads: Optional[bool] = None,
        cache_metadata: Optional[bool] = None,
        memory_pool: Any = None,
        *,
        where: Any = None,
    ) -> Any:
        return self.scanner(columns, filter, batch_size, where=where).to_batches()

    @checked
    def to_reader(
        self,
        columns: Any = None,
        filter: Any = None,
        batch_size: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        fragment_scan_options: Any = None,
        use_threads: Optional[bool] = None,
        cache_metadata: Optional[bool] = None,
        memory_pool: Any = None,
        *,
        where: Any = None,
    ) -> Any:
        return self.scanner(columns, filter, batch_size, where=where).to_reader()

    @checked
    def head(
        self,
        num_rows: int,
        columns: Any = None,
        filter: Any = None,
        batch_size: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        fragment_scan_options: Any = None,
        use_threads: Optional[bool] = None,
        cache_metadata: Optional[bool] = None,
        memory_pool: Any = None,
        *,
        where: Any = None,
    ) -> Any:
        return self.scanner(columns, filter, batch_size, where=where).head(num_rows)

    @checked
    def take(
        self,
        indices: Any,
        columns: Any = None,
        filter: Any = None,
        batch_size: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        fragment_scan_options: Any = None,
        use_threads: Optional[bool] = None,
        cache_metadata: Optional[bool] = None,
        memory_pool: Any = None,
        *,
        where: Any = None,
    ) -> Any:
        return self.scanner(columns, filter, batch_size, where=where).take(indices)

    @checked
    def count_rows(
        self,
        filter: Any = None,
        batch_size: Optional[int] = None,
        batch_readahead: Optional[int] = None,
        fragment_readahead: Optional[int] = None,
        fragment_scan_options: Any = None,
        use_threads: Optional[bool] = None,
        cache_metadata: Optional[bool] = None,
        memory_pool: Any = None,
        *,
        where: Any = None,
    ) -> int:
        if filter is None and where is None and self._expression is None:
            return int(self._dataset.count_rows())
        return int(self.scanner(filter=filter, where=where).count_rows())

    def get_fragments(self, filter: Any = None) -> Any:
        raise NotImplementedError("a dataset of arrowio has no fragments")

    def replace_schema(self, schema: Any) -> Any:
        raise NotImplementedError("a dataset of arrowio keeps its schema")

    def join(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("join tables instead: to_table() makes one")

    join_asof = join

    def sort_by(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("sort a table instead: to_table() makes one")

    def __reduce__(self) -> Any:
        raise TypeError("a dataset of arrowio is open files, which cannot be pickled")

    def __repr__(self) -> str:
        return f"<arrowio.PushdownDataset of {self._dataset!r}>"


_PUSHDOWN_FACE = _face(PushdownDataset)
DATASET_FACE = _face(Dataset)
