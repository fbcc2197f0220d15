"""Arguments that nobody knows, filters as text for every way to read, and warnings of what is hidden."""

import pathlib
import subprocess
import sys
import warnings

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as pads
import pytest

import arrowio
from arrowio import _tasks
from conftest import TESTDATA

READS = ["scanner", "to_table", "to_batches", "to_reader", "count_rows", "head", "take"]


def read(ds, name, **named):
    first = {"head": (100,), "take": (list(range(named.pop("n", 0))),)}.get(name, ())
    return getattr(ds, name)(*first, **named)


def xs(result):
    """The x of whatever a method returns, or how many there are."""
    if isinstance(result, int):
        return result
    if hasattr(result, "to_table"):
        result = result.to_table()
    if hasattr(result, "read_all"):
        result = result.read_all()
    if hasattr(result, "to_pydict"):
        return result.to_pydict()["x"]
    return [x for b in result for x in b.to_pydict()["x"]]


@pytest.mark.parametrize("push", [False, True])
@pytest.mark.parametrize("name", READS)
def test_where(small, name, push):
    ds = arrowio.open(small)
    if push:
        ds = ds.to_pyarrow_dataset()
    want = 2 if name == "count_rows" else [4, 5]
    for named in (
        {"where": "x > 3 AND x < 6"},
        {"filter": "x > 3 AND x < 6"},
        {"filter": pc.field("x") > 3, "where": "x < 6"},
        {"filter": "x > 3", "where": pc.field("x") < 6},
        {"filter": (pc.field("x") > 3) & (pc.add(pc.field("x"), 1) < 7)},
    ):
        assert xs(read(ds, name, n=2, **named)) == want, named


def test_where_of_frames(small):
    ds = arrowio.open(small)
    for name, meant in (("clumns", "columns"), ("types_maper", "types_mapper"), ("usecols", "columns")):
        with pytest.raises(TypeError, match=rf"to_pandas\(\) got an unexpected keyword argument '{name}'; did you mean {meant}\?"):
            ds.to_pandas(**{name: 1})
    with pytest.raises(TypeError, match=r"^read\(\) got .*'paralelism'; did you mean parallelism\?"):
        _tasks.plan(str(small), paralelism=6)
    assert ds.to_pandas(columns=["x"], where="x > 7")["x"].tolist() == [8, 9]
    assert ds.to_polars(where="x > 7")["x"].to_list() == [8, 9]


@pytest.mark.parametrize("push", [False, True])
@pytest.mark.parametrize("name", READS)
def test_unknown_keywords(small, name, push):
    ds = arrowio.open(small)
    if push:
        ds = ds.to_pyarrow_dataset()
    for wrong, hint in (("colums", "did you mean columns?"), ("wher", "did you mean where?"), ("limit", "use head"), ("predicate", "did you mean where?")):
        if wrong == "colums" and name == "count_rows":
            continue
        with pytest.raises(TypeError, match=f"{name}.*unexpected keyword argument '{wrong}'; {hint}".replace("?", r"\?")):
            read(ds, name, **{wrong: ["x"]})
    with pytest.raises(TypeError, match="'nothing'$"):
        read(ds, name, nothing=1)


def test_unknown_keywords_of_open(small):
    for f, wrong, hint in (
        (arrowio.open, "colums", "did you mean columns"),
        (arrowio.dataset, "wher", "did you mean where"),
        (arrowio.plan, "batchrows", "did you mean batch_rows"),
        (arrowio.open, "nothing", None),
        (arrowio.open, "orc_timzone", "did you mean orc_timezone"),
        (arrowio.kudu, "tabel", "did you mean table"),
    ):
        with pytest.raises(TypeError, match=f"'{wrong}'" + (f"; {hint}" if hint else "")):
            f(small, **{wrong: "x"})
    with pytest.raises(TypeError):
        arrowio.open(small, orc_nothing=1)


