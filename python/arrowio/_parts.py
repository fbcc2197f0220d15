"""Parts of a scan, for other processes and machines that reach the same files."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, TypedDict

from . import _library as library
from ._dataset import _OPEN, Dataset, _reached, open
from ._formats import read_options
from ._keywords import check_numbers, check_options
from ._rows import Rows, row_range
from ._spool import is_open_file
from ._where import where_text
from .errors import OptionError


class Part(TypedDict):
    """A part of a scan: JSON, to be sent to whoever is to read it with `open_part`.

    `rows` is how many rows it has, None where only reading tells; `bytes` how many stored bytes. What else it holds may
    change with versions: the process that makes a part and the one that reads it need the same version of arrowio.
    """

    rows: Optional[int]
    bytes: int
    whole: dict[str, Any]
    files: list[dict[str, Any]]
    range: Optional[list[int]]
    scan: dict[str, Any]


def plan(
    path: Any,
    parts: Optional[int] = None,
    columns: Optional[Sequence[str]] = None,
    where: Any = None,
    rows: Optional[Rows] = None,
    **options: Any,
) -> list[Part]:
    """Divides the scan that `open` with the same arguments makes into parts: all rows, each in one of them, in order.

    A part is some stripes, row groups or other splits of one file, or of up to 256 files. Splits that where cannot match are
    left out, so there may be no part at all. Where rows are asked for by number, and a file does not say how many it has, there
    is one part.

    >>> parts = arrowio.plan(example, parts=2, where="x > 7")
    >>> [row for p in parts for row in arrowio.open_part(p).to_table()["x"].to_pylist()]
    [8, 9]

    Args:
        parts: about so many; None = one for 128 MiB of stored bytes. There are no more than the files have splits.
        options: those of `open`; paths must be such as mean the same to those who will read.
    """
    check_options("plan", options, [*_OPEN, "parts"], read_options)
    check_numbers(parts=parts)
    if is_open_file(path):
        raise TypeError(f"plan() takes paths and URLs, which others can read, and {type(path).__name__} is an open file")
    span = row_range(rows)
    text = where_text(where, "where")
    # Rows are counted before the filter, so that it must not keep files from being looked at.
    with open(path, columns, text if span is None else None, **options) as ds:
        view = ds if span is None or text is None else ds.filter(text)
        return _plan(view, parts, span)


def _is_part(part: Any) -> bool:
    """Tells whether a value has the form of a part. What is in it is looked at when it is opened."""
    if not isinstance(part, Mapping) or not part.keys() >= {"whole", "files", "range", "scan"}:
        return False
    span = part["range"]
    return (
        isinstance(part["whole"], Mapping)
        and isinstance(part["scan"], Mapping)
        and isinstance(part["files"], list)
        and all(isinstance(f, Mapping) and isinstance(f.get("input"), Mapping) and isinstance(f["input"].get("path"), str) for f in part["files"])
        and (span is None or isinstance(span, (list, tuple)) and len(span) == 2 and all(isinstance(n, int) for n in span))
    )


def _plan(view: Dataset, parts: Optional[int], span: Optional[list[int]]) -> list[Part]:
    answer = library.call("plan", {"handle": view._files.handle, "where": view._where, "rows": span, "parts": parts})
    scan = {k: v for k, v in (("columns", view._columns), ("where", view._where), *view._scan.items()) if v is not None}
    return [
        Part(rows=p["count"], bytes=p["bytes"], whole=answer["whole"], files=p["files"], range=p.get("rows"), scan=scan)
        for p in answer["parts"]
    ]


def open_part(part: Part, *, jobs: Optional[int] = None, progress: bool = False, filesystem: Any = None, **stores: Any) -> Dataset:
    """Opens a part that `plan` made. Its files must be what they were then: one that has changed is an OSError, ESTALE.

    >>> arrowio.open_part(arrowio.plan(example)[0]).count_rows()
    10

    Args:
        jobs: how many threads decode; None = as the plan says.
        progress: show a bar while rows are read.
        filesystem: that of `open`, where one was given.
        stores: how S3 is reached, as in `open`; None = as the plan says. Parts do not hold keys: give them here, or in the
            environment.
    """
    if not _is_part(part):
        hint = "; json.loads makes one of text" if isinstance(part, (str, bytes)) else ""
        raise OptionError(f"open_part() takes a part that plan() made, not {part!r:.60}{hint}", kind="option")
    check_options("open_part", stores, ["jobs", "progress", "filesystem", *library.STORES], list)
    given = library.take_stores(stores)
    scan = dict(part["scan"])
    columns, where = scan.pop("columns", None), scan.pop("where", None)
    if jobs is not None:
        scan["jobs"] = jobs
    if given:
        given = {**part["whole"]["open"].get("stores", {}), **given}
    request = {"whole": part["whole"], "files": part["files"], "stores": given}
    return Dataset(_reached("open_part", request, filesystem), columns, where, part["range"], scan, progress)
