"""Files that are read as another schema than their own."""

import json
import pickle
import subprocess
import sys
import warnings

import pyarrow as pa
import pytest

import arrowio

WIDE = pa.schema([("name", pa.string()), ("x", pa.int64())])


@pytest.fixture
def narrow(tmp_path):
    """The rows of small with x of 32 bits."""
    path = tmp_path / "narrow.orc"
    arrowio.write(pa.table({"x": pa.array(range(10), pa.int32()), "name": [f"n{i}" for i in range(10)]}), path)
    return path


def test_as_a_schema(narrow):
    """Of pyarrow, or as text: columns that are asked for, in that order, of wider types."""
    for schema in (WIDE, "struct<name:string,x:bigint>"):
        ds = arrowio.open(narrow, schema=schema)
        assert ds.to_table().to_pydict() == {"name": [f"n{i}" for i in range(10)], "x": list(range(10))}
        assert ds.schema.types == WIDE.types
        assert ds.to_table(where="x > 7", columns=["name"]).to_pydict() == {"name": ["n8", "n9"]}
        assert pickle.loads(pickle.dumps(ds)).schema == ds.schema


def test_columns_that_no_file_has(small):
    schema = pa.schema([("x", pa.int64()), ("new", pa.string())])
    with pytest.warns(arrowio.ArrowioWarning, match="new"):
        assert arrowio.open([small, small], schema=schema).to_table().column("new").null_count == 20


def test_columns_that_the_schema_lacks(small):
    """They are left out, which a warning tells, unless other columns are asked for."""
    with pytest.warns(arrowio.ArrowioWarning, match="left out: name") as told:
        ds = arrowio.open(small, schema=pa.schema([("x", pa.int64())]))
        assert ds.to_table().column_names == ["x"]
    assert [(w.message.kind, w.message.columns) for w in told] == [("left-out-column", ["name"])]
    assert [w.kind for w in ds.warnings] == ["left-out-column"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert arrowio.open(small, schema=pa.schema([("x", pa.int64())]), columns=["x"]).to_table().num_rows == 10


def test_parts_are_of_the_schema(narrow):
    parts = json.loads(json.dumps(arrowio.plan([narrow] * 3, parts=2, schema=WIDE)))
    assert len(parts) == 2
    tables = [arrowio.open_part(p).to_table() for p in parts]
    assert all(t.schema.types == WIDE.types for t in tables) and sum(t.num_rows for t in tables) == 30


def test_cast(small):
    """What does not fit is an error, or what orc-core makes of it."""
    schema = pa.schema([("name", pa.int32())])
    with pytest.raises(arrowio.SchemaError, match="name"):
        arrowio.open(small, schema=schema)
    assert arrowio.open(small, schema=schema, cast="java").to_table().to_pydict() == {"name": [None] * 10}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"cast": "java"}, "schema, which is missing"),
        ({"schema": 5}, "schema cannot be 5"),
        ({"schema": "struct<"}, "schema: "),
        ({"schema": WIDE, "cast": "x"}, "unknown cast"),
        ({"cast": 5}, "cast cannot be 5"),
    ],
    ids=str,
)
def test_refused(small, arguments, text):
    with pytest.raises(arrowio.OptionError, match=text):
        arrowio.open(small, **arguments)


def test_text_needs_no_pyarrow(narrow):
    code = (
        "import sys; sys.modules['pyarrow'] = None\nimport arrowio, json\n"
        "print(arrowio.open(sys.argv[1], schema='struct<x:bigint>', where='x > 6').count_rows())\n"
        "class S: __arrow_c_schema__ = None\n"
        "try: arrowio.open(sys.argv[1], schema=S())\n"
        "except ImportError as e: print(e)\n"
    )
    out = subprocess.run([sys.executable, "-c", code, str(narrow)], capture_output=True, text=True, timeout=120)
    assert out.stdout.startswith("3\nschema as an object needs pyarrow"), out.stderr
