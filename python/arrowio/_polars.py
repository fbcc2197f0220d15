"""Lazy frames of polars: their columns, conditions and limits reach the files."""

from __future__ import annotations

import datetime
import json
import struct
from typing import TYPE_CHECKING, Any, Iterator, Optional

from . import _stream
from ._casts import keeps
from ._dataset import Dataset, open
from ._days import comparison
from ._rows import MOST
from .errors import ArrowioError

if TYPE_CHECKING:
    import polars


class _Unknown(Exception):
    """The expression has something that is not said to arrowio."""


def scan_polars(source: Any, **options: Any) -> "polars.LazyFrame":
    """Returns a LazyFrame that reads files, or a dataset, when it is collected: only the columns that it needs, and of the rows
    only those that its conditions leave, as far as arrowio can say them. polars applies all conditions itself as well. The
    frame may be collected as often as one likes.

    >>> import polars
    >>> arrowio.scan_polars(example).filter(polars.col("x") > 7).select("name").collect()["name"].to_list()
    ['n8', 'n9']

    Args:
        source: a dataset, or a path as `open` takes it.
        options: those of `open`, where source is a path.
    """
    import polars as pl

    register = _registration(pl)
    if isinstance(source, Dataset):
        if options:
            raise TypeError(f"scan_polars takes {next(iter(options))} with a path: a dataset has its options already")
        ds: Dataset = source
    else:
        ds = open(source, **options)
    ds = ds._for_polars()
    schema = pl.DataFrame(ds._view(rows=[MOST, MOST])).schema

    def rows(columns: Optional[list[str]], predicate: Any, n_rows: Optional[int], batch_size: Optional[int]) -> "Iterator[polars.DataFrame]":
        left = n_rows
        for frame in _frames(pl, _view(ds, schema, columns, predicate, n_rows, batch_size)):
            if left is not None:
                frame = frame.head(left)
                left -= frame.height
            if predicate is not None:
                frame = frame.filter(predicate)
            yield frame if columns is None else frame.select(columns)
            if left is not None and left <= 0:
                return

    frame: "polars.LazyFrame" = register(rows, schema=schema, is_pure=True)
    return frame


def _registration(pl: Any) -> Any:
    """Returns register_io_source of polars. Older versions than 1.33 have one that asks for rows in other ways, or none."""
    import inspect

    try:
        from polars.io.plugins import register_io_source
    except ImportError:
        pass
    else:
        if "is_pure" in inspect.signature(register_io_source).parameters:
            return register_io_source
    raise ImportError(f"scan_polars needs polars 1.33 or later, and this is {pl.__version__}: pip install --upgrade polars, or use to_polars") from None


def _frames(pl: Any, view: Dataset) -> Iterator[Any]:
    empty = True
    for batch in _stream.batches(view._new_stream, view.__arrow_c_schema__):
        empty = False
        yield pl.DataFrame(batch)
    if empty:  # polars wants to see the columns
        yield pl.DataFrame(view._view(rows=[MOST, MOST]))


def _view(ds: Dataset, schema: Any, columns: Optional[list[str]], predicate: Any, n_rows: Optional[int], batch_size: Optional[int]) -> Dataset:
    """Returns a view with what is asked for, as far as it can be said. n_rows counts rows before the predicate."""
    view = ds
    if batch_size and "batch_rows" not in {k for k, v in ds._scan.items() if v is not None}:
        view = view._view(scan={**view._scan, "batch_rows": min(batch_size, 2**31 - 1)})
    if n_rows is not None and view._where is None:
        first = view._rows[0] if view._rows else 0
        last = min(view._rows[1] if view._rows else MOST, first + n_rows)
        view = view._view(rows=[first, last] if last else [MOST, MOST])
        n_rows = None
    if predicate is not None and n_rows is None:
        for condition in _conjuncts(_tree(predicate)):
            try:
                view = view.filter(_said(condition, schema))
            except (_Unknown, ArrowioError, LookupError, TypeError, ValueError, AttributeError):  # polars applies it
                pass
    if columns is not None:
        asked: list[str] = predicate.meta.root_names() if predicate is not None else []
        needed = list(dict.fromkeys([*columns, *asked]))
        view = view.select([_path(n) for n in needed] if ds._columns is None else _below(ds, needed))
    return view


