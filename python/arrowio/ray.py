"""Ray Data: `arrowio.ray.read` makes a dataset that workers of Ray read, as Arrow blocks.

    import arrowio.ray

    ds = arrowio.ray.read("grpc://host:8815/events", columns=["user", "price"], where="price > 100")
    ds.groupby("user").sum("price").show()
"""

from __future__ import annotations

# Types are checked where the engine may not be installed.
# pyright: reportMissingImports=false

import copy
from typing import Any, Iterator, Mapping, Optional, Sequence

import pyarrow as pa
import ray.data
from ray.data import Datasource
from ray.data.block import BlockMetadata
from ray.data.datasource import ReadTask

from . import _tasks
from ._expressions import to_where
from ._rows import Rows
from ._where import where_text
from .errors import OptionError

#: About so many bytes of batches become one block.
_BLOCK = 32 << 20

#: For Ray a block without columns has no rows. Where only rows are to be counted it has a column of nulls, which Ray's own
#: readers call so, too.
_NOTHING = "__bsp_stub"


def read(
    source: Any,
    columns: Optional[Sequence[str]] = None,
    where: Any = None,
    rows: Optional[Rows] = None,
    *,
    parallelism: Optional[int] = None,
    concurrency: Optional[int] = None,
    ray_remote_args: Optional[Mapping[str, Any]] = None,
    token: Optional[str] = None,
    **options: Any,
) -> "ray.data.Dataset":
    """Returns a dataset of Ray Data. Nothing is read before it is used; each task then reads an endpoint of the server, or a
    part of the files.

    `select_columns` and `filter(expr=…)` behind it reach the files where Ray's optimizer moves them here.

    Args:
        source: `grpc://host:port/dataset` of a server (`grpc+tls://…` too), or what `arrowio.open` takes: paths and URLs that
            every worker reaches.
        columns, where, rows: as for `arrowio.open`.
        parallelism: about how many tasks; None = as Ray thinks best. Not more than there are splits.
        concurrency: how many of them run at once, at most; None = as many as there is room for.
        ray_remote_args: what Ray is to know of the tasks, `num_cpus` and so on.
        token: for the server. It travels with the tasks.
        options: of files those of `arrowio.open` (`jobs` is 1 here); of servers what a command can say (`batch_rows`,
            `compression`, …), `options` of the format, and `connection`, options of `pyarrow.flight.FlightClient`.

    Raises:
        ArrowioError, OSError: from here, or out of Ray where a task has met it.
    """
    datasource = ArrowioDatasource(source, columns, where, rows, token=token, **options)
    more: dict[str, Any] = {}
    if parallelism is not None:
        more["override_num_blocks"] = parallelism
    return ray.data.read_datasource(
        datasource, concurrency=concurrency, ray_remote_args=dict(ray_remote_args or {}), **more
    )


class ArrowioDatasource(Datasource):  # type: ignore[misc]
    """The source of `read`, for `ray.data.read_datasource`."""

    def __init__(
        self,
        source: Any,
        columns: Optional[Sequence[str]] = None,
        where: Any = None,
        rows: Optional[Rows] = None,
        *,
        token: Optional[str] = None,
        **options: Any,
    ) -> None:
        super().__init__()
        _tasks.check(source, None, options, token)
        self._source = source
        self._columns = [columns] if isinstance(columns, str) else None if columns is None else [*columns]
        if self._columns == []:
            raise OptionError("Ray has no rows without columns: name one", kind="option")
        self._where = where_text(where, "where")
        self._rows = rows
        self._options = {**options, "token": token}
        self._projection_map: Optional[dict[str, str]] = None
        self._plan = self._planned(None)  # also to fail here, where somebody sees it
        self._schema = self._plan.schema

    def _planned(self, parallelism: Optional[int]) -> _tasks.Plan:
        columns = self._columns
        names = self._get_data_columns()
        if names is not None:
            columns = _tasks.narrowed(columns, names)
        return _tasks.plan(self._source, columns, self._where, self._rows, parallelism=parallelism, **self._options)

    def get_name(self) -> str:
        return "Arrowio"

    def estimate_inmemory_data_size(self) -> Optional[int]:
        sizes = [t.stored for t in self._plan.tasks]
        return None if None in sizes or not sizes else sum(s for s in sizes if s is not None)

    # What the optimizer asks

    def supports_projection_pushdown(self) -> bool:
        return True

    def supports_predicate_pushdown(self) -> bool:
        return True

    def apply_predicate(self, predicate_expr: Any) -> "ArrowioDatasource":
        """Takes a filter if it can be said here as a whole; returning itself says that it cannot."""
        try:
            text = to_where(predicate_expr.to_pyarrow())
        except (TypeError, ValueError, NotImplementedError, pa.ArrowInvalid):
            return self
        if text is None:
            return self
        clone = copy.copy(self)
        clone._where = text if self._where is None else f"({self._where}) AND ({text})"
        return clone

    # Tasks

    def get_read_tasks(self, parallelism: int, per_task_row_limit: Optional[int] = None, data_context: Any = None) -> "list[ReadTask]":
        plan = self._planned(max(1, parallelism))
        empty = _table([], plan.schema)
        if not plan.tasks:
            return [_read_task(lambda: [empty], 0, 0, empty.schema, per_task_row_limit)]
        return [
            _read_task(lambda t=t: _blocks(t, plan.schema), t.rows, t.stored, empty.schema, per_task_row_limit)
            for t in plan.tasks
        ]


def _read_task(read: Any, rows: Optional[int], size: Optional[int], schema: Any, limit: Optional[int]) -> ReadTask:
    metadata = BlockMetadata(num_rows=rows, size_bytes=size, input_files=None, exec_stats=None)
    return ReadTask(read, metadata, schema=schema, per_task_row_limit=limit)


def _blocks(task: _tasks.Task, schema: pa.Schema) -> Iterator[pa.Table]:
    """Yields the rows of a task as tables of a good size; one without rows where there are none, for its schema."""
    waiting: list[pa.RecordBatch] = []
    size, any_yet = 0, False
    for b in task.batches():
        waiting.append(b)
        size += b.nbytes
        if size >= _BLOCK:
            yield _table(waiting, schema)
            waiting, size, any_yet = [], 0, True
    if waiting or not any_yet:
        yield _table(waiting, schema)


def _table(batches: "list[pa.RecordBatch]", schema: pa.Schema) -> pa.Table:
    if schema.names:
        return pa.Table.from_batches(batches, schema)
    return pa.table({_NOTHING: pa.nulls(sum(b.num_rows for b in batches))})
