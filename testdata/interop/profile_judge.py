"""Compares profiles with what DuckDB says of the same rows, read by pyarrow.

profile_judge.py ARROWIO FOLDER [FILE...] makes a Parquet file of many types in FOLDER and profiles it and each FILE (.parquet, .orc).
It prints how many columns it has compared, and each difference; it exits with 1 if there is one.

Numbers of rows, nulls, zeros, lengths and so on, and the least and greatest values, must be equal. Numbers of different values,
quantiles and what histograms leave out must be equal where the profile says that they are exact; otherwise within four standard errors,
and within half a percent of the values. The counts of frequent values must be within their bounds.
"""

import datetime
import decimal
import fractions
import json
import os
import subprocess
import sys

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq


def made(folder, rows=120_000):
    """A Parquet file of columns with few and with many values."""
    r = np.random.default_rng(20261126)
    few, many = r.integers(-50, 50, rows), r.integers(-(1 << 60), 1 << 60, rows)
    nulls = r.random(rows) < 0.1
    skewed = np.minimum(r.zipf(1.3, rows), 1 << 40)

    def column(values, dtype=None):
        return pa.array(values, mask=nulls, type=dtype)

    days = r.integers(-20_000, 20_000, rows)
    text = [f"customer {x}" if x % 7 else "" for x in skewed.tolist()]
    floats = r.normal(size=rows) * 1000
    floats[::97] = np.nan
    floats[::101] = np.inf
    floats[::103] = -0.0
    lists = [None if n else [int(v) for v in range(few[i] % 5)] for i, n in enumerate(nulls)]
    table = pa.table({
        "id": np.arange(rows), "few": column(few, pa.int16()), "many": column(many), "skewed": column(skewed),
        "unsigned": column(many.astype(np.uint64), pa.uint64()), "tiny": column(few, pa.int8()),
        "float": column(floats), "single": column(floats.astype(np.float32)), "rounded": column(np.round(r.lognormal(3, 1, rows), 2)),
        "flag": column(few > 10), "text": column(text), "name": column([f"{x:x}" for x in many.tolist()]),
        "bytes": column([x.to_bytes(9, "big", signed=True)[: x % 9] for x in many.tolist()], pa.binary()),
        "money": column([decimal.Decimal(int(x)) / 100 for x in few], pa.decimal128(9, 2)),
        "large": column([decimal.Decimal(int(x)) * 10**15 + 1 for x in many], pa.decimal128(38, 3)),
        "day": column([datetime.date(1970, 1, 1) + datetime.timedelta(int(d)) for d in days]),
        "at": column(days.astype("int64") * 86_400_000_000 + few, pa.timestamp("us")), "instant": column(many // 2000 * 1000, pa.timestamp("us", "UTC")),
        "time": column(days.astype("int64") % 86_400 * 1_000_000, pa.time64("us")),
        "coded": column(text).dictionary_encode(),
        "list": pa.array(lists, pa.list_(pa.int64())),
        "struct": pa.StructArray.from_arrays([column(few), column(text)], ["a", "b c"], mask=pa.array(few % 3 == 0)),
        "map": pa.array([None if n else [(str(k), k) for k in range(few[i] % 3)] for i, n in enumerate(nulls)], pa.map_(pa.string(), pa.int64())),
        "empty": pa.nulls(rows, pa.int32()),
    })
    path = os.path.join(folder, "made.parquet")
    pq.write_table(table, path, row_group_size=50_000)
    return path


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def word(name):
    """A name of a path as arrowio writes it: quoted unless it is a word."""
    plain = name.replace("_", "a").isalnum() and name.isascii() and not name[0].isdigit()
    return name if plain else quoted(name)


def nodes(field, path, sql):
    """Yields path, type, and a query whose column v has the values, for a field and what is inside of it."""
    t = field.type
    yield path, t, sql
    if pa.types.is_struct(t):
        for f in t:
            yield from nodes(f, path + "." + word(f.name), f"select v.{quoted(f.name)} as v from ({sql})")
    elif pa.types.is_list(t) or pa.types.is_large_list(t):
        yield from nodes(t.value_field, path + "." + word(t.value_field.name), f"select unnest(v) as v from ({sql}) where len(v) > 0")
    elif pa.types.is_map(t):  # a list of entries: see taken
        entries = f"select unnest(v) as v from ({sql}) where len(v) > 0"
        yield from nodes(t.key_field, path + ".key", f"select v.key as v from ({entries})")
        yield from nodes(t.item_field, path + ".value", f"select v.value as v from ({entries})")


def taken(array):
    """An array as DuckDB takes it: it has no half floats, and no maps that have a key twice."""
    if isinstance(array, pa.ChunkedArray):
        return pa.chunked_array([taken(a) for a in array.chunks]) if array.num_chunks else taken(pa.array([], array.type))
    if pa.types.is_float16(array.type):
        return array.cast(pa.float32())
    if pa.types.is_map(array.type):
        entries = pa.StructArray.from_arrays([taken(array.keys), taken(array.items)], ["key", "value"])
        return pa.ListArray.from_arrays(array.offsets, entries, mask=array.is_null() if array.null_count else None)
    return array


class Judge:
    def __init__(self):
        self.columns = self.estimated = 0
        self.faults = []
        self.db = duckdb.connect()
        self.db.execute("set timezone = 'UTC'")

    def one(self, query):
        rows = self.db.execute(query).fetchall()
        return rows[0] if rows else None

    def same(self, where, what, got, want):
        if got != want:
            self.faults.append(f"{where}: {what}: {got!r}, want {want!r}")

    def close(self, where, what, got, want):
        if not (got == want or got is not None and want is not None and abs(got - want) <= 1e-6 * max(abs(got), abs(want), 1e-9)):
            self.faults.append(f"{where}: {what}: {got!r}, want {want!r}")

    def judge(self, arrowio, path):
        table = pa.orc.read_table(path) if path.endswith(".orc") else pq.read_table(path)
        said = json.loads(subprocess.run([arrowio, "profile", "--json", path], check=True, capture_output=True, text=True).stdout)
        self.same(path, "rows", said["rows"], table.num_rows)
        of = {c["path"]: c for c in said["columns"]}
        for i, field in enumerate(table.schema):
            self.db.register("t", pa.table({field.name: taken(table.column(i))}))
            for name, dtype, sql in nodes(field, word(field.name), f"select {quoted(field.name)} as v from t"):
                if name in of:
                    self.column(f"{path}: {name}", of[name], dtype, sql)
            self.db.unregister("t")

    def column(self, where, c, dtype, sql):
        if pa.types.is_dictionary(dtype):
            dtype = dtype.value_type
        self.columns += 1
        rows, values = self.one(f"select count(*), count(v) from ({sql})")
        self.same(where, "rows", c["rows"], rows)
        self.same(where, "nulls", c["nulls"], rows - values)
        text = pa.types.is_string(dtype) or pa.types.is_large_string(dtype)
        binary = pa.types.is_binary(dtype) or pa.types.is_large_binary(dtype)
        floating = pa.types.is_floating(dtype)
        if values == 0:
            self.same(where, "distinct", c["distinct"], None if pa.types.is_nested(dtype) else {"count": 0, "exact": True, "error": 0})
            return
        length = "strlen(v)" if text else "octet_length(v)" if binary else "len(v)" if pa.types.is_list(dtype) or pa.types.is_map(dtype) else None
        if length:
            low, high, mean, empty = self.one(f"select min({length}), max({length}), avg({length}), count(*) filter ({length} = 0) from ({sql})")
            self.same(where, "lengths", (c["lengths"]["min"], c["lengths"]["max"], c["empty"]), (low, high, empty))
            self.close(where, "mean length", c["lengths"]["mean"], mean)
        if pa.types.is_nested(dtype):
            return
        if pa.types.is_boolean(dtype):
            self.same(where, "true", c["true"], self.one(f"select count(*) from ({sql}) where v")[0])
        if pa.types.is_integer(dtype) or floating or pa.types.is_decimal(dtype):
            zero, negative = self.one(f"select count(*) filter (v = 0), count(*) filter (v < 0) from ({sql})")
            self.same(where, "zero", c["zero"], zero)
            if c["negative"] is not None:
                self.same(where, "negative", c["negative"], negative)
        known = f"select v from ({sql}) where v is not null"
        if floating:
            self.same(where, "NaN", c["nan"], self.one(f"select count(*) from ({sql}) where isnan(v)")[0])
            known += " and not isnan(v)"
        sqltype = self.one(f"select typeof(v) from ({known}) limit 1")
        if sqltype is None:
            return
        sqltype = sqltype[0]

        def value(s):
            return f"unhex('{s[2:]}')" if sqltype == "BLOB" else "cast('" + s.replace("'", "''") + f"' as {sqltype})"

        if not c["min"].endswith("…") and not c["max"].endswith("…"):
            ends = self.one(f"select min(v) = {value(c['min'])}, max(v) = {value(c['max'])}, min(v), max(v) from ({known})")
            if ends[:2] != (True, True):
                self.faults.append(f"{where}: from {c['min']} to {c['max']}, want {ends[2]} to {ends[3]}")
        distinct = self.one(f"select count(distinct v) from ({sql})")[0]
        d = c["distinct"]
        if d["exact"]:
            self.same(where, "distinct", d["count"], distinct)
        else:
            self.estimated += 1
            if abs(d["count"] / distinct - 1) > 4 * d["error"]:
                self.faults.append(f"{where}: distinct: {d['count']}, want {distinct}")
        if c["mean"] is not None:
            if floating:
                mean, dev = self.one(f"select avg(v::double), stddev_pop(v::double) from ({known})")
                self.close(where, "mean", c["mean"], mean)
            else:  # doubles would not tell large ones apart
                counted = [(fractions.Fraction(v), n) for v, n in self.db.execute(f"select v, count(*) from ({known}) group by v").fetchall()]
                count = sum(n for _, n in counted)
                mean = sum(v * n for v, n in counted) / count
                dev = float(sum((v - mean) ** 2 * n for v, n in counted) / count) ** 0.5
                self.same(where, "mean", float(c["mean"]), float(mean))
            self.close(where, "stddev", c["stddev"], dev if np.isfinite(dev) else None)
        n = self.one(f"select count(*) from ({known})")[0]
        for q in c["quantiles"]:
            below, above = self.one(f"select count(*) filter (v < {value(q['value'])}), count(*) filter (v <= {value(q['value'])}) from ({known})")
            off = 1e-9 if c["quantiles_exact"] else 0.005
            if c["quantiles_exact"]:
                self.same(where, f"{q['share']} is a value", above > below, True)
            if not below / n - off <= q["share"] <= above / n + off:
                self.faults.append(f"{where}: {q['value']} for {q['share']} is the quantile of {below / n} to {above / n}")
        h = c["histogram"]
        if h:
            below, above = self.one(f"select count(*) filter (v < {value(h['from'])}), count(*) filter (v > {value(h['to'])}) from ({known})")
            off = 0 if h["exact"] else 0.005 * n
            if abs(h["below"] - below) > off or abs(h["above"] - above) > off or h["below"] + sum(h["counts"]) + h["above"] != n:
                self.faults.append(f"{where}: {h}, want {below} below, {above} above of {n}")
        for f in c["top"]:
            if f["value"].endswith("…"):
                continue
            found = self.one(f"select count(*) from ({sql}) where v = {value(f['value'])}")[0]
            if not f["count"] <= found <= f["at_most"] or c["top_exact"] and f["count"] != found:
                self.faults.append(f"{where}: {f} occurs {found} times")


def main():
    arrowio, folder, *files = sys.argv[1:]
    judge = Judge()
    for path in [made(folder), *files]:
        judge.judge(arrowio, path)
    print(f"{judge.columns} columns, {judge.estimated} of them estimated")
    for fault in judge.faults:
        print(fault)
    sys.exit(1 if judge.faults else 0)


main()
