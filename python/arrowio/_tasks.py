"""Scans divided into tasks, for engines that have workers elsewhere.

A task is an endpoint of a Flight server, or a part of files that every worker reaches. It is small and can be pickled; whoever
has it reads its rows with nothing else.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Optional, Sequence

from ._arrow import need_pyarrow
from ._dataset import _OPEN, Dataset, open
from ._formats import read_options
from ._keywords import check_options
from ._library import STORES, option_texts
from ._parts import Part, _plan, open_part
from ._rows import Rows, row_range
from ._where import where_text
from .errors import OptionError, SchemaError

if TYPE_CHECKING:
    import pyarrow

_FLIGHT = ("grpc://", "grpc+tcp://", "grpc+tls://", "grpc+unix://")

#: A location that means: where the FlightInfo came from.
_REUSE = "arrow-flight-reuse-connection://"


class Plan(NamedTuple):
    """The tasks of a scan: all rows, each in one of them, in order. There may be none."""

    schema: "pyarrow.Schema"
    tasks: "list[Task]"


class Task:
    """A part of a scan."""

    rows: Optional[int]  # None = only reading tells
    stored: Optional[int]  # bytes; None = unknown

    def batches(self) -> "Iterator[pyarrow.RecordBatch]":
        """Reads the rows."""
        raise NotImplementedError

    def select(self, schema: "pyarrow.Schema") -> "Task":
        """Returns a task of some columns: schema is theirs."""
        raise NotImplementedError


@dataclasses.dataclass(frozen=True)
class FilesTask(Task):
    """A part of files."""

    part: Part
    stores: Mapping[str, Any] = dataclasses.field(default_factory=dict, repr=False)  # keys are not for logs

    @property
    def rows(self) -> Optional[int]:  # type: ignore[override]
        return self.part["rows"]

    @property
    def stored(self) -> Optional[int]:  # type: ignore[override]
        return self.part["bytes"]

    def batches(self) -> "Iterator[pyarrow.RecordBatch]":
        with open_part(self.part, **self.stores) as ds:
            yield from ds.to_batches()

    def select(self, schema: "pyarrow.Schema") -> "Task":
        scan = {**self.part["scan"], "columns": narrowed(self.part["scan"].get("columns"), schema.names)}
        return FilesTask(Part(**{**self.part, "scan": scan}), self.stores)


@dataclasses.dataclass(frozen=True)
class Access:
    """How a server is reached: options of `pyarrow.flight.FlightClient`, and a bearer token."""

    options: Mapping[str, Any]
    token: Optional[str] = None

    def __repr__(self) -> str:
        return "Access()"  # tokens and keys are not for logs

    def client(self, uri: str) -> Any:
        import pyarrow.flight

        return pyarrow.flight.FlightClient(uri, **self.options)

    def call(self) -> Any:
        import pyarrow.flight

        headers = [(b"authorization", b"Bearer " + self.token.encode())] if self.token else []
        return pyarrow.flight.FlightCallOptions(headers=headers)


@dataclasses.dataclass(frozen=True)
class FlightTask(Task):
    """An endpoint of a server."""

    ticket: bytes
    locations: Sequence[str]
    access: Access
    rows: Optional[int] = None
    stored: Optional[int] = None
    schema: Any = None  # what must come; None = what comes

    def batches(self) -> "Iterator[pyarrow.RecordBatch]":
        import pyarrow.flight as flight

        for i, uri in enumerate(self.locations):
            with self.access.client(uri) as client:
                try:
                    reader = client.do_get(flight.Ticket(self.ticket), self.access.call())
                    schema = reader.schema
                except flight.FlightUnavailableError:
                    if i == len(self.locations) - 1:
                        raise
                    continue  # another one serves the same
                if self.schema is not None and not schema.equals(self.schema):
                    raise SchemaError(f"the server sends {schema}, not {self.schema}: the dataset has changed", kind="schema")
                for chunk in reader:
                    if chunk.data is not None:
                        yield chunk.data
                return

    def select(self, schema: "pyarrow.Schema") -> "Task":
        try:
            command = json.loads(self.ticket)
            columns = narrowed(command.get("columns"), schema.names)
        except (ValueError, AttributeError):
            raise OptionError("only tickets of arrowio's server can be narrowed to some columns", kind="option") from None
        # The hash of the schema was that of all columns; what comes is compared with this one instead.
        command = {**{k: v for k, v in command.items() if k != "schema"}, "columns": columns}
        return dataclasses.replace(self, ticket=json.dumps(command).encode(), schema=schema)


def narrowed(columns: Optional[Sequence[str]], names: Sequence[str]) -> "list[str]":
    """Returns the paths that give these top-level columns of what columns select, in the order of names."""
    if columns is None:
        return [quoted(n) for n in names]
    out = []
    for n in names:
        of = [c for c in columns if c == n or c == quoted(n)]
        out += of[:1] or [c for c in columns if _below(c, n)]
    return out


def _below(path: str, name: str) -> bool:
    """Tells whether a path leads to a child of the column of this name."""
    return any(path.startswith(start) for start in (name + ".", quoted(name) + ".", "`" + name.replace("`", "``") + "`."))


def quoted(*names: str) -> str:
    """Returns names as a path that means them and nothing else."""
    return ".".join('"' + n.replace('"', '""') + '"' for n in names)


def is_flight(source: Any) -> bool:
    return isinstance(source, str) and source.startswith(_FLIGHT)


def check(source: Any, parallelism: Optional[int], options: Mapping[str, Any], token: Optional[str]) -> None:
    """Refuses what can be refused without looking at the source."""
    need_pyarrow("reading with several workers")
    if parallelism is not None and parallelism < 1:
        raise OptionError(f"parallelism is {parallelism}; it must be at least 1", kind="option")
    if is_flight(source):
        split(source)
    elif token is not None or "connection" in options:
        raise OptionError("token and connection are for servers, not for files", kind="option")


def split(source: str) -> "tuple[str, str]":
    """Cuts grpc://host:port/dataset."""
    uri, _, name = source.rpartition("/")
    if not name or uri.endswith("/") or uri + "/" in _FLIGHT:
        raise OptionError(f"{source!r} names no dataset: grpc://host:port/dataset", kind="option")
    return uri, name


