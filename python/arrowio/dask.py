"""Dask: `arrowio.dask.read` makes a DataFrame that workers of Dask read.

    import arrowio.dask

    df = arrowio.dask.read("grpc://host:8815/events", columns=["user", "price"], where="price > 100")
    df.groupby("user").price.sum().compute()
"""

from __future__ import annotations

# Types are checked where the engine may not be installed.
# pyright: reportMissingImports=false

from typing import Any, Optional, Sequence

import dask.dataframe
import pandas as pd
import pyarrow as pa

from . import _tasks
from ._rows import Rows
from .errors import OptionError, SchemaError


def read(
    source: Any,
    columns: Optional[Sequence[str]] = None,
    where: Any = None,
    rows: Optional[Rows] = None,
    *,
    parallelism: Optional[int] = None,
    token: Optional[str] = None,
    **options: Any,
) -> "dask.dataframe.DataFrame":
    """Returns a DataFrame of Dask, a partition for each endpoint of the server or part of the files. Rows are read when they are
    computed, columns that the query does not need are not.

    Columns keep their Arrow types (`pandas.ArrowDtype`), so that nulls, decimals and nanoseconds stay what they are;
    dictionaries become plain values. Divisions are unknown.

    Args:
        source: `grpc://host:port/dataset` of a server (`grpc+tls://…` too), or what `arrowio.open` takes: paths and URLs that
            every worker reaches.
        columns, where, rows: as for `arrowio.open`.
        parallelism: about how many partitions; None = one for 128 MiB of stored bytes. Not more than there are splits.
        token: for the server. It travels with the tasks.
        options: of files those of `arrowio.open` (`jobs` is 1 here); of servers what a command can say (`batch_rows`,
            `compression`, …), `options` of the format, and `connection`, options of `pyarrow.flight.FlightClient`.

    Raises:
        ArrowioError, OSError: from here, or out of Dask where a task has met it.
    """
    plan = _tasks.plan(source, columns, where, rows, parallelism=parallelism, token=token, **options)
    schema = plan.schema.remove_metadata()
    if not schema.names:
        raise OptionError("Dask has no rows without columns: name one", kind="option")
    if len(set(schema.names)) < len(schema.names):
        raise SchemaError("two columns have one name, which Dask does not take", kind="schema")
    tasks: list[Optional[_tasks.Task]] = [*plan.tasks] or [None]
    return dask.dataframe.from_map(
        _Frame(schema), tasks, columns=None, meta=_frame(schema.empty_table()), label="arrowio", enforce_metadata=False
    )


class _Frame:
    """Reads the partition of a task; None = of no rows."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema

    def __call__(self, task: Optional[_tasks.Task], columns: Optional[Sequence[str]] = None) -> pd.DataFrame:
        schema = self.schema
        if columns is not None and list(columns) != schema.names:
            schema = pa.schema([schema.field(c) for c in columns])
            task = task if task is None else task.select(schema)
        batches = () if task is None else (b.replace_schema_metadata(None) for b in task.batches())
        return _frame(pa.Table.from_batches(batches, schema))

    def __dask_tokenize__(self) -> Any:
        return ("arrowio", self.schema.serialize().to_pybytes())


def _frame(table: pa.Table) -> pd.DataFrame:
    for i, f in enumerate(table.schema):
        if pa.types.is_dictionary(f.type):
            # Every partition would have categories of its own.
            table = table.set_column(i, pa.field(f.name, f.type.value_type, f.nullable), table.column(i).cast(f.type.value_type))
    return table.to_pandas(types_mapper=pd.ArrowDtype, ignore_metadata=True)
