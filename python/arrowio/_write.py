"""Writing."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from . import _library as library
from ._filesystems import require_own
from ._formats import write_options
from ._keywords import check_numbers, check_options, check_text, names_of, texts_of
from ._progress import Bar
from ._sources import Source
from .errors import ArrowioError

if TYPE_CHECKING:
    import pyarrow


class Column(NamedTuple):
    """What becomes of a column."""

    path: str
    type: str
    stored: str
    encoding: str
    loss: str  # what reading it back will not show; "" = nothing
    refused: str = ""  # which values of the type cannot be written; "" = none


class Loss(NamedTuple):
    """One thing that reading back will not show."""

    of: str  # "column", "metadata" (a key of the schema's metadata) or "file" (all of it)
    path: str  # of the column
    key: str  # of the metadata
    loss: str


class Report(NamedTuple):
    """What a write did, or would do."""

    path: str
    format: str
    rows: int
    bytes: int
    files: list[tuple[str, int]]
    columns: list[Column]
    losses: list[Loss]  # what reading back will not show, of columns, of the metadata and of the whole file


def write(
    rows: Any,
    path: Any,
    *,
    format: Optional[str] = None,
    compression: Optional[str] = None,
    row_group_bytes: Optional[int] = None,
    max_file_bytes: Optional[int] = None,
    memory: Optional[int] = None,
    jobs: Optional[int] = None,
    schema: "Optional[pyarrow.Schema]" = None,
    sort: Union[None, bool, str, Sequence[str]] = None,
    partition_by: Union[None, str, Sequence[str]] = None,
    metadata: Optional[Mapping[str, str]] = None,
    drop_metadata: Iterable[str] = (),
    force: bool = False,
    dry_run: bool = False,
    progress: bool = False,
    **options: Any,
) -> Report:
    """Writes rows to a file, or a directory of files. It appears when all of it is there, or not at all.

    >>> import pyarrow as pa, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "t.orc")
    >>> arrowio.write(pa.table({"a": [1, 2, 3]}), path, compression="zstd").rows
    3
    >>> arrowio.open(path).to_table().to_pydict()
    {'a': [1, 2, 3]}

    Args:
        rows: anything with `__arrow_c_stream__` (a dataset of arrowio, a table of pyarrow, a DataFrame of polars or pandas, …), a
            dataset or scanner of pyarrow, a LazyFrame of polars, or a list or generator of batches, tables or DataFrames.
        path: its ending tells the format, unless `format` does.
        compression: "zstd", "zlib:9", …
        row_group_bytes: bytes of a row group or stripe before compression, and of a Trevni file: rows that take more make `path` a
            directory of files.
        max_file_bytes: make `path` a directory of files of about this many stored bytes.
        schema: the types of the columns, as pyarrow casts to them; a value that does not fit is an error. Needs pyarrow.
        sort: columns to sort by; "-a" is descending, "a nulls first" has its nulls first; True = the key of the format. What
            does not fit into memory goes to files beside `path`.
        partition_by: columns that become directories NAME=VALUE below `path`, as in Hive.
        metadata: keys and values to set in the metadata of the schema.
        drop_metadata: keys to leave out, of the schema and of its fields, which must be there; ["*"] for all.
        force: replace a file by a file, a directory by a directory; without it, an existing path is a FileExistsError.
        dry_run: read and write nothing, and say what would become of each column.
        progress: show a bar, where tqdm is there.
        options: those of the format as `formats` lists them, `orc_bloom="a,b"` for orc-bloom; and those of stores as in `open`.
    """
    check_options("write", options, _WRITE, write_options)
    check_numbers(row_group_bytes=row_group_bytes, max_file_bytes=max_file_bytes, memory=memory, jobs=jobs)
    check_text(format=format, compression=compression)
    set_metadata, dropped = texts_of("metadata", metadata), names_of("drop_metadata", drop_metadata)
    by, directories = None if isinstance(sort, bool) else names_of("sort", sort), names_of("partition_by", partition_by)
    if hasattr(path, "write") and not hasattr(path, "__fspath__"):
        raise TypeError(f"write() takes a path or URL, and {type(path).__name__} is an open file: give its name")
    if not isinstance(path, (str, bytes)) and not hasattr(path, "__fspath__"):
        raise TypeError(f"write() takes a path or URL, not {type(path).__name__}")
    target = library.path_text(path)
    require_own("write", target)
    stores = library.take_stores(options)
    source = Source(rows, schema)
    with Bar(progress and not dry_run, text=target) as bar, _clear_errors(source):
        answer = library.call(
            "write",
            {
                "path": target,
                "to": format,
                "options": library.option_texts(options),
                "compression": compression,
                "row_group_bytes": row_group_bytes,
                "max_file_bytes": max_file_bytes,
                "memory": memory,
                "jobs": jobs,
                "sort": by,
                "sort_by_key": sort is True or None,
                "partition_by": directories,
                "metadata": set_metadata,
                "drop_metadata": dropped,
                "force": force,
                "dry_run": dry_run,
                "stores": stores,
            },
            stream=source.address,
            progress=lambda told: bar.set(told["rows"]),
        )
        bar.set(answer["rows"])
    return Report(
        answer["path"],
        answer["format"],
        answer["rows"],
        answer["bytes"],
        [(f["name"], f["bytes"]) for f in answer["files"]],
        [
            Column(c["path"], c["type"], c["stored"], c.get("encoding", ""), c.get("loss", ""), c.get("refused", ""))
            for c in answer["columns"]
        ],
        [Loss(x["of"], x.get("path", ""), x.get("key", ""), x["loss"]) for x in answer["losses"] or []],
    )


@contextlib.contextmanager
def _clear_errors(source: Source) -> Iterator[None]:
    """Makes the error about an existing file name the argument that replaces it, and gives errors of the code that makes rows."""
    try:
        yield
    except FileExistsError as e:
        raise FileExistsError(e.errno, f"{e.strerror}; force=True replaces it", e.filename) from None
    except (OSError, ArrowioError):
        if source.error is None:
            raise
        raise source.error from None


#: The names that write takes besides the options of formats.
_WRITE = [n for n in write.__annotations__ if n not in ("options", "return")] + list(library.STORES)
