"""Comparisons of the day of a timestamp."""

from __future__ import annotations

import datetime
from typing import Optional


def comparison(path: str, sign: str, day: datetime.date) -> Optional[str]:
    """Returns what says of a timestamp without a zone that its day compares so with a day, in arrowio's language: statistics tell
    something of that. None = it cannot be said."""
    try:
        first, after = (f"TIMESTAMP '{d.isoformat()} 00:00:00'" for d in (day, day + datetime.timedelta(days=1)))
    except OverflowError:
        return None
    return {
        "=": f"({path} >= {first} AND {path} < {after})",
        "!=": f"({path} < {first} OR {path} >= {after})",
        "<": f"({path} < {first})",
        "<=": f"({path} < {after})",
        ">": f"({path} >= {after})",
        ">=": f"({path} >= {first})",
    }[sign]
