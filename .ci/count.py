#!/usr/bin/env python3
"""Reads `go test -json`, prints what a person needs, and adds every test's result to a file.

  go test -json ./... | count.py FILE     exit 1 if anything failed or was skipped
  count.py --sum FILE                     `N passed, N failed, N skipped`; a test that ran twice counts once, by its worse result
"""

import json
import pathlib
import sys

WORSE = {"pass": 0, "skip": 1, "fail": 2}


def total(path):
    worst = {}
    for line in pathlib.Path(path).read_text().splitlines():
        test, result = line.rsplit(" ", 1)
        worst[test] = max(worst.get(test, 0), WORSE[result])
    n = [list(worst.values()).count(v) for v in range(3)]
    print(f"{n[0]} passed, {n[2]} failed, {n[1]} skipped")
    return 0 if n[0] and not n[1] and not n[2] else 1


def stream(path):
    output, broken, good = {}, set(), True  # broken: packages with a test that failed
    with open(path, "a", encoding="utf-8") as results:
        for line in sys.stdin:
            try:
                e = json.loads(line)
            except ValueError:
                print(line, end="")
                continue
            package, test, action = e.get("Package", e.get("ImportPath", "")), e.get("Test", ""), e["Action"]
            key = f"{package} {test}"
            if action in ("output", "build-output"):
                output.setdefault(key, []).append(e["Output"])
            elif action == "build-fail":
                print("".join(output.pop(key, [])), end="")
                good = False
            elif action in WORSE:
                text = "".join(output.pop(key, []))
                if test:
                    results.write(f"{package}.{test} {action}\n")
                    if action == "fail":
                        broken.add(package)
                if action == "fail" or action == "skip" and test:
                    print(text, end="")
                    good = False
                elif not test:
                    print(text.splitlines()[-1] if text else f"{action} {package}")
                if action == "fail" and not test and package not in broken:
                    results.write(f"{package} fail\n")  # it did not build, or ended before its tests did
            sys.stdout.flush()
    return 0 if good else 1


sys.exit(total(sys.argv[2]) if sys.argv[1] == "--sum" else stream(sys.argv[1]))
