"""PyIceberg as a judge of Iceberg tables: what it reads of tables that were written here, and tables of its own.

  iceberg_judge.py

Each line of the input is a question in JSON, and gets a line in JSON as its answer, {"error": TEXT} if something failed:

  {"read": METADATA, "out": FILE}     writes the rows of a table as Arrow IPC
  {"make": DIR, "tables": N}          makes a catalog in SQLite with N tables, each changed several times at random. The answer has
                                      a list of [METADATA, FILE], each a state and the rows that it should have, which this program counts itself
  {"begin": DIR}                      makes a catalog "prod" in SQLite, with a namespace db and a table db.theirs in it. In this and what follows
                                      DIR may be thrift://HOST:PORT, a metastore of Hive
  {"catalog": DIR, "table": NAME, "out": FILE}             writes the rows of a table of it, and says how many snapshots it has, and its columns
  {"append": DIR, "table": NAME, "from": N, "times": N}    appends ten rows each time, again if somebody else has changed the table
  {"evolve": DIR, "table": NAME}                           adds the column more, and calls the column word text
"""

import datetime
import decimal
import json
import logging
import pathlib
import random
import sys
import traceback
import warnings

import pyarrow as pa
from pyiceberg.catalog.hive import HiveCatalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import StaticTable
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform, MonthTransform, TruncateTransform
from pyiceberg.types import BinaryType, BooleanType, DateType, DecimalType, DoubleType, FloatType, IntegerType, LongType, NestedField, StringType, TimestampType, TimestamptzType

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)


def save(rows, to):
    with pa.OSFile(str(to), "wb") as f, pa.ipc.new_file(f, rows.schema) as w:
        w.write_table(rows)


def read(q):
    rows = StaticTable.from_metadata(q["read"]).scan().to_arrow()
    save(rows, q["out"])
    return {}


class Made:
    """A table of PyIceberg's, and the rows that it should have."""

    def __init__(self, catalog, directory, number):
        self.r = random.Random(number)
        self.directory, self.number, self.states = directory, number, []
        self.fields = [
            NestedField(1, "id", LongType(), required=False),
            NestedField(2, "word", StringType(), required=False),
            NestedField(3, "amount", DecimalType(9, 2), required=False),
            NestedField(4, "day", DateType(), required=False),
            NestedField(5, "at", TimestamptzType() if number % 2 else TimestampType(), required=False),
            NestedField(6, "small", IntegerType(), required=False),
            NestedField(7, "rough", FloatType(), required=False),
        ]
        of = self.r.choice([[], [(2, IdentityTransform(), "word")], [(4, MonthTransform(), "day_month")], [(2, IdentityTransform(), "word"), (5, DayTransform(), "at_day")], [(3, IdentityTransform(), "amount")], [(1, BucketTransform(4), "id_bucket"), (2, TruncateTransform(1), "word_trunc")]])
        spec = PartitionSpec(*(PartitionField(source_id=s, field_id=1000 + i, transform=t, name=n) for i, (s, t, n) in enumerate(of)))
        properties = {"format-version": str(1 + number % 2), "write.parquet.compression-codec": self.r.choice(["zstd", "snappy", "gzip", "uncompressed"])}
        self.table = catalog.create_table(f"db.t{number}", Schema(*self.fields), partition_spec=spec, properties=properties)
        self.rows = []

    def value(self, name):
        r = self.r
        if r.random() < 0.1:
            return None
        day = datetime.date(2024, 1, 1) + datetime.timedelta(days=r.randrange(90))
        return {
            "id": lambda: r.randrange(60),
            "word": lambda: r.choice(["a", "b/c", "ü d", ""]),
            "amount": lambda: decimal.Decimal(r.randrange(-300, 300)) / 100,
            "day": lambda: day,
            "at": lambda: datetime.datetime(day.year, day.month, day.day, r.randrange(24), 5, 6, r.randrange(10**6), datetime.timezone.utc if self.number % 2 else None),
            "small": lambda: r.randrange(-(2**31), 2**31),
            "rough": lambda: r.randrange(-1000, 1000) / 8,
            "big": lambda: r.randrange(-(2**40), 2**40),
            "flag": lambda: r.random() < 0.5,
            "raw": lambda: r.randbytes(3),
        }[name]()

    def some(self, keep=lambda row: True):
        names = self.table.schema().column_names
        rows = [{n: self.value({"new_word": "word", "small": "small"}.get(n, n)) for n in names} for _ in range(self.r.randrange(1, 20))]
        return [row for row in rows if keep(row)]

    def batch(self, rows):
        return pa.Table.from_pylist(rows, self.table.schema().as_arrow())

    def condition(self):
        n = self.r.randrange(60)
        return self.r.choice([
            (f"id < {n}", lambda row: row["id"] is not None and row["id"] < n),
            (f"id == {n}", lambda row: row["id"] == n),
            ("id is null", lambda row: row["id"] is None),
            (f"id >= {n} and id < {n + 10}", lambda row: row["id"] is not None and n <= row["id"] < n + 10),
            ("day < '2024-02-01'", lambda row: row["day"] is not None and row["day"] < datetime.date(2024, 2, 1)),
        ])

    def evolve(self):
        names = self.table.schema().column_names
        step = self.r.choice(["add", "rename", "widen", "drop"])
        with self.table.update_schema() as u:
            if step == "add":
                new = [n for n in ("flag", "raw", "big") if n not in names]
                if new:
                    u.add_column(new[0], {"flag": BooleanType(), "raw": BinaryType(), "big": LongType()}[new[0]])
                    for row in self.rows:
                        row[new[0]] = None
            elif step == "rename" and "word" in names:
                u.rename_column("word", "new_word")
                for row in self.rows:
                    row["new_word"] = row.pop("word")
            elif step == "widen":
                u.update_column("small", LongType())
                u.update_column("rough", DoubleType())
                u.update_column("amount", DecimalType(12, 2))
            elif step == "drop" and "flag" in names:
                u.delete_column("flag")
                for row in self.rows:
                    del row["flag"]

    def change(self):
        step = self.r.choice(["append", "append", "overwrite", "delete", "delete", "replace", "evolve", "spec"])
        if step == "append":
            new = self.some()
            self.table.append(self.batch(new))
            self.rows += new
        elif step == "overwrite":
            self.rows = self.some()
            self.table.overwrite(self.batch(self.rows))
        elif step == "delete":
            text, true = self.condition()
            self.table.delete(text)
            self.rows = [row for row in self.rows if not true(row)]
        elif step == "replace":
            text, true = self.condition()
            new = self.some(true)
            self.table.overwrite(self.batch(new), overwrite_filter=text)
            self.rows = [row for row in self.rows if not true(row)] + new
        elif step == "evolve":
            self.evolve()
        elif step == "spec" and "small" not in [f.name for f in self.table.spec().fields]:
            with self.table.update_spec() as u:
                u.add_field("small", IdentityTransform(), "small")

    def keep(self):
        to = self.directory / f"t{self.number}.{len(self.states)}.arrow"
        save(self.batch(self.rows), to)
        self.states.append([self.table.metadata_location.removeprefix("file://"), str(to)])


