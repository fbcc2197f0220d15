"""What goes wrong, and what is said about it."""

import builtins
import datetime
import decimal
import io
import json
import os
import pickle
import subprocess

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import arrowio
from arrowio.errors import exception_of


def test_memory():
    """What the system refuses is a MemoryError, and no bug."""
    e = exception_of({"kind": "memory", "file": "t.orc", "message": "there is not enough memory"})
    assert type(e) is MemoryError and "t.orc" in str(e)


def test_writing_a_dataset_that_is_damaged(tmp_path):
    """The error is that of the dataset, which names its file."""
    path = tmp_path / "t.orc"
    arrowio.write(pa.table({"s": [f"text number {i}" for i in range(1000)]}), path, compression="none")
    stored = bytearray(path.read_bytes())
    at = stored.index(b"text number 5")
    stored[at : at + 2000] = b"\xff" * 2000
    path.write_bytes(stored)
    with pytest.raises(arrowio.CorruptError) as e:
        arrowio.write(arrowio.open(path), tmp_path / "copy.orc")
    assert e.value.file == str(path) and e.value.column == "s"


def test_of_the_system(small, tmp_path):
    with pytest.raises(FileNotFoundError) as e:
        arrowio.open(tmp_path / "nothing.orc")
    assert e.value.filename == str(tmp_path / "nothing.orc")
    with pytest.raises(FileExistsError):
        arrowio.write(pa.table({"a": [1]}), small)
    if os.getuid() != 0:
        (tmp_path / "shut.orc").write_bytes(b"ORC")
        (tmp_path / "shut.orc").chmod(0)
        with pytest.raises(PermissionError):
            arrowio.open(tmp_path / "shut.orc")


@pytest.mark.parametrize(
    "arguments, kind",
    [
        ({"columns": ["nothing"]}, arrowio.SchemaError),
        ({"where": "x >"}, arrowio.OptionError),
        ({"where": "nothing = 1"}, arrowio.SchemaError),
        ({"where": 5}, arrowio.OptionError),
        ({"orc_nothing": 1}, TypeError),
        ({"columns": [1]}, arrowio.OptionError),
        ({"columns": 1}, arrowio.OptionError),
        ({"batch_rows": -5}, arrowio.OptionError),
        ({"jobs": "4"}, arrowio.OptionError),
        ({"partition_types": {"a": 5}}, arrowio.OptionError),
        ({"trevni_view": "columns"}, arrowio.OptionError),
        ({"orc_timezone": "Nowhere/Land"}, arrowio.OptionError),
        ({"format": "nothing"}, arrowio.OptionError),
        ({"format": "trevni"}, arrowio.ArrowioError),
        ({"rows": "x"}, arrowio.OptionError),
        ({"rows": (5, 2)}, arrowio.OptionError),
        ({"partitions": "some"}, arrowio.OptionError),
        ({"orc_timezone": object()}, arrowio.OptionError),
    ],
)
def test_of_requests(small, arguments, kind):
    with pytest.raises(kind):
        arrowio.open(small, **arguments)


def test_words_are_those_of_python(small, tmp_path):
    table = pa.table({"a": [1]})
    for wrong, hint in (({"overwrite": True}, "did you mean force?"), ({"compresion": "zstd"}, "did you mean compression?"), ({"orc_blom": "a"}, "did you mean orc_bloom?")):
        with pytest.raises(TypeError) as e:
            arrowio.write(table, tmp_path / "a.orc", **wrong)
        assert f"write() got an unexpected keyword argument '{next(iter(wrong))}'; {hint}" in str(e.value)
    for wrong in ({"metadata": {"a": 5}}, {"drop_metadata": [5]}, {"compression": 5}, {"jobs": 0}):
        with pytest.raises(arrowio.OptionError, match=next(iter(wrong))):
            arrowio.write(table, tmp_path / "a.orc", **wrong)
    with pytest.raises(FileExistsError, match="force=True"):
        arrowio.write(table, small)
    with pytest.raises(arrowio.OptionError, match="with format$"):
        arrowio.write(table, tmp_path / "a.xyz")
    with pytest.raises(TypeError, match="path or URL"):
        arrowio.open(5)
    with open(small, "rb") as f, pytest.raises(TypeError, match="BufferedReader is an open file"):
        arrowio.open([f])
    with open(small, "rb") as f, pytest.raises(TypeError, match="BufferedReader is an open file"):
        arrowio.plan(f)
    with pytest.raises(TypeError, match="binary mode"):
        arrowio.open(io.StringIO("text"))
    with pytest.raises(TypeError, match="content of a file"):
        arrowio.open(small.read_bytes())
    with pytest.raises(TypeError, match="BytesIO is an open file"):
        arrowio.write(table, io.BytesIO(), format="orc")
    with pytest.raises(arrowio.OptionError, match="batch_size is -5"):
        arrowio.open(small).to_batches(batch_size=-5)


def test_options_are_value_errors():
    assert issubclass(arrowio.OptionError, ValueError)


