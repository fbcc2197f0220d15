"""Whether pyarrow is there."""

from __future__ import annotations

from typing import Any


def pyarrow_or_none() -> Any:
    """Returns pyarrow, or None."""
    try:
        import pyarrow
    except ImportError:
        return None
    return pyarrow


def need_pyarrow(what: str) -> Any:
    """Returns pyarrow, or raises the ImportError that says what needs it."""
    try:
        import pyarrow
    except ModuleNotFoundError:
        raise ImportError(f"{what} needs pyarrow: pip install pyarrow") from None
    except ImportError as e:
        raise ImportError(f"{what} needs pyarrow, which cannot be imported: {e}") from e
    return pyarrow
