"""The SQL logic tests of sql/, and the program that runs them."""

import os
import pathlib
import tarfile
import tempfile
import unittest

import duckdb
import pyarrow as pa
import pyarrow.orc

import judge
import sqllogic

HERE = pathlib.Path(__file__).resolve().parent
JAVA = judge.DATA / "orc/java-2.3.1"


def layout(directory):
    """Makes what the tests find in __TEST_DIR__."""
    for name, to in {"tiny-none.orc": "hive/year=2023/a.orc", "many-stripes.orc": "hive/year=2024/b.orc"}.items():
        path = directory / to
        path.parent.mkdir(parents=True)
        path.write_bytes((JAVA / name).read_bytes())
    (directory / "cut.orc").write_bytes((JAVA / "tiny-none.orc").read_bytes()[:-40])
    (directory / "joined.orc").write_bytes((JAVA / "tiny-none.orc").read_bytes() + (JAVA / "tiny-zlib.orc").read_bytes())
    with tarfile.open(judge.DATA / "kudu/kudu-1.17.1/log.tar.gz") as t:
        t.extractall(directory / "kudu", filter="data")
    for name, rows in {
        "base_0000001": [(0, 1, i, 1, {"id": i, "word": f"w{i}"}) for i in range(4)],
        "delete_delta_0000002_0000002_0000": [(2, 1, 1, 2, None)],
        "delta_0000003_0000003_0000": [(0, 3, 0, 3, {"id": 4, "word": "new"})],
    }.items():
        write_acid(directory / "acid" / name / "bucket_00000", rows)


def write_acid(path, rows):
    """Writes a file of an ACID table, as Hive names what is in it: rows have the operation, the write id that inserted them, their
    number there, the write id of the operation, and what they are."""
    operations, first, numbers, writes, values = zip(*rows)
    row = pa.struct([("id", pa.int32()), ("word", pa.string())])
    columns = {
        "operation": pa.array(operations, pa.int32()),
        "originalTransaction": pa.array(first, pa.int64()),
        "bucket": pa.array([0x20000000] * len(rows), pa.int32()),
        "rowId": pa.array(numbers, pa.int64()),
        "currentTransaction": pa.array(writes, pa.int64()),
        "row": pa.array(values, row),
    }
    path.parent.mkdir(parents=True)
    pyarrow.orc.write_table(pa.table(columns), path)


class Logic(unittest.TestCase):
    def test_files(self):
        before = os.getcwd()
        os.chdir(judge.ROOT)
        self.addCleanup(os.chdir, before)
        files = sorted(HERE.glob("sql/*.test"))
        self.assertEqual(len(files), 3)
        for path in files:
            with self.subTest(path.name), tempfile.TemporaryDirectory() as d:
                layout(pathlib.Path(d))
                con = judge.connect()
                self.addCleanup(con.close)
                self.assertGreater(sqllogic.run(path, con, {"TEST_DIR": d}), 10)

    def test_wrong(self):
        """What does not hold is told, and what is not known is not passed over."""
        cases = {
            "query I\nSELECT 1\n----\n2\n": "got\n1\nwanted\n2",
            "query I\nSELECT 1\n----\n1\n1\n": "wanted\n1\n1",
            "query II\nSELECT 1\n----\n1\n": "1 columns, wanted 2",
            "query I\nSELECT nosuch\n----\n1\n": "nosuch",
            "query I\nSELECT 1\n": "not a test",
            "statement ok\nSELECT nosuch\n": "nosuch",
            "statement error\nSELECT 1\n----\nnosuch\n": "no error",
            "statement error\nSELECT nosuch\n": "not a test",
            "statement error\nSELECT nosuch\n----\nother\n": "wanted other",
            "statement error\nSELECT nosuch\n----\n<REGEX>:other.*\n": "wanted <REGEX>:other",
            "query I valuesort\nSELECT 1\n----\n1\n": "nosort or rowsort",
            "require json\n": "only arrowio",
            "foreach x a b\n": "not a test",
        }
        con = duckdb.connect()
        self.addCleanup(con.close)
        with tempfile.TemporaryDirectory() as d:
            path = pathlib.Path(d, "x.test")
            for text, want in cases.items():
                path.write_text("# a comment\n\n" + text)
                with self.assertRaises(sqllogic.Failure, msg=text) as e:
                    sqllogic.run(path, con, {})
                self.assertTrue(str(e.exception).startswith("x.test:3: "), e.exception)
                self.assertIn(want, str(e.exception))
            path.write_text("query TT rowsort\nSELECT 'b', NULL\nUNION ALL SELECT 'a', ''\n----\na\t(empty)\nb\tNULL\n")
            self.assertEqual(sqllogic.run(path, con, {}), 1)


if __name__ == "__main__":
    unittest.main()