def damaged(small, tmp_path):
    """The file with all but its footer overwritten."""
    b = bytearray(small.read_bytes())
    n = len(b) * 2 // 5
    b[3:n] = b"\xff" * (n - 3)
    path = tmp_path / "damaged.orc"
    path.write_bytes(b)
    return path


def test_corrupt(small, tmp_path):
    path = damaged(small, tmp_path)
    with pytest.raises(arrowio.CorruptError) as e:
        arrowio.open(path).to_table()
    assert e.value.kind == "corrupt" and e.value.file == str(path) and e.value.format == "orc"
    assert str(path) in str(e.value)
    again = pickle.loads(pickle.dumps(e.value))
    assert type(again) is type(e.value) and again.file == e.value.file and str(again) == str(e.value)


def test_corrupt_through_a_stream(small, tmp_path):
    """Who reads the stream gets the text."""
    path = damaged(small, tmp_path)
    with pytest.raises((pa.ArrowInvalid, OSError), match="orc: "):
        pa.table(arrowio.open(path))


@pytest.mark.parametrize("n", [1, 10, 100, 200])
def test_truncated(small, tmp_path, n):
    path = tmp_path / "short.orc"
    path.write_bytes(small.read_bytes()[:n])
    with pytest.raises(arrowio.ArrowioError):
        arrowio.open(path, format="orc").to_table()


def test_columns_nested_deeper_than_arrow_takes_them(tmp_path):
    """63 levels are the most that pyarrow imports in a schema: deeper columns are its error, and others are read without them."""
    for depth, refused in ((63, False), (100, True)):
        rows = tmp_path / f"{depth}.jsonl"
        rows.write_text('{"x":%s7%s,"n":1}\n' % ("[" * (depth - 1), "]" * (depth - 1)))
        for ending in ("orc", "trv", "parquet", "arrow"):
            path = tmp_path / f"{depth}.{ending}"
            subprocess.run([os.environ["ARROWIO_BIN"], "convert", str(rows), str(path)], check=True)
            f = arrowio.open(path)
            if refused:
                with pytest.raises(pa.ArrowInvalid, match="Recursion level"):
                    f.to_table()
            else:
                assert f.to_table().num_rows == 1
            assert pa.table(f.select(["n"])).to_pydict() == {"n": [1]} and f.count_rows() == 1


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda p: arrowio.open(p, rows=5), "rows cannot be 5: give"),
        (lambda p: arrowio.open(p, rows=(5, 1)), "it ends before it begins"),
        (lambda p: arrowio.open(p, rows=(-1, 1)), "counted from 0"),
        (lambda p: arrowio.open(p).head("3"), "num_rows cannot be '3'"),
        (lambda p: arrowio.open(p).head(2.5), "num_rows cannot be 2.5"),
        (lambda p: arrowio.open(p).head(-5), "num_rows is -5"),
        (lambda p: arrowio.open(p).take("x"), "indices cannot be 'x': give a list of whole numbers"),
        (lambda p: arrowio.open(p).take(3), "indices cannot be 3"),
        (lambda p: arrowio.open(p).take(["x"]), "indices cannot have 'x'"),
        (lambda p: arrowio.open(p).take([-1]), "indices cannot have -1: give whole numbers from 0 on"),
        (lambda p: arrowio.open(p).to_pyarrow_dataset().take("x"), "indices cannot be 'x'"),
        (lambda p: arrowio.open(p, where=lambda r: r.x > 5), "where cannot be a function: give text"),
        (lambda p: arrowio.open(p).filter(lambda r: r.x > 5), "filter cannot be a function"),
        (lambda p: arrowio.open(p).filter(pc.field("x") + 1 == 5), r"^filter cannot be \(add.*\): arrowio does not know what is in it; pyarrow computes it for filter="),
        (lambda p: arrowio.open(p, where=pc.field("x") + 1 == 5), "^where cannot be .*arrowio does not know"),
        (lambda p: arrowio.open(p).filter(pa.table({"x": [1]})), "(?s)^filter cannot be pyarrow.Table.*give text"),
        (lambda p: arrowio.open(p).to_table(filter=[("x", "<", 5)]), r"^filter cannot be \[\('x', '<', 5\)\]: conditions are no tuples here: give text"),
        (lambda p: arrowio.open(p).to_table(where=[[("x", "not in", [5])]]), r"^where cannot be \[\[.*: conditions are no tuples here"),
        (lambda p: arrowio.open(p, where=("x", "==", 5)), "^where cannot be .*: conditions are no tuples here"),
        (lambda p: arrowio.open(p).to_table(columns=[5]), "^columns cannot have 5"),
        (lambda p: arrowio.open(p).to_pyarrow_dataset().scanner(columns=5), "^columns cannot be 5"),
        (lambda p: arrowio.open(p).to_table(filter=lambda r: r.x > 5), "filter cannot be a function: give text"),
        (lambda p: arrowio.open(p).count_rows(filter=5), "filter cannot be 5"),
        (lambda p: arrowio.open(p).to_pyarrow_dataset().to_table(filter=lambda r: r.x > 5), "filter cannot be a function"),
        (lambda p: arrowio.kudu(p, snapshot=datetime.datetime(2026, 1, 1)), "snapshot has no time zone"),
        (lambda p: arrowio.open(p, trevni_view="records"), "trevni_view is no option for reading orc"),
        (lambda p: arrowio.open(p, orc_strings="latin1"), 'orc_strings is "latin1"; it takes utf8, binary'),
        (lambda p: arrowio.open(p, salvage="all"), 'salvage is "all"; it takes rows, columns'),
        (lambda p: arrowio.open(p, schema="struct<a:integer>"), 'there is no type "integer"'),
        (lambda p: arrowio.open_part({"rows": 5}), r"open_part\(\) takes a part that plan\(\) made, not {'rows': 5}"),
        (lambda p: arrowio.open_part(json.dumps(arrowio.plan(p)[0])), "json.loads makes one of text"),
        (lambda p: arrowio.open_part({**arrowio.plan(p)[0], "range": [1]}), "takes a part that plan"),
        (lambda p: arrowio.open_part({**arrowio.plan(p)[0], "files": [{}]}), "takes a part that plan"),
        (lambda p: arrowio.open(p).to_table(columns={"x": 5}), "columns cannot have 'x': 5: give names and expressions"),
        (lambda p: arrowio.connect("http://h:1"), "'http://h:1' is no URI of a server: grpc://host:port"),
        (lambda p: arrowio.connect(None), "None is no URI of a server"),
    ],
)
def test_wrong_arguments(small, call, says):
    with pytest.raises(arrowio.OptionError, match=says):
        call(small)


