#!/usr/bin/env python3
"""browse_judge.py BIN [--write]: `arrowio browse` in a real terminal (tmux) of 80×24 and less.

Keys are pressed, and each screen is compared with one in testdata/interop/browse that a person has looked at; --write writes these. Also: it
leaves the terminal as it was, after q, Ctrl-C and SIGTERM. Prints "ok", or what is different.
"""

import difflib
import os
import pathlib
import signal
import sys

from terminal import Terminal

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FILE = "testdata/orc/java-2.3.1/pruning.orc"
# What is started, the size, and then keys, each with the name of the screen that they lead to.
WALKS = [
    ([FILE], 80, 24, [
        ([], "overview"), (["2", "s", "s", "s"], "columns-sorted"), (["Home", "Down", "Down", "Enter"], "column"), (["End", "Enter"], "bytes"), (["Escape", "Escape", "3"], "layout"),
        (["Enter", ":", "4321", "Enter"], "row-4321"), (["Enter"], "record"), (["Escape", "/", "k7", "Enter"], "search"), (["n"], "search-next"),
        (["Home", "f", "id__mono >= 300 AND group__days = 0", "Enter"], "filter"), (["s", "s"], "sorted"), (["y"], "command"), (["Escape", "?"], "help"),
    ]),
    ([FILE], 79, 24, [([], "narrow")]),
    (["--rows", "testdata/trevni/java-1.12.1/avro-nested.trv", FILE], 100, 30, [(["End"], "rows-of-several"), (["Enter"], "record-of-several"), (["Enter"], "value")]),
]


def main():
    binary, write = os.path.abspath(sys.argv[1]), "--write" in sys.argv
    folder = ROOT / "testdata/interop/browse"
    faults = []
    for args, width, height, steps in WALKS:
        with Terminal([binary, "browse", *args], width, height, folder=ROOT) as t:
            for keys, name in steps:
                path = folder / f"{name}.txt"
                t.keys(*keys)
                if write:
                    last = ""
                    while (now := t.until(lambda s: False, 1.5)) != last:
                        last = now
                    path.write_text(now)
                    continue
                want = path.read_text()
                got = t.until(lambda s, want=want: s == want)
                if got != want:
                    faults.append(f"{name}:\n" + "".join(difflib.unified_diff(want.splitlines(True), got.splitlines(True), "want", "got")))
    for how in ["q", "C-c", signal.SIGTERM]:
        with Terminal(["sh", "-c", f"echo before; {binary} browse {FILE}; echo exit $?; exec sleep 100"], 80, 24, folder=ROOT) as t:
            t.until(lambda s: "1 Overview" in s)
            if how == signal.SIGTERM:
                shell = int(t.tmux("display-message", "-p", "#{pane_pid}"))
                os.kill(int(pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split()[0]), how)
            else:
                t.keys(how)
            got = t.until(lambda s: "exit" in s)
            if not got.startswith("before\n") or how != signal.SIGTERM and "exit 0" not in got or "Overview" in got:
                faults.append(f"after {how}:\n{got}")
    print("\n".join(faults) if faults else "ok")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
