"""Real files of every format, column by column against DuckDB's own conversion of Arrow, and ORC against pyarrow."""

import unittest

import pyarrow as pa
import pyarrow.orc

import judge

# Columns, by file, of types that DuckDB does not have.
REFUSED = {"avro-empty-record.trv": ["e", "a", "o"], "avro-logical.trv": ["dec60"], "avro-union-records.trv": ["u"]}
NO_COLUMNS = ("empty-struct.orc", "avro-only-empty-record.trv", "columns0.trv", "columns0-rows5.trv")
NO_ROWS = ("map-null-keys.orc", "bloom.cfile")  # an error of the reader
INFINITE = "timestamp-bitshuffle-zlib-nulls.cfile"  # it has the last value of int64
# Maps with a key that occurs twice, which functions of DuckDB refuse, within other columns.
TWICE = {f"nested-{v}.orc": ["b__mix__r10", "g__mix__r10"] for v in ("v11", "v12")}


class Files(unittest.TestCase):
    def setUp(self):
        self.con = judge.connect()

    def tearDown(self):
        self.con.close()

    def compare(self, function, path, **options):
        with self.subTest(path.name):
            relation = judge.call(function, path, **options)
            table = judge.converted(path, **options)
            if path.name in REFUSED:
                with self.assertRaisesRegex(Exception, "leave the column out"):
                    self.con.execute(f"select * from {relation}").fetchall()
            if columns := {**REFUSED, **TWICE}.get(path.name):
                relation = f"(select * exclude ({', '.join(columns)}) from {relation})"
                table = table.drop_columns(columns)
            self.assertEqual(list(judge.differences(self.con, relation, table)), [])

    def files(self, pattern):
        found = [p for p in sorted(judge.DATA.glob(pattern)) if p.name not in (*NO_COLUMNS, *NO_ROWS, INFINITE)]
        self.assertTrue(found, pattern)
        return found

    def test_orc(self):
        for p in self.files("orc/java-2.3.1/*none*.orc") + self.files("orc/java-2.3.1/n*.orc") + self.files("orc/java-2.3.1/*00.orc"):
            self.compare("read_orc", p, timestamp_unit="us")
        for p in self.files("orc/java-2.3.1/root-*.orc") + self.files("orc/java-2.3.1/zero*.orc"):
            self.compare("read_orc", p, timestamp_unit="us")

    def test_trevni(self):
        for p in self.files("trevni/java-1.12.1/avro*.trv"):
            self.compare("read_trevni", p)

    def test_cfile(self):
        for p in self.files("cfile/*/*-nulls.cfile") + self.files("cfile/*/chunks*.cfile"):
            self.compare("read_cfile", p)

    def test_pyarrow(self):
        for p in self.files("orc/pyarrow-26.0.1/*.orc"):
            with self.subTest(p.name):
                table = pa.orc.read_table(p)
                names = [f.name for f in table.schema if not judge.has(f.type, pa.types.is_timestamp)]
                relation = f"(select {', '.join(map(judge.quoted, names))} from {judge.call('read_orc', p)})"
                self.assertEqual(list(judge.differences(self.con, relation, table.select(names))), [])

    def test_infinite(self):
        path = judge.call("read_cfile", next(judge.DATA.glob(f"cfile/*/{INFINITE}")))
        with self.assertRaisesRegex(Exception, "infinity"):
            self.con.execute(f"select * from {path}").fetchall()

    def test_no_columns(self):
        for name in NO_COLUMNS:
            for p in judge.DATA.glob(f"*/*/{name}"):
                with self.assertRaisesRegex(Exception, "no columns"):
                    self.con.execute(f"select * from {judge.call('arrowio_scan', p)}")
        self.assertEqual(judge.one(self.con, "select 1"), 1)


if __name__ == "__main__":
    unittest.main()