def _below(ds: Dataset, names: list[str]) -> list[str]:
    """Returns the paths of a view that are of some of its columns."""
    from ._tasks import narrowed

    return narrowed(ds._columns, names)


def _tree(predicate: Any) -> Any:
    """Returns an expression as polars writes it; None where it does not. The form may differ between versions of polars: what is
    not as it is here is not said."""
    try:
        return json.loads(predicate.meta.serialize(format="json"))
    except Exception:  # of functions of Python, and versions without this form
        return None


def _conjuncts(tree: Any) -> list[Any]:
    match = _binary(tree)
    if match is not None and match[1] == "And":
        return _conjuncts(match[0]) + _conjuncts(match[2])
    return [tree]


def _binary(tree: Any) -> "Optional[tuple[Any, str, Any]]":
    if not isinstance(tree, dict) or set(tree) != {"BinaryExpr"}:
        return None
    b = tree["BinaryExpr"]
    return (b["left"], b["op"], b["right"]) if isinstance(b, dict) and {"left", "op", "right"} == set(b) else None


_SIGNS = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_TURNED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def _said(tree: Any, schema: Any) -> str:
    """Returns a condition in arrowio's language. It is true for every row for which that of polars is."""
    match = _binary(tree)
    if match is not None:
        left, op, right = match
        if op in ("And", "Or"):
            return f"({_said(left, schema)} {op.upper()} {_said(right, schema)})"
        if op not in _SIGNS:
            raise _Unknown
        sign = _SIGNS[op]
        if "Literal" in left:
            left, right, sign = right, left, _TURNED[sign]
        return _comparison(left, sign, right, schema)
    if not isinstance(tree, dict):
        raise _Unknown
    if set(tree) == {"Column"}:
        return _operand(tree, schema)[0]
    if set(tree) != {"Function"}:
        raise _Unknown
    of, kind = tree["Function"]["input"], tree["Function"]["function"]
    if kind == {"Boolean": "IsNull"} or kind == {"Boolean": "IsNotNull"}:
        return f"({_operand(of[0], schema)[0]} IS {'NOT ' if kind['Boolean'] == 'IsNotNull' else ''}NULL)"
    if kind == {"Boolean": "IsNan"}:
        return f"({_operand(of[0], schema)[0]} IS NAN)"
    if kind == {"Boolean": "IsNotNan"}:
        return f"(NOT {_operand(of[0], schema)[0]} IS NAN)"
    if kind == {"Boolean": "Not"} and set(of[0]) == {"Column"}:
        return f"(NOT {_operand(of[0], schema)[0]})"
    between = kind.get("Boolean") if isinstance(kind, dict) else None
    if isinstance(between, dict) and "IsBetween" in between:
        low, high = {"Both": (">=", "<="), "Left": (">=", "<"), "Right": (">", "<="), "None": (">", "<")}[between["IsBetween"]["closed"]]
        return f"({_comparison(of[0], low, of[1], schema)} AND {_comparison(of[0], high, of[2], schema)})"
    if kind in ({"StringExpr": "StartsWith"}, {"StringExpr": "EndsWith"}):
        text = of[1]["Literal"]["Scalar"]["String"]
        if "\x00" in text:
            raise _Unknown
        text = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_").replace("'", "''")
        pattern = f"{text}%" if kind["StringExpr"] == "StartsWith" else f"%{text}"
        return f"({_operand(of[0], schema)[0]} LIKE '{pattern}' ESCAPE '\\')"
    raise _Unknown


