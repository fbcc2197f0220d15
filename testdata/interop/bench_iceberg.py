#!/usr/bin/env python3
"""Iceberg tables and their data files as a plain dataset, read in turns: CPU time, one thread. And planning of 10,000 data files.

  bench_iceberg.py --bin ARROWIO --dir BIGFILES [--rows N] [--files N] [--rounds N] [--passes N] [--out DIR]

DIR gets, where it has not got them yet: a table of about N ORC files in format version 2, one in version 3, and links to the files of the first.
One row in a hundred is deleted at random, so that the state before is read by its snapshot. Each pass opens everything anew. What is compared is
user plus system time, which other work on the machine disturbs less than the clock; the first pass of a process does not count.
"""

import argparse
import concurrent.futures
import datetime
import json
import multiprocessing
import os
import pathlib
import platform
import statistics
import subprocess

WANTED = {"table": 1.05, "position deletes": 1.15, "deletion vectors": 1.15}  # times the plain files
PLANNED = 10_000


def args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--rows", type=int, default=40_000_000)
    p.add_argument("--files", type=int, default=200)
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--passes", type=int, default=1, help="passes in each round that count")
    p.add_argument("--out", type=pathlib.Path, help="folder for the raw figures")
    return p.parse_args()


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr}")
    return done.stdout


def write_rows(to, rows):
    """Rows of five columns, about 80 bytes each; a is between 0 and 1, so that a < 0.01 is one in a hundred."""
    import numpy as np  # not at the top: what a program starts has the peak of its memory as its own
    import pyarrow as pa
    import pyarrow.compute as pc

    r = np.random.default_rng(7)
    words = pa.array([f"a text of some length {i}" for i in range(50_000)])
    size = 0
    with pa.OSFile(str(to), "wb") as f:
        w = None
        for at in range(0, rows, 1 << 19):
            n = min(1 << 19, rows - at)
            batch = pa.record_batch({
                "id": np.arange(at, at + n), "a": r.random(n), "k": r.integers(0, 1 << 40, n),
                "t": pa.array(1_700_000_000_000_000 + np.arange(at, at + n) * 1_000_003, pa.timestamp("us")), "s": pc.binary_join_element_wise(words.take(pa.array(r.integers(0, len(words), n))), pa.array(r.integers(0, 1 << 30, n)).cast(pa.string()), ","),
            })
            size += batch.nbytes
            w = w or pa.ipc.new_file(f, batch.schema)
            w.write_batch(batch)
        w.close()
    return size


def write_few(to):
    """A row for each of many partitions."""
    import numpy as np
    import pyarrow as pa

    batch = pa.record_batch({"p": np.arange(PLANNED), **{f"c{i}": np.arange(PLANNED) + i for i in range(20)}})
    with pa.OSFile(str(to), "wb") as f, pa.ipc.new_file(f, batch.schema) as w:
        w.write_batch(batch)


def snapshot(table):
    hint = (table / "metadata/version-hint.text").read_text().strip()
    return json.loads((table / f"metadata/v{hint}.metadata.json").read_text())["current-snapshot-id"]


def make(a):
    """The tables, made once: their folder, and what is about them."""
    folder = a.dir / f"iceberg-{a.rows}-{a.files}"
    about = folder / "about.json"
    if about.exists():
        return folder, json.loads(about.read_text())
    if folder.exists():
        raise SystemExit(f"{folder} is not whole: remove it")
    folder.mkdir(parents=True)
    rows = folder / "rows.arrow"
    doc = {"arrow_bytes": write_rows(rows, a.rows)}
    target = int(a.rows * 23 / a.files)  # a row takes about 24 bytes in ORC
    for version in (2, 3):
        table = folder / f"v{version}"
        run(a.bin, "convert", "--to", "iceberg", "--iceberg-format-version", version, "--iceberg-property", f"write.target-file-size-bytes={target}", rows, table)
        doc[f"v{version}"] = snapshot(table)
        if version == 2:
            (folder / "plain").mkdir()
            files = sorted((table / "data").iterdir())
            doc["files"], doc["file_bytes"] = len(files), sum(f.stat().st_size for f in files)
            for f in files:
                os.link(f, folder / "plain" / f.name)
        run(a.bin, "iceberg", "delete", "--where", "a < 0.01", table)
    rows.unlink()
    few = folder / "few.arrow"
    write_few(few)
    run(a.bin, "convert", "--to", "iceberg", "--iceberg-partition", "p", few, folder / "planned")
    about.write_text(json.dumps(doc))
    return folder, doc