def plan(
    source: Any,
    columns: Optional[Sequence[str]] = None,
    where: Any = None,
    rows: Optional[Rows] = None,
    *,
    parallelism: Optional[int] = None,
    token: Optional[str] = None,
    **options: Any,
) -> Plan:
    """Divides a scan into about parallelism tasks."""
    check(source, parallelism, options, token)
    if is_flight(source):
        return _plan_flight(source, columns, where, rows, parallelism, token, **options)
    check_options("read", options, [*_OPEN, "parallelism", "token"], read_options)
    options.setdefault("jobs", 1)  # workers share the cores already
    span = row_range(rows)
    text = where_text(where, "where")
    with open(source, columns, text if span is None else None, **options) as ds:
        view: Dataset = ds if span is None or text is None else ds.filter(text)
        stores = {n: options[n] for n in (*STORES, "filesystem") if options.get(n) is not None}
        return Plan(view.schema, [FilesTask(p, stores) for p in _plan(view, parallelism, span)])


def _plan_flight(
    source: str,
    columns: Optional[Sequence[str]],
    where: Any,
    rows: Optional[Rows],
    parallelism: Optional[int],
    token: Optional[str],
    *,
    connection: Optional[Mapping[str, Any]] = None,
    options: Optional[Mapping[str, Any]] = None,
    **command: Any,
) -> Plan:
    import pyarrow.flight as flight

    uri, name = split(source)
    access = Access(dict(connection or {}), token)
    request: dict[str, Any] = {"dataset": name, **command}
    if columns is not None:
        request["columns"] = [columns] if isinstance(columns, str) else [*columns]
    text = where_text(where, "where")
    if text is not None:
        request["where"] = text
    span = row_range(rows)
    if span is not None:
        request["rows"] = f"{span[0]}:{span[1]}"
    if parallelism is not None:
        request["endpoints"] = min(parallelism, 10_000)
    if options:
        request["options"] = option_texts(dict(options))
    with access.client(uri) as client:
        info = client.get_flight_info(flight.FlightDescriptor.for_command(json.dumps(request).encode()), access.call())
    known = info.total_records == 0
    tasks: list[Task] = []
    for i, e in enumerate(info.endpoints):
        at = [loc.uri.decode() for loc in e.locations]
        at = list(dict.fromkeys(uri if u.startswith(_REUSE) else u for u in at)) or [uri]
        k = i % len(at)  # so that all of a fleet get something to do
        tasks.append(FlightTask(e.ticket.ticket, at[k:] + at[:k], access, 0 if known else None))
    return Plan(info.schema, tasks)
