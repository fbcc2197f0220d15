"""Columns and filters of engines that know datasets of pyarrow.

DuckDB, polars and others hand what they want to `scanner(columns=, filter=)` of a `pyarrow.dataset.Dataset`, the filter as
an expression of pyarrow. Here it becomes a filter of arrowio as far as that says the same; pyarrow applies what is left.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator, Optional

import pyarrow as pa
import pyarrow.dataset as pads

from . import _stream
from ._dataset import Dataset, names_in_class
from ._expressions import Parser, Unknown, conjuncts, fields, path_of, text_of
from ._keywords import check_places, checked, names_of
from .errors import OptionError


class _Rows:
    """A scanner of rows that nothing is left to be done with: pyarrow's own would only add its threads to them.

    It is none of pyarrow's: a subclass would have no scanner of C++ below it, and end the process of who hands it there.
    """

    def __init__(self, view: Dataset) -> None:
        self._view = view

    def to_reader(self) -> Any:
        return pa.RecordBatchReader.from_stream(self._view)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_reader().__arrow_c_stream__(requested_schema)

    def to_table(self) -> Any:
        return pa.Table.from_batches(self.to_batches(), self.projected_schema)

    def count_rows(self) -> int:
        return sum(b.num_rows for b in self.to_batches())

    def to_batches(self) -> "Iterator[pa.RecordBatch]":
        return self._view._to_batches(pa)

    def _scanner(self) -> Any:
        return pads.Scanner.from_batches(self.to_reader())

    def scan_batches(self) -> Any:
        return self._scanner().scan_batches()

    def take(self, indices: Any) -> Any:
        return self._scanner().take(indices)

    def head(self, num_rows: int) -> Any:
        out, left = [], num_rows
        if left > 0:
            for b in self.to_batches():
                out.append(b.slice(0, left))
                left -= b.num_rows
                if left <= 0:
                    break
        return pa.Table.from_batches(out, self.projected_schema)

    @property
    def projected_schema(self) -> Any:
        return self._view.schema

    @property
    def dataset_schema(self) -> Any:
        return self.projected_schema


class _Evaluated(_Rows):
    """A scanner of rows that pyarrow filters or computes, a batch at a time.

    A scanner of pyarrow over all of them would wait for rows where nobody looks for signals, and read on when enough are there.
    """

    def __init__(self, view: Dataset, columns: Any, filter: Any) -> None:
        super().__init__(view)
        self._columns, self._filter = columns, filter
        self._schema = self._of(pads.InMemoryDataset(view.schema.empty_table())).projected_schema  # refuses what pyarrow refuses

    def _of(self, dataset: Any) -> Any:
        return dataset.scanner(columns=self._columns, filter=self._filter, use_threads=False)

    def to_reader(self) -> Any:
        return pa.RecordBatchReader.from_batches(self._schema, _stream.Shared(self.to_batches()))

    def to_batches(self) -> "Iterator[pa.RecordBatch]":
        for b in super().to_batches():
            yield from self._of(pads.InMemoryDataset(pa.Table.from_batches([b]))).to_table().to_batches()

    def _scanner(self) -> Any:
        return pads.Scanner.from_batches(super().to_reader(), columns=self._columns, filter=self._filter)

    @property
    def projected_schema(self) -> Any:
        return self._schema


def _fields_of(expressions: Any) -> Optional[list[str]]:
    """Returns the columns that expressions read, as paths; None = that cannot be told."""
    try:
        return [path_of([n]) for n in sorted({n for e in expressions for n in fields(Parser(e).node())})]
    except (Unknown, pa.ArrowInvalid, AttributeError):
        return None


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
        if not isinstance(columns, dict):
            columns = names_of("columns", columns)
        narrowed, filter = self._dataset._narrowed(filter, where)
        if narrowed is not self._dataset:
            return PushdownDataset(narrowed, self._expression).scanner(columns, filter, batch_size)
        view, left, out = self._dataset, None, columns
        read: Optional[list[str]] = None
        needs: list[list[str]] = []
        expression = self._and(filter)
        if expression is not None:
            view, left, needs = self._push(view, expression)
        if isinstance(columns, dict):
            for name, e in columns.items():
                if not isinstance(name, str) or not isinstance(e, pads.Expression):
                    raise OptionError(f"columns cannot have {name!r}: {e!r}: give names and expressions of pyarrow", kind="option")
            read = _fields_of(columns.values())
        elif columns is not None:
            out, read = self._chosen(list(columns))
        if read is not None:
            view = view.select(read + [p for p in map(path_of, needs) if p not in read])
        if batch_size:
            view = view._view(scan={**view._scan, "batch_rows": view._scan.get("batch_rows") or min(batch_size, 2**31 - 1)})
        if left is not None or out is not None and (isinstance(out, dict) or out != view.schema.names):
            return _Evaluated(view, out, left)
        return _Rows(view)

    def _chosen(self, columns: list[Any]) -> "tuple[list[str], list[str]]":
        """Returns the names of the columns that come, and the paths of what is read for them: names of columns, or paths as in `select`."""
        names = set(self._schema.names)
        if all(c in names for c in columns):
            return columns, list(dict.fromkeys(self._paths(columns)))
        paths = [p for c in columns for p in (self._paths([c]) if c in names else [c])]
        return self._dataset.select(paths).schema.names, paths

    def _push(self, view: Dataset, expression: Any) -> tuple[Dataset, Any, list[list[str]]]:
        """Gives view what can be said of a filter. It returns what pyarrow has to apply, and the columns for that."""
        try:
            tree = Parser(expression).node()
        except (Unknown, pa.ArrowInvalid):
            raise NotImplementedError(f"the filter {expression} refers to columns in a way that arrowio does not know") from None
        said, all_of_it = [], True
        for c in conjuncts(tree):
            try:
                said.append(text_of(c, self._schema))
            except (Unknown, UnicodeDecodeError):
                all_of_it = False
        if said:
            try:
                view = view.filter(" AND ".join(said))
            except OptionError:  # a column or a comparison that pyarrow may know
                all_of_it = False
        if all_of_it:
            return view, None, []
        return view, expression, [[n] for n in sorted(fields(tree))]

    def _paths(self, names: list[str]) -> list[str]:
        """Returns columns as paths. Of a struct, a view may have some children only."""
        columns = self._dataset._columns
        if columns is None or not any(c in path for path in columns for c in '."`'):
            return [path_of([n]) for n in names]
        paths: dict[str, list[str]] = {}
        for path in columns:
            paths.setdefault(self._dataset.select(path).schema.names[0], []).append(path)
        return [path for n in names for path in paths.get(n, [path_of([n])])]

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
        return self.scanner(columns, filter, batch_size, where=where).take(check_places("indices", indices))

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
        return int(self.scanner([], filter, where=where).count_rows())

    def get_fragments(self, filter: Any = None) -> "Iterator[Fragment]":
        yield Fragment(self)  # a filter chooses fragments here, and not rows

    def replace_schema(self, schema: Any) -> Any:
        raise NotImplementedError("a dataset of arrowio keeps its schema")

    def join(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("join tables instead: to_table() makes one")

    join_asof = join

    def sort_by(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("sort a table instead: to_table() makes one")

    def __reduce__(self) -> Any:
        return (PushdownDataset, (self._dataset, self._expression))

    def __dir__(self) -> "list[str]":
        lacking = ("replace_schema", "join", "join_asof", "sort_by")
        return [n for n in names_in_class(self) if n not in lacking]

    def __repr__(self) -> str:
        return f"<arrowio.PushdownDataset of {self._dataset!r}>"


class Fragment:
    """All rows of a dataset as one fragment, for engines that scan fragments, as DataFusion does. The scan itself is parallel."""

    def __init__(self, dataset: PushdownDataset) -> None:
        self._dataset = dataset

    @property
    def physical_schema(self) -> Any:
        return self._dataset.schema

    @property
    def partition_expression(self) -> Any:
        return pads.scalar(True)

    def scanner(self, schema: Any = None, columns: Any = None, filter: Any = None, batch_size: Optional[int] = None, **ignored: Any) -> Any:
        """Returns a scanner with the arguments of `Dataset.scanner`. schema must be that of the dataset."""
        if schema is not None and not schema.equals(self._dataset.schema):
            raise NotImplementedError("a dataset of arrowio keeps its schema")
        return self._dataset.scanner(columns, filter, batch_size)

    def to_table(self, schema: Any = None, **arguments: Any) -> Any:
        return self.scanner(schema, **arguments).to_table()

    def to_batches(self, schema: Any = None, **arguments: Any) -> Any:
        return self.scanner(schema, **arguments).to_batches()

    def head(self, num_rows: int, **arguments: Any) -> Any:
        return self.scanner(**arguments).head(num_rows)

    def count_rows(self, **arguments: Any) -> int:
        return self._dataset.count_rows(**arguments)


_PUSHDOWN_FACE = _face(PushdownDataset)
DATASET_FACE = _face(Dataset)
