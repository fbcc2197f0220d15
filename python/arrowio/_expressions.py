"""Expressions of pyarrow as filters of arrowio, as far as these say the same."""

from __future__ import annotations

import ctypes
import datetime
import math
from typing import Any, NamedTuple, Optional

import pyarrow as pa

from . import _library as library
from ._casts import keeps
from ._days import comparison


class Unknown(Exception):
    """The expression has something that arrowio's language does not say, or says otherwise."""


class _Node(NamedTuple):
    """A part of an expression: a field (a list of names), a literal (a scalar) or a call (its function)."""

    kind: str
    value: Any
    arguments: list[Any]
    options: Any


class Parser:
    """Reads the form in which pyarrow keeps expressions: a walk through the tree as metadata of a batch of its literals."""

    def __init__(self, expression: Any) -> None:
        buffer = expression.__reduce__()[1][0]
        self._batch = pa.ipc.open_file(buffer).get_batch(0)
        self._entries = _entries(self._batch.schema)
        self._at = 0

    def _next(self) -> tuple[str, str]:
        if self._at == len(self._entries):
            raise Unknown
        self._at += 1
        return self._entries[self._at - 1]

    def node(self) -> _Node:
        key, value = self._next()
        if key == "literal":
            return _Node("literal", self._batch.column(int(value))[0], [], None)
        if key == "field_ref":
            return _Node("field", [value], [], None)
        if key == "nested_field_ref":
            return _Node("field", [self.node().value[0] for _ in range(int(value))], [], None)
        if key != "call":
            raise Unknown
        arguments: list[Any] = []
        options = None
        while True:
            key, text = self._next()
            if key == "end":
                return _Node("call", value, arguments, options)
            if key == "options":
                options = self._batch.column(int(text))[0]
                continue
            self._at -= 1
            arguments.append(self.node())


def _entries(schema: Any) -> list[tuple[str, str]]:
    """Returns the metadata of a schema, in order and with names that come several times, which a dict cannot show."""
    capsule = schema.__arrow_c_schema__()
    start = library.pointer_in(capsule, b"arrow_schema")
    at: int = ctypes.cast(start, ctypes.POINTER(library.ArrowSchema)).contents.metadata or 0

    def number() -> int:
        nonlocal at
        at += 4
        return ctypes.c_int32.from_address(at - 4).value

    def text() -> str:
        nonlocal at
        n = number()
        at += n
        return ctypes.string_at(at - n, n).decode()

    return [(text(), text()) for _ in range(number())] if at else []


