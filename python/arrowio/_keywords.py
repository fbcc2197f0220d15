"""Arguments are checked before the library sees them: unknown keywords, and values of other types than are wanted."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Optional, TypeVar, Union, cast

from . import _library as library
from .errors import OptionError

F = TypeVar("F", bound=Callable[..., Any])

#: What those who come from other libraries look for.
_ELSEWHERE = {
    "limit": "use head(n), or rows=(0, n) of open",
    "n_rows": "use head(n), or rows=(0, n) of open",
    "nrows": "use head(n), or rows=(0, n) of open",
    "predicate": "did you mean where?",
    "filters": "did you mean where?",
    "usecols": "did you mean columns?",
    "exclude": "name the other columns with columns",
    "overwrite": "did you mean force?",
    "exist_ok": "did you mean force?",
    "replace": "did you mean force?",
}


def unknown(function: str, name: str, names: Iterable[str]) -> TypeError:
    """Returns the exception for a name that is none of those that a function takes."""
    import difflib

    near = difflib.get_close_matches(name, list(names), 1)
    hint = f"did you mean {near[0]}?" if near else _ELSEWHERE.get(name)
    return TypeError(f"{function}() got an unexpected keyword argument {name!r}" + (f"; {hint}" if hint else ""))


def checked(function: F) -> F:
    """Makes a function say which name may have been meant, which Python itself does only since 3.13."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    taken = frozenset(names)

    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if not taken.issuperset(named):
            raise unknown(function.__name__, next(n for n in named if n not in taken), names[1:])
        return function(*arguments, **named)

    return cast(F, call)


def check_options(function: str, options: Mapping[str, Any], names: Iterable[str], known: Callable[[], Iterable[str]]) -> None:
    """Refuses what is neither an argument of a function nor an option of a format."""
    if not options:
        return
    taken = [*names, *(n.replace("-", "_") for n in known())]
    for name in options:
        if name not in taken:
            raise unknown(function, name, taken)


def check_numbers(**numbers: Optional[int]) -> None:
    """Refuses what is no whole number from 1 to 2**63 - 1; None = not given."""
    for name, n in numbers.items():
        if n is None:
            continue
        if isinstance(n, bool) or not hasattr(n, "__index__"):
            raise OptionError(f"{name} cannot be {n!r}: give a whole number", kind="option")
        if not 1 <= operator.index(n) < 2**63:
            raise OptionError(f"{name} is {n}; it must be 1 to 2**63 - 1", kind="option")


def check_count(name: str, n: Any) -> None:
    """Refuses what is no whole number from 0 on."""
    if isinstance(n, bool) or not hasattr(n, "__index__"):
        raise OptionError(f"{name} cannot be {n!r}: give a whole number", kind="option")
    if operator.index(n) < 0:
        raise OptionError(f"{name} is {n}; it must be 0 or more", kind="option")


def check_places(name: str, places: Any) -> Any:
    """Refuses what is no list of whole numbers from 0 on; arrays are left to those who read them."""
    if isinstance(places, (str, bytes, dict)) or not isinstance(places, Iterable):
        raise OptionError(f"{name} cannot be {places!r}: give a list of whole numbers", kind="option")
    if hasattr(places, "dtype") or hasattr(places, "__arrow_c_array__"):
        return places
    out = list(places)
    for n in out:
        if isinstance(n, bool) or not hasattr(n, "__index__") or operator.index(n) < 0:
            raise OptionError(f"{name} cannot have {n!r}: give whole numbers from 0 on", kind="option")
    return out


def check_text(**texts: Optional[str]) -> None:
    """Refuses what is not text; None = not given."""
    for name, text in texts.items():
        if text is not None and not isinstance(text, str):
            raise OptionError(f"{name} cannot be {text!r}: give it as text", kind="option")


def names_of(argument: str, names: Union[None, str, Iterable[str]]) -> Optional[list[str]]:
    """Returns a list of names; None = not given."""
    if names is None:
        return None
    if isinstance(names, str):
        return [names]
    if not isinstance(names, Iterable) or isinstance(names, bytes):
        raise OptionError(f"{argument} cannot be {names!r}: give a name, or a list of names", kind="option")
    out = list(names)
    for name in out:
        if not isinstance(name, str):
            raise OptionError(f"{argument} cannot have {name!r}: names are text", kind="option")
    return out


def texts_of(argument: str, texts: Optional[Mapping[str, str]]) -> dict[str, str]:
    """Returns a dict of texts; None = none."""
    if texts is not None and not isinstance(texts, Mapping):
        raise OptionError(f"{argument} cannot be {texts!r}: give a dict", kind="option")
    out = dict(texts or {})
    for key, value in out.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise OptionError(f"{argument} cannot have {key!r}: {value!r}: keys and values are text", kind="option")
    return out


def paths_of(function: str, paths: Any) -> list[str]:
    """Returns the paths of one path or URL, or of several."""
    if isinstance(paths, (bytearray, memoryview)):
        raise TypeError(f"{function}() takes paths and URLs, not {type(paths).__name__}: give io.BytesIO(content) to open, where it is the content of a file")
    if isinstance(paths, bytes) and (b"\0" in paths or b"\n" in paths):
        raise TypeError(f"{function}() takes paths and URLs, and these {len(paths)} bytes are the content of a file: give io.BytesIO(content) to open")
    if isinstance(paths, (str, bytes)) or hasattr(paths, "__fspath__"):
        return [library.path_text(paths)]
    if not isinstance(paths, Iterable):
        raise TypeError(f"{function}() takes a path or URL, or a list of them, not {type(paths).__name__}")
    out = []
    for p in paths:
        if hasattr(p, "read") and not hasattr(p, "__fspath__"):
            raise TypeError(f"{function}() takes lists of paths and URLs, and {type(p).__name__} is an open file: give its name")
        out.append(library.path_text(p))
    return out
