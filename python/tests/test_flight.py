"""A server of arrowio, by the command where it is there."""

import os
import re
import socket
import subprocess
import threading

import duckdb
import pyarrow.flight
import pytest

import arrowio


@pytest.fixture(scope="module")
def server(small, long):
    program = os.environ.get("ARROWIO_BIN", "arrowio")
    process = subprocess.Popen(
        [program, "serve", "--log", "none", "--listen", "grpc://127.0.0.1:0", f"small={small}", f"long={long}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        line = ""
        while "grpc://" not in line:
            line = process.stdout.readline()
            assert line, "the server ended"
        yield re.search(r"grpc://[0-9.]+:[0-9]+", line)[0]
    finally:
        process.terminate()
        process.wait(20)


def test_connect(server):
    with arrowio.connect(server) as c:
        assert c.list() == ["long", "small"]
        rows = c.open("small", columns=["x"], where="x > 6")
        assert rows.to_table().to_pydict() == {"x": [7, 8, 9]}
        assert duckdb.sql("select sum(x) from rows").fetchall() == [(24,)]
    with pytest.raises(arrowio.OptionError):
        arrowio.connect("here")


class Proxy:
    """Carries connections to a server, and breaks each of the first ones after so many bytes of answers."""

    def __init__(self, uri, breaks):
        host, port = re.search(r"grpc://(.*):(.*)", uri).groups()
        self.to, self.breaks = (host, int(port)), list(breaks)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.uri = f"grpc://127.0.0.1:{self.listener.getsockname()[1]}"
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near = self.listener.accept()[0]
            except OSError:
                return
            far = socket.create_connection(self.to)
            self.open += [near, far]
            left = self.breaks.pop(0) if self.breaks else None
            threading.Thread(target=self.carry, args=(near, far, None), daemon=True).start()
            threading.Thread(target=self.carry, args=(far, near, left), daemon=True).start()

    def carry(self, a, b, left):
        try:
            while data := a.recv(65536 if left is None else min(left, 65536)):
                b.sendall(data)
                if left is not None and (left := left - len(data)) <= 0:
                    break
        except OSError:
            pass
        for s in (a, b):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.listener.close()
        for s in self.open:
            s.close()


def test_resume(server):
    want = arrowio.connect(server).open("long", columns=["x"], batch_bytes=65536).to_table()
    assert want.num_rows == 400_000
    proxy = Proxy(server, [700_000, 1_000_000, 30_000])
    try:
        with arrowio.connect(proxy.uri) as c:
            rows = c.open("long", columns=["x"], batch_bytes=65536)
            assert rows.to_table().equals(want)
            assert proxy.breaks == [], "nothing was broken"
    finally:
        proxy.close()
    proxy = Proxy(server, [700_000])
    try:
        with arrowio.connect(proxy.uri) as c:
            rows = c.open("long", columns=["x"], batch_bytes=65536)
            with pytest.raises(pyarrow.flight.FlightUnavailableError):
                for _ in rows.to_batches(retries=0):
                    pass
    finally:
        proxy.close()