def test_what_engines_pass(small):
    """Arguments of pyarrow's datasets that change nothing are taken."""
    named = dict(batch_size=4, batch_readahead=1, fragment_readahead=1, fragment_scan_options=None, use_threads=False, cache_metadata=True, memory_pool=None)
    for ds in (arrowio.open(small), arrowio.open(small).to_pyarrow_dataset()):
        for name in READS:
            assert xs(read(ds, name, n=10, **named)) == (10 if name == "count_rows" else list(range(10)))
    assert set(named) <= set(pads.Scanner.from_dataset.__doc__.replace(":", " ").replace(",", " ").split())


def test_typos_are_seen_by_mypy(small, tmp_path):
    package = pathlib.Path(arrowio.__file__).parent.parent
    script = tmp_path / "typos.py"
    script.write_text(
        "import arrowio\n"
        "ds = arrowio.open('x')\n"
        "ds.to_table(columns=['a'], where='a > 1')\n"
        + "".join(f"ds.{name}({'1, ' if name in ('head', 'take') else ''}wher='a > 1')\n" for name in READS)
    )
    env = {"PATH": "/usr/bin:/bin"}
    if package.name != "site-packages":  # mypy looks there by itself
        env["MYPYPATH"] = str(package)
    out = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), str(script)],
        capture_output=True, text=True, cwd=tmp_path, env=env,
    ).stdout
    for line, name in enumerate(READS, 4):
        assert f"typos.py:{line}: error: Unexpected keyword argument \"wher\" for \"{name}\"" in out, out
    assert "typos.py:3" not in out


ENCRYPTED = TESTDATA / "orc/java-2.3.1/encrypted-0-none.orc"


def test_masked_columns():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ds = arrowio.open(ENCRYPTED)
        assert not told  # nothing was read yet
        ds.select("id__mono").to_table()
        assert not told
        ds.to_table()
        ds.to_table()
    assert [type(w.message) for w in told] == [arrowio.ArrowioWarning]
    w = told[0].message
    assert told[0].filename == __file__
    assert (w.kind, w.file, w.rows) == ("masked", str(ENCRYPTED), 100)
    assert sorted(w.columns) == ["card__mix__r10", "ssn__seq"]
    assert [str(w) for w in ds.warnings] == [str(w)]
    assert ds.select("ssn__seq").warnings[0].columns == ["ssn__seq"]
    assert ds.select("id__mono").warnings == []
    with pytest.warns(arrowio.ArrowioWarning, match="masked"):
        arrowio.open(ENCRYPTED).to_table(columns=["id__mono"], where="ssn__seq IS NULL")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        arrowio.open(ENCRYPTED, orc_keys=str(TESTDATA / "orc/keys.json")).to_table()


def test_what_files_say_in_different_ways(tmp_path):
    """What differs between files and is left out is told at once, by kind and column."""
    uuid = {"ARROW:extension:name": "arrow.uuid", "ARROW:extension:metadata": "", "comment": "x"}
    paths = []
    for name, column, table in [("a.arrow", uuid, {"owner": "me"}), ("b.arrow", {"comment": "y"}, {"owner": "you"})]:
        schema = pa.schema([pa.field("id", pa.int64()), pa.field("c", pa.binary(16), metadata=column)], metadata=table)
        paths.append(tmp_path / name)
        with pa.ipc.new_file(paths[-1], schema) as out:
            out.write_table(pa.table([[1], [b"0123456789abcdef"]], schema=schema))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        ds = arrowio.open(paths)
        assert ds.to_table().num_rows == 2
    want = [("extension-type", ["c"], "arrow.uuid"), ("metadata", ["c"], "comment"), ("metadata", None, "owner")]
    for found in (ds.warnings, [w.message for w in told]):
        assert [(w.kind, w.columns, w.file) for w in found] == [(kind, columns, str(paths[0])) for kind, columns, _ in want]
        assert all(word in str(w) for w, (_, _, word) in zip(found, want)), found
    assert [w.kind for w in ds.select("id").warnings] == ["metadata"]