def test_pyarrow_that_cannot_be_imported(small, monkeypatch):
    """The error says why, and not only that pyarrow is needed."""

    def broken(name, *args, **kwargs):
        if name == "pyarrow":
            raise ImportError("libarrow.so: failed to map segment")
        return real(name, *args, **kwargs)

    real = builtins.__import__
    ds = arrowio.open(small)
    monkeypatch.setattr(builtins, "__import__", broken)
    with pytest.raises(ImportError, match="failed to map segment"):
        ds.to_reader()


def test_where_text_goes(small):
    with pytest.raises(arrowio.SchemaError, match=r"""no field "n3"; there are "x", "name"; text goes in single quotes: 'n3'$"""):
        arrowio.open(small, where='name == "n3"')
    with pytest.raises(arrowio.OptionError, match="'&' has no meaning here: write AND"):
        arrowio.open(small, where="x > 1 && x < 5")


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        (lambda: pa.table({"x": pa.array([decimal.Decimal(1)], pa.decimal32(5, 2))}), r"column x: values of the type decimal32\(5, 2\) cannot be read: cast it to decimal128"),
        (lambda: pa.table({"x": pa.array([decimal.Decimal(1)], pa.decimal64(15, 2))}), r"decimal64\(15, 2\) cannot be read: cast it to decimal128"),
        (lambda: pl.DataFrame({"x": pl.Series([1], dtype=pl.Int128)}), "column x: values of the type Int128 of polars cannot be read: cast it to a decimal"),
    ],
)
def test_types_that_are_not_taken(tmp_path, rows, says):
    with pytest.raises(arrowio.UnsupportedError, match=says):
        arrowio.write(rows(), tmp_path / "t.orc")
    assert list(tmp_path.iterdir()) == []


def test_text_is_no_orc_file(tmp_path):
    """Nothing is said of a salvage, which would find nothing."""
    path = tmp_path / "passwd"
    path.write_text("root:x:0:0:root:/root:/bin/bash\n" * 40)
    with pytest.raises(arrowio.CorruptError, match="the content is not orc") as e:
        arrowio.open(path, format="orc")
    assert "salvage" not in str(e.value)


def test_texts_name_arguments(small, tmp_path):
    """Options are called as in Python, not as the flags of the command."""
    t = pa.table({"d": pa.array(["a", "b"]).dictionary_encode(), "t": pa.array([1, 2], pa.timestamp("us"))})
    told = [loss.loss for loss in arrowio.write(t, tmp_path / "t.orc", dry_run=True).losses]
    assert any("unless dictionary is given" in text for text in told) and any('timestamp_unit="us"' in text for text in told)
    assert not any("--" in text for text in told)
    with pytest.raises(arrowio.OptionError, match="batch_rows is 1000000000000; the most is 2147483647$"):
        arrowio.open(small, batch_rows=10**12).to_table()
    with pytest.raises(arrowio.OptionError, match="there is no option trevni_codecs?, only orc_version, ") as e:
        arrowio.write(t, tmp_path / "t.orc", trevni_codec="null")
    assert "-" not in e.value.message
    mixed = tmp_path / "t.jsonl"
    mixed.write_text('{"x": "a"}\n{"x": 1}\n')
    with pytest.raises(arrowio.CorruptError, match='jsonl_types="text" reads columns as text'):
        arrowio.open(mixed)
    arrowio.write(pa.table({"d": pa.array([1], pa.decimal128(9, 0))}), tmp_path / "d.cfile")
    column = tmp_path / "d.cfile" / "d.cfile"  # alone it does not have the precision, as its directory has
    assert any("(cfile_decimal)" in note for note in arrowio.open(column).info["notes"])
