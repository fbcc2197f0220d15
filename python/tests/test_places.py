"""Where rows lie: directories of Kudu servers, sets, transactional tables of Hive, object stores."""

import http.server
import json
import pickle
import tarfile
import threading
import urllib.parse

import pyarrow as pa
import pytest
from conftest import TESTDATA

import arrowio
from arrowio import _tasks

KUDU = TESTDATA / "kudu" / "kudu-1.17.1"


@pytest.fixture(scope="module", params=["log", "file"])
def server(request, tmp_path_factory):
    """The directory of a tablet server, with each of its ways to keep blocks."""
    at = tmp_path_factory.mktemp(request.param)
    with tarfile.open(KUDU / f"{request.param}.tar.gz") as t:
        t.extractall(at, filter="data")
    return at


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """What Kudu itself said is in its tables."""
    at = tmp_path_factory.mktemp("rows")
    with tarfile.open(KUDU / "rows.tar.gz") as t:
        t.extractall(at, filter="data")
    return lambda name: [json.loads(line) for line in (at / f"{name}.jsonl").read_text().splitlines()]


def test_kudu_server(server, rows):
    want = rows("changed")
    with arrowio.kudu(server / "wal", [server / "data"], table="changed") as ds:
        got = ds.select("id").to_table()
        assert sorted(got["id"].to_pylist()) == sorted(r[0] for r in want)
        assert repr(ds).startswith("<arrowio.Dataset of table 'changed' of ")
        assert "<tr><th>table</th><td>changed</td></tr>" in ds._repr_html_()
        few = ds.filter("id < 3")
        assert few.count_rows() == sum(r[0] < 3 for r in want)
        assert ds.to_pyarrow_dataset().count_rows(filter=None) == len(want)
    with arrowio.open(server, format="kudu", kudu_table="changed") as ds:  # found by itself
        assert ds.count_rows() == len(want)
    with pytest.raises(arrowio.ArrowioError, match="several tables"):
        arrowio.kudu(server / "wal", server / "data")


def test_kudu_set(server, rows, tmp_path):
    want = sorted(r[0] for r in rows("changed"))
    with arrowio.kudu(server / "wal", server / "data", table="changed") as ds:
        report = arrowio.write(ds.select("id").to_table().sort_by("id"), tmp_path / "t.kudu", kudu_key="id")
    assert report.rows == len(want)
    with arrowio.open(tmp_path / "t.kudu") as ds:
        assert sorted(ds.to_table()["id"].to_pylist()) == want


def test_hive_transactions(tmp_path):
    """Two rows and a deletion, as Hive lays them out (the names and the struct are those of its ACID files)."""
    fields = {"operation": pa.int32(), "originalTransaction": pa.int64(), "bucket": pa.int32(), "rowId": pa.int64(), "currentTransaction": pa.int64()}
    schema = pa.schema([*fields.items(), ("row", pa.struct({"id": pa.int64()}))])

    def events(directory, *rows):
        (tmp_path / "t" / directory).mkdir(parents=True)
        table = pa.table([pa.array(c, f.type) for c, f in zip(zip(*rows), schema)], schema)
        arrowio.write(table, tmp_path / "t" / directory / "bucket_00000", format="orc")

    events("delta_0000001_0000001_0000", (0, 1, 536870912, 0, 1, {"id": 10}), (0, 1, 536870912, 1, 1, {"id": 11}))
    events("delete_delta_0000002_0000002_0000", (2, 1, 536870912, 0, 2, None))
    with arrowio.open(tmp_path / "t") as ds:
        assert ds.to_table().to_pydict() == {"id": [11]}
        assert ds.count_rows() == 1
    with arrowio.open(tmp_path / "t", orc_write_ids="1:") as ds:
        assert ds.to_table().to_pydict() == {"id": [10, 11]}


