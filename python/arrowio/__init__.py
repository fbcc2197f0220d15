"""Trevni, ORC, Kudu CFile and Kudu tablets straight into Arrow memory, and back.

    import arrowio

    ds = arrowio.open("trips.orc", columns=["city", "fare"], where="fare > 100")
    ds.to_table()                    # pyarrow
    polars.DataFrame(ds)             # anything that takes __arrow_c_stream__
    arrowio.write(ds, "trips.parquet")
"""

from ._dataset import Dataset, dataset, kudu, open
from ._flight import Connection, Remote, connect
from ._formats import Format, Option, formats
from ._library import allocated, trim
from ._parts import Part, open_part, plan
from ._polars import scan_polars
from ._schema import Schema
from ._version import version as __version__
from ._write import Column, Loss, Report, write
from .errors import (
    ArrowioError,
    ArrowioWarning,
    CorruptError,
    InternalError,
    LimitError,
    OptionError,
    SchemaError,
    UnsupportedError,
)


__all__ = [
    "ArrowioError",
    "ArrowioWarning",
    "Column",
    "Connection",
    "CorruptError",
    "Dataset",
    "Format",
    "InternalError",
    "LimitError",
    "Loss",
    "Option",
    "OptionError",
    "Part",
    "Remote",
    "Report",
    "Schema",
    "SchemaError",
    "UnsupportedError",
    "allocated",
    "connect",
    "dataset",
    "formats",
    "kudu",
    "open",
    "open_part",
    "plan",
    "scan_polars",
    "trim",
    "write",
]
