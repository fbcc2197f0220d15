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
    with pytest.raises(arrowio.OptionError):
        arrowio.open(io.BytesIO(b"x"), where=5)
    assert list(temporary.iterdir()) == []


def test_others_cannot_open_them(small, temporary):
    ds = arrowio.open(io.BytesIO(small.read_bytes()))
    with pytest.raises(TypeError, match="open in Python"):
        pickle.dumps(ds)
    with pytest.raises(TypeError, match="open file"):
        arrowio.plan(io.BytesIO(b""))
    ds.close()
