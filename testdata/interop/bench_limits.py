#!/usr/bin/env python3
"""arrowio beside what no reader can beat: the codec, one copy of the result, and the reading of the file.

  bench_limits.py --bin ARROWIO --codecs CODEC_BENCH --peer PEER --dir BIGFILES [--rows N] [--rounds N] [--passes N] [--only TEXT] [--out DIR]

Tables of lineitem and of each shape of orc-bench/shapes.py are written by pyarrow (C++) in four codecs. In each round, for each file: pyarrow and
arrowio read it (orc-bench/peer_pyarrow.py, `arrowio scan --jobs 1`), codec-bench decodes all its chunks with C's libraries and with
arrowio's, memcpy copies as many bytes as the Arrow batches have, pread reads the file. All of it on one core, CPU time, medians.

The limit is C's codec + memcpy + pread. Without a codec it is memcpy + pread.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

import numpy as np
import pyarrow as pa
from pyarrow import orc

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "orc-bench"))
import mkbig  # noqa: E402
import shapes  # noqa: E402

CODECS = "uncompressed", "zlib", "snappy", "zstd"  # with lz4, the C++ writer stores every chunk as it is
SHAPES = {  # the rows of each, as a share of --rows
    "lineitem": (lambda n, rng: mkbig.lineitem(n), 1), "taxi": (shapes.taxi, 2), "logs": (shapes.logs, 1), "sparse": (shapes.sparse, 0.04),
    "events": (shapes.events, 0.5), "keys": (shapes.keys, 4), "bank": (shapes.bank, 2),
}


def args():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--codecs", required=True, help="the program made of codec-bench")
    p.add_argument("--peer", required=True, help="the program made of codec-bench/peer/peer.c")
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--rows", type=int, default=1_000_000)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--passes", type=int, default=3, help="passes in each round that count")
    p.add_argument("--only", default="", help="only files whose name contains this text")
    p.add_argument("--core", default="1")
    p.add_argument("--out", type=pathlib.Path, help="folder for the raw figures")
    return p.parse_args()


def make(a, shape):
    """Writes the files of a shape that are missing."""
    names = {codec: a.dir / f"{shape}_{codec.replace('uncompressed', 'none')}.orc" for codec in CODECS}
    if not all(p.exists() for p in names.values()):
        function, share = SHAPES[shape]
        mkbig.rng = np.random.default_rng(20261127)
        table = function(int(a.rows * share), mkbig.rng)
        for codec, path in names.items():
            orc.write_table(table, path, compression=codec, compression_block_size=262144, dictionary_key_size_threshold=0.8)
    return list(names.values())


def run(a, *command):
    words = ["taskset", "-c", a.core, *map(str, command)]
    done = subprocess.run(words, capture_output=True, text=True, check=False,
                          env=dict(os.environ, TZ="UTC", OMP_NUM_THREADS="1", GOMAXPROCS="1"))
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr.strip().splitlines()[-1:]}")
    return done.stdout


def peer(a, what, subject):
    """Milliseconds of each pass but the first."""
    answers = subprocess.run(["taskset", "-c", a.core, a.peer, what, str(subject)], input="\n" * (a.passes + 1),
                             capture_output=True, text=True, check=True).stdout.split()
    took = [int(x) / 1e6 for x in answers[1:]]
    if min(took) <= 0:
        raise RuntimeError(f"{a.peer} {what} {subject}: failed")
    return took


def measure(a, path):
    got = {k: [] for k in ("pyarrow", "arrowio", "codec", "our codec", "memcpy", "pread")}
    about = {}
    for _ in range(a.rounds):
        theirs = [json.loads(x) for x in run(a, sys.executable, HERE / "orc-bench/peer_pyarrow.py", path, a.passes + 1).splitlines()][1:]
        got["pyarrow"] += [r["cpu"] * 1e3 for r in theirs]
        ours = json.loads(run(a, a.bin, "scan", "--jobs", 1, "--repeat", a.passes + 1, "--json", path))["repeats"][1:]
        got["arrowio"] += [r["cpu_seconds"] * 1e3 for r in ours]
        about = {"rows": ours[0]["rows"], "arrow_bytes": ours[0]["arrow_bytes"], "file_bytes": path.stat().st_size}
        if theirs[0]["rows"] != ours[0]["rows"]:
            raise RuntimeError(f"{path}: pyarrow reads {theirs[0]['rows']} rows, arrowio {ours[0]['rows']}")
        if not path.stem.endswith("_none"):
            codec = json.loads(run(a, a.codecs, "-json", "-mb", 0, "-rounds", a.passes, "-peer", a.peer, path))
            got["codec"].append(codec["c_ns"] / 1e6)
            got["our codec"].append(codec["arrowio_ns"] / 1e6)
        got["memcpy"] += peer(a, "copy", about["arrow_bytes"])
        got["pread"] += peer(a, "read", path)
    return about | {k: statistics.median(v) for k, v in got.items() if v}


def row(name, r):
    limit = r["memcpy"] + r["pread"] + r.get("codec", 0)
    codec = f"{r['codec']:.1f} | {r['our codec']:.1f}" if "codec" in r else "– | –"
    return (f"| {name} | {r['arrow_bytes'] / 1e6:.0f} | {codec} | {r['memcpy']:.1f} | {r['pread']:.1f} | {limit:.1f} | {r['arrowio']:.1f} | "
            f"**{r['arrowio'] / limit:.2f}** | {r['pyarrow']:.1f} | {r['pyarrow'] / r['arrowio']:.2f} |")


def small_files(a):
    """A table of 10,000 ORC files of 100 rows: files a second of CPU time."""
    folder = a.dir / "small"
    if not folder.exists():
        part = a.dir / "small.part"
        part.mkdir(exist_ok=True)
        table = pa.table({"a": range(100), "b": [f"x{k % 7}" for k in range(100)], "c": [k / 3 for k in range(100)]})
        for i in range(10_000):
            orc.write_table(table, part / f"f{i:05d}.orc", compression="zlib")
        part.rename(folder)
    theirs = ("import sys, time, pyarrow as pa, pyarrow.dataset as ds; pa.set_cpu_count(1); pa.set_io_thread_count(1); t = time.process_time(); "
              "n = sum(b.num_rows for b in ds.dataset(sys.argv[1], format='orc').to_batches()); print(n, time.process_time() - t)")
    got = {"arrowio": [], "pyarrow": []}
    for _ in range(a.rounds):
        ours = json.loads(run(a, a.bin, "scan", "--jobs", 1, "--repeat", 2, "--json", folder))["repeats"][1]
        rows, took = run(a, sys.executable, "-c", theirs, folder).split()
        if int(rows) != ours["rows"]:
            raise RuntimeError(f"{folder}: pyarrow reads {rows} rows, arrowio {ours['rows']}")
        got["arrowio"].append(10_000 / ours["cpu_seconds"])
        got["pyarrow"].append(10_000 / float(took))
    return {k: statistics.median(v) for k, v in got.items()}


HEAD = ("| ms of CPU a pass | MB of Arrow | codec of C | of arrowio | memcpy | pread | limit | arrowio | of the limit | pyarrow | x pyarrow |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|")


def main():
    a = args()
    a.dir.mkdir(parents=True, exist_ok=True)
    print(HEAD)
    results = {}
    for shape in SHAPES:
        if a.only and not any(a.only in f"{shape}_{c}" for c in ("none", *CODECS)):
            continue
        for path in make(a, shape):
            if a.only not in path.stem:
                continue
            results[path.stem] = measure(a, path)
            print(row(path.stem.replace("_", " "), results[path.stem]), flush=True)
    if a.only in "small files":
        results["small files"] = small_files(a)
        print("\n10,000 ORC files of 100 rows, files a second: " + ", ".join(f"{k} {v:,.0f}" for k, v in results["small files"].items()))
    about = {"versions": run(a, a.peer, "version").strip() + ", pyarrow " + pa.__version__, "load": os.getloadavg()}
    print("\n" + "\n".join(f"{k}: {v}" for k, v in about.items()))
    if a.out:
        a.out.mkdir(parents=True, exist_ok=True)
        (a.out / "limits.json").write_text(json.dumps({"machine": about, "results": results}, indent=1) + "\n")


main()
