"""Builds the wheel: the package, and the Go library that it is a face of.

Three variables of the environment are for those who build wheels for others, as wheels.py does: ARROWIO_VERSION is the version, ARROWIO_PLATFORM
the tag of the platform (manylinux2014_x86_64), and GOOS, GOARCH and CC say what Go builds for.
"""

import os
import pathlib
import shutil
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
SUFFIX = {"darwin": "dylib", "windows": "dll", "win32": "dll"}.get(os.environ.get("GOOS") or sys.platform, "so")

#: What of the repository the library is built from.
SOURCES = ["go.mod", "go.sum", "LICENSE", "arrowio", "cmd/libarrowio", "convert", "flight", "internal", "readers", "writers"]


def version():
    given = os.environ.get("ARROWIO_VERSION")
    if given:
        return given
    words = {}
    exec((HERE / "arrowio" / "_version.py").read_text(), words)
    return words["version"]


def repository():
    """Returns the folder of the Go code: it comes with a source distribution, and is around this folder in the repository."""
    for root in (HERE / "source", HERE.parent):
        if (root / "go.mod").is_file():
            return root
    raise SystemExit("arrowio: the library is built from the repository that this directory is a part of")


class BuildLibrary(build_py):
    """Puts the library beside the modules. `go build` needs Go and a C compiler."""

    def run(self):
        super().run()
        out = pathlib.Path(self.build_lib).resolve() / "arrowio"
        out.mkdir(parents=True, exist_ok=True)
        (out / "_version.py").write_text(f'"""The version of the package."""\n\nversion = "{version()}"\n')
        flags = ["-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid="]
        command = ["go", "build", *flags, "-o", str(out / f"libarrowio.{SUFFIX}"), "./cmd/libarrowio"]
        # Where the compiler has been is of no use to others, and would make two builds differ.
        env = {"CGO_CFLAGS": "-O2 -g0", **os.environ, "CGO_ENABLED": "1"}
        subprocess.run(command, cwd=repository(), env=env, check=True)
        (out / "libarrowio.h").unlink(missing_ok=True)  # cmd/libarrowio/arrowio.h is the one to read


class PlatformWheel(bdist_wheel):
    """The wheel is of a platform, but of no version of Python: the library is loaded by ctypes."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", os.environ.get("ARROWIO_PLATFORM") or super().get_tag()[2]


class Source(sdist):
    """Takes the Go code along."""

    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        root, to = repository(), pathlib.Path(base_dir)
        listed = subprocess.run(["git", "ls-files", "-z", *SOURCES], cwd=root, check=True, capture_output=True, text=True).stdout
        for name in filter(None, listed.split("\0")):
            if name.endswith("_test.go") or "/testdata/" in name or name.startswith("internal/release/"):
                continue
            (to / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, to / "source" / name)
        for built in (to / "arrowio").glob("libarrowio.*"):
            built.unlink()
        (to / "arrowio" / "_version.py").write_text(f'"""The version of the package."""\n\nversion = "{version()}"\n')


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return True


setup(
    version=version(),
    cmdclass={"build_py": BuildLibrary, "bdist_wheel": PlatformWheel, "sdist": Source},
    distclass=PlatformDistribution,
)
