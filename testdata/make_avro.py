#!/usr/bin/env python3
"""make_avro.py [--check]: makes the fixtures of avro anew, and their entries in the manifest; with --check compares instead. Needs
fastavro, a JDK and the jar of trevni-judge in ARROWIO_JUDGE_JAR. The texts beside the files are what Java reads in them.
"""

import filecmp
import gzip
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from manifest import digest, entry, update  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
JAVA, FAST = "java-1.12.1", "fastavro-1.13.1"
UNREAD = ["types-zstandard.avro", "types-xz.avro"]  # codecs for which this Java has no library
SHOWS = {
    "types-": "every type, logical type and kind of union, in several blocks, by this codec", "empty": "no blocks", "top-": "rows that are not records",
    "no-fields": "records without fields", "nulls": "rows that take no bytes", "recursive": "a record that contains itself",
    "beyond.": "a decimal beyond its precision in the first block", "beyond-later": "a decimal beyond its precision in a later block",
    "random-": "a random schema and random rows; blocking: arrays and maps in blocks that say their size",
}


def shows(name):
    return next(s for k, s in SHOWS.items() if name.startswith(k))


def main():
    jar = os.environ["ARROWIO_JUDGE_JAR"]
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch)
        shutil.copy(HERE / "manifest.json", out)
        classes = out / "classes"
        subprocess.run(["javac", "-cp", jar, "-d", classes, HERE / "interop/avro-judge/AvroFiles.java"], check=True)
        java = ["java", "-cp", f"{classes}:{jar}", "arrowio.judge.AvroFiles"]
        for d in JAVA, FAST:
            (out / "avro" / d).mkdir(parents=True)
        subprocess.run([*java, "random", "100", "12", out / "avro" / JAVA], check=True)
        subprocess.run([sys.executable, HERE / "avro" / FAST / "make.py", out / "avro" / FAST], check=True)
        read = [p for p in (out / "avro" / FAST).glob("*.avro") if p.name not in UNREAD]
        subprocess.run([*java, "expect", *read], check=True)
        entries = []
        for d, tool in ((JAVA, ("org.apache.avro:avro", "1.12.1", "AvroFiles random")), (FAST, ("fastavro", "1.13.1", f"testdata/avro/{FAST}/make.py"))):
            for p in sorted((out / "avro" / d).glob("*.avro")):
                e = entry(out, "avro", *tool, f"avro/{d}/{p.name}", shows(p.name))
                text = p.with_name(p.name + ".txt")
                if text.exists():
                    lines = text.read_bytes()
                    packed = text.with_name(text.name + ".gz")
                    packed.write_bytes(gzip.compress(lines, 9, mtime=0))
                    text.unlink()
                    e["text"] = {"file": f"avro/{d}/{packed.name}", "sha256": digest(lines)}
                    e["rows"] = lines.count(b"\n") - 1
                entries.append(e)
        update(out, ["avro"], entries)
        places = [e["file"] for e in entries] + [e["text"]["file"] for e in entries if "text" in e] + ["manifest.json"]
        if "--check" not in sys.argv:
            for p in places:
                (HERE / p).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(out / p, HERE / p)
            return
        wrong = [p for p in places if not filecmp.cmp(out / p, HERE / p, shallow=False)]
        if wrong:
            sys.exit("not what their scripts make: " + " ".join(wrong))
        print("the fixtures are what their scripts make")


main()
