"""DuckDB's extension iceberg as a judge of Iceberg tables of Parquet files.

  iceberg_duckdb_judge.py

Each line of the input is a question in JSON, {"read": METADATA, "out": FILE}: it writes the rows of a table as Arrow IPC, and gets a line in JSON
as its answer, {"error": TEXT} if something failed.
"""

import json
import pathlib
import sys

import duckdb
import duckdb_extension_avro
import duckdb_extension_iceberg
import pyarrow as pa

db = duckdb.connect()
db.execute("SET TimeZone = 'UTC'")
for package in (duckdb_extension_avro, duckdb_extension_iceberg):
    file = next(pathlib.Path(package.__file__).parent.rglob("*.duckdb_extension"))
    db.execute(f"LOAD '{file}'")
for line in sys.stdin:
    q = json.loads(line)
    try:
        rows = db.execute("SELECT * FROM iceberg_scan(?)", [q["read"]]).to_arrow_table()
        with pa.OSFile(q["out"], "wb") as f, pa.ipc.new_file(f, rows.schema) as w:
            w.write_table(rows)
        answer = {}
    except Exception as e:  # the answer is for whoever asked
        answer = {"error": str(e)}
    print(json.dumps(answer), flush=True)