class Objects(http.server.BaseHTTPRequestHandler):
    """As much of S3 as reading an object takes."""

    protocol_version = "HTTP/1.1"
    objects: dict = {}
    key = None  # of the caller; None = anyone may read

    def answer(self, body):
        key = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        whole = self.objects.get(key)
        allowed = self.key is None or f"Credential={self.key}/" in self.headers.get("Authorization", "")
        if whole is None or not allowed:
            self.send_response(404 if allowed else 403)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        part, code = whole, 200
        asked = self.headers.get("Range")
        if asked:
            first, _, last = asked.removeprefix("bytes=").partition("-")
            start = int(first) if first else max(0, len(whole) - int(last))
            end = min(int(last), len(whole) - 1) if first and last else len(whole) - 1
            part, code = whole[start : end + 1], 206
        self.send_response(code)
        self.send_header("ETag", '"1"')
        self.send_header("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")
        self.send_header("Content-Length", str(len(part)))
        if code == 206:
            self.send_header("Content-Range", f"bytes {start}-{end}/{len(whole)}")
        self.end_headers()
        if body:
            self.wfile.write(part)

    def do_GET(self):
        self.answer(True)

    def do_HEAD(self):
        self.answer(False)

    def log_message(self, *_):
        pass


@pytest.fixture
def bucket(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setattr(Objects, "objects", {})
    monkeypatch.setattr(Objects, "key", None)
    s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Objects)
    s.daemon_threads = True
    t = threading.Thread(target=s.serve_forever, daemon=True)
    t.start()
    yield f"http://127.0.0.1:{s.server_address[1]}"
    s.shutdown()
    s.server_close()
    t.join(10)


def test_s3(bucket, small):
    Objects.objects["/lake/a/small one.orc"] = small.read_bytes()
    options = {"s3_endpoint": bucket, "s3_path_style": True, "s3_insecure": True, "s3_region": "us-east-1"}
    with arrowio.open("s3://lake/a/small one.orc", where="x > 7", **options) as ds:
        assert pa.table(ds).to_pydict() == {"x": [8, 9], "name": ["n8", "n9"]}
    with pytest.raises((FileNotFoundError, arrowio.ArrowioError)):
        arrowio.open("s3://lake/none.orc", **options)


def test_keys_set_while_the_process_runs(bucket, small, monkeypatch):
    """os.environ is what it is when a dataset is opened, and arguments come before it."""
    Objects.objects["/lake/t.orc"] = small.read_bytes()
    monkeypatch.setattr(Objects, "key", "late")
    monkeypatch.setenv("AWS_ENDPOINT_URL", bucket)
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    with pytest.raises(PermissionError):
        arrowio.open("s3://lake/t.orc")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "late")
    assert arrowio.open("s3://lake/t.orc").count_rows() == 10
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    with pytest.raises(PermissionError):
        arrowio.open("s3://lake/t.orc")
    keys = {"s3_access_key": "late", "s3_secret_key": "secret"}
    ds = arrowio.open("s3://lake/t.orc", **keys)
    assert ds.count_rows() == 10
    assert pickle.loads(pickle.dumps(ds)).count_rows() == 10
    with pytest.raises(PermissionError):
        arrowio.open("s3://lake/t.orc", s3_anonymous=True)


def test_parts_hold_no_keys(bucket, small, monkeypatch):
    """Whoever opens a part gives its own."""
    Objects.objects["/lake/t.orc"] = small.read_bytes()
    monkeypatch.setattr(Objects, "key", "mine")
    keys = {"s3_access_key": "mine", "s3_secret_key": "sesame"}
    parts = arrowio.plan("s3://lake/t.orc", s3_endpoint=bucket, s3_region="us-east-1", **keys)
    assert "sesame" not in json.dumps(parts)
    with pytest.raises(PermissionError):
        arrowio.open_part(parts[0]).count_rows()
    assert arrowio.open_part(parts[0], **keys).to_table().num_rows == 10
    (task,) = _tasks.plan("s3://lake/t.orc", s3_endpoint=bucket, s3_region="us-east-1", **keys).tasks
    assert "sesame" not in repr(task)
    assert sum(b.num_rows for b in pickle.loads(pickle.dumps(task)).batches()) == 10


@pytest.mark.parametrize("option", [{"s3_anonymous": "yes"}, {"s3_secret_key": 5}, {"s3_path_style": 1}])
def test_options_of_stores_are_checked(small, option):
    with pytest.raises(arrowio.OptionError, match=next(iter(option))):
        arrowio.open(small, **option)
    with pytest.raises(arrowio.OptionError, match="only used together|anonymous|access key"):
        arrowio.open("s3://lake/t.orc", s3_access_key="x")
