"""Makes the wheels that are published and the source distribution. Those of Linux are the same bytes from the same commit.

    python wheels.py --version 0.9.0 --out DIR

It needs Go, git, and from PyPI: build, deflate, ziglang (the C compiler for old versions of glibc and other machines), auditwheel, pefile, lief; for
macOS LLVM's ld64.lld. There are wheels of Linux with glibc 2.17 or later, of Windows, and of macOS. There are none of musl, which does not
load libraries of Go while a program runs.
"""

import argparse
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import deflate
import lief
import pefile

import macos

HERE = pathlib.Path(__file__).resolve().parent

#: Tag of the platform: GOOS, GOARCH, and what zig calls it.
PLATFORMS = {
    "manylinux2014_x86_64": ("linux", "amd64", "x86_64-linux-gnu.2.17"),
    "manylinux2014_aarch64": ("linux", "arm64", "aarch64-linux-gnu.2.17"),
    "win_amd64": ("windows", "amd64", "x86_64-windows-gnu"),
    "win_arm64": ("windows", "arm64", "aarch64-windows-gnu"),
    "macosx_12_0_x86_64": ("darwin", "amd64", ""),
    "macosx_12_0_arm64": ("darwin", "arm64", ""),
}

#: Bytes of a wheel at most.
LARGEST = 15_000_000


def run(*command, cwd=HERE, **env):
    subprocess.run([str(c) for c in command], cwd=cwd, env={**os.environ, **env}, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--version", required=True, help="as 0.9.0 or v0.9.0")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="the folder that the files are put into")
    parser.add_argument("--platforms", default=",".join(PLATFORMS), help="tags of platforms, with commas between them")
    args = parser.parse_args()
    out = args.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    seconds = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=HERE, check=True, capture_output=True, text=True).stdout.strip()
    common = {"ARROWIO_VERSION": args.version.removeprefix("v"), "SOURCE_DATE_EPOCH": seconds}
    licences = HERE / "LICENSES-OF-MODULES.txt"
    with tempfile.TemporaryDirectory() as work:
        try:
            run("go", "run", ".", "-licences", licences, "-version", "v" + args.version.removeprefix("v"), cwd=HERE.parent / "internal" / "release")
            run(sys.executable, "-m", "build", "--sdist", "--outdir", work, ".", **common)
            repack(next(pathlib.Path(work).glob("*.tar.gz")), out, int(seconds))
            for tag in args.platforms.split(","):
                system, arch, target = PLATFORMS[tag]
                for leftover in ("build", "arrowio.egg-info"):
                    shutil.rmtree(HERE / leftover, ignore_errors=True)
                zig = {"ZIG_GLOBAL_CACHE_DIR": work, "ZIG_LOCAL_CACHE_DIR": work}
                cc = f"{sys.executable} -m ziglang cc -target {target}"
                if system == "darwin":
                    cc, stubs = f"{sys.executable} {HERE / 'macos.py'} {arch}", pathlib.Path(work, "stubs")
                    stubs.mkdir(exist_ok=True)
                    macos.make_stubs(stubs)
                    zig["ARROWIO_MACOS_STUBS"] = str(stubs)
                else:
                    zig["CGO_LDFLAGS"] = "-Wl,--strip-all"  # zig does not hear the -s that Go says
                run(sys.executable, "-m", "build", "--wheel", "--outdir", work, ".", ARROWIO_PLATFORM=tag, GOOS=system, GOARCH=arch, CC=cc, **zig, **common)
                wheel = next(pathlib.Path(work).glob(f"*{tag}.whl"))
                compress(wheel)
                check(wheel, tag, out)
        finally:
            licences.unlink(missing_ok=True)
            for leftover in ("build", "arrowio.egg-info"):
                shutil.rmtree(HERE / leftover, ignore_errors=True)


