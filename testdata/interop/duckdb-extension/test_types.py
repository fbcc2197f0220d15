"""Every type of Arrow, in files of several batches with more rows than a vector has: against what pyarrow shows in Python."""

import datetime
import decimal
import pathlib
import random
import tempfile
import unittest
import uuid

import pyarrow as pa
import pyarrow.ipc

import judge

ROWS = 5000
WORDS = ["", "a", "twelve bytes", "thirteen byte", "ü" * 6, "ü" * 40, "x" * 300, "\0null\0", "short"]


def column(t, make, rng, nulls=0.2):
    """Returns values of a type, with nulls, in chunks that begin at odd places."""
    values = [None if rng.random() < nulls else make(rng) for _ in range(ROWS + 77)]
    return pa.chunked_array([pa.array(values, t).slice(77)])


def integers(bits, signed=True):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return lambda rng: rng.choice([low, high, 0, rng.randint(low, high)])


def digits(precision, scale):
    def make(rng):
        n = rng.choice([0, 10**precision - 1, 1 - 10**precision, rng.randint(-(10 ** (precision // 2)), 10 ** (precision // 2))])
        return decimal.Decimal(n).scaleb(-scale, decimal.Context(prec=80))

    return make


def word(rng):
    return rng.choice(WORDS) + str(rng.randint(0, 9))


def micros(rng):
    return datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=rng.randint(-(10**15), 10**15))


def lists(make, most=4):
    return lambda rng: [None if rng.random() < 0.1 else make(rng) for _ in range(rng.randint(0, most))]


def types():
    """Yields name, type and maker of values."""
    for bits in (8, 16, 32, 64):
        yield f"int{bits}", getattr(pa, f"int{bits}")(), integers(bits)
        yield f"uint{bits}", getattr(pa, f"uint{bits}")(), integers(bits, False)
    yield "bool", pa.bool_(), lambda rng: rng.random() < 0.5
    yield "float", pa.float32(), lambda rng: rng.choice([0.5, -0.0, float("nan"), float("inf")])
    yield "double", pa.float64(), lambda rng: rng.choice([rng.random(), -0.0, float("nan"), -float("inf")])
    yield "string", pa.string(), word
    yield "large_string", pa.large_string(), word
    yield "view", pa.string_view(), word
    yield "short", pa.string(), lambda rng: rng.choice(["", "x", "twelve bytes"])
    yield "binary", pa.binary(), lambda rng: rng.randbytes(rng.choice([0, 5, 12, 13, 200]))
    yield "large_binary", pa.large_binary(), lambda rng: rng.randbytes(20)
    yield "fixed5", pa.binary(5), lambda rng: rng.randbytes(5)
    yield "fixed20", pa.binary(20), lambda rng: rng.randbytes(20)
    yield "dictionary", pa.dictionary(pa.int16(), pa.string()), word
    for precision, scale in ((1, 0), (4, 2), (9, 9), (18, 3), (19, 1), (38, 10)):
        yield f"decimal{precision}_{scale}", pa.decimal128(precision, scale), digits(precision, scale)
    yield "wide_decimal", pa.decimal256(30, 5), digits(30, 5)
    yield "narrow_decimal", pa.decimal256(7, 5), digits(7, 5)
    yield "date32", pa.date32(), lambda rng: micros(rng).date()
    yield "date64", pa.date64(), lambda rng: micros(rng).date()
    yield "time_s", pa.time32("s"), lambda rng: micros(rng).time().replace(microsecond=0)
    yield "time_ms", pa.time32("ms"), lambda rng: micros(rng).time().replace(microsecond=7000)
    yield "time_us", pa.time64("us"), lambda rng: micros(rng).time()
    yield "time_ns", pa.time64("ns"), lambda rng: micros(rng).time()
    yield "stamp_s", pa.timestamp("s"), lambda rng: micros(rng).replace(microsecond=0)
    yield "stamp_ms", pa.timestamp("ms"), lambda rng: micros(rng).replace(microsecond=7000)
    yield "stamp_us", pa.timestamp("us"), micros
    yield "stamp_ns", pa.timestamp("ns"), micros
    for unit in ("s", "ms", "us", "ns"):
        yield f"instant_{unit}", pa.timestamp(unit, "Europe/Zurich"), lambda rng: micros(rng).replace(microsecond=0)
        yield f"duration_{unit}", pa.duration(unit), lambda rng: datetime.timedelta(seconds=rng.randint(-(10**6), 10**6))
    yield "list", pa.list_(pa.int32()), lists(integers(32))
    yield "large_list", pa.large_list(pa.string()), lists(word)
    yield "array", pa.list_(pa.string(), 3), lambda rng: [None if rng.random() < 0.3 else word(rng) for _ in range(3)]
    yield "struct", pa.struct({"a": pa.int8(), "b": pa.string(), "c": pa.struct({"d": pa.bool_()})}), record
    yield "map", pa.map_(pa.string(), pa.int64()), lambda rng: [(k, rng.choice([None, 5])) for k in rng.sample(WORDS, rng.randint(0, 3))]
    yield "lists", pa.list_(pa.list_(pa.struct({"x": pa.list_(pa.int64()), "y": pa.string()}))), lists(lists(entry, 3), 3)
    yield "array_of_structs", pa.list_(pa.struct({"a": pa.int8(), "b": pa.string(), "c": pa.struct({"d": pa.bool_()})}), 2), two_records
    yield "list_of_arrays", pa.list_(pa.list_(pa.bool_(), 2)), lists(lambda rng: [True, rng.choice([None, False])])
    yield "null", pa.null(), lambda rng: None


def record(rng):
    return {"a": rng.choice([None, 1]), "b": word(rng), "c": rng.choice([None, {"d": rng.choice([None, True])}])}


def two_records(rng):
    return [rng.choice([None, record(rng)]), record(rng)]


def entry(rng):
    return {"x": rng.choice([None, lists(integers(64))(rng)]), "y": word(rng)}


def shown(v):
    """Returns a value of DuckDB or of pyarrow in one form."""
    if isinstance(v, datetime.datetime):
        return v.astimezone(datetime.timezone.utc) if v.tzinfo else v
    if isinstance(v, (list, tuple)):
        return [shown(x) for x in v]
    if isinstance(v, dict):
        return {k: shown(x) for k, x in v.items()}
    if hasattr(v, "value") and hasattr(v, "to_pydatetime"):  # of pandas, where it is there
        return shown(v.to_pydatetime())
    return "NaN" if v != v else v


class Types(unittest.TestCase):
    def setUp(self):
        self.con = judge.connect()
        self.dir = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.con.close()
        self.dir.cleanup()

    def file(self, table, batch_rows=1 << 20):
        path = pathlib.Path(self.dir.name, "t.arrow")
        with pa.OSFile(str(path), "wb") as f, pa.ipc.new_file(f, table.schema) as w:
            w.write_table(table, batch_rows)
        return path

    def rows(self, table, batch_rows=1 << 20):
        names = ", ".join(f'map_entries("{f.name}")' if pa.types.is_map(f.type) else f'"{f.name}"' for f in table.schema)
        return self.con.execute(f"select {names} from {judge.call('arrowio_scan', self.file(table, batch_rows))}").fetchall()

    def test_all(self):
        rng = random.Random(7)
        made = {name: column(t, make, rng) for name, t, make in types()}
        for batch_rows in (1 << 20, 1111):
            # All columns together, so that vectors of one chunk cannot mix.
            rows = self.rows(pa.table(made), batch_rows)
            self.assertEqual(len(rows), ROWS)
            for i, (name, values) in enumerate(made.items()):
                want = values.to_pylist()
                if name == "map":
                    want = [v and [{"key": k, "value": x} for k, x in v] for v in want]
                for k, (a, b) in enumerate(zip(rows, want)):
                    if shown(a[i]) != shown(b):
                        self.fail(f"{name}, row {k} of batches of {batch_rows}: {a[i]!r}, want {b!r}")

    def test_without_nulls(self):
        rng = random.Random(8)
        made = {name: column(t, make, rng, 0) for name, t, make in types() if name not in ("map", "null")}
        for i, (name, values) in enumerate(made.items()):
            rows = self.rows(pa.table({name: values}))
            self.assertEqual([shown(r[0]) for r in rows], [shown(v) for v in values.to_pylist()], name)

    def test_unions(self):
        rng = random.Random(9)
        tags = pa.array([rng.choice([5, 9]) for _ in range(ROWS)], pa.int8())
        ints, texts = pa.array(range(ROWS)), pa.array([word(rng) if rng.random() < 0.8 else None for _ in range(ROWS)])
        sparse = pa.UnionArray.from_sparse(tags, [ints, texts], ["i", "t"], [5, 9])
        last, offsets = {5: 0, 9: 0}, []
        for tag in tags.to_pylist():  # within a child they may not go back
            last[tag] = min(last[tag] + rng.choice([0, 1, 1, 3]), ROWS - 1)
            offsets.append(last[tag])
        offsets = pa.array(offsets, pa.int32())
        dense = pa.UnionArray.from_dense(tags, offsets, [ints, pa.array([[t, t] for t in texts.to_pylist()])], ["i", "l"], [5, 9])
        within = pa.StructArray.from_arrays([dense], ["u"], mask=pa.array([rng.random() < 0.3 for _ in range(ROWS)]))
        table = pa.table({"sparse": sparse, "dense": dense, "within": within})
        for i, (name, values) in enumerate(zip(table.column_names, table.columns)):
            rows = self.rows(pa.table({name: values}))
            self.assertEqual([shown(r[0]) for r in rows], [shown(v) for v in values.to_pylist()], name)
        n = judge.one(self.con, f"select count(*) from {judge.call('arrowio_scan', self.file(table))} where union_tag(sparse) = 't' and sparse.i is not null")
        self.assertEqual(n, 0)

    def test_half_and_uuid(self):
        halves = [0.0, -0.0, 1.5, 65504.0, 5.960464477539063e-08, float("inf"), float("nan"), None]
        ids = [uuid.UUID(int=0), uuid.UUID(int=2**128 - 1), uuid.UUID("12345678-90ab-cdef-8765-432101234567")]
        table = pa.table({"h": pa.array(halves, pa.float16()), "u": pa.array([u.bytes for u in ids] + [None] * 5, pa.uuid())})
        rows = self.rows(table)
        self.assertEqual([shown(r[0]) for r in rows], [shown(h) for h in halves])
        self.assertEqual([r[1] for r in rows], ids + [None] * 5)

    def test_refused_values(self):
        nano = pa.array([10**9, 10**9 + 1])
        for name, values, text in [
            ("instant", nano.cast(pa.timestamp("ns", "UTC")), "digits below microseconds"),
            ("duration", nano.cast(pa.duration("ns")), "digits below microseconds"),
            ("time", nano.cast(pa.time64("ns")), "digits below microseconds"),
            ("time out of the day", pa.array([-1], pa.int64()).view(pa.time64("us")), "not within a day"),
            ("date", pa.array([2**31 - 1], pa.int32()).view(pa.date32()), "infinity"),
            ("date below", pa.array([-(2**31)], pa.int32()).view(pa.date32()), "infinity"),
            ("stamp", pa.array([2**63 - 1]).view(pa.timestamp("us")), "infinity"),
            ("instant in seconds", pa.array([2**62]).view(pa.timestamp("s", "UTC")), "beyond the range"),
            ("decimal", pa.array([decimal.Decimal(10**9)], pa.decimal128(38, 0)).view(pa.decimal128(4, 0)), "beyond the range"),
        ]:
            with self.subTest(name), self.assertRaisesRegex(Exception, f'column "v": .*{text}'):
                self.rows(pa.table({"v": values}))

    def test_refused_types(self):
        table = pa.table({"v": pa.array([decimal.Decimal(1)], pa.decimal256(50, 0)), "e": pa.array([{}], pa.struct([])), "n": [3]})
        path = judge.call("arrowio_scan", self.file(table))
        self.assertEqual(self.con.execute(f"select n, count(*) from {path} group by n").fetchall(), [(3, 1)])
        self.assertEqual(judge.one(self.con, f"select count(*) from {path}"), 1)
        with self.assertRaisesRegex(Exception, r"decimal256\(50, 0\): leave the column out"):
            self.con.execute(f"select v from {path}")

    def test_names(self):
        table = pa.table([pa.array([1]), pa.array([2]), pa.array([3])], ["A", "b", "a"])
        got = self.con.execute(f"select * from {judge.call('arrowio_scan', self.file(table))}")
        self.assertEqual(([c[0] for c in got.description], got.fetchall()), (["A", "b", "a_1"], [(1, 2, 3)]))


if __name__ == "__main__":
    unittest.main()
