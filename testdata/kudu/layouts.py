#!/usr/bin/env python3
"""layouts.py [OUT]: tablet servers of Kudu 1.18.1 that keep the same table in other ways: encrypted, and with records of blocks in RocksDB.

Needs what make.sh needs, and kudu-judge built. Writes OUT/NAME.tar.gz, the rows that Kudu's client saw, and the manifest; OUT is
kudu-1.18.1 beside this script where it is not told. All bytes are others each time, and the rows are the same.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INTEROP = HERE.parent / "interop"
sys.path.insert(0, str(INTEROP / "kudu"))
from pack import pack  # noqa: E402

VERSION = "1.18.1"
LAYOUTS = {
    "encrypted-log": ["log", "--encrypt_data_at_rest=true", "--log_preallocate_segments=true", "--log_segment_size_mb=1"],
    "encrypted-tenant-file": ["file", "--encrypt_data_at_rest=true", "--encryption_key_length=256", "--enable_multi_tenancy=true"],
    "logr": ["logr"],
    "encrypted-logr": ["logr", "--encrypt_data_at_rest=true", "--encryption_key_length=192"],
}
ABOUT = (
    "Directories wal and data of tablet servers of Kudu 1.18.1, all with one table t, which were stopped and started in between and killed at the end, "
    "while rows were in the log alone. rows.jsonl is what Kudu's client saw in each. All bytes of servers are others whenever they are made."
)


def row(n, note=""):
    return json.dumps([n, f"row {n}{note}" if n % 7 else None, n * n - 50], separators=(",", ":"))


def insert(numbers):
    return [f"insert\t{row(n)}" for n in numbers]


class Server:
    """A server, and the judge that talks to it."""

    def __init__(self, folder, flags):
        self.folder, self.flags = folder, flags
        self.env = dict(os.environ, ARROWIO_KUDU_VERSION=VERSION)
        jar = os.environ.get("ARROWIO_KUDU_JUDGE_JAR", INTEROP / "kudu-judge/target/kudu-judge.jar")
        self.judge = subprocess.Popen(["java", "-Xmx512m", "-jar", str(jar), "session"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def script(self, *args):
        subprocess.run([str(INTEROP / "kudu/kudu.sh"), *args], check=True, env=self.env)

    def start(self):
        self.script("start", str(self.folder), *self.flags)
        self.say("open", str(self.folder))

    def end(self, how):
        self.script(how, str(self.folder))

    def say(self, *words):
        self.judge.stdin.write("\t".join(words) + "\n")
        self.judge.stdin.flush()
        answer = self.judge.stdout.readline().rstrip("\n")
        if not answer.startswith("ok"):
            sys.exit(f"{words}: {answer}")

    def apply(self, lines):
        file = self.folder.parent / "operations"
        file.write_text("".join(line + "\n" for line in lines))
        self.say("apply", "t", str(file))


def fill(folder, flags, seen):
    """A rowset that was compacted of two, one that was flushed later, changes of both, and rows in the log alone."""
    s = Server(folder, flags)
    s.start()
    s.say("create", "t", "-", "id int64 key", "text string null", "number int32")
    for numbers in range(30), range(30, 60):
        s.apply(insert(numbers))
        s.say("flush")
    s.say("compact")
    s.say("hold")
    s.end("stop")
    s.start()
    s.apply([f"update\t{row(n, ' changed')}" for n in (3, 8, 40)] + [f"delete\t{row(n)}" for n in (5, 59)] + insert(range(60, 80)))
    s.say("flush")
    s.say("hold")
    s.apply([f"update\t{row(n, ' again')}" for n in (8, 66)] + [f"delete\t{row(61)}"] + insert(range(80, 90)))
    s.say("scan", "t", "1", str(seen))
    s.judge.stdin.close()
    s.judge.wait()
    s.end("kill")


def main():
    out = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / f"kudu-{VERSION}"
    out.mkdir(parents=True, exist_ok=True)
    subprocess.run([str(INTEROP / "kudu/kudu.sh"), "get"], check=True, env=dict(os.environ, ARROWIO_KUDU_VERSION=VERSION))
    scratch = pathlib.Path(tempfile.mkdtemp())
    rows = set()
    for name, flags in LAYOUTS.items():
        folder = scratch / name / "server"
        folder.mkdir(parents=True)
        seen = scratch / name / "rows"
        try:
            fill(folder, flags, seen)
        finally:
            subprocess.run([str(INTEROP / "kudu/kudu.sh"), "kill", str(folder)], check=True)
        rows.add("".join(sorted(seen.read_text().splitlines(keepends=True), key=lambda line: json.loads(line)[0])))
        for useless in [*folder.glob("data/data/rdb/LOG*"), *folder.glob("data/data/rdb/OPTIONS-*")]:
            useless.unlink()
        pack(folder, out / f"{name}.tar.gz")
    if len(rows) != 1:
        sys.exit("the rows differ")
    (out / "rows.jsonl").write_text(rows.pop())
    shutil.rmtree(scratch)
    files = [{"file": p.name, "bytes": p.stat().st_size, "sha256": hashlib.sha256(p.read_bytes()).hexdigest()}
             for p in sorted(out.iterdir()) if p.name != "manifest.json"]
    listed = ",\n".join("  " + json.dumps(f) for f in files)
    (out / "manifest.json").write_text(f'{{\n "about": {json.dumps(ABOUT)},\n "files": [\n{listed}\n ]\n}}\n')
    print(len(files), "files,", sum(f["bytes"] for f in files), "bytes")


if __name__ == "__main__":
    main()