def make(q):
    directory = pathlib.Path(q["make"])
    catalog = SqlCatalog("made", uri=f"sqlite:///{directory}/catalog.db", warehouse=f"file://{directory}/warehouse")
    catalog.create_namespace("db")
    states = []
    for number in range(q["tables"]):
        m = Made(catalog, directory, number)
        for _ in range(5):
            m.change()
            m.keep()
        states += m.states
    return {"states": states}


def catalog_of(directory):
    if directory.startswith("thrift://"):
        return HiveCatalog("prod", uri=directory, **{"lock-check-max-wait-time": "0.4", "lock-check-retries": "200"})  # others write, too
    return SqlCatalog("prod", uri=f"sqlite:///{directory}/catalog.db", warehouse=f"file://{directory}/warehouse")


def found(q):
    """What a catalog has."""
    table = catalog_of(q["catalog"]).load_table(q["table"])
    save(table.scan().to_arrow(), q["out"])
    return {"snapshots": len(table.metadata.snapshots), "schema": table.schema().column_names}


def begin(q):
    catalog = catalog_of(q["begin"])
    catalog.create_namespace("db")
    catalog.create_table("db.theirs", Schema(NestedField(1, "id", LongType(), required=False), NestedField(2, "word", StringType(), required=False)))
    return {}


def evolve(q):
    table = catalog_of(q["evolve"]).load_table(q["table"])
    with table.update_schema() as u:
        u.add_column("more", LongType())
        u.rename_column("word", "text")
    return {}


def append(q):
    """Appends rows with ids from one on, so many times, again after each conflict."""
    conflicts = 0
    for k in range(q["times"]):
        at = q["from"] + 10 * k
        while True:
            table = catalog_of(q["append"]).load_table(q["table"])
            word = table.schema().column_names[1]
            rows = pa.Table.from_pylist([{"id": at + i, word: f"p{at + i}"} for i in range(10)], table.schema().as_arrow())
            try:
                table.append(rows)
                break
            except CommitFailedException:
                conflicts += 1
    return {"conflicts": conflicts}


DO = {"read": read, "make": make, "catalog": found, "begin": begin, "evolve": evolve, "append": append}


def main():
    for line in sys.stdin:
        q = json.loads(line)
        try:
            answer = next(DO[k] for k in q if k in DO)(q)
        except Exception:  # the answer is for whoever asked
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


main()
