"""Datasets: files that are open."""

from __future__ import annotations

import datetime
import os
import sys
import warnings
import weakref
from typing import TYPE_CHECKING, Any, AsyncIterator, Iterator, Mapping, Optional, Sequence, Union

from . import _library as library
from . import _stream
from ._arrow import need_pyarrow, pyarrow_or_none
from ._filesystems import Files, files_of, take_filesystem
from ._formats import read_options
from ._keywords import check_count, check_numbers, check_options, check_places, check_text, checked, names_of, paths_of, texts_of
from ._places import Place
from ._progress import Bar
from ._rows import MOST, Rows, row_range
from ._schema import Schema, fields_of, twice
from ._shown import schema_of
from ._spool import is_open_file, name_of, remove, spool
from ._where import no_filter, where_text
from .errors import ArrowioError, ArrowioWarning, OptionError

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    import pyarrow.dataset

#: What scans for polars do: they leave out metadata that are not UTF-8.
_FOR_POLARS = {"text_metadata": True}

#: How many columns a notebook shows.
_SHOWN = 100


_known_face: Any = None


def _face() -> Any:
    """Returns what a dataset gives as its class; None = Dataset itself.

    DuckDB looks for datasets of pyarrow only where pyarrow.dataset is loaded. Otherwise it imports that to read the stream, but
    too late for its first query, so where DuckDB is loaded the import comes here.
    """
    global _known_face
    if _known_face is None and ("pyarrow.dataset" in sys.modules or "duckdb" in sys.modules):
        try:
            from ._pushdown import DATASET_FACE as _known_face

            _Kin.__module__ = "pyarrow._dataset"
        except ImportError:  # there is no pyarrow, or it has no datasets
            _known_face = False
    return _known_face


def _remove_spooled(path: str, owner: list[Any]) -> None:
    owner.clear()  # Windows removes no file that is open
    remove(path)


class _Files:
    """What is open, for every view of it."""

    def __init__(
        self, call: str, request: Mapping[str, Any], spooled: Optional[str] = None, filesystem: Any = None, files: Optional[Files] = None
    ) -> None:
        """files reads what the library does not read by itself."""
        self.spooled: bool = spooled is not None
        self._owner: list[Any] = []
        self._remove: Any = None if spooled is None else weakref.finalize(self, _remove_spooled, spooled, self._owner)
        place: Optional[Place] = None
        try:
            place = None if files is None else Place(files)
            answer = library.call(call, dict(request) if place is None else {**request, "place": place.request})
        except BaseException:
            if place is not None:
                place.close()
            if self._remove is not None:
                self._remove()
            raise
        self.call: str = call
        self.request: dict[str, Any] = {**request}  # for `pickle`
        if "paths" in request and files is None:
            self.request["paths"] = [_absolute(p) for p in request["paths"]]
        self.filesystem = filesystem
        self.handle: int = answer["handle"]
        self.files: list[str] = answer["files"]
        self.doubtful: bool = bool(answer["warnings"])
        self.told: set[str] = set()
        self.alive: bool = True
        self._owner.append(library.owner_of(self.handle))

    def kudu(self) -> list[tuple[str, str]]:
        """Returns which table of a tablet server this is, and as of when; none of other files."""
        options: Mapping[str, str] = self.request.get("options") or {}
        return [(k, options[f"kudu-{k}"]) for k in ("table", "tablet", "snapshot") if f"kudu-{k}" in options]

    def shown(self) -> str:
        """Returns what it is of, for those who read."""
        what = repr(self.files[0]) if len(self.files) == 1 else f"{len(self.files)} files"
        return "".join(f"{k} {v!r} of " for k, v in self.kudu()) + what

    def close(self) -> None:
        self.alive = False
        library.lib.arrowio_close(self.handle)
        if self._remove is not None:
            self._remove()


class _Kin:
    """The base of datasets. DuckDB 2 asks in which modules the bases of a class are before it asks isinstance, so where
    `pyarrow.dataset` is loaded this one says that it is of that module, too: see `_face`."""