def _comparison(left: Any, sign: str, right: Any, schema: Any) -> str:
    """Returns a comparison of a column with a value."""
    if set(left) == {"Cast"}:
        return _of_cast(left["Cast"], sign, right, schema)
    if set(left) == {"Function"} and left["Function"]["function"] == {"TemporalExpr": "Date"}:
        return _of_day(left["Function"]["input"][0], sign, right, schema)
    path, t = _operand(left, schema)
    if str(t).startswith(("Categorical", "Enum")) and sign not in ("=", "!="):
        raise _Unknown  # they may have an order of their own
    return _compared(path, t, sign, right)


def _compared(path: str, t: Any, sign: str, right: Any) -> str:
    text = f"({path} {sign} {_literal(right)})"
    if t.is_float() and sign in (">", ">=", "!="):
        return f"({text} OR {path} IS NAN)"  # polars takes NaN for the greatest number
    return text


def _of_cast(cast: Any, sign: str, right: Any, schema: Any) -> str:
    """Returns a comparison of what a cast makes of a column: of the day of a timestamp, or of a number as one of a wider type."""
    if cast["dtype"] == {"Literal": "Date"}:
        return _of_day(cast["expr"], sign, right, schema)
    path, t = _operand(cast["expr"], schema)
    ((kind, value),) = right["Literal"]["Scalar"].items()
    to = str(cast["dtype"].get("Literal")).lower()
    if not kind.startswith(("Int", "UInt", "Float")) or not keeps(str(t).lower(), to, value, rounds=True):
        raise _Unknown
    return _compared(path, t, sign, right)


def _of_day(of: Any, sign: str, right: Any, schema: Any) -> str:
    """Returns a comparison of a timestamp whose day is compared."""
    path, t = _operand(of, schema)
    if not str(t).startswith("Datetime") or getattr(t, "time_zone", None):
        raise _Unknown
    text = comparison(path, sign, _day(right["Literal"]["Scalar"]["Date"]))
    if text is None:
        raise _Unknown
    return text


def _path(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _operand(tree: Any, schema: Any) -> "tuple[str, Any]":
    """Returns the path and the type of a column, or of a child of a struct."""
    if isinstance(tree, dict) and set(tree) == {"Column"}:
        return _path(tree["Column"]), schema[tree["Column"]]
    try:
        (of,) = tree["Function"]["input"]
        name = tree["Function"]["function"]["StructExpr"]["FieldByName"]
    except (KeyError, TypeError, ValueError):
        raise _Unknown from None
    path, t = _operand(of, schema)
    return f"{path}.{_path(name)}", next(f.dtype for f in t.fields if f.name == name)


def _literal(tree: Any) -> str:
    """Returns a value in arrowio's language."""
    try:
        ((kind, v),) = tree["Literal"]["Scalar"].items()
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _Unknown from None
    if kind == "Boolean":
        return "TRUE" if v else "FALSE"
    if kind in ("Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64"):
        return str(int(v))
    if kind in ("Float32", "Float64") and isinstance(v, (int, float)):  # NaN and infinity are not numbers in JSON
        if kind == "Float32":  # which JSON writes with the fewest digits that tell it from other float32
            (v,) = struct.unpack("f", struct.pack("f", v))
        return f"DOUBLE '{float(v)!r}'"
    if kind == "String" and "\x00" not in v:
        return "'" + str(v).replace("'", "''") + "'"
    if kind == "Date":
        return f"DATE '{_day(v).isoformat()}'"
    if kind == "Datetime":
        return _timestamp(*v)
    raise _Unknown


def _day(n: int) -> datetime.date:
    try:
        return datetime.date(1970, 1, 1) + datetime.timedelta(days=n)
    except OverflowError:
        raise _Unknown from None


def _timestamp(value: int, unit: str, zone: Optional[str]) -> str:
    per_second = {"Milliseconds": 10**3, "Microseconds": 10**6, "Nanoseconds": 10**9}[unit]
    seconds, rest = divmod(value, per_second)
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    except OverflowError:
        raise _Unknown from None
    fraction = f".{rest * (10**9 // per_second):09d}" if rest else ""
    return f"TIMESTAMP '{moment.isoformat(sep=' ')}{fraction}{'+00:00' if zone else ''}'"
