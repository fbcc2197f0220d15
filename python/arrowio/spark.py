"""Spark 4: the format "arrowio", which workers of Spark read as Arrow batches.

    import arrowio.spark

    arrowio.spark.register(spark)
    df = spark.read.format("arrowio").option("columns", "user,price").load("grpc://host:8815/events")
    df.where("price > 100").groupBy("user").sum("price").show()
"""

from __future__ import annotations

# Types are checked where the engine may not be installed.
# pyright: reportMissingImports=false

import datetime
import decimal
import json
import math
from typing import TYPE_CHECKING, Any, Iterable, Iterator, Optional

import pyarrow as pa
from pyspark.sql import datasource as spark_source
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from . import _tasks
from .errors import OptionError, SchemaError, UnsupportedError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.types import StructType


def register(spark: "SparkSession") -> None:
    """Makes the format "arrowio" known to a session, and lets filters be pushed down into formats that are written in Python.

    Options of the format:

    - `path`, as `load` sets it: `grpc://host:port/dataset` of a server (`grpc+tls://…` too), or paths and URLs that every worker
      reaches. `load(["a.orc", "b.orc"])` reads several as one table.
    - `columns`: names separated by commas, or a list in JSON where names have commas. Spark does not tell formats in Python which columns
      a query needs, so say it here, or by `spark.read.schema(…)`.
    - `where`, `rows` ("A:B"): as for `arrowio.open`. `parallelism`: about how many tasks.
    - `timestamps`: "exact" = nanoseconds that Spark's microseconds cannot hold are an error (the default), "truncate" = cut.
    - `token`: for the server. Others are those of `arrowio.open`, or of a server's command; Spark passes them in lower case.

    Filters of comparisons, IN, IS NULL, AND between them and LIKE 'x%' reach the files.
    """
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    spark.dataSource.register(ArrowioDataSource)


class ArrowioDataSource(DataSource):  # type: ignore[misc]
    """The format, for `spark.dataSource.register`. That needs `spark.sql.python.filterPushdown.enabled`; `register` sets it."""

    @classmethod
    def name(cls) -> str:
        return "arrowio"

    def schema(self) -> "StructType":
        schema = _Request(self.options).plan(1).schema
        return from_arrow_schema(_spark_schema(schema))

    def reader(self, schema: "StructType") -> "ArrowioReader":
        return ArrowioReader(_Request(self.options), schema)


#: Options that are numbers.
_NUMBERS = ("batch_rows", "batch_bytes", "jobs", "memory", "parallelism")


class _Request:
    """What the options of a read say."""

    def __init__(self, options: Any) -> None:
        left = {str(k).lower().replace("-", "_"): v for k, v in dict(options).items() if v is not None}
        paths = left.pop("paths", None)
        if "path" not in left and paths is None:
            raise OptionError("load(path): what is to be read?", kind="option")
        self.source: Any = left.pop("path") if paths is None else json.loads(paths)
        left.pop("path", None)
        if isinstance(self.source, list) and len(self.source) == 1:
            self.source = self.source[0]
        self.columns: Optional[list[str]] = _names(left.pop("columns", None))
        if self.columns == []:
            raise OptionError("Spark has no rows without columns: name one", kind="option")
        self.where: Optional[str] = left.pop("where", None)
        self.rows: Optional[str] = left.pop("rows", None)
        mode = left.pop("timestamps", "exact")
        if mode not in ("exact", "truncate"):
            raise OptionError(f'timestamps is "exact" or "truncate", not {mode!r}', kind="option")
        self.exact: bool = mode == "exact"
        for name in _NUMBERS:
            if name in left:
                left[name] = int(left[name])
        self.parallelism: Optional[int] = left.pop("parallelism", None)
        self.options: dict[str, Any] = left

    def plan(self, parallelism: Optional[int], columns: Optional[list[str]] = None, where: Optional[str] = None) -> _tasks.Plan:
        columns = self.columns if columns is None else _tasks.narrowed(self.columns, columns)
        both = " AND ".join(f"({w})" for w in (self.where, where) if w is not None)
        return _tasks.plan(self.source, columns, both or None, self.rows, parallelism=parallelism, **self.options)


def _names(text: Optional[str]) -> Optional[list[str]]:
    if text is None:
        return None
    if text.lstrip().startswith("["):
        names = json.loads(text)
        if not all(isinstance(n, str) for n in names):
            raise OptionError("columns is a list of names", kind="option")
        return list(names)
    return [n.strip() for n in text.split(",") if n.strip()]


class _Partition(InputPartition):  # type: ignore[misc]
    """A task."""

    def __init__(self, task: _tasks.Task) -> None:
        super().__init__(None)
        self.task = task

    def __repr__(self) -> str:
        return "_Partition()"


