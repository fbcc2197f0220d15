#!/usr/bin/env python3
"""make.py DIR: writes the fixtures of this directory with fastavro."""

import datetime
import decimal
import pathlib
import random
import sys
import uuid

import fastavro

OUT = pathlib.Path(sys.argv[1])
SYNC = bytes(range(16))
R = {"type": "record", "name": "R", "fields": [
    {"name": "x", "type": "int"}, {"name": "y", "type": ["null", "string"]},
    {"name": "ll", "type": {"type": "array", "items": {"type": "array", "items": "int"}}},
    {"name": "u", "type": ["int", "string"]}]}
TYPES = {"type": "record", "name": "Row", "namespace": "a.b", "doc": "a row of every type", "aliases": ["Old"], "fields": [
    {"name": "id", "type": "long", "doc": "its number", "aliases": ["number"]},
    {"name": "i", "type": ["null", "int"], "default": None}, {"name": "s", "type": "string"}, {"name": "os", "type": ["string", "null"], "default": "none"},
    {"name": "f", "type": "float"}, {"name": "d", "type": "double"}, {"name": "b", "type": "boolean"}, {"name": "ob", "type": ["null", "boolean"]},
    {"name": "by", "type": "bytes"}, {"name": "e", "type": {"type": "enum", "name": "E", "symbols": ["A", "B", "C"]}},
    {"name": "oe", "type": ["null", "E"]},
    {"name": "fx", "type": {"type": "fixed", "name": "F", "size": 3}}, {"name": "n", "type": "null"},
    {"name": "l", "type": {"type": "array", "items": ["null", "long"]}}, {"name": "m", "type": {"type": "map", "values": ["null", "string"]}},
    {"name": "r", "type": ["null", R]}, {"name": "u", "type": ["null", "int", "string", "R"]},
    {"name": "date", "type": {"type": "int", "logicalType": "date"}},
    {"name": "tm", "type": {"type": "int", "logicalType": "time-millis"}}, {"name": "tu", "type": {"type": "long", "logicalType": "time-micros"}},
    {"name": "ms", "type": {"type": "long", "logicalType": "timestamp-millis"}}, {"name": "us", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]},
    {"name": "lms", "type": {"type": "long", "logicalType": "local-timestamp-millis"}}, {"name": "lus", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
    {"name": "dec", "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}},
    {"name": "decf", "type": ["null", {"type": "fixed", "name": "D", "size": 20, "logicalType": "decimal", "precision": 40, "scale": 5}]},
    {"name": "lr", "type": {"type": "array", "items": "R"}}, {"name": "uu", "type": {"type": "string", "logicalType": "uuid"}}]}
rnd = random.Random(5)


def opt(v):
    return None if rnd.random() < .3 else v


def record():
    return {"x": rnd.randint(-2**31, 2**31 - 1), "y": opt(f"y{rnd.randint(0, 99)}"), "u": rnd.choice([7, "seven"]),
            "ll": [[rnd.randint(0, 9) for _ in range(rnd.randint(0, 3))] for _ in range(rnd.randint(0, 3))]}


def row(i):
    day, instant = datetime.date(2000, 1, 1), datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
    micros = datetime.timedelta(microseconds=rnd.randint(-10**16, 10**15))
    millis = datetime.timedelta(milliseconds=rnd.randint(-10**12, 10**12))
    return {
        "id": rnd.choice([i, -2**63, 2**63 - 1]), "i": opt(rnd.randint(-9, 9)), "s": "é" * rnd.randint(0, 20), "os": opt("x" * rnd.randint(0, 40)),
        "f": rnd.choice([0.5, -1.25]), "d": rnd.random(), "b": rnd.random() < .5, "ob": opt(rnd.random() < .5), "by": rnd.randbytes(rnd.randint(0, 9)),
        "e": rnd.choice("ABC"), "oe": opt(rnd.choice("ABC")), "fx": b"abc", "n": None, "l": [opt(rnd.randint(-10**12, 10**12)) for _ in range(rnd.randint(0, 5))],
        "m": {f"k{k}": opt("v") for k in range(rnd.randint(0, 4))}, "r": opt(record()), "u": rnd.choice([None, 5, "five", record()]),
        "date": day + datetime.timedelta(rnd.randint(-9999, 9999)), "tm": datetime.time(rnd.randint(0, 23), 1, 2, 3000), "tu": datetime.time(rnd.randint(0, 23), 1, 2, 3456),
        "ms": instant + millis, "us": opt(instant + micros), "lms": datetime.datetime(2020, 1, 1) + millis, "lus": datetime.datetime(2020, 1, 1) + micros,
        "dec": decimal.Decimal(rnd.randint(-10**10 + 1, 10**10 - 1)).scaleb(-2),
        "decf": opt(decimal.Decimal(rnd.randint(-10**39, 10**39)).scaleb(-5, decimal.Context(prec=60))),
        "lr": [record() for _ in range(rnd.randint(0, 2))], "uu": uuid.UUID(int=rnd.getrandbits(128)),
    }


def write(name, schema, rows, **o):
    with open(OUT / name, "wb") as f:
        fastavro.writer(f, schema, rows, sync_marker=SYNC, **{"sync_interval": 2000, **o})


rows = [row(i) for i in range(60)]
for codec in "null", "deflate", "snappy", "zstandard", "bzip2", "xz":
    write(f"types-{codec}.avro", TYPES, rows if codec == "null" else rows[:20], codec=codec, metadata={"owner": "ops", "raw": "ü"})
write("empty.avro", TYPES, [])
write("top-long.avro", "long", range(100))
write("top-union.avro", ["null", "string"], [None, "a", "bc"])
write("top-array.avro", {"type": "array", "items": "int"}, [[1], [], [2, 3]])
write("no-fields.avro", {"type": "record", "name": "N", "fields": []}, [{}] * 7)
write("nulls.avro", {"type": "record", "name": "N", "fields": [{"name": "n", "type": "null"}]}, [{"n": None}] * 7)
write("recursive.avro", {"type": "record", "name": "Node", "fields": [{"name": "v", "type": "int"}, {"name": "next", "type": ["null", "Node"]}]},
      [{"v": 1, "next": {"v": 2, "next": None}}])
# Bytes that are no decimals of the precision: no writer of Avro minds, and this one is told nothing of decimals.
BEYOND = {"type": "record", "name": "B", "fields": [{"name": "d", "type": {"type": "bytes", "logicalType": "decimal", "precision": 2, "scale": 1}}]}
write("beyond.avro", BEYOND, [{"d": b"\x05"}, {"d": b"\x01\x00"}])
write("beyond-later.avro", BEYOND, [{"d": b"\x05"}] * 5000 + [{"d": b"\x01\x00"}])
