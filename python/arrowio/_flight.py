"""A thin face over pyarrow.flight for servers of arrowio."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence

from .errors import OptionError

if TYPE_CHECKING:
    import pyarrow


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
            command: what else a command can say: batch_rows, batch_bytes, compression, dictionary, endpoints.
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

    def to_batches(self) -> "Iterator[pyarrow.RecordBatch]":
        """Yields the rows, one endpoint after the other."""
        for e in self.info.endpoints:
            for chunk in self._connection.client.do_get(e.ticket):
                if chunk.data is not None:
                    yield chunk.data

    def to_reader(self) -> "pyarrow.RecordBatchReader":
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.schema, self.to_batches())

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
    if "://" not in uri:
        raise OptionError(f"{uri!r} is no URI: grpc://host:port", kind="option")
    return Connection(uri, **options)
