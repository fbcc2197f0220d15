"""Casts of numbers that change no comparison with a value."""

from __future__ import annotations

from typing import Union

_INTEGERS = {
    **{f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)},
}
_FLOATS = {"float32": 24, "float": 24, "float64": 53, "double": 53}  # bits of a whole number that they hold


def keeps(of: str, to: str, value: Union[int, float], rounds: bool = False) -> bool:
    """Tells whether a column of one type compares with a value as it does after a cast to the other type, which no value of the
    column fails. Types are named as pyarrow and polars name them, in small letters. rounds: integers that a float does not hold
    become others, and are no failure."""
    if of in _INTEGERS:
        (low, high) = _INTEGERS[of]
        if to in _INTEGERS:
            (lowest, highest) = _INTEGERS[to]
            return lowest <= low and high <= highest and isinstance(value, int)
        most = 2 ** _FLOATS.get(to, 0)
        return abs(value) < most and (rounds or max(-low, high) <= most)  # no larger integer is rounded to a smaller one than most
    return of in _FLOATS and to in _FLOATS and _FLOATS[of] <= _FLOATS[to]
