"""Keyword arguments that nobody knows are refused, with the name that may have been meant."""

from __future__ import annotations

import difflib
import functools
import inspect
from typing import Any, Callable, Iterable, Mapping, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

#: What those who come from other libraries look for.
_ELSEWHERE = {
    "limit": "use head(n), or rows=(0, n) of open",
    "n_rows": "use head(n), or rows=(0, n) of open",
    "nrows": "use head(n), or rows=(0, n) of open",
    "predicate": "did you mean where?",
    "filters": "did you mean where?",
    "usecols": "did you mean columns?",
}


def unknown(function: str, name: str, names: Iterable[str]) -> TypeError:
    """Returns the exception for a name that is none of those that a function takes."""
    near = difflib.get_close_matches(name, list(names), 1)
    hint = f"did you mean {near[0]}?" if near else _ELSEWHERE.get(name)
    return TypeError(f"{function}() got an unexpected keyword argument {name!r}" + (f"; {hint}" if hint else ""))


def checked(function: F) -> F:
    """Makes a function say which name may have been meant, which Python itself does only since 3.13."""
    names = [p.name for p in inspect.signature(function).parameters.values() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    taken = frozenset(names)

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if not taken.issuperset(named):
            raise unknown(function.__name__, next(n for n in named if n not in taken), names[1:])
        return function(*arguments, **named)

    return cast(F, call)


def check_options(function: str, options: Mapping[str, Any], names: Iterable[str], formats: Callable[[], Any]) -> None:
    """Refuses what is neither an argument of a function nor begins as the options of a format do."""
    if not options:
        return
    known = [o.name.replace("-", "_") for f in formats() for o in f.read_options]
    first = {n.split("_")[0] for n in known if "_" in n}
    for name in options:
        if name not in known and name.split("_")[0] not in first:
            raise unknown(function, name, [*names, *known])
