"""File systems of fsspec and pyarrow, as the library asks them."""

from __future__ import annotations

import collections
import datetime
import re
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple, Optional, Protocol

from .errors import OptionError

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)

#: Schemes that the library reads by itself; file systems that are given come before it.
_OWN = ("file", "s3", "s3a", "hdfs")

#: Schemes that name tables, not files.
_TABLES = ("hive", "iceberg")

#: Begins the path in a URL where its first part is a pattern, which cannot stand where hosts do, or nothing.
_HERE = "./"


class Entry(NamedTuple):
    """A file or directory."""

    name: str
    dir: bool
    size: Optional[int]
    modified: Optional[int] = None  # nanoseconds since 1970
    version: str = ""  # the store's mark of the content


class Files(Protocol):
    """What the library asks. Several threads do at once."""

    schemes: "list[str]"

    def stat(self, url: str) -> Entry: ...
    def list(self, url: str) -> "list[Entry]": ...
    def read(self, url: str, version: str, offset: int, length: int) -> bytes: ...


def scheme_of(path: str) -> str:
    """Returns the scheme of a URL in lower case; "" = path is none."""
    m = _URL.match(path)
    return m[1].lower() if m else ""


def _path_in(url: str) -> str:
    rest = _URL.match(url)
    assert rest is not None, url
    return rest[2][len(_HERE) :] if rest[2].startswith(_HERE) else rest[2]


def _url_of(scheme: str, path: str) -> str:
    first = path.split("/", 1)[0]
    here = not path or (first and re.search(r"[*?\[]", first))
    return f"{scheme}://{_HERE if here else ''}{path}"


def _name_in(path: str) -> str:
    return path.rstrip("/").rsplit("/", 1)[-1]


def _whole(length: int, read: Any) -> bytes:
    """Returns as many bytes as were asked for, of reads that may return fewer."""
    data = _bytes(read(0, length))
    if len(data) == length:
        return data
    parts, got = [data], len(data)
    while data and got < length:
        data = _bytes(read(got, length - got))
        parts.append(data)
        got += len(data)
    if got < length:
        raise EOFError(f"the file system gave {got} of {length} bytes: the file has become shorter")
    if got > length:
        raise ValueError(f"the file system gave {got} bytes where {length} were asked for: it does not read parts of files")
    return b"".join(parts)


def _bytes(data: Any) -> bytes:
    return data if isinstance(data, bytes) else bytes(data)


class FsspecFiles:
    """A file system of fsspec."""

    def __init__(self, fs: Any) -> None:
        self._fs = fs
        self.schemes = _protocols(fs) or ["fsspec"]
        if any(c.__name__ == "CachingFileSystem" for c in type(fs).__mro__):
            self.schemes += _protocols(fs.fs)  # whose paths it takes
        self._whole = "http" in self.schemes or "https" in self.schemes  # its paths are URLs

    def url(self, path: str) -> str:
        """Returns a path as the library knows it."""
        scheme = scheme_of(path)
        if scheme and scheme not in self.schemes:
            raise _other_scheme(path, self.schemes)
        if self._whole and scheme:
            return path
        text: str = self._fs._strip_protocol(path) or ""
        if scheme_of(text):
            text = _path_in(text)
        if path.endswith("/") and not text.endswith("/"):
            text += "/"
        return _url_of(scheme or self.schemes[0], text)

    def path(self, url: str) -> str:
        """Returns the path of a URL as the file system knows it."""
        return url if self._whole and scheme_of(url).startswith("http") else _path_in(url)

    def stat(self, url: str) -> Entry:
        return _fsspec_entry(self._fs.info(self.path(url)))

    def list(self, url: str) -> "list[Entry]":
        path = self.path(url)
        own = (self._fs._strip_protocol(path) or "").rstrip("/")
        return [_fsspec_entry(i) for i in self._fs.ls(path, detail=True) if i["name"].rstrip("/") != own]

    def read(self, url: str, version: str, offset: int, length: int) -> bytes:
        path = self.path(url)
        return _whole(length, lambda at, n: self._fs.cat_file(path, start=offset + at, end=offset + at + n))


def _protocols(fs: Any) -> "list[str]":
    """Returns those that can be schemes of URLs."""
    names = [fs.protocol] if isinstance(fs.protocol, str) else list(fs.protocol)
    return [n.lower() for n in names if scheme_of(f"{n}://") and n != "file"]


#: Where file systems of fsspec keep marks of the content, and times.
_MARKS = ("ETag", "etag", "md5Hash", "content_settings", "crc32c", "generation", "VersionId", "sha")
_TIMES = ("LastModified", "last_modified", "mtime", "modified", "updated", "created")


