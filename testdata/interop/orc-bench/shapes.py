"""Tables of shapes that people have, at random: each function takes a number of rows and a numpy generator.

taxi     rides sorted by time: integers of few values, timestamps, doubles of two decimals
logs     web requests: texts of 3, 200 and 2,000 values, addresses, times that ascend
sparse   500 columns of four types, four values of five null
events   structs in lists, maps, texts that are null
keys     a key that ascends by one, one that ascends by chance, one that descends in runs, and their group
bank     decimals of 12, 18 and 38 digits, currencies, dates
"""

import numpy as np
import pyarrow as pa
from mkbig import dates, decimals, pick


def taxi(n, rng):
    start = np.sort(rng.integers(0, 31 * 86400, n)) + 1_767_225_600
    cents = rng.gamma(3, 5, n) * 100
    return pa.table({
        "vendor": pa.array(rng.integers(1, 3, n).astype("int32")),
        "pickup": pa.array(start * 1_000_000, pa.timestamp("us")),
        "dropoff": pa.array((start + rng.integers(60, 3600, n)) * 1_000_000, pa.timestamp("us")),
        "passengers": pa.array(rng.integers(1, 6, n).astype("int32")),
        "distance": pa.array(np.round(rng.gamma(2, 1.5, n), 2)),
        "rate": pick(["standard", "JFK", "Newark", "negotiated"], n, [0.93, 0.04, 0.02, 0.01]),
        "from": pa.array(rng.integers(1, 266, n).astype("int32")),
        "to": pa.array(rng.integers(1, 266, n).astype("int32")),
        "fare": pa.array(np.round(cents) / 100),
        "tip": pa.array(np.round(cents * rng.choice([0, 0.15, 0.2, 0.25], n)) / 100),
    })


def logs(n, rng):
    paths = [f"/shop/{a}/{b}" for a in ("shoes", "hats", "coats", "bags") for b in range(500)]
    return pa.table({
        "at": pa.array((1_767_225_600_000 + np.cumsum(rng.integers(0, 40, n))) * 1000, pa.timestamp("us")),
        "host": pa.array([f"10.{a}.{b}.{c}" for a, b, c in zip(rng.integers(0, 4, n), rng.integers(0, 256, n), rng.integers(0, 256, n))]),
        "method": pick(["GET", "POST", "HEAD"], n, [0.9, 0.08, 0.02]),
        "path": pick(paths, n),
        "status": pa.array(rng.choice([200, 304, 404, 500], n, p=[0.85, 0.1, 0.04, 0.01]).astype("int32")),
        "bytes": pa.array(rng.pareto(1.2, n).astype("int64") * 100),
        "agent": pick([f"Mozilla/5.0 (X11; Linux x86_64) Browser/{v}.{k}" for v in range(80, 120) for k in range(5)], n),
    })


def sparse(n, rng):
    kinds = (lambda: pa.array(rng.integers(0, 10**6, n)), lambda: pa.array(rng.random(n)),
             lambda: pick([f"label {i}" for i in range(40)], n), lambda: pa.array(rng.random(n) < 0.5))
    return pa.table({f"c{i:03d}": holes(kinds[i % 4](), rng, 0.8) for i in range(500)})


def holes(a, rng, share):
    return pa.compute.if_else(pa.array(rng.random(len(a)) < share), pa.scalar(None, a.type), a)


def events(n, rng):
    def offsets(most):
        return pa.array(np.concatenate(([0], np.cumsum(rng.integers(0, most, n)))).astype("int32"))

    items, tags = offsets(5), offsets(4)
    m, t = items[-1].as_py(), tags[-1].as_py()
    item = pa.StructArray.from_arrays(
        [pick([f"sku-{i:05d}" for i in range(3000)], m), pa.array(rng.integers(1, 9, m).astype("int32")), pa.array(np.round(rng.gamma(2, 20, m), 2))],
        ["sku", "count", "price"])
    device = pa.StructArray.from_arrays(
        [pick(["ios", "android", "web"], n), holes(pick([f"{a}.{b}" for a in range(9, 18) for b in range(8)], n), rng, 0.1)], ["os", "version"])
    return pa.table({
        "id": pa.array(np.arange(n) * 7 + 10**12),
        "user": pa.array(rng.integers(0, n // 10 + 1, n)),
        "kind": pick(["view", "click", "cart", "order"], n, [0.7, 0.2, 0.07, 0.03]),
        "device": device,
        "items": pa.ListArray.from_arrays(items, item),
        "tags": pa.MapArray.from_arrays(tags, pick([f"key{i}" for i in range(20)], t), pick([f"value {i}" for i in range(500)], t)),
    })


def keys(n, rng):
    return pa.table({
        "by_one": pa.array(np.arange(n, dtype="int64")),
        "ascending": pa.array(np.cumsum(rng.integers(0, 1000, n))),
        "descending": pa.array(10**9 - np.arange(n, dtype="int64") // 5),
        "group": pa.array((np.arange(n) // 1000).astype("int32")),
    })


def bank(n, rng):
    return pa.table({
        "account": pa.array(rng.integers(10**9, 10**10, n)),
        "amount": decimals(rng.integers(-(10**7), 10**8, n), 12, 2),
        "balance": decimals(np.cumsum(rng.integers(-(10**5), 10**5 + 99, n)), 18, 2),
        "rate": decimals(rng.integers(1, 10**6, n), 38, 10),
        "currency": pick(["EUR", "USD", "GBP", "CHF", "JPY"], n, [0.6, 0.25, 0.08, 0.05, 0.02]),
        "booked": dates(np.sort(rng.integers(19000, 20000, n))),
    })
