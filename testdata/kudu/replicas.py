"""Makes the fixture of three tablet servers that were killed at different times while rows were written.

usage: replicas.py OUTDIR MANAGER, with the environment ARROWIO_KUDU (kudu.sh) and ARROWIO_KUDU_JUDGE_JAR.

OUTDIR/replicas.tar.gz has the directories of the servers, 0, 1 and 2. OUTDIR/replicas.json has what the client was told of: for
each key the last row that was acknowledged, null where that was a deletion, and the keys of which later operations were sent and
not answered, which may have been done or not.
"""

import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

OUT, MANAGER = pathlib.Path(sys.argv[1]), sys.argv[2]
KUDU = os.environ["ARROWIO_KUDU"]
ABOUT = (
    "Three tablet servers of one cluster, killed at different times while a client wrote: replicas.tar.gz has their directories, "
    "replicas.json what the client was told of and what not. Both are others whenever they are made."
)


class Client:
    """A session of kudu-judge, and what it was told."""

    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen(
            ["java", "-Xmx512m", "-XX:+UseSerialGC", "-jar", os.environ["ARROWIO_KUDU_JUDGE_JAR"], "session"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        self.rows, self.unsure, self.answer = {}, {}, ""

    def ask(self, *words):
        self.process.stdin.write("\t".join(words) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def apply(self, operations):
        """Sends operations, (word, key, row); what is answered is acknowledged."""
        name = self.folder / "operations"
        name.write_text("".join(f"{word}\t{json.dumps([key, *(row or ['', None])], separators=(',', ':'))}\n" for word, key, row in operations))
        for _, key, row in operations:
            self.unsure.setdefault(key, []).append(row)
        self.answer = self.ask("apply", "metrics", str(name))
        if not self.answer.startswith("ok"):
            return False
        for _, key, row in operations:
            self.rows[key] = row
            self.unsure.pop(key, None)
        return True

    def must(self, operations):
        if not self.apply(operations):
            raise SystemExit(self.answer)


def inserts(start, end):
    return [("insert", k, [f"row {k}", k * k]) for k in range(start, end)]


def kudu(*words):
    subprocess.run([KUDU, *words], check=True)


def pack(folder, name):
    """Packs the servers' directories, always in one order."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for server in "012":
            for path in sorted((folder / server).rglob("*")):
                if path.is_file() and not path.name.startswith(("index.", "block_manager_instance.lock")) and "kudutmp" not in path.name:
                    info = tarfile.TarInfo(str(path.relative_to(folder)))
                    info.size, info.mode = path.stat().st_size, 0o644
                    tar.addfile(info, io.BytesIO(path.read_bytes()))
    with open(name, "wb") as out, gzip.GzipFile("", "wb", 9, out, 0) as packed:
        packed.write(raw.getvalue())


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        kudu("cluster", str(folder), MANAGER)
        client = Client(folder)
        try:
            client.ask("open", str(folder))
            created = client.ask("create", "metrics", "hash 2 k 3", "k int32 key", "v string", "n int64 null")
            if not created.startswith("ok"):
                raise SystemExit(created)
            load(client, folder)
        finally:
            client.process.kill()
            kudu("kill", str(folder))
        OUT.mkdir(parents=True, exist_ok=True)
        pack(folder, OUT / "replicas.tar.gz")
        told = {"rows": {str(k): r for k, r in sorted(client.rows.items())}, "unsure": {str(k): r for k, r in sorted(client.unsure.items())}}
        (OUT / "replicas.json").write_text(json.dumps(told) + "\n")
        names = "replicas.json", "replicas.tar.gz"
        files = [{"file": n, "bytes": (OUT / n).stat().st_size, "sha256": hashlib.sha256((OUT / n).read_bytes()).hexdigest()} for n in names]
        (OUT / "manifest.json").write_text(json.dumps({"about": ABOUT, "files": files}, indent=1) + "\n")


def load(client, folder):
    client.must(inserts(0, 300))
    time.sleep(3)  # flushed
    client.must([("update", k, [f"changed {k}", None]) for k in range(0, 300, 7)])
    client.must([("delete", k, None) for k in range(3, 300, 20)])
    kudu("kill-one", str(folder), "2")
    client.must(inserts(300, 400))
    client.must([("update", k, [f"later {k}", -k]) for k in range(0, 300, 14)])
    client.must([("delete", k, None) for k in range(4, 300, 20)])
    client.must([("insert", k, [f"again {k}", k]) for k in range(3, 300, 40)])
    time.sleep(3)
    client.must([("update", k, [f"last {k}", None]) for k in range(301, 400, 9)])
    over = threading.Event()

    def end():
        time.sleep(0.3)
        kudu("kill-one", str(folder), "1")
        time.sleep(0.5)
        kudu("kill", str(folder))
        client.process.kill()  # which waits for servers that are gone
        over.set()

    killer = threading.Thread(target=end)
    killer.start()
    k = 400
    while not over.is_set():
        try:
            if not client.apply(inserts(k, k + 5)):
                break
        except (BrokenPipeError, OSError):
            break
        k += 5
        if k % 50 == 0:
            time.sleep(0.01)
    killer.join()


main()