class Dataset(_Kin):
    """Files that are read as one table; made by `open`, `dataset` and `kudu`.

    A dataset does not hold rows: each `to_table`, each consumer of `__arrow_c_stream__`, scans the files anew. `select` and
    `filter` return other views of the same open files, which cost nothing.

    >>> import arrowio
    >>> ds = arrowio.open(example)
    >>> ds.select("x").filter("x > 7").to_table().to_pydict()
    {'x': [8, 9]}
    """

    if not TYPE_CHECKING:

        @property
        def __class__(self) -> Any:
            """What isinstance asks: where pyarrow.dataset is loaded, a class that is a dataset of pyarrow as well, so that
            DuckDB pushes columns and filters down. See `_pushdown`."""
            return _face() or Dataset

    def __init__(
        self,
        files: _Files,
        columns: Optional[list[str]],
        where: Optional[str],
        rows: Optional[list[int]],
        scan: dict[str, Any],
        progress: bool,
    ) -> None:
        self._files = files
        self._columns = columns
        self._where = where
        self._rows = rows
        self._scan = scan
        self._progress = progress

    # Views

    def _view(self, **changes: Any) -> "Dataset":
        fields: dict[str, Any] = {"columns": self._columns, "where": self._where, "rows": self._rows, "scan": self._scan, "progress": self._progress}
        fields.update(changes)
        view = Dataset(self._files, **fields)
        view._check()
        return view

    def _check(self) -> None:
        self.__arrow_c_schema__()  # the library checks columns and filter

    def select(self, *columns: Union[str, Sequence[str]]) -> "Dataset":
        """Returns a view of some columns, dotted paths (`"a.b"` keeps child b of struct a); none = only rows, to be counted.

        >>> arrowio.open(example).select("name").schema.names
        ['name']
        """
        flat: list[str] = []
        for c in columns:
            flat.extend(names_of("select", c) or [])
        return self._view(columns=flat)

    def filter(self, where: Any) -> "Dataset":
        """Returns a view of the rows for which where is true as well: text (`"x > 5 and name like 'a%'"`), an expression of
        pyarrow, or a list of them, which all must be true.

        >>> arrowio.open(example).filter("name = 'n3'").to_table().to_pydict()
        {'x': [3], 'name': ['n3']}
        """
        return self._filtered(where, "filter")

    def _filtered(self, where: Any, argument: str) -> "Dataset":
        text = where_text(where, argument)
        if text is None:
            return self
        return self._view(where=text if self._where is None else f"({self._where}) AND ({text})")

    # What is known

    @property
    def schema(self) -> "pyarrow.Schema":
        """The schema of the rows: of pyarrow where that is there, else a `Schema`."""
        pa = pyarrow_or_none()
        return pa.schema(self) if pa is not None else Schema(self)

    @property
    def files(self) -> list[str]:
        """The files, in the order in which they are read."""
        return list(self._files.files)

    @property
    def num_rows(self) -> Optional[int]:
        """How many rows there are, as far as that is known without reading them; None = it is not: with a filter, and in
        formats that do not say. See `count_rows`.

        >>> arrowio.open(example).num_rows
        10
        """
        if self._where is not None:
            return None
        rows = self._describe(rows=True)["rows"]
        if rows is None or self._rows is None:
            return None if rows is None else int(rows)
        n = int(rows)
        return max(0, min(self._rows[1], n) - min(self._rows[0], n))

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
        """Counts the rows, reading what the filters need; what it may be asked for is as in `scanner`.

        >>> arrowio.open(example, where="x >= 4").count_rows()
        6
        >>> arrowio.open(example).count_rows(where="x >= 4")
        6
        """
        if filter is not None or where is not None:
            view, expression = self._narrowed(filter, where)
            if expression is not None:
                return int(view.to_pyarrow_dataset().count_rows(filter=expression))
            return int(view.count_rows())
        n = self.num_rows
        if n is not None:
            return n
        view = self._view(columns=[])
        return sum(b.num_rows for b in _stream.batches(view.__arrow_c_stream__, view.__arrow_c_schema__))

    def _narrowed(self, filter: Any, where: Any) -> "tuple[Dataset, Any]":
        """Returns a view with those filters that are text, and the one that is an expression of pyarrow."""
        view: Dataset = self
        if isinstance(filter, (str, list, tuple)):
            view, filter = view._filtered(filter, "filter"), None
        elif filter is not None and type(filter).__module__.split(".")[0] != "pyarrow":
            raise no_filter("filter", filter)
        return view._filtered(where, "where"), filter

    @property
    def info(self) -> Any:
        """What the file says of itself, as a dict: writer, columns, encodings, statistics; a list of them for several files.

        >>> arrowio.open(example).info["format"]
        'orc'
        """
        request: dict[str, Any] = {"info": True}
        if self._where is not None:
            request["where"] = self._where
        infos = self._describe(**request)["info"]
        return infos[0] if len(infos) == 1 else infos

    @property
    def warnings(self) -> list[ArrowioWarning]:
        """What is doubtful about the files, lost in them or hidden: of the columns that this view reads."""
        return [ArrowioWarning.of(w) for w in self._describe(columns=self._columns, where=self._where)["warnings"]]

    def _warn(self) -> None:
        """Warns of what a scan of this view hides, once for each view of the files that hides something else."""
        if not self._files.doubtful:
            return
        for w in self.warnings:
            if str(w) not in self._files.told:
                self._files.told.add(str(w))
                warnings.warn(w, stacklevel=_outside())

    def _describe(self, **request: Any) -> Any:
        self._open()
        return library.call("describe", {"handle": self._files.handle, **request})

    # Rows

    def _open(self) -> None:
        library.require_parent()
        if not self._files.alive:
            raise ValueError("the dataset is closed")

    def _request(self) -> dict[str, Any]:
        return {"columns": self._columns, "where": self._where, "rows": self._rows, **self._scan}

    def __arrow_c_schema__(self) -> Any:
        self._open()
        capsule, p = library.new_capsule(b"arrow_schema")
        library.check(library.lib.arrowio_schema(self._files.handle, library.to_json(self._request()), p))
        return capsule

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Starts a scan and hands it over. Another schema that is asked for is made where pyarrow is there and can."""
        if requested_schema is not None:
            cast = self._cast(requested_schema)
            if cast is not None:
                return cast
        return self._new_stream(polls=library.polls)

    def _new_stream(self, polls: bool = False) -> Any:
        self._open()
        self._warn()
        capsule, p = library.new_capsule(b"arrow_array_stream")
        library.check(library.lib.arrowio_scan(self._files.handle, library.to_json({**self._request(), "polls": polls}), p))
        return capsule

    def _cast(self, requested: Any) -> Any:
        pa = sys.modules.get("pyarrow")
        if pa is None:
            return None  # the consumer sees what it gets, as the protocol says
        target = pa.Schema._import_from_c_capsule(requested)
        if target.equals(self.schema):
            return None
        return pa.RecordBatchReader.from_stream(self).cast(target).__arrow_c_stream__()

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
    ) -> "Iterator[pyarrow.RecordBatch]":
        """Yields the rows as record batches of pyarrow. What it may be asked for is as in `scanner`.

        >>> [b.num_rows for b in arrowio.open(example, batch_rows=4).to_batches()]
        [4, 4, 2]
        """
        pa = need_pyarrow("to_batches")
        if columns is not None or filter is not None or where is not None or batch_size is not None:
            batches: "Iterator[pyarrow.RecordBatch]" = self.scanner(columns, filter, batch_size, where=where).to_batches()
            return batches
        return self._to_batches(pa)

    def _to_batches(self, pa: Any) -> "Iterator[pyarrow.RecordBatch]":
        with Bar(self._progress, self.num_rows if self._progress else None) as bar:
            schema = self.schema
            for b in _stream.batches(self._new_stream, self.__arrow_c_schema__):
                yield pa.RecordBatch._import_from_c(b.address, schema)  # unlike record_batch, it does not want a schema each time
                bar.add(b.num_rows)

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
    ) -> "pyarrow.RecordBatchReader":
        """Returns the rows as a reader of pyarrow, which can be read once. What it may be asked for is as in `scanner`."""
        pa = need_pyarrow("to_reader")
        if columns is not None or filter is not None or where is not None or batch_size is not None:
            return self.scanner(columns, filter, batch_size, where=where).to_reader()
        return pa.RecordBatchReader.from_stream(self)

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
    ) -> "pyarrow.Table":
        """Reads all rows, or what it is asked for as in `scanner`.

        >>> arrowio.open(example, columns=["x"], rows=(2, 5)).to_table().to_pydict()
        {'x': [2, 3, 4]}
        >>> arrowio.open(example).to_table(columns=["name"], where="x = 3").to_pydict()
        {'name': ['n3']}
        """
        pa = need_pyarrow("to_table")
        if columns is not None or filter is not None or where is not None or batch_size is not None:
            return self.scanner(columns, filter, batch_size, where=where).to_table()
        return pa.Table.from_batches(self._to_batches(pa), self.schema)

    @checked
    def abatches(
        self, columns: Any = None, filter: Any = None, batch_size: Optional[int] = None, *, where: Any = None
    ) -> "AsyncIterator[pyarrow.RecordBatch]":
        """Yields what `to_batches` does, to `async for` of asyncio: threads of its executor wait for the rows. When the loop ends,
        or the task is cancelled, the scan ends.

        >>> import asyncio
        >>> async def rows():
        ...     return [b.num_rows async for b in arrowio.open(example, batch_rows=4).abatches(where="x > 3")]
        >>> asyncio.run(rows())
        [4, 2]
        """
        from ._async import each

        return each(self._scan_of(columns, filter, batch_size, where)[0])

    @checked
    async def ato_table(
        self, columns: Any = None, filter: Any = None, batch_size: Optional[int] = None, *, where: Any = None
    ) -> "pyarrow.Table":
        """Reads what `to_table` does, while asyncio does other things: see `abatches`.

        >>> import asyncio
        >>> asyncio.run(arrowio.open(example).ato_table(["name"], where="x = 3")).to_pydict()
        {'name': ['n3']}
        """
        from ._async import all_of

        batches, schema = self._scan_of(columns, filter, batch_size, where)
        return need_pyarrow("ato_table").Table.from_batches(await all_of(batches), schema)

    def _scan_of(self, columns: Any, filter: Any, batch_size: Optional[int], where: Any) -> "tuple[Iterator[pyarrow.RecordBatch], pyarrow.Schema]":
        """Returns a scan that has not begun, and its schema."""
        pa = need_pyarrow("reading in asyncio")
        if columns is None and filter is None and where is None and batch_size is None:
            return self._to_batches(pa), self.schema
        scanner = self.scanner(columns, filter, batch_size, where=where)
        return scanner.to_batches(), scanner.projected_schema

    def to_pandas(self, columns: Any = None, filter: Any = None, *, where: Any = None, **options: Any) -> "pandas.DataFrame":
        """Reads the rows into a DataFrame: columns, filter and where as in `scanner`, and the options of
        `pyarrow.Table.to_pandas`. `types_mapper=pandas.ArrowDtype` keeps the columns as they are, without a copy."""
        if options:
            import inspect

            taken = list(inspect.signature(need_pyarrow("to_pandas").Table.to_pandas).parameters)[1:]
            check_options("to_pandas", options, ["columns", "filter", "where", *taken], list)
        return self.to_table(columns, filter, where=where).to_pandas(**options)

    @checked
    def to_polars(self, columns: Any = None, filter: Any = None, *, where: Any = None) -> "polars.DataFrame":
        """Reads the rows into a DataFrame of polars: columns, filter and where as in `scanner`."""
        import polars

        view, expression = self._view(scan={**self._scan, **_FOR_POLARS})._narrowed(filter, where)
        if columns is None and expression is None:
            return polars.DataFrame(view._for_polars())
        need_pyarrow("to_polars with columns or expressions")
        scanner = view.scanner(columns, expression)
        self._refuse_twice(scanner.projected_schema)
        return polars.DataFrame(scanner.to_reader())

    def _for_polars(self) -> "Dataset":
        """Returns a view without what polars panics about: metadata that are not UTF-8. Two columns of one name are an error."""
        self._refuse_twice(self)
        return self._view(scan={**self._scan, **_FOR_POLARS})

    def _refuse_twice(self, schema: Any) -> None:
        name = twice(fields_of(schema))
        if name is not None:
            from polars.exceptions import DuplicateError

            raise DuplicateError(
                f"{self._files.shown()} has several columns, or fields of a struct, {name!r}, and polars takes one of a name: choose columns by their numbers, "
                "columns=['#1', …]"
            )

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
        """Returns a scan with columns and a filter as datasets of pyarrow take them, which is how DuckDB and polars ask.

        >>> import pyarrow.dataset as ds
        >>> arrowio.open(example).scanner(columns=["name"], filter=ds.field("x") == 3).to_table().to_pydict()
        {'name': ['n3']}
        >>> arrowio.open(example).scanner(columns=["name"], where="x = 3").to_table().to_pydict()
        {'name': ['n3']}

        Args:
            columns: names of columns, or a dict of names and expressions of pyarrow.
            filter: an expression of pyarrow, or text. What arrowio cannot say of an expression, pyarrow applies.
            batch_size: how many rows a batch has at most, unless `open` was told.
            batch_readahead, fragment_readahead, fragment_scan_options, use_threads, cache_metadata, memory_pool: taken as
                datasets of pyarrow take them; they change nothing.
            where: which rows, as in `open`; both must hold where filter is given, too.
        """
        check_numbers(batch_size=batch_size)
        need_pyarrow("scanner")
        view, expression = self._narrowed(filter, where)
        return view.to_pyarrow_dataset().scanner(columns, expression, batch_size)

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
    ) -> "pyarrow.Table":
        """Reads the first rows, with the arguments of `scanner`.

        >>> arrowio.open(example).head(2, columns=["x"], where="x > 3").to_pydict()
        {'x': [4, 5]}
        """
        check_count("num_rows", num_rows)
        need_pyarrow("head")
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
    ) -> "pyarrow.Table":
        """Reads the rows at some places, counted over the rows that the filters leave, with the arguments of `scanner`.

        >>> arrowio.open(example).take([0, 2], columns=["x"], where="x > 3").to_pydict()
        {'x': [4, 6]}
        """
        need_pyarrow("take")
        return self.scanner(columns, filter, batch_size, where=where).take(check_places("indices", indices))

    def to_pyarrow_dataset(self) -> Any:
        """Returns a dataset whose `filter` takes all expressions of pyarrow: also those that only pyarrow can apply. For DuckDB
        and polars it is what this object is itself.

        >>> x = arrowio.open(example).to_pyarrow_dataset()
        >>> import pyarrow.dataset as ds
        >>> x.to_table(columns=["name"], filter=ds.field("x") == 3).to_pydict()
        {'name': ['n3']}
        """
        need_pyarrow("to_pyarrow_dataset")
        from ._pushdown import PushdownDataset

        return PushdownDataset(self)

    def get_fragments(self, filter: Any = None) -> Any:
        """Yields one fragment with all rows, for engines that scan fragments: DataFusion's `register_dataset`."""
        return self.to_pyarrow_dataset().get_fragments(filter)

    # Ends

    def close(self) -> None:
        """Closes the files of this dataset and of all views of it. Scans under way go on."""
        self._files.close()

    def __enter__(self) -> "Dataset":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __copy__(self) -> "Dataset":
        return self._view()

    def __deepcopy__(self, _: Any) -> "Dataset":
        return self._view()

    def __reduce__(self) -> Any:
        """Keeps what was asked for, keys of stores included. The copy opens the files as they are then."""
        self._open()
        if self._files.spooled:
            raise TypeError("a dataset of a file that is open in Python cannot be pickled: open it by its path")
        of = self._files
        return (_reopen, (of.call, of.request, of.filesystem, self._columns, self._where, self._rows, self._scan, self._progress))

    def _repr_html_(self) -> str:
        """Shows the dataset in a notebook: its files, columns and filter."""
        import html

        fields = [(f.name, str(f.type)) for f in self.schema]
        files = [f.encode("utf-8", "backslashreplace").decode() for f in self._files.files]  # names may be no text
        rows = self.num_rows
        facts = [
            ("files", files[0] if len(files) == 1 else f"{len(files)}, the first is {files[0]}" if files else "none"),
            *((k, v) for k, v in self._files.kudu()),
            ("rows", "known after reading" if rows is None else f"{rows:,}"),
        ]
        facts += [("where", self._where)] if self._where is not None else []
        facts += [("range of rows", f"{self._rows[0]:,} to {self._rows[1]:,}")] if self._rows and self._rows[1] != MOST else []
        cells = "".join(f"<tr><th>{html.escape(k)}</th><td>{html.escape(v)}</td></tr>" for k, v in facts)
        columns = "".join(f"<tr><td>{html.escape(n)}</td><td>{html.escape(t)}</td></tr>" for n, t in fields[:_SHOWN])
        more = f"<tr><td colspan=2>and {len(fields) - _SHOWN} more columns</td></tr>" if len(fields) > _SHOWN else ""
        head = "<tr><th>column</th><th>type</th></tr>" if fields else ""
        return f"<b>arrowio.Dataset</b><table>{cells}</table><table>{head}{columns}{more}</table>"

    def __dir__(self) -> list[str]:
        return names_in_class(self)

    def __repr__(self) -> str:
        what = self._files.shown()
        if self._where is not None:
            what += f", where={self._where!r}"
        if self._columns is not None:
            what += f", columns={self._columns!r}"
        return f"<arrowio.Dataset of {what}>"


