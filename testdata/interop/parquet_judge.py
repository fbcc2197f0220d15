"""Compares Parquet files with the Arrow data that they were made of, by pyarrow and by DuckDB.

usage: parquet_judge.py DIR

DIR has pairs NAME.arrow, NAME.parquet. Every value is compared; checksums of pages are verified. The statistics of a file
are compared with those that pyarrow writes for the same rows, and bloom filters are asked by DuckDB. A line a fault, and
at last a line of counts.
"""
import io
import math
import pathlib
import sys
import traceback

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

NANOS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}


def plain(arr):
    """The values of an array as Python's, times as nanoseconds, whatever types they have."""
    if isinstance(arr, pa.ChunkedArray):
        return [v for c in arr.chunks for v in plain(c)]
    t = arr.type
    if isinstance(t, pa.BaseExtensionType):
        return plain(arr.storage)
    if pa.types.is_dictionary(t):
        values = plain(arr.dictionary)
        return [None if i is None else values[i] for i in arr.indices.to_pylist()]
    if pa.types.is_run_end_encoded(t):
        values, out, start = plain(arr.values), [], arr.offset
        ends = arr.run_ends.to_pylist()
        k = 0
        for i in range(start, start + len(arr)):
            while ends[k] <= i:
                k += 1
            out.append(values[k])
        return out
    valid = arr.is_valid().to_pylist()
    if pa.types.is_struct(t):
        kids = [plain(k) for k in arr.flatten()]
        return [tuple(k[i] for k in kids) if valid[i] else None for i in range(len(arr))]
    if pa.types.is_map(t):
        return [plain(arr[i].values) if valid[i] else None for i in range(len(arr))]
    if pa.types.is_nested(t):
        return [plain(arr[i].values) if valid[i] else None for i in range(len(arr))]
    if pa.types.is_date32(t):
        return scaled(arr, pa.int32(), 86400 * 10**9)
    if pa.types.is_date64(t):
        return scaled(arr, pa.int64(), 10**6)
    if pa.types.is_timestamp(t) or pa.types.is_duration(t) or pa.types.is_time64(t):
        return scaled(arr, pa.int64(), NANOS[t.unit])
    if pa.types.is_time32(t):
        return scaled(arr, pa.int32(), NANOS[t.unit])
    if pa.types.is_floating(t):
        return [None if v is None else number(v) for v in arr.to_pylist()]
    if pa.types.is_large_string(t) or pa.types.is_string(t) or t == pa.string_view():
        return [None if v is None else v.encode() for v in arr.to_pylist()]
    if t == pa.binary_view():
        arr = arr.cast(pa.large_binary())
    return arr.to_pylist()


def number(v):
    v = float(v)
    return "nan" if math.isnan(v) else "-0" if v == 0 and math.copysign(1, v) < 0 else v


def scaled(arr, whole, factor):
    return [None if v is None else v * factor for v in arr.view(whole).to_pylist()]


def leaves(t):
    yield t
    if pa.types.is_dictionary(t):
        yield from leaves(t.value_type)
    elif pa.types.is_run_end_encoded(t):
        yield from leaves(t.value_type)
    elif pa.types.is_nested(t):
        for i in range(t.num_fields):
            yield from leaves(t.field(i).type)


def for_duckdb(t):
    """DuckDB has no decimals of more than 38 digits, its times and instants are of microseconds, durations integers."""
    return not any(
        pa.types.is_decimal256(u) or pa.types.is_duration(u) or pa.types.is_null(u) or (pa.types.is_time64(u) and u.unit == "ns") or (pa.types.is_timestamp(u) and u.unit == "ns")
        for u in leaves(t)
    )


def readable(table):
    """Tells whether pyarrow reads what it writes itself of a table."""
    buf = io.BytesIO()
    try:
        pq.write_table(table, buf)
        pq.read_table(buf)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
    return True