def scan(a, flags):
    command = [a.bin, "scan", "--jobs", "1", "--repeat", str(a.passes + 1), "--json", *map(str, flags)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ, GOMAXPROCS="1"))
    doc = json.loads(done.stdout)
    return [{"rows": r["rows"], "cpu": r["cpu_seconds"], "peak_rss_kb": doc["peak_rss_bytes"] / 1024} for r in doc["repeats"][1:]]


def measured(*command):
    """CPU seconds and peak memory of a command, and what it prints."""
    with subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, text=True) as p:
        out = p.stdout.read()
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode:
        raise SystemExit(f"{command}: {p.returncode}")
    return {"cpu": used.ru_utime + used.ru_stime, "peak_rss_kb": used.ru_maxrss, "out": out.strip()}


def main():
    a = args()
    a.dir.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as other:
        folder, doc = other.submit(make, a).result()
    kinds = {
        "plain": ["--from", "orc", folder / "plain"],
        "table": ["--iceberg-snapshot", doc["v2"], folder / "v2"],
        "position deletes": [folder / "v2"],
        "deletion vectors": [folder / "v3"],
    }
    got = {kind: [] for kind in kinds}
    for _ in range(a.rounds):
        for kind, flags in kinds.items():
            got[kind] += scan(a, flags)
    rows = {kind: {r["rows"] for r in passes} for kind, passes in got.items()}
    if rows["plain"] != {a.rows} or rows["table"] != {a.rows} or rows["position deletes"] != rows["deletion vectors"] or not 0.985 < min(rows["position deletes"]) / a.rows < 0.995:
        raise SystemExit(f"wrong rows: {rows}")
    lines = [f"{doc['files']} files, {a.rows} rows, {doc['arrow_bytes'] / 1e9:.2f} GB in Arrow, {doc['file_bytes'] / 1e9:.2f} GB in ORC"]
    per_row = {kind: [r["cpu"] / r["rows"] for r in passes] for kind, passes in got.items()}
    for kind, passes in got.items():
        cpu = statistics.median(r["cpu"] for r in passes)
        ratio = statistics.median(x / y for x, y in zip(per_row[kind], per_row["plain"]))
        lines.append(f"{kind:18} {cpu:7.2f} s CPU  {min(rows[kind]) / cpu / 1e6:6.2f} million rows/s  {ratio:.3f} times plain, by row (least {min(per_row[kind]) / min(per_row['plain']):.3f})"
                     f"  wanted {WANTED.get(kind, 1)}  peak {max(r['peak_rss_kb'] for r in passes) / 1024:.0f} MiB")
    planned = {"count": ["count"], "count of one partition": ["count", "--where", "p = 4321"]}
    for what, command in planned.items():
        runs = [measured(a.bin, *command, folder / "planned") for _ in range(a.rounds)]
        got[what] = runs
        lines.append(f"{PLANNED} data files, {what}: {statistics.median(r['cpu'] for r in runs):.2f} s CPU, peak {max(r['peak_rss_kb'] for r in runs) / 1024:.0f} MiB; wanted 2 s, 300 MB; answer {runs[0]['out']}")
    print("\n".join(lines))
    if a.out:
        cpu = next((x.split(":")[1].strip() for x in open("/proc/cpuinfo") if x.startswith("model name")), "?")
        about = {"date": datetime.date.today().isoformat(), "rounds": a.rounds, "passes": a.passes, "cpu": cpu, "python": platform.python_version(), "load": os.getloadavg(), **doc}
        a.out.mkdir(parents=True, exist_ok=True)
        (a.out / "iceberg.json").write_text(json.dumps({"about": about, "passes": got}, indent=1) + "\n")
        (a.out / "iceberg.txt").write_text("\n".join([json.dumps(about), *lines]) + "\n")


if __name__ == "__main__":
    main()
