"""The schema that files are read as."""

from __future__ import annotations

from typing import Any

from .errors import OptionError


def schema_of(schema: Any) -> dict[str, str]:
    """Returns what a request says of a schema: text as it is, others as the message of Arrow IPC."""
    if schema is None:
        return {}
    if isinstance(schema, str):
        return {"schema": schema}
    if not hasattr(schema, "__arrow_c_schema__"):
        raise OptionError(f"schema cannot be {schema!r}: give a schema of pyarrow, or text", kind="option")
    import base64

    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError("schema as an object needs pyarrow: pip install pyarrow, or give the schema as text") from None
    return {"schema_ipc": base64.b64encode(pa.schema(schema).serialize()).decode()}
