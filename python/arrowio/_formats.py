"""What can be read and written."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _library as library


class Option(NamedTuple):
    """An option of a format; in Python its name has underscores: orc_timezone for orc-timezone."""

    name: str
    usage: str
    default: str
    values: list[str]  # the words it takes; none = any text
    repeated: bool  # it takes a list


class Format(NamedTuple):
    """A format."""

    name: str
    reads: bool
    writes: bool
    extensions: list[str]
    read_options: list[Option]
    write_options: list[Option]


def _option(o: dict[str, Any]) -> Option:
    return Option(o["Name"], o["Usage"], o["Default"], o["Values"] or [], o["Repeated"])


def formats() -> list[Format]:
    """Returns the formats and their options.

    >>> [f.name for f in arrowio.formats() if f.name.startswith("orc")]
    ['orc']
    """
    return [
        Format(
            f["name"],
            f["reads"],
            f["writes"],
            f["extensions"],
            [_option(o) for o in f["read_options"]],
            [_option(o) for o in f["write_options"]],
        )
        for f in library.call("formats", {})
    ]


def read_options() -> list[str]:
    """Returns the names of all options of reading."""
    return [o.name for f in formats() for o in f.read_options]


def write_options() -> list[str]:
    """Returns the names of all options of writing."""
    return [o.name for f in formats() for o in f.write_options]
