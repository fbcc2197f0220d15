"""A C compiler for libraries of macOS that cgo calls: zig compiles, LLVM's ld64.lld links, and no SDK of Apple is needed.

    CC="python macos.py arm64" CGO_ENABLED=1 GOOS=darwin GOARCH=arm64 go build -buildmode=c-shared …

zig brings the list of functions of libSystem. What Go takes from other libraries of the system is named in its own sources, from which stubs
of those libraries are made, in the folder that the environment variable ARROWIO_MACOS_STUBS names.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

import ziglang

#: The oldest macOS that Go 1.26 runs on.
OLDEST = "12.0"

#: How zig and ld64.lld call what Go calls GOARCH.
MACHINES = {"arm64": ("aarch64", "arm64"), "amd64": ("x86_64", "x86_64")}

STUB = """--- !tapi-tbd
tbd-version:     4
targets:         [ x86_64-macos, arm64-macos ]
install-name:    '{library}'
exports:
  - targets:         [ x86_64-macos, arm64-macos ]
    symbols:         [ {symbols} ]
...
"""


def linker():
    """Returns the path of ld64.lld: LLVM 16 is the oldest version that has been tried."""
    for name in ("ld64.lld", *(f"ld64.lld-{n}" for n in range(30, 15, -1))):
        found = shutil.which(name)
        if found and int(re.search(r"LLD (\d+)", subprocess.run([found, "--version"], check=True, capture_output=True, text=True).stdout)[1]) >= 16:
            return found
    raise SystemExit("ld64.lld of LLVM 16 or later is needed to link for macOS: Debian's package is lld-16")


def make_stubs(folder):
    """Makes text stubs of the system's libraries that Go uses."""
    listed = (pathlib.Path(ziglang.__file__).parent / "lib/libc/darwin/libSystem.tbd").read_text()
    # An architecture that LLVM does not know yet.
    (folder / "libSystem.tbd").write_text(re.sub(r",\s*arm64e\.x1-mac\w+", "", listed))
    root = subprocess.run(["go", "env", "GOROOT"], check=True, capture_output=True, text=True).stdout.strip()
    symbols = collections.defaultdict(set)
    for path in pathlib.Path(root, "src").glob("*/**/*darwin*.go"), pathlib.Path(root, "src/crypto/x509/internal/macos").glob("*.go"):
        for file in path:
            if file.is_file():
                for name, library in re.findall(r'^//go:cgo_import_dynamic \S+ (\S+) "(\S+)"', file.read_text(errors="replace"), re.MULTILINE):
                    symbols[library].add(f"_{name}")
    for library, names in symbols.items():
        if ".framework/" in library:
            name = library.rpartition("/")[2]
            to = folder / f"{name}.framework" / f"{name}.tbd"
        elif library.startswith("/usr/lib/libSystem."):
            continue
        else:
            to = folder / (re.match(r"[a-z]+", library.rpartition("/")[2])[0] + ".tbd")
        to.parent.mkdir(exist_ok=True)
        to.write_text(STUB.format(library=library, symbols=", ".join(sorted(names))))


def link(machine, arguments):
    """Links as clang does for cgo and Go: of its options only those that say what is linked matter."""
    stubs = os.environ["ARROWIO_MACOS_STUBS"]
    command, out = [linker(), "-arch", machine, "-platform_version", "macos", OLDEST, OLDEST, f"-F{stubs}", f"-L{stubs}"], "a.out"
    rest = iter(arguments)
    for a in rest:
        if a == "-o":
            out = next(rest)
        elif a == "-framework":
            command += [a, next(rest)]
        elif a in ("-arch", "-I", "-x"):
            next(rest)
        elif a == "-dynamiclib":
            command += ["-dylib", "-install_name", "@rpath/libarrowio.dylib"]
        elif a.startswith("-Wl,"):
            command += a.split(",")[1:]
        elif a in ("-lpthread", "-lm", "-lc", "-ldl"):  # libSystem has them
            pass
        elif a.startswith("-l") or a.endswith((".o", ".a")):
            command.append(a)
    return command + ["-o", out, "-lSystem"]


def main():
    zig, machine = MACHINES[sys.argv[1]]
    arguments = sys.argv[2:]
    if {"-c", "-E", "-S", "-dM", "--version"} & set(arguments):
        kept = [a for i, a in enumerate(arguments) if a != "-arch" and arguments[i - 1 : i] != ["-arch"]]
        if "-" in kept and "-o" not in kept:  # what cgo asks the compiler for its options with
            kept += ["-o", os.devnull]
        command = [sys.executable, "-m", "ziglang", "cc", "-target", f"{zig}-macos.{OLDEST}-none", *kept]
    else:
        command = link(machine, arguments)
    sys.exit(subprocess.run(command).returncode)


if __name__ == "__main__":
    main()
