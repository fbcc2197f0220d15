"""Conditions, as those who ask for rows give them."""

from __future__ import annotations

from typing import Any, Optional

from .errors import OptionError

#: The operators of the tuples in which pyarrow.parquet and Dask take conditions.
_OPERATORS = ("=", "==", "!=", "<", "<=", ">", ">=", "in", "not in")


def where_text(where: Any, argument: str) -> Optional[str]:
    """Returns the text of a condition, of an expression of pyarrow, or of a list of them, which all must be true; None = none."""
    if where is None or isinstance(where, str):
        return where
    if isinstance(where, (list, tuple)):
        if _has_tuples(where):
            raise OptionError(
                f"{argument} cannot be {where!r}: conditions are no tuples here: give text, such as \"x > 5 and name in ('a', 'b')\"", kind="option"
            )
        texts = [t for t in (where_text(w, argument) for w in where) if t is not None]
        return " AND ".join(f"({t})" for t in texts) or None
    if type(where).__module__.split(".")[0] != "pyarrow" or type(where).__name__ != "Expression":
        raise no_filter(argument, where)
    from ._expressions import to_where

    text = to_where(where)
    if text is None:
        raise OptionError(
            f"{argument} cannot be {where}: arrowio does not know what is in it; pyarrow computes it for filter= of to_table, to_batches, to_reader, "
            "scanner, head, take and count_rows, and for to_pyarrow_dataset().filter()",
            kind="option",
        )
    return text


def _has_tuples(where: Any) -> bool:
    """Tells whether this is [(name, operator, value), …], a list of such lists, or one of the tuples."""
    if len(where) == 3 and isinstance(where[0], str) and isinstance(where[1], str) and where[1].strip().lower() in _OPERATORS:
        return True
    return any(_has_tuples(w) for w in where if isinstance(w, (list, tuple)))


def no_filter(argument: str, given: Any) -> OptionError:
    """Returns the exception for what is no condition."""
    what = f"a {type(given).__name__}" if callable(given) else repr(given)
    return OptionError(f"{argument} cannot be {what}: give text, such as \"x > 5\", or an expression of pyarrow", kind="option")
