"""Makes the fixture of a tablet server with the log options of every server, which was killed while all rows were in its log.

usage: killed.py OUTDIR, with the environment ARROWIO_KUDU (kudu.sh).

OUTDIR/killed.tar.gz has the server's directories, with the space that Kudu sets aside for segments, and with the indexes of the logs,
whose zeros at the end are left out: Kudu makes them 24 MB large. The manifest says how many rows Kudu's own tool has put in.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile

OUT = pathlib.Path(sys.argv[1])
KUDU = os.environ["ARROWIO_KUDU"]
ABOUT = (
    "A tablet server that was killed by SIGKILL while all rows of its table were in its logs, with segments of 1 MiB that were set aside "
    "and with the indexes of the logs, without the zeros at their ends. The bytes are others whenever they are made."
)
FLAGS = (
    "--log_preallocate_segments=true --log_async_preallocate_segments=true --log_segment_size_mb=1 "
    "--flush_threshold_secs=3600 --flush_upper_bound_ms=3600000"
).split()
LOAD = "--num_threads=1 --num_rows_per_thread=60 --keep_auto_table --table_num_replicas=1 --table_num_hash_partitions=2 --buffer_flush_watermark_pct=0.0001".split()


def kudu(*words):
    return subprocess.run([KUDU, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def pack(folder, name):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for part in "wal", "data":
            for path in sorted((folder / part).rglob("*")):
                if not path.is_file() or path.name == "block_manager_instance.lock" or "kudutmp" in path.name:
                    continue
                data = path.read_bytes()
                if path.name.startswith("index."):
                    data = data.rstrip(b"\0")
                    data += bytes(-len(data) % 4096)
                info = tarfile.TarInfo(str(path.relative_to(folder)))
                info.size, info.mode = len(data), 0o644
                tar.addfile(info, io.BytesIO(data))
    with open(name, "wb") as out, gzip.GzipFile("", "wb", 9, out, 0) as packed:
        packed.write(raw.getvalue())


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        kudu("start", str(folder), "log", *FLAGS)
        try:
            master = (folder / "ports").read_text().split()[0]
            said = kudu("tool", "perf", "loadgen", f"127.0.0.1:{master}", *LOAD)
        finally:
            kudu("kill", str(folder))
        rows = int(re.search(r"rows total: (\d+)", said)[1])
        OUT.mkdir(parents=True, exist_ok=True)
        packed = OUT / "killed.tar.gz"
        pack(folder, packed)
        file = {"file": packed.name, "bytes": packed.stat().st_size, "sha256": hashlib.sha256(packed.read_bytes()).hexdigest()}
        (OUT / "manifest.json").write_text(json.dumps({"about": ABOUT, "rows": rows, "files": [file]}, indent=1) + "\n")


main()