class ArrowioReader(DataSourceReader):  # type: ignore[misc]
    """Reads what Spark has planned."""

    def __init__(self, request: _Request, schema: "StructType") -> None:
        self._request = request
        self._schema = to_arrow_schema(schema, timezone="UTC")
        self._where: list[str] = []

    def pushFilters(self, filters: "list[Any]") -> "Iterable[Any]":
        types: Optional[pa.Schema] = None
        for f in filters:
            if types is None:
                types = self._request.plan(1, self._schema.names).schema
            text = _Filters(types, self._request.exact).text(f)
            if text is not None:
                self._where.append(text)
            if text is None or _Filters.doubtful(types, f):
                yield f

    def partitions(self) -> "list[InputPartition]":
        where = " AND ".join(self._where) or None
        plan = self._request.plan(self._request.parallelism, self._schema.names, where)
        if plan.schema.names != self._schema.names:
            raise SchemaError(f"the columns are {plan.schema.names}, not {self._schema.names}", kind="schema")
        return [_Partition(t) for t in plan.tasks]

    def read(self, partition: "InputPartition") -> "Iterator[pa.RecordBatch]":
        if not isinstance(partition, _Partition):
            return  # so Spark says that there are none
        for b in partition.task.batches():
            yield _spark_batch(b, self._schema, self._request.exact)


# Types


def _spark_schema(schema: pa.Schema) -> pa.Schema:
    if len({n.lower() for n in schema.names}) < len(schema.names):
        raise SchemaError("two columns have one name, or names that differ only in case, which Spark does not take", kind="schema")
    return pa.schema([_spark_field(f, f.name) for f in schema])


def _spark_field(f: pa.Field, path: str) -> pa.Field:
    return pa.field(f.name, _spark_type(f.type, path), f.nullable)


_PLAIN = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.large_string(): pa.string(),
    pa.string_view(): pa.string(),
    pa.large_binary(): pa.binary(),
    pa.binary_view(): pa.binary(),
    pa.date64(): pa.date32(),
}


def _spark_type(t: pa.DataType, path: str) -> pa.DataType:
    """Returns the type among those of Spark that holds the values of t."""
    is_ = pa.types
    if t in _PLAIN:
        return _PLAIN[t]
    if is_.is_dictionary(t):
        return _spark_type(t.value_type, path)
    if is_.is_fixed_size_binary(t):
        return pa.binary()
    if is_.is_timestamp(t):
        return pa.timestamp("us", t.tz and "UTC")
    if is_.is_time(t):
        return pa.time64("ns")
    if is_.is_duration(t):
        return pa.duration("us")
    if is_.is_decimal(t):
        if t.precision > 38 or not 0 <= t.scale <= t.precision:
            raise UnsupportedError(f"Spark has no {t}; leave the column out by the option columns", kind="unsupported", column=path)
        return pa.decimal128(t.precision, t.scale)
    if is_.is_map(t):
        key, item = _spark_type(t.key_type, path), _spark_type(t.item_type, path)
        return pa.map_(pa.field("key", key, False), pa.field("value", item, t.item_field.nullable))
    if is_.is_list(t) or is_.is_large_list(t) or is_.is_fixed_size_list(t):
        return pa.list_(pa.field("element", _spark_type(t.value_type, path), t.value_field.nullable))
    if is_.is_struct(t):
        return pa.struct([_spark_field(f, f"{path}.{f.name}") for f in t])
    if is_.is_union(t) or is_.is_interval(t):
        raise UnsupportedError(f"Spark has no {t}; leave the column out by the option columns", kind="unsupported", column=path)
    return t


def _spark_batch(b: pa.RecordBatch, schema: pa.Schema, exact: bool) -> pa.RecordBatch:
    columns = []
    for array, field in zip(b.columns, schema):
        try:
            columns.append(_spark_array(array, field.type, exact))
        except pa.ArrowInvalid as e:
            hint = '; option("timestamps", "truncate") cuts nanoseconds' if "would lose data" in str(e) else ""
            raise UnsupportedError(f"{e}{hint}", kind="unsupported", column=field.name) from e
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _spark_array(a: pa.Array, t: pa.DataType, exact: bool) -> pa.Array:
    """Returns an array as Spark's type, the same values or an error; nanoseconds may be cut where they need not be exact."""
    if a.type.equals(t):
        return a
    if pa.types.is_dictionary(a.type):
        a = a.dictionary_decode()
    if pa.types.is_time64(a.type):
        a = a.cast(pa.time64("us"), safe=exact)  # that is what Spark counts in
    if not exact and pa.types.is_nested(t) and _cuts(a.type):
        raise UnsupportedError(f"nanoseconds inside {a.type} are not cut", kind="unsupported")
    return a.cast(t, safe=exact or not (pa.types.is_timestamp(t) or pa.types.is_duration(t)))