def _reopen(call: str, request: Mapping[str, Any], filesystem: Any, *view: Any) -> Dataset:
    """Makes a dataset of what `pickle` has kept."""
    return Dataset(_reached(call, request, filesystem), *view)


def _reached(call: str, request: Mapping[str, Any], filesystem: Any) -> _Files:
    """Opens what a request of URLs names, of which filesystem, if there is one, reads those that are its own."""
    urls = [f["input"]["path"] for f in request["files"]] if call == "open_part" else request["paths"]
    return _Files(call, request, None, filesystem, files_of(urls, filesystem)[1])


def _absolute(path: str) -> str:
    """Returns a path that means the same in other directories."""
    if "://" in path:
        return path
    full = os.path.abspath(path)
    return os.path.join(full, "") if path.endswith((os.sep, "/")) else full


def names_in_class(of: Any) -> list[str]:
    """Returns what `dir` shows: what the object itself has, and not what its `__class__` claims to be."""
    return sorted({n for c in type(of).__mro__ for n in vars(c)} | set(vars(of)))


def _outside() -> int:
    """Returns the stacklevel of a warning that is to name the first caller outside of this package."""
    frame, level = sys._getframe(1), 1
    here = os.path.dirname(__file__)
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    return level


def open(
    path: Any,
    columns: Optional[Sequence[str]] = None,
    where: Any = None,
    rows: Optional[Rows] = None,
    *,
    format: Optional[str] = None,
    batch_rows: Optional[int] = None,
    batch_bytes: Optional[int] = None,
    jobs: Optional[int] = None,
    memory: Optional[int] = None,
    partitions: Optional[str] = None,
    partition_types: Optional[Mapping[str, str]] = None,
    schema: Any = None,
    cast: Optional[str] = None,
    progress: bool = False,
    filesystem: Any = None,
    **options: Any,
) -> Dataset:
    """Opens a file, or several as one table.

    >>> ds = arrowio.open(example, columns=["x"], where="x < 3")
    >>> ds.to_table().to_pydict()
    {'x': [0, 1, 2]}

    Args:
        path: a file, a directory, a pattern (`"year=*/*.orc"`) or a URL (`s3://…`, `hdfs://…`, and where fsspec is installed those that it
            knows, such as `gs://…`), or a list of them; or one file that is open in Python for reading bytes, such as
            `io.BytesIO`. What is left to read of it is copied to a temporary file.
        columns: dotted paths; None = all.
        where: which rows, as text (docs/filters.md), as an expression of pyarrow, or as a list of them, which all must be true.
        rows: (from, to) before the filter, counted over all files.
        format: "orc", "trevni", "cfile", "kudu", …; None = told by the content.
        batch_rows, batch_bytes: how large a batch becomes at most, and about.
        jobs: how many threads decode; None = one for each core.
        memory: bytes that may be in use before batches are taken.
        partitions: "hive": directories KEY=VALUE are columns (the default); "none".
        partition_types: types of these columns: utf8, int32, int64, date32.
        schema: what the files are read as: a schema of pyarrow, or text, in ORC's notation (`"struct<a:bigint>"`) or as JSON of
            `arrowio schema --json`. Columns that a file lacks are null, types widen, and the others of the file are left out.
        cast: with schema, "java": values that do not fit become others or null, as in orc-core; "none" = an error (the default).
        progress: show a bar while rows are read, where tqdm is there.
        filesystem: where the paths are: a file system of fsspec or of `pyarrow.fs`. It must not change the files meanwhile.
        options: those of the formats as `formats` lists them, `orc_timezone="UTC"` for orc-timezone; and of S3 `s3_endpoint`,
            `s3_region`, `s3_access_key`, `s3_secret_key`, `s3_session_token`, `s3_profile` as text, and `s3_anonymous`,
            `s3_path_style`, `s3_insecure` as True. What they do not say, the environment does: `os.environ` as it is now.
    """
    check_options("open", options, _OPEN, read_options)
    check_numbers(batch_rows=batch_rows, batch_bytes=batch_bytes, jobs=jobs, memory=memory)
    check_text(format=format, partitions=partitions, cast=cast)
    path, filesystem = take_filesystem(path, filesystem)
    opened = is_open_file(path)
    if opened and filesystem is not None:
        raise TypeError(f"open() takes paths in the file system, and {type(path).__name__} is an open file")
    paths, files = files_of([] if opened else paths_of("open", path), filesystem)
    text = where_text(where, "where")
    chosen = names_of("columns", columns)
    span = row_range(rows)
    types = ",".join(f"{k}={v}" for k, v in texts_of("partition_types", partition_types).items()) or None
    stores = library.take_stores(options)
    request: dict[str, Any] = {
        "paths": paths,
        "from": format,
        "options": library.option_texts(options),
        "columns": chosen,
        "where": text,
        "partitions": partitions,
        "partition_types": types,
        "cast": cast,
        "stores": stores,
        **schema_of(schema),
    }
    scan = {"batch_rows": batch_rows, "batch_bytes": batch_bytes, "jobs": jobs, "memory": memory}
    spooled = spool(path) if opened else None  # last: nothing may raise before somebody removes it
    if spooled is not None:
        request["paths"] = [spooled]
    try:
        ds = Dataset(_Files("open", request, spooled, filesystem, files), chosen, text, span, scan, progress)
    except ArrowioError as e:
        if spooled is None or e.file != spooled:
            raise
        raise e.of_file(name_of(path)) from None
    try:
        ds._check()
    except BaseException:
        ds.close()
        raise
    return ds


