"""A thin face over pyarrow.flight for servers of arrowio."""

from __future__ import annotations

import json
import struct
import time
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence

from . import _stream
from .errors import OptionError

if TYPE_CHECKING:
    import pyarrow


def _behind(flight: Any, ticket: Any, meta: Any) -> Any:
    """Returns the ticket of what comes behind a batch with these app_metadata; None = nothing says where that is."""
    if ticket is None or meta is None or not ticket.ticket.startswith(b"{"):
        return None
    place = _resume(bytes(meta))
    if place is None:
        return None
    return flight.Ticket(json.dumps({**json.loads(ticket.ticket), "resume": place}).encode())


def _resume(meta: bytes) -> "Optional[dict[str, int]]":
    """Returns the field resume of a BatchMeta, a flatbuffer: see flight/batchmeta.fbs. None = it has none."""
    try:
        (table,) = struct.unpack_from("<I", meta)
        vtable = table - struct.unpack_from("<i", meta, table)[0]
        (size,) = struct.unpack_from("<H", meta, vtable)
        (at,) = struct.unpack_from("<H", meta, vtable + 4 + 2 * 4) if size > 4 + 2 * 4 else (0,)
        if at == 0:
            return None
        fragment, split, row = struct.unpack_from("<iiq", meta, table + at)
    except struct.error:
        return None
    return {"fragment": fragment, "split": split, "row": row}


class Connection:
    """A connection to a server, `arrowio serve` or any other of these commands. `client` is that of pyarrow."""

    def __init__(self, uri: str, **options: Any) -> None:
        import pyarrow.flight as flight

        self._flight = flight
        self.client: Any = flight.FlightClient(uri, **options)

    def list(self) -> "list[str]":
        """Returns the names of the datasets."""
        return [b"/".join(i.descriptor.path).decode() for i in self.client.list_flights()]

    def open(
        self,
        name: str,
        columns: Optional[Sequence[str]] = None,
        where: Optional[str] = None,
        rows: Optional[str] = None,
        *,
        options: Optional[Mapping[str, Any]] = None,
        **command: Any,
    ) -> "Remote":
        """Asks for rows of a dataset. Nothing is read yet.

        Args:
            name, columns, where: as for `arrowio.open`; rows: "A:B".
            options: those of the format that only change how values look.
            command: what else a command can say: batch_rows, batch_bytes, compression, compressed, dictionary, endpoints.
        """
        from ._library import option_texts

        request: dict[str, Any] = {"dataset": name, **command}
        for key, value in (("columns", None if columns is None else [*columns]), ("where", where), ("rows", rows)):
            if value is not None:
                request[key] = value
        if options:
            request["options"] = option_texts(dict(options))
        descriptor = self._flight.FlightDescriptor.for_command(json.dumps(request).encode())
        return Remote(self, self.client.get_flight_info(descriptor))

    def close(self) -> None:
        self.client.close()

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Remote:
    """Rows on a server. Each `to_table`, each consumer of `__arrow_c_stream__`, asks for them anew."""

    def __init__(self, connection: Connection, info: Any) -> None:
        self._connection = connection
        self.info = info

    @property
    def schema(self) -> "pyarrow.Schema":
        return self.info.schema

    @property
    def num_rows(self) -> Optional[int]:
        """How many rows there are; None = the server does not know."""
        n = int(self.info.total_records)
        return n if n >= 0 else None

    def to_batches(self, retries: int = 5) -> "Iterator[pyarrow.RecordBatch]":
        """Yields the rows, one endpoint after the other.

        Where the connection breaks, or the server is shutting down, it goes on behind the last batch that came: no row comes twice, and
        none is left out. It tries that `retries` times, after 0.1 s and then twice as long each time, and anew after each batch. Rows of
        which the server may not say where they come from cannot be gone on with.
        """
        for e in self.info.endpoints:
            yield from self._endpoint(e.ticket, retries)

    def _endpoint(self, ticket: Any, retries: int) -> "Iterator[pyarrow.RecordBatch]":
        flight, left, begun = self._connection._flight, retries, False
        while True:
            try:
                for chunk in self._connection.client.do_get(ticket):
                    if chunk.data is None:
                        continue
                    begun, left = True, retries
                    ticket = _behind(flight, ticket, chunk.app_metadata)
                    yield chunk.data
                return
            except flight.FlightUnavailableError:
                if left == 0 or begun and ticket is None:
                    raise
                time.sleep(0.1 * 2 ** (retries - left))
                left -= 1

    def to_reader(self) -> "pyarrow.RecordBatchReader":
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.schema, _stream.Shared(self.to_batches()))

    def to_table(self) -> "pyarrow.Table":
        import pyarrow as pa

        return pa.Table.from_batches(self.to_batches(), self.schema)

    def __arrow_c_schema__(self) -> Any:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.to_reader().__arrow_c_stream__(requested_schema)


def connect(uri: str, **options: Any) -> Connection:
    """Connects to a server of Arrow Flight: `grpc://host:port`, `grpc+tls://…`, `grpc+unix://…`.

    Options are those of `pyarrow.flight.FlightClient`. Endpoints that are elsewhere are not followed: they are read from
    this server, which serves all of them.
    """
    if not isinstance(uri, str) or not uri.startswith(("grpc://", "grpc+tcp://", "grpc+tls://", "grpc+unix://")):
        raise OptionError(f"{uri!r} is no URI of a server: grpc://host:port, grpc+tls://host:port or grpc+unix:///path", kind="option")
    return Connection(uri, **options)
