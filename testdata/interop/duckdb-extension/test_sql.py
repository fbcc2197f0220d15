"""What statements see: names, options, threads, errors, the end of a query in its middle, databases that are closed."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest

import duckdb
import pyarrow as pa
import pyarrow.orc

import judge

SMALL = judge.DATA / "orc/java-2.3.1/small-none.orc"
ROWS = 1_000_000


class Statements(unittest.TestCase):
    def setUp(self):
        self.con = judge.connect()

    def tearDown(self):
        self.con.close()

    def rows(self, sql, *parameters):
        return self.con.execute(sql, *parameters).fetchall()

    def refused(self, sql, text):
        with self.assertRaisesRegex(duckdb.Error, text):
            self.rows(sql)

    def test_names(self):
        small = str(SMALL)
        for sql in (
            f"select count(*) from '{small}'",
            f"select count(*) from '{small.replace('small', 'smal?')}'",
            f"select count(*) from arrowio_scan('{small}')",
            f"select count(*) from read_orc('{small}', orc_strings := NULL, dictionary := true)",
            f"select sum(rows)::bigint from arrowio_files('{small}')",
        ):
            self.assertEqual(self.rows(sql), [(30,)], sql)
        self.assertEqual(self.rows("select count(*) from read_orc(?)", [small]), [(30,)])
        self.assertEqual(self.rows("select count(*) from read_orc(?)", [[small, small]]), [(60,)])
        self.rows("prepare p as select count(*) from read_orc($1)")
        self.assertEqual(self.rows(f"execute p('{small}')"), [(30,)])
        self.assertEqual(self.rows("select count(*) from '" + str(judge.DATA / "trevni/java-1.12.1/avro-union.trv") + "'"), [(150,)])

    def test_refused(self):
        small = str(SMALL)
        self.refused("from read_orc(NULL)", "no files were named")
        self.refused("from 'nowhere.orc'", "nowhere.orc: .*no such file")
        self.refused(f"from read_orc('{small}', orc_string := 'x')", "orc_strings")
        self.refused(f"from read_orc('{small}', orc_strings := ['a', 'b'])", "orc_strings takes one value")
        self.refused(f"from read_orc('{small}', jobs := 0)", "jobs is a whole number from 1")
        self.refused(f"from read_orc('{small}', filename := 'maybe')", "filename is true or false")
        self.refused(f"from read_orc('{small}', filter := 'a >')", "filter: at character 4")
        self.refused(f"from read_orc('{small}', filter := 'nosuch = 1')", 'Binder Error.*no field "nosuch"')
        self.refused(f"from read_trevni('{small}')", "not trevni but orc; leave out read_trevni .arrowio_scan reads every format")
        self.refused(f"from arrowio_scan('{small}', format := 'trevni')", "leave out format := 'trevni'")
        self.refused(f"from arrowio_scan('{small}', format := 'orc', kudu_table := 't')", "kudu_table is no option of orc")
        bad = judge.DATA / "orc/java-2.3.1/map-null-keys.orc"
        self.refused(f"from '{bad}'", "orc_null_keys := 'list'")
        self.assertEqual(self.rows(f"select typeof(columns(*)) from read_orc('{bad}', orc_null_keys := 'list') limit 1")[0][0][:7], "STRUCT(")

    def test_nothing_is_written(self):
        """docs/duckdb.md says so: the stable C API has no functions for COPY."""
        with tempfile.TemporaryDirectory() as d:
            for name in ("orc", "trevni", "arrowio"):
                self.refused(f"copy (select 1 as x) to '{d}/x.{name}' (format {name})", f"(?i){name}")
            self.assertEqual(os.listdir(d), [])

    def test_damage(self):
        with tempfile.TemporaryDirectory() as d:
            content = bytearray(SMALL.with_name("small-zlib.orc").read_bytes())
            content[len(content) // 4 : len(content) // 2] = bytes(len(content) // 2 - len(content) // 4)
            path = pathlib.Path(d, "x.orc")
            path.write_bytes(content)
            self.refused(f"select * exclude (i__const) from '{path}'", "x.orc: orc")
            self.assertEqual(self.rows(f"select count(*) from '{SMALL}'"), [(30,)])
            path.write_bytes(SMALL.read_bytes()[:-40])
            self.refused(f"from '{path}'", "Binder Error.*x.orc: orc: postscript")

    def test_filter(self):
        sql = f"select count(*) from read_orc('{SMALL}', filter := 'c__direct > ''a''')"
        want = self.rows(f"select count(*) from read_orc('{SMALL}') where c__direct > 'a'")
        self.assertEqual(self.rows(sql), want)

    def test_partitions(self):
        with tempfile.TemporaryDirectory() as d:
            for day in ("1", "2"):
                pathlib.Path(d, f"day={day}").mkdir()
                pathlib.Path(d, f"day={day}", "x.orc").write_bytes(SMALL.read_bytes())
            self.assertEqual(self.rows(f"select day, count(*) from read_orc('{d}') group by 1 order by 1"), [(1, 30), (2, 30)])
            named = f"select parse_path(filename)[-2:], day from read_orc('{d}', filename := true, partition_types := 'day=utf8') where day = '2' limit 1"
            self.assertEqual(self.rows(named), [(["day=2", "x.orc"], "2")])
            self.refused(f"select day from read_orc('{d}', partitions := 'none')", "day")
            self.assertEqual(len(self.rows(f"from arrowio_files('{d}')")), 2)

    def test_kudu(self):
        kudu = judge.DATA / "kudu/kudu-1.17.1"
        with tempfile.TemporaryDirectory() as server, tempfile.TemporaryDirectory() as judged:
            for name, to in (("log", server), ("rows", judged)):  # rows are what Kudu's own client has read
                with tarfile.open(kudu / f"{name}.tar.gz") as t:
                    t.extractall(to, filter="data")
            for path in sorted(pathlib.Path(judged).glob("*.jsonl")):
                if "@" in path.name:
                    continue
                want = [json.loads(line) for line in path.read_text().splitlines()]
                # The column timestamp has the last value of int64, which is infinity in DuckDB.
                table = f"kudu_scan('{server}', kudu_table := '{path.stem}')"
                names = [judge.quoted(c[0]) for c in self.rows(f"describe from {table}") if c[0] != "timestamp"]
                self.assertEqual(len(self.rows(f"select {', '.join(names)} from {table}")), len(want), path.stem)

    def test_documented(self):
        text = (judge.ROOT / "docs/duckdb.md").read_text()
        functions = dict(self.rows("select function_name, list_sort(parameters) from duckdb_functions() where parameters.list_contains('partition_types')"))
        self.assertEqual(set(re.findall(r"^\| `(\w+)\(path\)`", text, re.M)), set(functions))
        table = text[text.index("Named parameters of all") : text.index("The options of a format")]
        common = set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))))
        for name, parameters in functions.items():
            self.assertLessEqual(common, set(parameters), name)
        self.assertIn("orc_strings", functions["read_orc"])
        self.assertNotIn("orc_strings", functions["read_trevni"])

    def test_page(self):
        """The SQL of docs/duckdb.md runs as it stands there, in places that are here."""
        (block,) = re.findall(r"^```sql\n(.*?)^```", (judge.ROOT / "docs/duckdb.md").read_text(), re.M | re.S)
        with tempfile.TemporaryDirectory() as d:
            at = pathlib.Path(d)
            (at / "trips").mkdir()
            for to, first in {"trips/1.orc": 0, "trips/2.orc": 100, "a.orc": 50, "b.orc": 150}.items():
                rows = range(first, first + 100)
                pa.orc.write_table(pa.table({"fare": [float(i) for i in rows], "city": [("Bern", "Thun")[i % 2] for i in rows]}), at / to)
            with tarfile.open(judge.DATA / "kudu/kudu-1.17.1/log.tar.gz") as t:
                t.extractall(at, filter="data")
            here = {"/path/arrowio.duckdb_extension": judge.EXTENSION, "/wal": f"{d}/wal", "/data/1": f"{d}/data", ", '/data/2'": "", "'metrics'": "'merged'"}
            for there, path in here.items():
                self.assertIn(there, block)
                block = block.replace(there, path)
            statements = [re.sub("--.*", "", s).strip() for s in block.split(";")]
            before = os.getcwd()
            os.chdir(d)
            try:
                got = [self.rows(s) for s in statements if s and "hive://" not in s]
            finally:
                os.chdir(before)
        self.assertEqual([got[1], len(got[2]), len(got[3]), len(got[4])], [[(200, 199.0)], 10, 74, 78])

    def test_closed(self):
        with tempfile.TemporaryDirectory() as d:
            path = pathlib.Path(d, "x.db")
            con = judge.connect(path)
            con.execute(f"create table t as from '{SMALL}'")
            con.close()
            code = f"import duckdb; print(duckdb.connect({str(path)!r}).execute('select count(*) from t').fetchall())"
            got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            self.assertEqual(got.stdout.strip(), "[(30,)]", got.stderr)

    def test_fork(self):
        pid = os.fork()
        if pid == 0:
            try:
                self.rows(f"set threads = 1; from '{SMALL}'")
                os._exit(1)
            except duckdb.Error as e:
                os._exit(0 if "forked" in str(e) else 2)
        for _ in range(200):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                self.assertEqual(os.waitstatus_to_exitcode(status), 0)
                return
            time.sleep(0.05)
        os.kill(pid, 9)
        os.waitpid(pid, 0)
        self.fail("the child hangs")


class Large(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.dir.name, "large.orc")
        ids = pa.array(range(ROWS))
        texts = pa.array([f"text number {i % 1000}" if i % 7 else None for i in range(ROWS)])
        pa.orc.write_table(pa.table({"id": ids, "s": texts, "l": pa.ListArray.from_arrays(pa.array(range(ROWS + 1), pa.int32()), ids)}), cls.path, stripe_size=1 << 20)

    @classmethod
    def tearDownClass(cls):
        cls.dir.cleanup()

    def test_threads(self):
        con = judge.connect(threads=4)
        want = (ROWS, ROWS * (ROWS - 1) // 2, ROWS - (ROWS + 6) // 7, ROWS * (ROWS - 1) // 2)
        for options in ("", ", jobs := 1", ", jobs := 8, memory := 50000000"):
            sql = f"select count(*), sum(id)::bigint, count(s), sum(l[1])::bigint from read_orc('{self.path}'{options})"
            self.assertEqual(con.execute(sql).fetchall(), [want])
        self.assertEqual(judge.one(con, f"select count(distinct s) from '{self.path}'"), 1000)
        con.execute(f"create table t as select id, s from '{self.path}'")
        self.assertEqual(judge.one(con, "select count(*) from (select id, rowid from t) where id <> rowid"), 0)
        first = con.execute(f"select id from '{self.path}' limit 5").fetchall()
        self.assertEqual(first, [(i,) for i in range(5)])
        joined = f"select count(*) from '{self.path}' a join '{self.path}' b using (id) where a.s = b.s"
        self.assertEqual(judge.one(con, joined), want[2])
        con.close()

    def test_projection(self):
        con = judge.connect()
        plan = con.execute(f"explain select count(*), sum(id) from '{self.path}'").fetchall()[0][1]
        self.assertIn("id", plan)
        self.assertIn("1", plan)
        self.assertNotIn("l[", plan)
        times = {}
        for what in ("count(*)", "count(s), count(l)"):
            start = time.process_time()
            con.execute(f"select {what} from '{self.path}'").fetchall()
            times[what] = time.process_time() - start
        self.assertLess(times["count(*)"], times["count(s), count(l)"])
        con.close()

    def test_interrupt(self):
        con = judge.connect(threads=4)
        timer = threading.Timer(0.3, con.interrupt)
        timer.start()
        start = time.monotonic()
        with self.assertRaises(duckdb.InterruptException):
            con.execute(f"select sum(hash(a.id, r)) from '{self.path}' a, range(1000000) t(r)").fetchall()
        self.assertLess(time.monotonic() - start, 20)
        timer.join()
        self.assertEqual(judge.one(con, f"select count(id) from '{self.path}'"), ROWS)
        con.close()

    def test_side_by_side(self):
        counts = []

        def work():
            con = judge.connect()
            for _ in range(3):
                counts.append(judge.one(con, f"select count(s) from '{self.path}'"))
            con.close()

        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(set(counts), {ROWS - (ROWS + 6) // 7})
        self.assertEqual(len(counts), 12)


if __name__ == "__main__":
    unittest.main()
