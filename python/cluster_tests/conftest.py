"""A dataset, a server of it that tells what was read, and something that kills workers once."""

import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import time

import pyarrow as pa
import pytest

import arrowio

PAGES = pathlib.Path(__file__).resolve().parents[2] / "docs"
ROWS = 200_000
SUM = ROWS * (ROWS - 1) // 2


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """Four files of several stripes: x = 0..199999, g = g0..g4, s = text, t = times."""
    root = tmp_path_factory.mktemp("files")
    n = ROWS // 4
    for k in range(4):
        x = range(k * n, k * n + n)
        arrowio.write(
            pa.table(
                {
                    "x": x,
                    "g": [f"g{i % 5}" for i in x],
                    "f": [i / 2 for i in x],
                    "s": pa.array([None if i % 10 == 0 else f"{i * 7919 % ROWS:06d}" for i in x]),
                    "t": pa.array([i * 1000 for i in x], pa.timestamp("ns")),
                }
            ),
            root / f"{k}.orc",
            row_group_bytes=300_000,
        )
    return str(root)


@pytest.fixture(scope="session")
def events(tmp_path_factory):
    """The files that the pages of docs read: user = u0..u3, price = 0..399, day = 2024-01-01 and the 399 days after it, in two files."""
    root = tmp_path_factory.mktemp("events")
    for part in range(2):
        n = range(part * 200, part * 200 + 200)
        first = (datetime.date(2024, 1, 1) - datetime.date(1970, 1, 1)).days
        table = pa.table({"user": [f"u{i % 4}" for i in n], "price": [float(i) for i in n], "day": pa.array([first + i for i in n], pa.int32()).cast(pa.date32())})
        arrowio.write(table, root / f"{part}.orc")
    return str(root)


class Server:
    """`arrowio serve` of the datasets "t" and "events"."""

    def __init__(self, process, log, uri):
        self.process, self.log, self.uri, self.source = process, log, uri, f"{uri}/t"
        self._seen = 0

    def reads(self):
        """Returns the rows of each DoGet that has ended well since the last call."""
        time.sleep(0.3)  # a line is written when the call has ended
        calls = [json.loads(line) for line in self.log.read_text().splitlines()]
        done = [c["rows"] for c in calls if c.get("method") == "DoGet" and c["code"] == "OK"]
        new, self._seen = done[self._seen :], len(done)
        return new

    def endpoints(self, n):
        """Returns the rows of each endpoint, where about n are asked for."""
        import pyarrow.flight as flight

        with flight.FlightClient(self.uri) as client:
            command = json.dumps({"dataset": "t", "endpoints": n}).encode()
            info = client.get_flight_info(flight.FlightDescriptor.for_command(command))
            rows = [client.do_get(e.ticket).read_all().num_rows for e in info.endpoints]
        self.reads()
        return rows


@pytest.fixture(scope="session")
def server(files, events, tmp_path_factory):
    log = tmp_path_factory.mktemp("server") / "log"
    program = os.environ.get("ARROWIO_BIN", "arrowio")
    with open(log, "w") as errors:
        process = subprocess.Popen(
            [program, "serve", "--log", "json", "--listen", "grpc://127.0.0.1:0", f"t={files}", f"events={events}"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    try:
        line = ""
        while "grpc://" not in line:
            line = process.stdout.readline()
            assert line, log.read_text()
        yield Server(process, log, re.search(r"grpc://[0-9.]+:[0-9]+", line)[0])
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture
def page(server, events):
    """Runs the Python of a page as it stands there, with places that are here, and returns what it has set."""

    def run(name, places=(), **names):
        (block,) = re.findall(r"^```python\n(.*?)^```", (PAGES / name).read_text(), re.MULTILINE | re.DOTALL)
        for there, here in {"grpc://data:8815": server.uri, "/shared/events/": events, **dict(places)}.items():
            assert there in block
            block = block.replace(there, here)
        exec(compile(block, name, "exec"), names)
        return names

    yield run
    server.reads()


class KillOnce:
    """Kills the process that calls it, the first time that anybody does."""

    def __init__(self, marker):
        self.marker = str(marker)

    def __call__(self):
        try:
            os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    @property
    def killed(self):
        return pathlib.Path(self.marker).exists()


@pytest.fixture
def kill(tmp_path):
    return KillOnce(tmp_path / "killed")


@pytest.fixture(params=["server", "files"])
def source(request, server, files):
    """Where the rows are: a server, or files that all workers reach."""
    return server.source if request.param == "server" else files
