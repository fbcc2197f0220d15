"""Files that are open in Python, and bytes in memory."""

import gc
import io
import pickle
import tempfile

import pytest

import arrowio


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The place for temporary files, which must be empty at the end."""
    at = tmp_path / "temporary"
    at.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(at))
    return at


def test_open_files_are_read(small, temporary):
    """Also after they are closed, and until the last view goes."""
    with open(small, "rb") as f:
        from_file = arrowio.open(f, where="x > 7")
    from_memory = arrowio.open(io.BytesIO(small.read_bytes()), columns=["x"])
    assert from_file.to_table().to_pydict() == {"x": [8, 9], "name": ["n8", "n9"]}
    assert from_memory.count_rows() == 10 and len(list(temporary.iterdir())) == 2
    from_file.close()
    view = from_memory.filter("x = 1")
    del from_memory
    gc.collect()
    assert view.to_table().to_pydict() == {"x": [1]}
    del view
    gc.collect()
    assert list(temporary.iterdir()) == []


def test_nothing_is_left_of_what_is_refused(temporary):
    with pytest.raises(arrowio.ArrowioError):
        arrowio.open(io.BytesIO(b"no file of any format"))
    with pytest.raises(TypeError, match="binary mode"):
        arrowio.open(io.StringIO("text"))
    with open(__file__) as f, pytest.raises(TypeError, match=r"binary mode, and .*test_open_files.py gives text: open it with mode 'rb'"):
        arrowio.open(f)
    with pytest.raises(arrowio.OptionError):
        arrowio.open(io.BytesIO(b"x"), where=5)
    assert list(temporary.iterdir()) == []


def test_what_is_empty(small, temporary):
    """Errors name no file that nobody knows."""
    with pytest.raises(arrowio.UnsupportedError, match="^BytesIO: it is empty") as e:
        arrowio.open(io.BytesIO())
    assert e.value.file == "BytesIO" and e.value.kind == "unsupported"
    with pytest.raises(arrowio.UnsupportedError, match="^BytesIO: unknown format"):
        arrowio.open(io.BytesIO(b"no file of any format"))
    for at_its_end in (io.BytesIO(small.read_bytes()), open(small, "rb")):
        with at_its_end as f:
            f.seek(0, io.SEEK_END)
            with pytest.raises(arrowio.OptionError, match=r"nothing is left to read of .*(BytesIO|small\.orc), which is at its end: seek\(0\)"):
                arrowio.open(f)
            f.seek(0)
            assert arrowio.open(f).count_rows() == 10
    assert list(temporary.iterdir()) == []


def test_bytes_that_are_no_path(small):
    for content in (bytearray(small.read_bytes()), memoryview(small.read_bytes())):
        with pytest.raises(TypeError, match="takes paths and URLs, not (bytearray|memoryview): give io.BytesIO"):
            arrowio.open(content)


def test_others_cannot_open_them(small, temporary):
    ds = arrowio.open(io.BytesIO(small.read_bytes()))
    with pytest.raises(TypeError, match="open in Python"):
        pickle.dumps(ds)
    with pytest.raises(TypeError, match="open file"):
        arrowio.plan(io.BytesIO(b""))
    ds.close()
