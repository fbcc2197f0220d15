"""The conda recipe: rattler-build renders it, and its script builds the package in an environment without conda."""

import os
import pathlib
import subprocess
import sys

import arrowio

PYTHON = pathlib.Path(__file__).resolve().parents[1]

#: What a build of conda-forge gives the recipe.
VARIANTS = {"c_compiler": ["gcc"], "c_stdlib": ["sysroot"], "go-cgo_compiler": ["go-cgo"], "python": ["3.12"]}


def rendered():
    import rattler_build

    recipe = rattler_build.Stage0Recipe.from_file(str(PYTHON / "conda" / "recipe.yaml"))
    (variant,) = recipe.render(rattler_build.VariantConfig(VARIANTS))
    return variant.recipe.to_dict()


def test_rendered(monkeypatch):
    monkeypatch.setenv("ARROWIO_VERSION", "1.2.3")
    recipe = rendered()
    assert recipe["package"] == {"name": "arrowio", "version": "1.2.3"}
    assert recipe["requirements"]["build"][0].startswith("gcc_") and recipe["requirements"]["build"][2].startswith("go-cgo_")
    text = (PYTHON / "pyproject.toml").read_text()
    assert f'requires = ["{recipe["requirements"]["host"][2].replace(" ", "")}"]' in text  # setuptools
    assert f'requires-python = "{recipe["requirements"]["run"][0].removeprefix("python ")}"' in text
    assert f'description = "{recipe["about"]["summary"]}"' in text


def test_script(small, tmp_path):
    """The script installs from a copy of what git has, and so does its test run."""
    source = tmp_path / "source"
    listed = subprocess.run(["git", "ls-files", "-z", "--", ".", ":!testdata", ":!docs"], cwd=PYTHON.parent, check=True, capture_output=True).stdout
    source.mkdir()
    pack = subprocess.Popen(["tar", "c", "--null", "-T", "-"], cwd=PYTHON.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpack = subprocess.Popen(["tar", "x"], cwd=source, stdin=pack.stdout)
    pack.stdin.write(listed)
    pack.stdin.close()
    assert unpack.wait() == 0 and pack.wait() == 0

    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = str(tmp_path / "venv" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "setuptools>=77"], check=True)
    recipe = rendered()
    env = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    env |= {"PYTHON": python, "SRC_DIR": str(source), **recipe["build"]["script"]["env"]}
    subprocess.run(["bash", "-euxc", "\n".join(recipe["build"]["script"]["content"])], cwd=source, env=env, check=True, timeout=1200, capture_output=True)
    for name in recipe["about"]["license_file"]:
        assert (source / name).stat().st_size > 1000, name

    env["PATH"] = f"{tmp_path}/venv/bin:{env['PATH']}"
    (test,) = [t["script"] for t in recipe["tests"] if "script" in t]
    subprocess.run(["bash", "-euc", "\n".join(test)], cwd=tmp_path, env=env, check=True)
    rows = subprocess.run([python, "-c", "import arrowio, sys; print(arrowio.open(sys.argv[1]).num_rows, arrowio.__version__)", small], env=env, check=True, capture_output=True, text=True)
    assert rows.stdout.split() == [str(arrowio.open(small).num_rows), recipe["package"]["version"]]
