"""What `arrowio convert --partition-by` writes, before pyarrow and DuckDB."""

import datetime
import os
import subprocess

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

BIN = os.environ.get("ARROWIO_BIN", "arrowio")

CITIES = ["Wien", "a=b/c %", "Zürich", None, "{x}[y]^'\"#*:?\\", "two\nlines", "100%25", " blank ", "世界"]


def test_partition_by(tmp_path):
    table = pa.table({
        "id": pa.array(range(2000), pa.int64()),
        "city": pa.array([CITIES[i % len(CITIES)] for i in range(2000)], pa.string()),
        "day": pa.array([datetime.date(2024, 1, 1 + i % 7) for i in range(2000)], pa.date32()),
        "n": pa.array([i % 3 - 1 for i in range(2000)], pa.int64()),
    })
    source, out = tmp_path / "in.parquet", tmp_path / "out"
    pq.write_table(table, source)
    subprocess.run([BIN, "convert", "--partition-by", "city,day,n", "--to", "parquet", source, out], check=True, capture_output=True)

    want = table.to_pylist()
    types = pa.schema([("city", pa.string()), ("day", pa.date32()), ("n", pa.int64())])
    read = ds.dataset(out, partitioning=ds.partitioning(types, flavor="hive")).to_table()
    assert read.select(table.column_names).sort_by("id").to_pylist() == want

    rows = duckdb.sql(
        f"select id, city, day, n from read_parquet('{out}/**/*.parquet', hive_partitioning = true, "
        "hive_types = {'city': varchar, 'day': date, 'n': bigint}) order by id"
    ).fetchall()
    assert rows == [tuple(r.values()) for r in want]
