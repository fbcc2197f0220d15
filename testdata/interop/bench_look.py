"""How long two inputs take to be compared, and how long a big file takes to be on the screen.

  bench_look.py --bin ARROWIO --dir DIR [--rows 100000000] [--bytes 10000000000] [--memory 512MiB]

DIR gets a.parquet, the same rows as a.orc, b.parquet with the rows in another order, five of them changed and one left out, and big.orc,
copies of a.orc merged to BYTES. Prints a line for each case: wall seconds, CPU seconds, the most memory.
"""

import argparse
import fcntl
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import termios
import time

import duckdb


def make(a):
    c = duckdb.connect()
    c.execute(f"set memory_limit='4GB'; set threads=2; set enable_progress_bar=false; set temp_directory='{a.dir / 'temp'}'")
    if not (a.dir / "a.parquet").exists():
        c.execute(f"copy (select i as id, (hash(i) % 1000000)::int as v, 'n' || (i % 1000) as s from range({a.rows}) t(i)) "
                  f"to '{a.dir / 'a.parquet'}' (format parquet)")
    if not (a.dir / "b.parquet").exists():
        c.execute(f"copy (select id, case when id % {a.rows // 5} = 7 then v + 1 else v end as v, s from '{a.dir / 'a.parquet'}' "
                  f"where id <> {a.rows // 9 * 5} order by hash(id)) to '{a.dir / 'b.parquet'}' (format parquet)")
    if not (a.dir / "a.orc").exists():
        subprocess.run([a.bin, "convert", "--progress", "never", a.dir / "a.parquet", a.dir / "a.orc"], check=True)
    if not (a.dir / "big.orc").exists():
        copies = -(-a.bytes // (a.dir / "a.orc").stat().st_size)
        subprocess.run([a.bin, "merge", "--progress", "never"] + [a.dir / "a.orc"] * copies + [a.dir / "big.orc"], check=True)


def timed(what, want, command):
    """Runs a command, and prints what it took."""
    start = time.monotonic()
    p = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = p.stdout.read()
    _, status, used = os.wait4(p.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    line = next((l for l in out.splitlines() if " rows in A" in l), "")
    if code != want:
        raise SystemExit(f"{what}: exit code {code}, want {want}\n{out}")
    print(f"{what}: {time.monotonic() - start:.1f} s, {used.ru_utime + used.ru_stime:.1f} s of CPU, {used.ru_maxrss / 1024:.0f} MiB; {line}", flush=True)


def shown(bin, file):
    """Returns how long the terminal's first screen of a file takes."""
    start = time.monotonic()
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(bin, [bin, "browse", file])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seen = b""
    while b"rows" not in seen and time.monotonic() - start < 10:
        if select.select([fd], [], [], 0.05)[0]:
            seen += os.read(fd, 65536)
    took = time.monotonic() - start
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    os.close(fd)
    if b"rows" not in seen:
        raise SystemExit(f"{file} was not shown")
    return took * 1000


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--bin", required=True)
    p.add_argument("--dir", required=True, type=pathlib.Path)
    p.add_argument("--rows", type=int, default=100_000_000)
    p.add_argument("--bytes", type=int, default=10_000_000_000)
    p.add_argument("--memory", default="512MiB")
    a = p.parse_args()
    a.dir.mkdir(parents=True, exist_ok=True)
    make(a)
    for name in ("a.orc", "big.orc"):
        took = sorted(shown(a.bin, str(a.dir / name)) for _ in range(9))
        print(f"browse {name}, {(a.dir / name).stat().st_size / 1e9:.1f} GB: {took[4]:.0f} ms ({took[0]:.0f} to {took[-1]:.0f})", flush=True)
    diff = [a.bin, "diff", "--progress", "never", "--memory", a.memory]
    timed("diff by position", 0, diff + [a.dir / "a.orc", a.dir / "a.parquet"])
    timed("diff by key, another order", 5, diff + ["--key", "id", a.dir / "a.orc", a.dir / "b.parquet"])


main()
