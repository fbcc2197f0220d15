#!/usr/bin/env python3
"""report_judge.py BIN CHROMIUM [PICTURES]: a browser before what `arrowio inspect --html` and `arrowio profile --html` write.

Reports of files, directories and tables of every kind, and profiles, at two widths, in both colour schemes, with scripts allowed and not: axe-core
finds no violation, nothing is asked of anybody, the page does not scroll sideways, rectangles are as large as what they stand for,
a keyboard reaches the picture and what it leads to, and a printed report has all of its details. Prints "ok", or what is wrong.
With PICTURES, a folder, every report is also photographed there.
"""

import importlib.resources
import json
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import time

import pyarrow as pa
import pyarrow.parquet as pq
from playwright.sync_api import sync_playwright
from pyarrow import orc

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NASTY = ["<script>document.title='owned'</script>", "\"><img src=x onerror=\"document.title='owned'\">", "\u202egpj.exe", "x" * 3000]
WORDS = "please call before leave at the door back side gift wrap red blue urgent no second floor ring twice neighbour keeps it".split()


def orders(binary, folder):
    """Makes orders.orc."""
    rows, rng = 60_000, random.Random(7)
    table = pa.table({
        "order_id": pa.array(range(rows), pa.int64()),
        "placed_at": pa.array([1_700_000_000_000 + i * 37_000 + rng.randrange(200_000) for i in range(rows)], pa.timestamp("ms")),
        "customer": pa.array([f"customer-{rng.randrange(9000):05d}" for _ in range(rows)]),
        "country": pa.array([rng.choice(["CH", "DE", "FR", "IT", "AT"]) for _ in range(rows)]),
        "price": pa.array([None if rng.random() < 0.03 else round(rng.lognormvariate(3, 1), 2) for _ in range(rows)], pa.float64()),
        "note": pa.array([None if rng.random() < 0.8 else " ".join(rng.choices(WORDS, k=rng.randrange(3, 8))) for _ in range(rows)]),
        "place": pa.array([{"lat": rng.uniform(45, 48), "lon": rng.uniform(5, 11)} for _ in range(rows)], pa.struct([("lat", pa.float64()), ("lon", pa.float64())])),
    })
    orc.write_table(table, folder / "plain.orc", compression="zlib")
    subprocess.run([binary, "convert", "--orc-stripe-rows", "5000", "--compression", "zlib", folder / "plain.orc", folder / "orders.orc"], check=True, stderr=subprocess.DEVNULL)


