#!/usr/bin/env python3
"""flight_access_judge.py BIN FOLDER: pyarrow's Flight client and who it is, before `arrowio serve`.

FOLDER has ca.pem, server.pem, server.key, alice.pem, alice.key and data.orc. Prints "ok", or what is wrong.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pyarrow.flight as flight
from pyarrow import orc

BIN, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


def token(*args, text=""):
    command = [BIN, "token", "add", "--file", str(FOLDER / "tokens"), *args]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, timeout=60).stdout.strip()


class Server:
    def __init__(self, *args):
        command = [
            BIN, "serve", "--json", "--log", "none", "--listen", "grpc://127.0.0.1:0",
            "--tls-cert", str(FOLDER / "server.pem"), "--tls-key", str(FOLDER / "server.key"), *args, f"data={FOLDER / 'data.orc'}",
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        text = ""
        while not text.rstrip().endswith("\n}"):
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("serve has ended")
            text += line
        self.address = json.loads(text)["addresses"][0]
        self.clients = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for client in self.clients:  # an open one tries to connect again from gRPC's threads, while the interpreter ends
            client.close()
        self.process.send_signal(signal.SIGTERM)
        if self.process.wait(60) != 0:
            raise SystemExit("serve has failed")

    def client(self, **kwargs):
        kwargs.setdefault("tls_root_certs", (FOLDER / "ca.pem").read_bytes())
        self.clients.append(flight.FlightClient(self.address, **kwargs))
        return self.clients[-1]


def read(client, options=None):
    options = options or flight.FlightCallOptions(timeout=30)
    info = client.get_flight_info(flight.FlightDescriptor.for_path("data"), options)
    return client.do_get(info.endpoints[0].ticket, options).read_all()


def refused(what, kind, call):
    try:
        call()
    except kind:
        return
    raise SystemExit(f"{what} is let in")


def with_header(*pair):
    return flight.FlightCallOptions(timeout=30, headers=[pair])


class Basic(flight.ClientAuthHandler):
    """Name and password as the payload of Handshake."""

    def __init__(self, name, password):
        super().__init__()
        self.basic = flight.BasicAuth(name, password)
        self.token = None

    def authenticate(self, outgoing, incoming):
        outgoing.write(self.basic.serialize())
        self.token = incoming.read()

    def get_token(self):
        return self.token


def main():
    want = orc.read_table(FOLDER / "data.orc")
    secret = token("alice")
    token("--password", "bob", text="open sesame\n")
    tokens = ("--tokens", str(FOLDER / "tokens"))
    unknown, denied = flight.FlightUnauthenticatedError, flight.FlightUnauthorizedError

    with Server(*tokens) as server:
        client = server.client()
        refused("nobody", unknown, lambda: read(client))
        refused("a wrong token", unknown, lambda: read(client, with_header(b"authorization", b"Bearer x")))
        refused("a wrong password", unknown, lambda: client.authenticate_basic_token("bob", "x"))
        got = read(client, with_header(b"authorization", b"Bearer " + secret.encode()))
        assert got.num_rows == want.num_rows, got
        got = read(client, with_header(*client.authenticate_basic_token("bob", "open sesame")))
        assert got.num_rows == want.num_rows, got
        old = server.client()
        old.authenticate(Basic("bob", "open sesame"))
        assert read(old).num_rows == want.num_rows
        refused("a wrong payload", unknown, lambda: server.client().authenticate(Basic("bob", "x")))
        refused("another authority", (flight.FlightUnavailableError,), lambda: read(server.client(tls_root_certs=None)))

    with Server(*tokens, "--permit", "bob:read=*") as server:
        refused("alice", denied, lambda: read(server.client(), with_header(b"authorization", b"Bearer " + secret.encode())))

    with Server("--tls-client-ca", str(FOLDER / "ca.pem"), "--permit", "alice:read=data") as server:
        pair = {"cert_chain": (FOLDER / "alice.pem").read_bytes(), "private_key": (FOLDER / "alice.key").read_bytes()}
        assert read(server.client(**pair)).num_rows == want.num_rows
        refused("nobody", (flight.FlightUnavailableError,), lambda: read(server.client()))
    print("ok", flush=True)


main()
# After a handshake that was refused, gRPC within pyarrow 26.0.1 ends 1 of 40 processes with a corrupted heap while it is unloaded.
os._exit(0)