def repack(archive, out, seconds):
    """Puts a source distribution into out, with the time of the commit and no owner."""
    with tarfile.open(archive) as old, open(out / archive.name, "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, mtime=seconds) as packed, tarfile.open(fileobj=packed, mode="w") as new:
            for member in sorted(old.getmembers(), key=lambda m: m.name):
                member.mtime, member.uid, member.gid, member.uname, member.gname, member.pax_headers = seconds, 0, 0, "", "", {}
                member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
                new.addfile(member, old.extractfile(member) if member.isfile() else None)
    print(f"{archive.name}: {(out / archive.name).stat().st_size / 1e6:.1f} MB")


class _Whole:
    """Compresses a file of a zip at once, and better than zlib does."""

    def __init__(self):
        self._parts = []

    def compress(self, data):
        self._parts.append(bytes(data))
        return b""

    def flush(self):
        return deflate.deflate_compress(b"".join(self._parts), 12)


def compress(wheel):
    """Makes a wheel smaller by a twentieth."""
    smaller = wheel.with_suffix(".smaller")
    original = zipfile._get_compressor
    zipfile._get_compressor = lambda kind, level=None: _Whole()
    try:
        with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(smaller, "w", zipfile.ZIP_DEFLATED) as new:
            for info in old.infolist():
                new.writestr(info, old.read(info), zipfile.ZIP_DEFLATED)
    finally:
        zipfile._get_compressor = original
    with zipfile.ZipFile(smaller) as new:
        if new.testzip() is not None:
            raise SystemExit(f"{wheel.name} was not compressed well")
    smaller.replace(wheel)


def check(wheel, tag, out):
    """Puts a wheel into out, if it is what its name says."""
    if tag.startswith("manylinux"):
        said = subprocess.run([sys.executable, "-m", "auditwheel", "show", str(wheel)], check=True, capture_output=True, text=True).stdout
        lowest = tag.replace("manylinux2014", "manylinux_2_17")
        if f'"{lowest}"' not in "".join(said.split("following")[1:]):
            raise SystemExit(f"{wheel.name} does not run where its name says that it does:\n{said}")
    elif tag.startswith("macosx"):
        check_macos(wheel, tag)
    else:
        check_windows(wheel)
    if wheel.stat().st_size > LARGEST:
        raise SystemExit(f"{wheel.name} has {wheel.stat().st_size} bytes, more than {LARGEST}")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, sha256 {hashlib.sha256(wheel.read_bytes()).hexdigest()}")
    shutil.move(wheel, out / wheel.name)


#: What every Windows 10 has: of the system, and of the universal C runtime.
WINDOWS = re.compile(r"(KERNEL32|ADVAPI32|WS2_32|ntdll)\.dll|api-ms-win-crt-[a-z]+-l1-1-0\.dll", re.IGNORECASE)


def check_windows(wheel):
    """Refuses a wheel whose library needs others than Windows has, or lacks a function that the package calls."""
    with zipfile.ZipFile(wheel) as z:
        library, caller = z.read("arrowio/libarrowio.dll"), z.read("arrowio/_library.py").decode()
    dll = pefile.PE(data=library)
    foreign = [e.dll.decode() for e in dll.DIRECTORY_ENTRY_IMPORT if not WINDOWS.fullmatch(e.dll.decode())]
    missing = set(re.findall(r'\("(arrowio_[a-z_]+)", ', caller)) - {s.name.decode() for s in dll.DIRECTORY_ENTRY_EXPORT.symbols if s.name}
    if foreign or missing:
        raise SystemExit(f"{wheel.name}: needs {foreign}, lacks {sorted(missing)}")


#: Libraries that every macOS has.
MACOS = re.compile(r"@rpath/libarrowio\.dylib|/usr/lib/(libSystem\.B|libresolv\.9)\.dylib|/System/Library/Frameworks/(CoreFoundation|Security)\.framework/.*")


def check_macos(wheel, tag):
    """Refuses a wheel whose library needs others than macOS has, or a later macOS, lacks a function that the package calls, is not signed where that is needed, or has
    a table of indirect symbols that points outside of the symbols."""
    with zipfile.ZipFile(wheel) as z:
        library, caller = z.read("arrowio/libarrowio.dylib"), z.read("arrowio/_library.py").decode()
    dylib = lief.MachO.parse(list(library)).at(0)
    foreign = [lib.name for lib in dylib.libraries if not MACOS.fullmatch(lib.name)]
    exported = {s.name.removeprefix("_") for s in dylib.exported_symbols}
    missing = set(re.findall(r'\("(arrowio_[a-z_]+)", ', caller)) - exported
    table = dylib.dynamic_symbol_command
    indirect = struct.unpack_from(f"<{table.nb_indirect_symbols}I", library, table.indirect_symbol_offset)
    outside = [i for i in indirect if i >= len(dylib.symbols) and not i & 0xC0000000]  # what is absolute or local has no symbol
    oldest = "_".join(str(n) for n in dylib.build_version.minos[:2])
    signed = dylib.has_code_signature or not tag.endswith("arm64")  # Macs with Intel load what is not signed, too
    if foreign or missing or outside or not signed or oldest not in tag:
        raise SystemExit(f"{wheel.name}: needs {foreign}, macOS {oldest}, lacks {sorted(missing)}, signed: {signed}, wrong indirect symbols: {len(outside)}")


if __name__ == "__main__":
    main()