#: The names that open takes besides the options of formats.
_OPEN = [n for n in open.__annotations__ if n not in ("options", "return")] + list(library.STORES)


def dataset(directory: Any, **options: Any) -> Dataset:
    """Opens all files below a directory as one table: `open` for those who look for this name."""
    check_options("dataset", options, _OPEN, read_options)
    return open(directory, **options)


def kudu(
    wal_dir: Any,
    data_dirs: Any = None,
    table: Optional[str] = None,
    snapshot: Any = None,
    *,
    tablet: Optional[str] = None,
    **options: Any,
) -> Dataset:
    """Opens a table as it lies in the directories of a Kudu tablet server.

    Args:
        wal_dir: the directory of its metadata and write-ahead logs.
        data_dirs: those of its data; None = beside or in wal_dir.
        table: its name; tablet: an id instead.
        snapshot: as of when: a datetime, RFC 3339, or a hybrid time as a number; None = the latest on disk.
        options: as those of `open`.
    """
    check_options("kudu", options, [*_OPEN, "wal_dir", "data_dirs", "table", "snapshot", "tablet"], read_options)
    if data_dirs is not None:
        options["kudu_data_dir"] = paths_of("kudu", data_dirs)
    for name, value in (("kudu_table", table), ("kudu_tablet", tablet), ("kudu_snapshot", snapshot)):
        if value is not None:
            options[name] = value
    if isinstance(snapshot, datetime.datetime) and snapshot.tzinfo is None:
        raise OptionError(f"snapshot has no time zone: {snapshot!r}; give it tzinfo=datetime.timezone.utc, or another", kind="option")
    return open(paths_of("kudu", wal_dir), format="kudu", **options)
