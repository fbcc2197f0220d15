"""Writing."""

from __future__ import annotations

import contextlib
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Optional

from . import _library as library
from ._formats import write_options
from ._keywords import check_numbers, check_options, check_text, names_of, texts_of
from ._progress import Bar
from .errors import OptionError


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
        rows: anything with `__arrow_c_stream__` (a dataset of arrowio, of polars, pandas 2.2, pyarrow, …), a table, batch or
            reader of pyarrow, or a DataFrame of pandas.
        path: its ending tells the format, unless `format` does.
        compression: "zstd", "zlib:9", …
        row_group_bytes: bytes of a row group or stripe before compression, and of a Trevni file: rows that take more make `path` a
            directory of files.
        max_file_bytes: make `path` a directory of files of about this many stored bytes.
        metadata: keys and values to set in the metadata of the schema.
        drop_metadata: keys to leave out, of the schema and of its fields, which must be there; ["*"] for all.
        force: replace what is there; without it, an existing path is a FileExistsError.
        dry_run: read and write nothing, and say what would become of each column.
        progress: show a bar, where tqdm is there.
        options: those of the format as `formats` lists them, `orc_bloom="a,b"` for orc-bloom; and those of stores as in `open`.
    """
    check_options("write", options, _WRITE, write_options)
    check_numbers(row_group_bytes=row_group_bytes, max_file_bytes=max_file_bytes, memory=memory, jobs=jobs)
    check_text(format=format, compression=compression)
    set_metadata, dropped = texts_of("metadata", metadata), names_of("drop_metadata", drop_metadata)
    capsule = _stream_of(rows)
    stores = library.take_stores(options)
    with Bar(progress and not dry_run, text=library.path_text(path)) as bar, _naming_force():
        answer = library.call(
            "write",
            {
                "path": library.path_text(path),
                "to": format,
                "options": library.option_texts(options),
                "compression": compression,
                "row_group_bytes": row_group_bytes,
                "max_file_bytes": max_file_bytes,
                "memory": memory,
                "jobs": jobs,
                "metadata": set_metadata,
                "drop_metadata": dropped,
                "force": force,
                "dry_run": dry_run,
                "stores": stores,
            },
            stream=library.pointer_in(capsule, b"arrow_array_stream"),
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
def _naming_force() -> Iterator[None]:
    """Makes the error about an existing file name the argument that replaces it."""
    try:
        yield
    except FileExistsError as e:
        raise FileExistsError(e.errno, f"{e.strerror}; force=True replaces it", e.filename) from None


#: The names that write takes besides the options of formats.
_WRITE = [n for n in write.__annotations__ if n not in ("options", "return")] + list(library.STORES)


def _stream_of(rows: Any) -> Any:
    """Returns the capsule of a stream of rows."""
    from ._dataset import Dataset

    if isinstance(rows, Dataset):
        return rows._new_stream()  # which is read in another thread, where nothing needs to be polled
    if hasattr(rows, "__arrow_c_stream__"):
        return rows.__arrow_c_stream__()
    module = type(rows).__module__.split(".")[0]
    if hasattr(rows, "__arrow_c_array__") or module == "pandas":
        import pyarrow

        if module == "pandas":
            return pyarrow.Table.from_pandas(rows).__arrow_c_stream__()
        batch = pyarrow.record_batch(rows)
        return pyarrow.Table.from_batches([batch]).__arrow_c_stream__()
    raise OptionError(f"{type(rows).__name__} is nothing that rows can be read from: it has no __arrow_c_stream__", kind="option")