def _cuts(t: pa.DataType) -> bool:
    """Tells whether a type has nanoseconds inside."""
    if pa.types.is_nested(t):
        return any(_cuts(t.field(i).type) for i in range(t.num_fields))
    return bool(pa.types.is_timestamp(t) and t.unit == "ns")


# Filters


class _Filters:
    """Says filters of Spark in arrowio's language, where they mean the same there or let more through."""

    def __init__(self, schema: pa.Schema, exact: bool) -> None:
        self._schema = schema
        self._exact = exact

    def text(self, f: Any) -> Optional[str]:
        """Returns the text; None = it cannot be said."""
        if isinstance(f, spark_source.Not):
            below = self._one(f.child, False)
            return None if below is None else f"(NOT {below})"
        return self._one(f, True)

    def _one(self, f: Any, positive: bool) -> Optional[str]:
        attribute = getattr(f, "attribute", None)
        if not attribute:
            return None
        t = _type_at(self._schema, attribute)
        path = _tasks.quoted(*attribute)
        if t is None:
            return None
        if isinstance(f, spark_source.IsNull):
            return f"({path} IS NULL)"
        if isinstance(f, spark_source.IsNotNull):
            return f"({path} IS NOT NULL)"
        # NaN is equal to itself in Spark, and greater than all other numbers.
        if pa.types.is_floating(t) and (not positive or isinstance(f, (spark_source.GreaterThan, spark_source.GreaterThanOrEqual))):
            return None
        if isinstance(f, spark_source.StringStartsWith):
            if not pa.types.is_string(t) or any(c in f.value for c in "%_\\\x00"):
                return None
            return f"({path} LIKE '{_quote(f.value)}%')"
        if isinstance(f, spark_source.In):
            values = [self._literal(v, t) for v in f.value]
            if not values or None in values:
                return None
            return f"({path} IN ({', '.join(v for v in values if v is not None)}))"
        for kind, sign in _SIGNS:
            if type(f) is kind:
                value = self._literal(f.value, t)
                if value is None:
                    return None
                text = f"({path} {sign} {value})"
                return f"({path} IS NOT NULL AND {text})" if kind is spark_source.EqualNullSafe else text
        return None

    @staticmethod
    def doubtful(schema: pa.Schema, f: Any) -> bool:
        """Tells whether Spark is to look at the rows once more."""
        t = _type_at(schema, getattr(f, "attribute", ()))
        return t is not None and pa.types.is_floating(t)

    def _literal(self, v: Any, t: pa.DataType) -> Optional[str]:
        is_ = pa.types
        if is_.is_dictionary(t):
            t = t.value_type
        if isinstance(v, bool):
            return ("TRUE" if v else "FALSE") if is_.is_boolean(t) else None
        if isinstance(v, (int, decimal.Decimal)):
            if is_.is_integer(t) or is_.is_decimal(t) or is_.is_floating(t):
                if isinstance(v, decimal.Decimal) and is_.is_floating(t):
                    return f"DOUBLE '{float(v)!r}'" if math.isfinite(v) else None
                return f"{v:f}" if isinstance(v, decimal.Decimal) else str(v)
            return None
        if isinstance(v, float):
            return repr(v) if math.isfinite(v) and is_.is_floating(t) and t.bit_width == 64 else None
        if isinstance(v, str):
            return f"'{_quote(v)}'" if is_.is_string(t) and "\x00" not in v else None
        if isinstance(v, (bytes, bytearray)):
            return f"X'{bytes(v).hex()}'" if is_.is_binary(t) else None
        if isinstance(v, datetime.datetime):
            if not is_.is_timestamp(t) or (v.tzinfo is None) != (t.tz is None) or not self._exact:
                return None
            if v.tzinfo is not None:
                v = v.astimezone(datetime.timezone.utc).replace(tzinfo=None)
                return f"TIMESTAMP '{v.isoformat(sep=' ')}+00:00'"
            return f"TIMESTAMP '{v.isoformat(sep=' ')}'"
        if isinstance(v, datetime.date):
            return f"DATE '{v.isoformat()}'" if is_.is_date32(t) else None
        return None


_SIGNS = (
    (spark_source.EqualTo, "="),
    (spark_source.EqualNullSafe, "="),
    (spark_source.GreaterThan, ">"),
    (spark_source.GreaterThanOrEqual, ">="),
    (spark_source.LessThan, "<"),
    (spark_source.LessThanOrEqual, "<="),
)


def _quote(s: str) -> str:
    return s.replace("'", "''")


def _type_at(schema: pa.Schema, path: Any) -> Optional[pa.DataType]:
    """Returns the type of a column, or of a child of structs; None = there is none, or more than one."""
    if not path or schema.names.count(path[0]) != 1:
        return None
    t = schema.field(path[0]).type
    for name in path[1:]:
        if not pa.types.is_struct(t) or t.get_field_index(name) < 0:
            return None
        t = t.field(t.get_field_index(name)).type
    return t
