#!/usr/bin/env python3
"""arrowio and a store that is far away: seconds, bytes and requests of scans, of first rows, and of a table of 2,000 files; then how much of a
link of 100 MB/s scans use.

  bench_stores.py --bin ARROWIO --store STORE_BENCH --dir FILES [--wait 30ms] [--rate BYTES] [--link BYTES] [--rounds N] [--only TEXT]

The store (store-bench) makes each request wait, and each connection no faster than its rate. The files are those of bench_limits.py, and what `arrowio
convert` makes of them. Deepest is how many requests, at least, were made one after the other.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import time
import urllib.request

ADDRESS = "127.0.0.1:9191"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--store", required=True, help="the program made of store-bench")
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--wait", default="30ms")
    p.add_argument("--rate", default="100e6")
    p.add_argument("--link", type=float, default=100e6, help="bytes a second of all connections, where the use of the link is measured")
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--only", default="")
    a = p.parse_args()
    shapes = ["taxi_none.orc", "lineitem_zlib.orc", "sparse_none.orc", "sparse_zstd.orc"]
    if missing := [s for s in shapes if not (a.dir / s).exists()]:
        raise SystemExit(f"{a.dir}: {', '.join(missing)} are made by bench_limits.py (make bench-limits)")
    for name in ("lineitem_none.trv", "lineitem_none.parquet"):
        if not (a.dir / name).exists():
            subprocess.run([a.bin, "convert", a.dir / "lineitem_none.orc", a.dir / name], check=True, stderr=subprocess.DEVNULL)
    many = a.dir / "many"
    if not many.exists():
        part = a.dir / "many.part"
        part.mkdir(exist_ok=True)
        subprocess.run([a.bin, "convert", "--force", "--limit", "100", a.dir / "taxi_none.orc", part / "0.orc"], check=True, stderr=subprocess.DEVNULL)
        for i in range(1, 2000):
            os.link(part / "0.orc", part / f"{i}.orc")
        part.rename(many)

    five = a.dir / "five"  # a table of five files, so that the first requests do not count much
    five.mkdir(exist_ok=True)
    for i in range(5):
        if not (five / f"{i}.orc").exists():
            os.link(a.dir / "taxi_none.orc", five / f"{i}.orc")

    def serve(*more):
        s = subprocess.Popen([a.store, "-dir", a.dir, "-listen", ADDRESS, "-wait", a.wait, "-rate", a.rate, *more])
        time.sleep(0.5)
        return s

    store = serve()
    try:
        env = dict(os.environ, AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b", AWS_ENDPOINT_URL_S3="http://" + ADDRESS)

        def counts():
            with urllib.request.urlopen(f"http://{ADDRESS}/-/counts") as r:
                return json.load(r)

        print("| | seconds | MB of the file | times sent | requests | deepest |\n|---|---|---|---|---|---|")
        for name in [*shapes, "lineitem_none.trv", "lineitem_none.parquet", "many"]:
            for what, words in {"scan": ["scan"], "first row": ["cat", "--limit", "1"]}.items():
                if a.only not in f"{name} {what}":
                    continue
                took, seen = [], {}
                for _ in range(a.rounds):
                    counts()
                    start = time.perf_counter()
                    subprocess.run([a.bin, *words, f"s3://bucket/{name}"], env=env, check=True, stdout=subprocess.DEVNULL)
                    took.append(time.perf_counter() - start)
                    seen = counts()
                size = sum(f.stat().st_size for f in [a.dir / name] if f.is_file()) or sum(f.stat().st_size for f in many.iterdir())
                print(f"| {name}, {what} | {statistics.median(took):.2f} | {size / 1e6:.1f} | {seen['bytes'] / size:.2f} | {seen['requests']} | {seen['deepest']} |", flush=True)

        store.kill()
        store.wait()
        store = serve("-link", str(a.link))
        print(f"\n| scan by a link of {a.link / 1e6:.0f} MB/s | seconds | MB of the file | of the link |\n|---|---|---|---|")
        for name in ["taxi_none.orc", "five", "lineitem_none.trv", "lineitem_none.parquet"]:
            if a.only not in f"{name} link":
                continue
            took = []
            for _ in range(a.rounds):
                start = time.perf_counter()
                subprocess.run([a.bin, "scan", f"s3://bucket/{name}"], env=env, check=True, stdout=subprocess.DEVNULL)
                took.append(time.perf_counter() - start)
            size = sum(f.stat().st_size for f in ([a.dir / name] if (a.dir / name).is_file() else (a.dir / name).iterdir()))
            print(f"| {name} | {statistics.median(took):.2f} | {size / 1e6:.1f} | {size / a.link / statistics.median(took):.0%} |", flush=True)
    finally:
        store.kill()


main()