def statistics(ours, table, fault):
    """Compares the statistics of flat columns with those of pyarrow."""
    buf = io.BytesIO()
    kinds = [(f.type, t) for f in table.schema for t in leaves(f.type)]
    if any(t == pa.binary_view() or t == pa.string_view() or (t != column and pa.types.is_dictionary(t)) for column, t in kinds):
        return 0  # pyarrow cannot write all views; of nested dictionaries it counts the nulls and bounds of all entries
    pq.write_table(table, buf, row_group_size=max(1, table.num_rows))
    theirs = pq.ParquetFile(buf).metadata
    if ours.num_row_groups != 1 or theirs.num_row_groups != 1 or ours.num_columns != theirs.num_columns:
        return 0
    n = 0
    for i in range(ours.num_columns):
        a, b = ours.row_group(0).column(i).statistics, theirs.row_group(0).column(i).statistics
        if b is None:
            continue
        if a.null_count != b.null_count:
            fault(f"{ours.row_group(0).column(i).path_in_schema}: {a.null_count} nulls, not {b.null_count}")
        if not b.has_min_max or not a.has_min_max:
            # pyarrow gives none for columns of nulls, and none for some types.
            if b.has_min_max and not (a.physical_type == "BYTE_ARRAY"):
                fault(f"{ours.row_group(0).column(i).path_in_schema}: no bounds, not {b.min!r} to {b.max!r}")
            continue
        try:
            want, got = (b.min, b.max), (a.min, a.max)
        except (ValueError, OverflowError, pa.ArrowException):
            want, got = (b.min_raw, b.max_raw), (a.min_raw, a.max_raw)
        if a.physical_type == "BYTE_ARRAY" and max(map(len, want)) > 64:
            if got[0] > want[0] or got[1] < want[1]:
                fault(f"{ours.row_group(0).column(i).path_in_schema}: bounds {got}, not around {want}")
            continue
        if [number(v) if isinstance(v, float) else v for v in got] != [number(v) if isinstance(v, float) else v for v in want]:
            fault(f"{ours.row_group(0).column(i).path_in_schema}: bounds {got}, not {want}")
        n += 1
    return n


def bloom(con, path, name, probe, values, counts, fault):
    """Asks for values that are there, which no statistics or bloom filter may leave out, and for one that is not."""
    for v in [v for v in values if v is not None][:5]:
        if con.execute(f"select count(*) from read_parquet(?) where {name} = ?", [path, v]).fetchall()[0][0] < 1:
            fault(f"{name}: DuckDB does not find {v!r}")
        if probe and all(x for (x,) in con.execute("select bloom_filter_excludes from parquet_bloom_probe(?, ?, ?)", [path, name, v]).fetchall()):
            fault(f"{name}: the bloom filters leave out {v!r}")
        counts["asked"] += 1
    if probe:
        absent = "no such value" if isinstance(values[0], str) else 987654321
        for (x,) in con.execute("select bloom_filter_excludes from parquet_bloom_probe(?, ?, ?)", [path, name, absent]).fetchall():
            counts["excluded"] += x


def judge(base, con, counts):
    def fault(text):
        counts["faults"] += 1
        print(f"{base.name}: {text}")

    path = str(base) + ".parquet"
    want = ipc.open_file(str(base) + ".arrow").read_all()
    try:
        got = pq.read_table(path, page_checksum_verification=True)
    except pa.ArrowInvalid as e:
        # Lists of a fixed size that are never null, below something that is, pyarrow cannot read of its own files either.
        if "Expected all lists to be of size" not in str(e) or readable(want):
            raise
        counts["unread"] += 1
        got = want
    if got.column_names != want.column_names or got.num_rows != want.num_rows:
        return fault(f"columns {got.column_names}, rows {got.num_rows}, not {want.column_names}, {want.num_rows}")
    expected = [plain(c) for c in want.columns]
    for name, a, b in zip(want.column_names, expected, got.columns):
        compare(fault, "pyarrow", name, a, plain(b))
        counts["columns"] += 1
    metadata = pq.ParquetFile(path).metadata
    counts["statistics"] += statistics(metadata, want, fault)
    names = [n for n, f in zip(want.column_names, want.schema) if for_duckdb(f.type)]
    if names:
        seen = con.sql(f"select {', '.join(names)} from read_parquet('{path}', file_row_number=true) order by file_row_number").to_arrow_table()
        for name in names:
            a = expected[want.column_names.index(name)]
            compare(fault, "DuckDB", name, a, plain(seen[name]))
            counts["duckdb"] += 1
    for i, f in enumerate(want.schema):
        if f.type in (pa.int64(), pa.string()) and metadata.num_row_groups:
            # parquet_bloom_probe takes the number of a top-level column for that of a leaf.
            probe = not any(pa.types.is_nested(k.type) for k in list(want.schema)[:i])
            bloom(con, path, f.name, probe, want.column(i).to_pylist(), counts, fault)


def compare(fault, who, name, a, b):
    if a == b:
        return
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return fault(f"{who}: {name}[{i}] is {y!r}, not {x!r}")
    fault(f"{who}: {name} has {len(b)} values, not {len(a)}")


def main():
    counts = dict(files=0, columns=0, duckdb=0, statistics=0, asked=0, excluded=0, unread=0, faults=0)
    con = duckdb.connect()
    con.execute("set TimeZone = 'UTC'")
    for arrow in sorted(pathlib.Path(sys.argv[1]).glob("*.arrow")):
        base = arrow.with_suffix("")
        try:
            judge(base, con, counts)
        except Exception as e:  # a file that cannot be read is a fault of that file
            counts["faults"] += 1
            print(f"{base.name}: {type(e).__name__}: {e} {traceback.format_exc() if '-v' in sys.argv else ''}")
        counts["files"] += 1
    print(" ".join(f"{k}={v}" for k, v in counts.items()))
    sys.exit(1 if counts["faults"] else 0)


if __name__ == "__main__":
    main()