_COMPARISONS = {"equal": "=", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
_PATTERNS = {"match_like": "{}", "starts_with": "{}%", "ends_with": "%{}", "match_substring": "%{}%"}
_LISTS = {"and": "AND", "and_kleene": "AND", "or": "OR", "or_kleene": "OR"}


def text_of(n: _Node, schema: Any = None) -> str:
    """Returns what a tree is in arrowio's language.

    Columns of different types are compared exactly there, and by pyarrow after a cast: with a schema, that cannot be said.
    """
    if n.kind == "field":
        return path_of(n.value)
    if n.kind == "literal":
        if pa.types.is_boolean(n.value.type) and n.value.is_valid:
            return _literal(n.value)
        raise Unknown
    if n.value in _LISTS:
        return "(" + f" {_LISTS[n.value]} ".join(text_of(a, schema) for a in n.arguments) + ")"
    if n.value == "invert":
        return f"(NOT {text_of(n.arguments[0], schema)})"
    if n.value in _COMPARISONS:
        left, right = n.arguments
        if schema is not None and right.kind == "literal" and left.kind == "call" and left.value == "cast":
            return _of_cast(left, _COMPARISONS[n.value], right, schema)
        if left.kind == right.kind == "field":
            if schema is not None and (_type(schema, left.value) != _type(schema, right.value) or pa.types.is_nested(_type(schema, left.value))):
                raise Unknown
        elif {left.kind, right.kind} != {"field", "literal"}:
            raise Unknown
        return f"({_operand(left)} {_COMPARISONS[n.value]} {_operand(right)})"
    if n.value in _PATTERNS:
        return _like(n)
    if n.value in ("is_null", "is_valid", "is_in", "is_nan"):
        (of,) = n.arguments
        if of.kind != "field":
            raise Unknown
        if n.value == "is_valid":
            return f"({path_of(of.value)} IS NOT NULL)"
        if n.value == "is_nan":
            if schema is not None and not pa.types.is_floating(_type(schema, of.value)):
                raise Unknown
            return f"({path_of(of.value)} IS NAN)"
        if n.value == "is_null":
            if n.options is not None and n.options.as_py().get("nan_is_null"):
                raise Unknown
            return f"({path_of(of.value)} IS NULL)"
        return _is_in(of, n.options)
    raise Unknown


def _of_cast(cast: _Node, sign: str, right: _Node, schema: Any) -> str:
    """Returns a comparison of what a cast makes of a column as one of the column, which statistics tell something about: of the
    day of a timestamp, and of a number as one of a wider type."""
    (of,) = cast.arguments
    if of.kind != "field" or cast.options is None or not right.value.is_valid:
        raise Unknown
    t, to = _type(schema, of.value), cast.options.type.field("to_type").type
    if to != pa.date32():
        value = right.value.as_py()
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not keeps(str(t), str(to), value):
            raise Unknown
        return f"({path_of(of.value)} {sign} {_literal(right.value)})"
    if not pa.types.is_timestamp(t) or t.tz or right.value.type != to:
        raise Unknown
    text = comparison(path_of(of.value), sign, right.value.as_py())
    if text is None:
        raise Unknown
    return text


def _like(n: _Node) -> str:
    """Returns a test of text with a pattern, whose escape character is a backslash in pyarrow, too."""
    (of,) = n.arguments
    options = {} if n.options is None else n.options.as_py()
    pattern = options.get("pattern")
    if isinstance(pattern, bytes):
        pattern = pattern.decode()  # a UnicodeDecodeError is a ValueError, as ArrowInvalid is
    if of.kind != "field" or not isinstance(pattern, str) or "\x00" in pattern:
        raise Unknown
    if n.value != "match_like":
        pattern = pattern.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    elif (len(pattern) - len(pattern.rstrip("\\"))) % 2:
        raise Unknown
    pattern = _PATTERNS[n.value].format(pattern).replace("'", "''")
    word = "ILIKE" if options.get("ignore_case") else "LIKE"
    return f"({path_of(of.value)} {word} '{pattern}' ESCAPE '\\')"


def _type(schema: Any, names: list[str]) -> Any:
    """Returns the type of a column."""
    t = None
    for name in names:
        of = schema if t is None else t
        if t is not None and not pa.types.is_struct(t) or of.get_field_index(name) < 0:
            raise Unknown
        t = of.field(of.get_field_index(name)).type
    return t


# What pyarrow says of nulls: they are in a list that has one, they are never in it.
_MATCH, _SKIP = 0, 1


def _is_in(of: _Node, options: Any) -> str:
    """Returns a test of what is in a list. In pyarrow's own -0.0 is another number than 0.0, as it is in none of its comparisons."""
    values, nulls = options["value_set"].values, options["null_matching_behavior"].as_py()
    path = path_of(of.value)
    texts: list[str] = []
    tests: list[str] = []
    for v in values:
        if v.is_valid and pa.types.is_floating(v.type) and not math.isfinite(float(v.as_py())):
            f = float(v.as_py())
            if not math.isnan(f):
                texts.append(f"DOUBLE '{f!r}'")
            elif not tests:
                tests.append(f"{path} IS NAN")
        elif v.is_valid:
            texts.append(_literal(v))
    if texts:
        tests.insert(0, f"{path} IN ({', '.join(texts)})")
    has_null = values.null_count > 0
    if nulls not in (_MATCH, _SKIP) or not tests and not has_null:
        raise Unknown
    # pyarrow says false of a null that is not in the list, and arrowio null: the same for a filter, but not below NOT.
    test = f"({path} IS NOT NULL AND ({' OR '.join(tests)}))" if tests else ""
    if not has_null or nulls == _SKIP:
        return test or "FALSE"
    return f"({test} OR {path} IS NULL)" if test else f"({path} IS NULL)"


def path_of(names: list[str]) -> str:
    return ".".join('"' + n.replace('"', '""') + '"' for n in names)


def _operand(n: _Node) -> str:
    return path_of(n.value) if n.kind == "field" else _literal(n.value)


def _literal(s: Any) -> str:
    t = s.type
    if not s.is_valid:
        raise Unknown
    if pa.types.is_dictionary(t):
        return _literal(s.value)
    if pa.types.is_boolean(t):
        return "TRUE" if s.as_py() else "FALSE"
    if pa.types.is_integer(t):
        return str(s.as_py())
    if pa.types.is_floating(t):
        f = float(s.as_py())
        if not math.isfinite(f):
            raise Unknown
        # pyarrow compares a double with a column of floats as doubles; a number with a point would be rounded to them.
        return f"DOUBLE '{f!r}'"
    if pa.types.is_decimal(t):
        return f"{s.as_py():f}"
    if pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t):
        v: str = s.as_py()
        if "\x00" in v:
            raise Unknown
        return "'" + v.replace("'", "''") + "'"
    if pa.types.is_binary(t) or pa.types.is_large_binary(t) or pa.types.is_fixed_size_binary(t):
        return "X'" + str(s.as_py().hex()) + "'"
    if pa.types.is_date32(t):
        return f"DATE '{s.as_py().isoformat()}'"
    if pa.types.is_timestamp(t):
        return _timestamp(s)
    raise Unknown


def _timestamp(s: Any) -> str:
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[s.type.unit]
    seconds, rest = divmod(s.value, per_second)
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    except OverflowError:
        raise Unknown from None
    fraction = f".{rest * (10**9 // per_second):09d}" if rest else ""
    zone = "+00:00" if s.type.tz else ""
    return f"TIMESTAMP '{moment.isoformat(sep=' ')}{fraction}{zone}'"


def conjuncts(n: _Node) -> list[_Node]:
    if n.kind == "call" and n.value in ("and", "and_kleene"):
        return [c for a in n.arguments for c in conjuncts(a)]
    return [n]


def fields(n: _Node) -> set[str]:
    """Returns the columns that a tree reads."""
    if n.kind == "field":
        return {n.value[0]}
    return {f for a in n.arguments for f in fields(a)}


def to_where(expression: Any) -> Optional[str]:
    """Returns what an expression is in arrowio's language; None = it cannot be said."""
    try:
        return text_of(Parser(expression).node())
    except (Unknown, StopIteration, ValueError):
        return None
