"""Builds the wheel: the package, and the Go library that it is a face of."""

import pathlib
import subprocess
import sys

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
SUFFIX = {"darwin": "dylib", "win32": "dll"}.get(sys.platform, "so")


class BuildLibrary(build_py):
    """Puts the library beside the modules. `go build` needs Go and a C compiler, and the rest of the repository."""

    def run(self):
        super().run()
        root = HERE.parent
        if not (root / "go.mod").is_file():
            raise SystemExit("arrowio: the library is built from the repository that this directory is a part of")
        out = pathlib.Path(self.build_lib).resolve() / "arrowio"
        out.mkdir(parents=True, exist_ok=True)
        target = out / f"libarrowio.{SUFFIX}"
        subprocess.run(
            ["go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", str(target), "./cmd/libarrowio"],
            cwd=root,
            check=True,
        )
        (out / "libarrowio.h").unlink(missing_ok=True)  # cmd/libarrowio/arrowio.h is the one to read


class PlatformWheel(bdist_wheel):
    """The wheel is of a platform, but of no version of Python: the library is loaded by ctypes."""

    def finalize_options(self):
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return True


setup(cmdclass={"build_py": BuildLibrary, "bdist_wheel": PlatformWheel}, distclass=PlatformDistribution)
