"""A bar in terminals and notebooks, where tqdm is there."""

from __future__ import annotations

from typing import Any, Optional


class Bar:
    """Counts rows; without tqdm, or if nobody asked for it, it does nothing."""

    def __init__(self, wanted: bool, total: Optional[int] = None, text: str = "") -> None:
        self._bar: Any = None
        self._n = 0
        if wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=total, unit=" rows", unit_scale=True, desc=text or None)

    def add(self, rows: int) -> None:
        self._n += rows
        if self._bar is not None:
            self._bar.update(rows)

    def set(self, rows: int) -> None:
        self.add(rows - self._n)

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
