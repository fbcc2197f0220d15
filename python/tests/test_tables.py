"""Tables of Iceberg: their rows, older states, and what is refused."""

import json

import pyarrow as pa
import pytest

import arrowio

LIST = {
    "type": "record",
    "name": "manifest_file",
    "fields": [
        {"name": "manifest_path", "type": "string"},
        {"name": "partition_spec_id", "type": "int"},
        {"name": "content", "type": "int"},
        {"name": "sequence_number", "type": "long"},
    ],
}
MANIFEST = {
    "type": "record",
    "name": "manifest_entry",
    "fields": [
        {"name": "status", "type": "int"},
        {
            "name": "data_file",
            "type": {
                "type": "record",
                "name": "r2",
                "fields": [
                    {"name": "content", "type": "int"},
                    {"name": "file_path", "type": "string"},
                    {"name": "file_format", "type": "string"},
                    {"name": "record_count", "type": "long"},
                    {"name": "file_size_in_bytes", "type": "long"},
                ],
            },
        },
    ],
}


def number(n):
    """A number as Avro stores it."""
    n = n << 1
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def text(s):
    """A text, or bytes, as Avro stores them."""
    b = s if isinstance(s, bytes) else str(s).encode()
    return number(len(b)) + b


def avro(path, schema, *records):
    """Writes a file of records, of numbers and texts in the order of the schema."""
    rows = b"".join(number(v) if isinstance(v, int) else text(v) for r in records for v in r)
    sync = b"0123456789abcdef"
    header = number(2) + text("avro.schema") + text(json.dumps(schema)) + text("avro.codec") + text("null") + number(0)
    path.write_bytes(b"Obj\x01" + header + sync + number(len(records)) + text(rows) + sync)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table with the rows 0 to 4: snapshot 1 has all, snapshot 2 has deleted row 3."""
    at = tmp_path_factory.mktemp("table")
    (at / "data").mkdir()
    (at / "metadata").mkdir()
    lists = []
    content = [pa.table({"id": range(5)}), pa.table({"file_path": [str(at / "data/0.orc")], "pos": [3]})]
    for i, rows in enumerate(content):
        path = at / f"data/{i}.orc"
        arrowio.write(rows, path)
        manifest = at / f"metadata/m{i}.avro"
        avro(manifest, MANIFEST, (1, i, path, "ORC", rows.num_rows, path.stat().st_size))
        lists.append((manifest, 0, i, i + 1))
        avro(at / f"metadata/list{i}.avro", LIST, *lists)
    metadata = {
        "format-version": 2,
        "location": str(at),
        "last-sequence-number": 2,
        "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": [{"id": 1, "name": "id", "required": False, "type": "long"}]}],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "current-snapshot-id": 2,
        "snapshots": [
            {
                "snapshot-id": n,
                "parent-snapshot-id": n - 1,
                "sequence-number": n,
                "timestamp-ms": n * 1000,
                "manifest-list": str(at / f"metadata/list{n - 1}.avro"),
            }
            for n in (1, 2)
        ],
        "refs": {"main": {"snapshot-id": 2, "type": "branch"}, "all": {"snapshot-id": 1, "type": "tag"}},
        "properties": {"schema.name-mapping.default": json.dumps([{"field-id": 1, "names": ["id"]}])},
    }
    (at / "metadata/v1.metadata.json").write_text(json.dumps(metadata))
    return at


@pytest.mark.parametrize(
    ("options", "rows"),
    [
        ({}, [0, 1, 2, 4]),
        ({"where": "id >= 2"}, [2, 4]),
        ({"iceberg_snapshot": "1"}, [0, 1, 2, 3, 4]),
        ({"iceberg_ref": "all", "where": "id > 2"}, [3, 4]),
        ({"iceberg_as_of": "1500"}, [0, 1, 2, 3, 4]),
    ],
)
def test_rows(table, options, rows):
    with arrowio.open(table, **options) as ds:
        assert ds.to_table()["id"].to_pylist() == rows


@pytest.mark.parametrize("options", [{"iceberg_snapshot": "3"}, {"iceberg_ref": "none"}, {"iceberg_as_of": "yesterday"}])
def test_refused(table, options):
    with pytest.raises(arrowio.ArrowioError), arrowio.open(table, **options) as ds:
        ds.to_table()
