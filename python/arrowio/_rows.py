"""Ranges of rows by their numbers."""

from __future__ import annotations

from typing import Optional, Union

from .errors import OptionError

Rows = Union[str, slice, range, "tuple[Optional[int], Optional[int]]"]

MOST = 2**63 - 1


def row_range(rows: Optional[Rows]) -> Optional[list[int]]:
    """Reads (a, b), slice(a, b), range(a, b) and "a:b"."""
    if rows is None:
        return None
    if isinstance(rows, (slice, range)):
        if rows.step not in (None, 1):
            raise OptionError("rows cannot have a step", kind="option")
        first, last = rows.start, rows.stop
    elif isinstance(rows, str):
        a, colon, b = rows.partition(":")
        first = last = None
        try:
            first, last = int(a) if a else None, int(b) if b else None
        except ValueError:
            colon = ""
        if not colon:
            raise OptionError(f"rows is A:B, not {rows!r}", kind="option")
    else:
        try:
            first, last = rows
        except (TypeError, ValueError):
            raise OptionError(f"rows cannot be {rows!r}: give (A, B), a slice, a range or 'A:B'", kind="option") from None
    first, last = first or 0, MOST if last is None else last
    if first < 0 or last < 0:
        raise OptionError(f"rows cannot be {rows!r}: they are counted from 0", kind="option")
    if last < first:
        raise OptionError(f"rows cannot be {rows!r}: it ends before it begins", kind="option")
    if last == 0:
        first = last = MOST  # 0:0 would mean all
    return [first, last]