def _fsspec_entry(info: Any) -> Entry:
    size = info.get("size")
    marks = [f"{k} {info[k]}" for k in _MARKS if info.get(k) is not None]
    marks += [f"{k} {info[k]}" for k in _TIMES if info.get(k) is not None and _nanoseconds(info[k]) is None]
    times = [t for t in (_nanoseconds(info.get(k)) for k in _TIMES) if t is not None]
    return Entry(
        name=_name_in(info["name"]),
        dir=info.get("type") == "directory",
        size=None if size is None else int(size),
        modified=times[0] if times else None,
        version="; ".join(marks),
    )


def _nanoseconds(when: Any) -> Optional[int]:
    if isinstance(when, datetime.datetime):
        since = when - datetime.datetime.fromtimestamp(0, when.tzinfo)
        return (since // datetime.timedelta(microseconds=1)) * 1000
    if isinstance(when, (int, float)) and not isinstance(when, bool):
        return int(when * 1_000_000_000)
    return None


class ArrowFiles:
    """A file system of pyarrow. Files stay open for a while, because opening one asks the store."""

    _MOST = 16

    def __init__(self, fs: Any) -> None:
        self._fs = fs
        kind = re.sub(r"[^a-z0-9+.-].*", "", fs.type_name.lower())
        self.schemes = {"s3": ["s3", "s3a"], "gcs": ["gs", "gcs"], "abfs": ["abfs", "abfss"]}.get(kind) or [kind or "arrow"]
        self._open: "collections.OrderedDict[tuple[str, str], Any]" = collections.OrderedDict()
        self._lock = threading.Lock()

    def url(self, path: str) -> str:
        scheme = scheme_of(path)
        if scheme and scheme not in self.schemes:
            raise _other_scheme(path, self.schemes)
        return path if scheme else _url_of(self.schemes[0], path)

    def stat(self, url: str) -> Entry:
        path = _path_in(url)
        info = self._fs.get_file_info(path.rstrip("/") or path)
        if info.type.name == "NotFound":
            raise FileNotFoundError(path)
        return _arrow_entry(info)

    def list(self, url: str) -> "list[Entry]":
        from pyarrow.fs import FileSelector

        return [_arrow_entry(i) for i in self._fs.get_file_info(FileSelector(_path_in(url)))]

    def read(self, url: str, version: str, offset: int, length: int) -> bytes:
        file = self._file(_path_in(url), version)
        return _whole(length, lambda at, n: file.read_at(n, offset + at))

    def _file(self, path: str, version: str) -> Any:
        key = (path, version)
        with self._lock:
            file = self._open.get(key)
            if file is not None:
                self._open.move_to_end(key)
                return file
        file = self._fs.open_input_file(path)
        with self._lock:
            file = self._open.setdefault(key, file)
            if len(self._open) > self._MOST:
                self._open.popitem(last=False)  # it closes when the last one who reads it has done
        return file


def _arrow_entry(info: Any) -> Entry:
    return Entry(_name_in(info.path), info.type.name == "Directory", info.size, info.mtime_ns or None)


class FsspecURLs:
    """URLs, each of which fsspec finds the file system of."""

    def __init__(self, schemes: Iterable[str]) -> None:
        self.schemes = sorted(set(schemes))

    def _at(self, url: str) -> "tuple[FsspecFiles, str]":
        from fsspec.core import url_to_fs  # type: ignore[import-not-found, import-untyped, unused-ignore]

        fs, path = url_to_fs(url)
        files = FsspecFiles(fs)
        return files, files.url(path)

    def stat(self, url: str) -> Entry:
        files, url = self._at(url)
        return files.stat(url)

    def list(self, url: str) -> "list[Entry]":
        files, url = self._at(url)
        return files.list(url)

    def read(self, url: str, version: str, offset: int, length: int) -> bytes:
        files, url = self._at(url)
        return files.read(url, version, offset, length)


def _other_scheme(path: str, schemes: "list[str]") -> OptionError:
    return OptionError(f"the file system reads {schemes[0]}://, and the path is {path}: give it without a scheme, or another filesystem", kind="option")


def take_filesystem(path: Any, filesystem: Any) -> "tuple[Any, Any]":
    """Returns path, and the file system that goes with it: the one that is given, or that path brings, as files of
    `fsspec.open` and paths of universal_pathlib do."""
    several = isinstance(path, (list, tuple))
    given = filesystem
    out = []
    for one in path if several else [path]:
        p: Any = _Reached(*_chained(one)) if given is None and isinstance(one, str) and _is_chained(one) else one
        fs = getattr(p, "fs", None)
        if fs is None or not hasattr(fs, "cat_file") or not isinstance(getattr(p, "path", None), str) or hasattr(p, "read"):
            out.append(p)
            continue
        if getattr(p, "compression", None) is not None:
            raise OptionError(f"{p.path} is read as it is, without compression={p.compression!r}: open it in Python, and give what is open", kind="option")
        if filesystem is not None and fs != filesystem:
            raise OptionError(f"{p.path} is in another file system than the one before it, or the one that is given", kind="option")
        filesystem = fs
        out.append(p.path)
    return (out if several else out[0]), filesystem


class _Reached(NamedTuple):
    """A path and its file system."""

    fs: Any
    path: str
    compression: Any = None


def _is_chained(url: str) -> bool:
    """Tells whether fsspec takes a text for several URLs, each reached by the one before it: `simplecache::s3://…`, `zip://a.orc::b.zip`."""
    first, double, _ = url.partition("::")
    if not double:
        return False
    try:
        import fsspec  # type: ignore[import-not-found, import-untyped, unused-ignore] # noqa: F401
    except ImportError:
        if "://" in url:
            raise ImportError(f"{url} is a chain of URLs, which needs fsspec: pip install fsspec") from None
        return False
    return _fsspec_knows(scheme_of(first) or first.lower())


def _chained(url: str) -> "tuple[Any, str]":
    from fsspec.core import url_to_fs  # type: ignore[import-not-found, import-untyped, unused-ignore]

    fs, path = url_to_fs(url)
    return fs, path + "/" if url.endswith("/") and not path.endswith("/") else path


def files_of(paths: "list[str]", filesystem: Any) -> "tuple[list[str], Optional[Files]]":
    """Returns paths as the library knows them, and who reads them; None = the library itself does."""
    if filesystem is None:
        theirs = {scheme_of(p) for p in paths} - {"", *_OWN, *_TABLES}
        if theirs and not _has_fsspec():
            scheme = min(theirs)
            raise OptionError(
                f"{scheme}:// is read by fsspec, which is not installed: pip install fsspec, and the package that it needs for {scheme}://; arrowio itself reads "
                "s3://, hdfs:// and files",
                kind="option",
            )
        theirs = {s for s in theirs if _fsspec_knows(s)}
        return paths, FsspecURLs(theirs) if theirs else None
    module = type(filesystem).__module__.split(".")[0]
    if hasattr(filesystem, "get_file_info") and hasattr(filesystem, "type_name"):
        handler = getattr(filesystem, "handler", None)
        if handler is not None and type(handler).__name__ == "FSSpecHandler":
            return files_of(paths, handler.fs)
        if filesystem.type_name == "local":
            return paths, None
        arrow = ArrowFiles(filesystem)
        return [arrow.url(p) for p in paths], arrow
    if hasattr(filesystem, "cat_file") and hasattr(filesystem, "_strip_protocol"):
        if type(filesystem).__name__ == "LocalFileSystem" and module == "fsspec":
            return [filesystem._strip_protocol(p) + ("/" if p.endswith("/") else "") for p in paths], None
        if any(c.__name__ == "ArrowFSWrapper" for c in type(filesystem).__mro__):  # which reads no parts of files
            return files_of([filesystem._strip_protocol(p) for p in paths], filesystem.fs)
        fsspec = FsspecFiles(filesystem)
        return [fsspec.url(p) for p in paths], fsspec
    raise OptionError(f"filesystem cannot be {filesystem!r}: give one of fsspec or of pyarrow.fs", kind="option")


def _has_fsspec() -> bool:
    try:
        import fsspec  # type: ignore[import-not-found, import-untyped, unused-ignore] # noqa: F401
    except ImportError:
        return False
    return True


def require_own(function: str, path: str) -> None:
    """Refuses what only file systems of Python reach."""
    scheme = scheme_of(path)
    if scheme and scheme not in (*_OWN, *_TABLES):
        raise OptionError(
            f"{path}: {function}() writes files of this machine, s3:// and hdfs://, and nothing to {scheme}://: write a file, and copy it there, with fsspec "
            "or another program",
            kind="option",
        )


def _fsspec_knows(scheme: str) -> bool:
    """Tells whether fsspec has a file system for a scheme. What that needs and is not installed is an ImportError."""
    try:
        from fsspec.registry import get_filesystem_class  # type: ignore[import-not-found, import-untyped, unused-ignore]
    except ImportError:
        return False
    try:
        get_filesystem_class(scheme)
    except ValueError:
        return False
    return True


