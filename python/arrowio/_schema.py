"""Schemas where pyarrow is not there."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Optional

from . import _library as library

if TYPE_CHECKING:
    from ._dataset import Dataset

#: The types of the C data interface that have no parameters, as pyarrow calls them.
_TYPES = {
    "n": "null",
    "b": "bool",
    "c": "int8",
    "C": "uint8",
    "s": "int16",
    "S": "uint16",
    "i": "int32",
    "I": "uint32",
    "l": "int64",
    "L": "uint64",
    "e": "halffloat",
    "f": "float",
    "g": "double",
    "z": "binary",
    "Z": "large_binary",
    "vz": "binary_view",
    "u": "string",
    "U": "large_string",
    "vu": "string_view",
    "tdD": "date32[day]",
    "tdm": "date64[ms]",
    "tts": "time32[s]",
    "ttm": "time32[ms]",
    "ttu": "time64[us]",
    "ttn": "time64[ns]",
    "tDs": "duration[s]",
    "tDm": "duration[ms]",
    "tDu": "duration[us]",
    "tDn": "duration[ns]",
    "tiM": "month_interval",
    "tiD": "day_time_interval",
    "tin": "month_day_nano_interval",
}

_LISTS = {"+l": "list", "+L": "large_list", "+vl": "list_view", "+vL": "large_list_view", "+r": "run_end_encoded"}

_UNITS = {"s": "s", "m": "ms", "u": "us", "n": "ns"}


class Field(NamedTuple):
    """A column, or a field of one."""

    name: str
    type: str  # as pyarrow writes it
    fields: "list[Field]"


class Schema:
    """A schema where pyarrow is not there: anything that takes `__arrow_c_schema__` can read it. It gives its columns one after
    another, each with a `name` and a `type`, which is text."""

    def __init__(self, dataset: "Dataset") -> None:
        self._dataset = dataset

    def __arrow_c_schema__(self) -> Any:
        return self._dataset.__arrow_c_schema__()

    @property
    def names(self) -> "list[str]":
        """The names of the columns."""
        return [f.name for f in self]

    def __iter__(self) -> Iterator[Field]:
        return iter(fields_of(self._dataset))

    def __len__(self) -> int:
        return len(fields_of(self._dataset))

    def __repr__(self) -> str:
        return "\n".join(f"{f.name}: {f.type}" for f in self)


def fields_of(of: Any) -> "list[Field]":
    """Returns the columns of what has `__arrow_c_schema__`."""
    capsule = of.__arrow_c_schema__()
    p = ctypes.cast(library.pointer_in(capsule, b"arrow_schema"), ctypes.POINTER(library.ArrowSchema))
    return _field(p.contents).fields


def _field(c: Any) -> Field:
    children = ctypes.cast(c.children, ctypes.POINTER(ctypes.POINTER(library.ArrowSchema)))
    fields = [_field(children[i].contents) for i in range(c.n_children)]
    text = _type((c.format or b"").decode(), fields)
    if c.dictionary:
        values = _field(ctypes.cast(c.dictionary, ctypes.POINTER(library.ArrowSchema)).contents)
        text = f"dictionary<values={values.type}, indices={text}, ordered={c.flags & 1}>"
    return Field((c.name or b"").decode("utf-8", "replace"), text, fields)


def _type(code: str, fields: "list[Field]") -> str:
    inner = ", ".join(f"{f.name}: {f.type}" for f in fields)
    kind, _, rest = code.partition(":")
    if kind in _TYPES:
        return _TYPES[kind]
    if kind in _LISTS:
        return f"{_LISTS[kind]}<{inner}>"
    if kind == "+s":
        return f"struct<{inner}>"
    if kind == "+m":
        return "map<" + ", ".join(f.type for f in fields[0].fields) + ">"
    if kind in ("+ud", "+us"):
        codes = rest.split(",")
        inner = ", ".join(f"{f.name}: {f.type}={n}" for f, n in zip(fields, codes))
        return f"{'dense' if kind == '+ud' else 'sparse'}_union<{inner}>"
    if kind == "+w":
        return f"fixed_size_list<{inner}>[{rest}]"
    if kind == "w":
        return f"fixed_size_binary[{rest}]"
    if kind == "d":
        numbers = rest.split(",")
        return f"decimal{numbers[2] if len(numbers) > 2 else '128'}({numbers[0]}, {numbers[1]})"
    if kind.startswith("ts") and len(kind) == 3:
        return f"timestamp[{_UNITS[kind[2]]}" + (f", tz={rest}]" if rest else "]")
    return f"{code}<{inner}>" if fields else code


def twice(fields: "list[Field]") -> "Optional[str]":
    """Returns the name of several columns, or of several fields of a struct; None = there is none."""
    seen = set()
    for f in fields:
        if f.name in seen:
            return f.name
        seen.add(f.name)
    return next((n for n in (twice(f.fields) for f in fields) if n is not None), None)