def inputs(folder):
    """The pages to make: name, command and arguments, exit code."""
    orders(sys.argv[1], folder)
    hostile = folder / "<img src=x onerror=alert(1)>.parquet"
    pq.write_table(pa.table({n: NASTY for n in NASTY}), hostile)
    drift = folder / "drift"
    for day in range(9):
        part = drift / f"day={day}"
        part.mkdir(parents=True)
        columns = {"id": pa.array(range(100 * (1 + 20 * (day == 4))), pa.int64() if day > 6 else pa.int32())}
        if day != 2:
            columns["word"] = pa.array(["w"] * len(columns["id"]))
        pq.write_table(pa.table(columns), part / "part.parquet")
    wide = folder / "wide.orc"
    orc.write_table(pa.table({f"column {i}": pa.array(range(i, i + 300), pa.int64()) for i in range(1000)}), wide)
    text = folder / "in.csv"
    text.write_text("a,b\n" + "".join(f"{i},x{i % 7}\n" for i in range(500)))
    damaged = folder / "damaged"
    damaged.mkdir()
    good = (ROOT / "testdata/orc/java-2.3.1/many-stripes.orc").read_bytes()
    (damaged / "good.orc").write_bytes(good)
    (damaged / "bad.orc").write_bytes(good[: len(good) // 2] + b"not an ending")
    with tarfile.open(ROOT / "testdata/kudu/kudu-1.17.1/file.tar.gz") as t:
        t.extractall(folder / "kudu", filter="data")
    cfile = next((ROOT / "testdata/cfile/kudu-1.17.1").glob("*.cfile"))
    tables = ROOT.parent / "shared/corpus/orc-tables/ice_evolution/table"
    made = [
        ("orders", ["--sample", "2000", "--verify", "--where", "customer = 'customer-00042'", folder / "orders.orc"], 0),
        ("small", [ROOT / "testdata/orc/java-2.3.1/pruning.orc"], 0),
        ("encrypted", [ROOT / "testdata/orc/java-2.3.1/encrypted-0-none.orc"], 0),
        ("trevni", ["--verify", ROOT / "testdata/trevni/java-1.12.1/avro-nested.trv"], 0),
        ("cfile", [cfile], 0),
        ("kudu", ["--from", "kudu", folder / "kudu/wal"], 0),
        ("parquet", ["--sample", "100", ROOT / "testdata/parquet/pyarrow-26.0.1/groups.parquet"], 0),
        ("csv", ["--sample", "100", text], 0),
        ("hostile", ["--sample", "10", hostile], 0),
        ("drift", [drift], 0),
        ("wide", [wide], 0),
        ("damaged", ["--verify", damaged], 1),
    ]
    if tables.exists():
        made.append(("iceberg", [tables], 0))
    made = [(name, ["inspect", *args], code) for name, args, code in made]
    profiled = {"orders": ["--limit", "50000", folder / "orders.orc"], "trevni": [ROOT / "testdata/trevni/java-1.12.1/avro-nested.trv"], "hostile": [hostile], "wide": [wide], "drift": [drift / "day=0", drift / "day=1"]}
    return made + [(f"profile of {name}", ["profile", *args], 0) for name, args in profiled.items()]


AREAS = """() => {
  const bad = [];
  for (const f of document.querySelectorAll('figure')) {
    const svg = f.querySelector('svg.layout'), box = svg.viewBox.baseVal, rects = [...svg.querySelectorAll('rect')];
    const details = [...f.parentElement.querySelectorAll('details')].find(d => d.querySelector('summary').textContent.startsWith('The picture'));
    const lines = [...details.querySelectorAll('tbody tr')];
    if (lines.length !== rects.length || !lines.length) { bad.push(`${rects.length} rectangles for ${lines.length} lines`); continue; }
    if (f.closest('section').querySelector('.note').textContent.includes('drawn thicker')) continue;
    rects.forEach((r, i) => {
      const share = parseFloat(lines[i].cells[4].textContent), area = 100 * r.width.baseVal.value * r.height.baseVal.value / ((box.width - 110) * box.height);
      if (Math.abs(area - share) > 0.6) bad.push(`a rectangle of ${area.toFixed(2)} % for ${share} %`);
    });
  }
  return bad;
}"""


def look(browser, path, name, axe, pictures, faults):
    for width, scheme, scripts in [(1280, "light", True), (1280, "dark", False), (390, "light", False), (390, "dark", True)]:
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme, java_script_enabled=scripts)
        page = context.new_page()
        problems, asked = [], []
        page.on("console", lambda m, p=problems: p.append(m.text))
        page.on("pageerror", lambda e, p=problems: p.append(str(e)))
        page.on("dialog", lambda d, p=problems: (p.append("a dialog"), d.dismiss()))
        page.on("request", lambda r, a=asked: a.append(r.url))
        page.goto(path.as_uri(), timeout=60_000)
        problems += [f"asks for {u}" for u in asked[1:]]
        if "owned" in page.title():
            problems.append("a script of a file has run")
        wide = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
        if wide > 0:
            problems.append(f"it scrolls sideways, by {wide}")
        problems += page.evaluate(AREAS)
        if pictures:
            page.screenshot(path=str(pictures / f"{name}-{width}-{scheme}.png"), full_page=True)
        if scripts:
            page.evaluate("() => document.querySelectorAll('details').forEach(d => d.open = true)")
            page.evaluate("() => document.querySelectorAll('tbody > tr:nth-child(n + 41), .each > li:nth-child(n + 41)').forEach(x => x.remove())")  # they are like those before, and axe is slow
            page.evaluate(axe)
            found = page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
            for v in found["violations"]:
                problems.append(f"axe: {v['id']}: {v['help']}: {v['nodes'][0]['html'][:200]}")
        reached = False
        for _ in range(8):
            page.keyboard.press("Tab")
            reached = reached or page.evaluate("() => !!document.activeElement.closest('.scroll, summary')")
        if not reached:
            problems.append("a keyboard reaches nothing")
        faults += [f"{name} at {width}, {scheme}, scripts {scripts}: {x}" for x in problems]
        context.close()


def links(browser, path, faults):
    """A cell leads to its column, by keyboard too, without scripts; printed, no detail is closed."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(path.as_uri())
    cell = page.locator("svg.layout a").first
    cell.focus()
    page.keyboard.press("Enter")
    target = page.evaluate("() => { const t = document.querySelector('tr:target'); return t && t.cells[0].textContent }")
    label = cell.get_attribute("aria-label")
    if not target or not label.startswith(target + ":"):
        faults.append(f"the cell {label} leads to {target}")
    page.emulate_media(media="print")
    hidden = page.evaluate("() => [...document.querySelectorAll('details')].filter(d => d.lastElementChild.getBoundingClientRect().height === 0).length")
    if hidden:
        faults.append(f"printed, {hidden} details are closed")


def profile(browser, path, faults):
    """Each column of the list leads to what is below of it, without scripts; bars are as high as their counts; quantiles are in order."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(path.as_uri())
    for link in page.locator("tbody th a").all():
        link.focus()
        page.keyboard.press("Enter")
        target = page.evaluate("() => { const t = document.querySelector('li:target h3'); return t && t.firstChild.textContent.trim() }")
        if target != link.text_content():
            faults.append(f"{link.text_content()} leads to {target}")
    faults += page.evaluate("""() => {
      const bad = [];
      for (const svg of document.querySelectorAll('svg.histogram')) {
        const bars = [...svg.querySelectorAll('rect')].map(r => [r.height.baseVal.value, +r.querySelector('title').textContent.replaceAll(',', '')]);
        const most = Math.max(...bars.map(b => b[1]));
        for (const [h, n] of bars) if (Math.abs(h - Math.max(1, 48 * n / most)) > 0.1) bad.push(`a bar of ${h} for ${n} of ${most}`);
        const [line, half, middle] = [...svg.nextElementSibling.querySelectorAll('rect')].map(r => [r.x.baseVal.value, r.x.baseVal.value + r.width.baseVal.value]);
        if (!(0 <= line[0] && line[0] <= half[0] && half[0] <= middle[0] && middle[0] <= half[1] + 0.1 && half[1] <= line[1] + 0.1 && line[1] <= 240.1)) bad.push('quantiles in another order');
      }
      return bad;
    }""")


def main():
    binary, chromium = sys.argv[1:3]
    pictures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    axe = (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text()
    faults = []
    with tempfile.TemporaryDirectory() as name, sync_playwright() as p:
        folder = pathlib.Path(name)
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for what, args, code in inputs(folder):
            out = folder / f"{what}.html"
            began = time.monotonic()
            run = subprocess.run([binary, args[0], "--html", out, *map(str, args[1:])], capture_output=True, text=True)
            took = time.monotonic() - began
            if run.returncode != code or not out.exists():
                faults.append(f"{what}: exit {run.returncode}: {run.stderr}")
                continue
            if out.stat().st_size > 1_000_000:
                faults.append(f"{what}: {out.stat().st_size} bytes")
            if pictures:
                print(json.dumps({"report": what, "bytes": out.stat().st_size, "seconds": round(took, 2)}), file=sys.stderr)
            look(browser, out, what, axe, pictures, faults)
        links(browser, folder / "orders.html", faults)
        profile(browser, folder / "profile of orders.html", faults)
        browser.close()
    print("\n".join(faults) if faults else "ok")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
