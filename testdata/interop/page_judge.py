#!/usr/bin/env python3
"""page_judge.py BIN CHROMIUM: a browser before the page of `arrowio serve --http`.

Every kind of page, at two widths, in both colour schemes, with scripts allowed and not: nothing is logged to the console,
nothing is asked of anybody else, the page does not scroll sideways, everything that can be used has a name and can be reached
by keyboard, rectangles are as large as what they stand for. Prints "ok", or what is wrong.
"""

import importlib.resources
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.flight as flight
import pyarrow.parquet as pq
from playwright.sync_api import sync_playwright
from pyarrow import orc

NASTY = ["<script>document.title='owned'</script>", "\"><img src=x onerror=\"document.title='owned'\">", "\u202egpj.exe", "x" * 3000, None]

# Rules of accessibility that a tool would look for; each returns what breaks it.
RULES = """() => {
  const bad = [];
  const seen = e => { const r = e.getBoundingClientRect(); return r.width > 0 && r.height > 0; };
  const name = e => (e.getAttribute('aria-label') || (e.getAttribute('aria-labelledby') || '').split(/\\s+/).filter(Boolean)
    .map(i => (document.getElementById(i) || {}).textContent || '').join(' ') || (e.labels && e.labels[0] && e.labels[0].textContent)
    || e.textContent || e.alt || '').trim();
  if (!document.documentElement.lang) bad.push('no language');
  if (!document.title) bad.push('no title');
  if (document.querySelectorAll('main').length !== 1) bad.push('not one main');
  if (document.querySelectorAll('h1').length !== 1) bad.push('not one h1');
  let level = 0;
  for (const h of document.querySelectorAll('h1,h2,h3,h4')) {
    const n = +h.tagName[1];
    if (n > level + 1) bad.push('heading ' + h.textContent + ' leaves out a level');
    level = n;
  }
  for (const e of document.querySelectorAll('a[href],button,input:not([type=hidden]),summary,[tabindex],[role=img],[role=region],nav'))
    if (!name(e)) bad.push('no name: ' + e.outerHTML.slice(0, 100));
  for (const e of document.querySelectorAll('img')) if (!e.hasAttribute('alt')) bad.push('no alt: ' + e.outerHTML);
  for (const t of document.querySelectorAll('table')) {
    if (!t.querySelector('thead th[scope=col]')) bad.push('a table without heads');
    const s = t.closest('.scroll');
    if (!s || s.tabIndex !== 0) bad.push('a table that a keyboard cannot scroll');
  }
  for (const e of document.querySelectorAll('[id]')) if (document.querySelectorAll('#' + CSS.escape(e.id)).length > 1) bad.push('twice: ' + e.id);
  for (const h of document.querySelectorAll('thead th')) {
    const range = document.createRange();
    range.selectNodeContents(h);
    const text = [...h.childNodes].filter(n => n.nodeType === 3 && n.textContent.trim());
    for (const n of text) {
      range.selectNodeContents(n);
      if (new Set([...range.getClientRects()].map(r => Math.round(r.top))).size > 1) bad.push('a heading of a table breaks: ' + h.textContent);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) bad.push('it scrolls sideways: ' + document.documentElement.scrollWidth);
  for (const e of document.querySelectorAll('a[href],button,input:not([type=hidden])')) {
    const r = e.getBoundingClientRect();
    if (seen(e) && !e.closest('.scroll') && !e.classList.contains('skip') && (r.left < -1 || r.right > innerWidth + 1)) bad.push('outside: ' + e.outerHTML.slice(0, 100));
  }
  return bad;
}"""


class Server:
    def __init__(self, binary, *args):
        command = [binary, "serve", "--json", "--log", "none", "--listen", "grpc://127.0.0.1:0", "--http", "127.0.0.1:0", *args]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.watch = threading.Timer(540, self.process.kill)
        self.watch.start()
        text = ""
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("serve does not start")
            text += line
            try:
                self.ready = json.loads(text)
                return
            except ValueError:
                pass

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self.watch.cancel()
        if code != 0:
            raise SystemExit(f"serve ended with {code}")


def events():
    rows = 30_000
    return pa.table({
        "id": pa.array(range(rows), pa.int64()),
        "name": pa.array([None if i % 7 == 0 else f"name {i * 7919 % 10007}" for i in range(rows)]),
        "x": pa.array([i * 0.37 % 1 for i in range(rows)], pa.float64()),
        "place": pa.array([{"lat": i / 100, "lon": -i / 100} for i in range(rows)], pa.struct([("lat", pa.float64()), ("lon", pa.float64())])),
    })


def files(folder):
    orc.write_table(events(), folder / "events.orc", stripe_size=128 << 10, compression="zlib")
    hostile = folder / "hostile"
    hostile.mkdir()
    pq.write_table(pa.table({n or "none": NASTY for n in NASTY}), hostile / "<img src=x onerror=alert(1)>.parquet")
    pq.write_table(pa.table({f"column {i}": [i] for i in range(200)}), folder / "wide.parquet")


def check(page, where, origin, faults):
    problems, asked = [], []
    page.on("console", lambda m: problems.append(m.text))
    page.on("pageerror", lambda e: problems.append(str(e)))
    page.on("dialog", lambda d: (problems.append("a dialog"), d.dismiss()))
    page.on("request", lambda r: asked.append(r.url))
    answer = page.goto(where, timeout=30_000)
    if answer.status != 200:
        faults.append(f"{where}: {answer.status}")
    problems += [u for u in asked if not u.startswith(origin)]
    if "owned" in page.title():
        problems.append("a script of a file has run")
    return problems


def areas(page, faults):
    """Rectangles against the table beside the picture: the same share."""
    cells = page.evaluate("""() => {
      const box = document.querySelector('svg.layout:not(.key)').viewBox.baseVal;
      return [...document.querySelectorAll('svg.layout:not(.key) rect')].map(r => r.width.baseVal.value * r.height.baseVal.value / ((box.width - 110) * box.height));
    }""")
    shares = page.evaluate("() => [...document.querySelectorAll('details tbody tr')].map(r => parseFloat(r.cells[4].textContent))")
    if len(cells) != len(shares) or not cells:
        faults.append(f"{len(cells)} rectangles for {len(shares)} lines")
    for area, share in zip(cells, shares):
        if abs(100 * area - share) > 0.6:
            faults.append(f"a rectangle of {100 * area:.2f} % for {share} %")


def main():
    binary, chromium = sys.argv[1:]
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files(folder)
        server = Server(binary, f"events={folder}/events.orc", f"hostile={folder}/hostile", f"wide={folder}/wide.parquet")
        origin = server.ready["page"]
        try:
            with sync_playwright() as p:
                browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
                look(browser, origin, faults)
                streams(browser, origin, server.ready["addresses"][0], faults)
                browser.close()
        finally:
            server.stop()
    print("\n".join(faults) if faults else "ok")
    sys.exit(bool(faults))


def sql(browser, origin, faults):
    """The box for SQL of a build with DuckDB, by the keyboard alone, with scripts and without; axe-core finds nothing wrong with it."""
    axe = (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text()
    for scripts in [False, True]:
        page = browser.new_context(viewport={"width": 390, "height": 844}, java_script_enabled=scripts).new_page()
        problems = check(page, origin + "sql", origin, faults)
        page.get_by_label("A query over").focus()
        page.keyboard.type("select count(*) as n, max(id) as top from events where id < 10")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Result").wait_for()
        cells = page.locator("section td, .cells td").all_inner_texts()
        if cells != ["10", "9"]:
            faults.append(f"SQL: the result is {cells}")
        if scripts:
            page.evaluate(axe)
            for v in page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]:
                problems.append(f"axe: {v['id']}: {v['help']}: {v['nodes'][0]['html'][:200]}")
        if "id < 10" not in page.get_by_role("region", name="What was read").inner_text():
            faults.append("SQL: the condition is not among what was read")
        problems += page.evaluate(RULES)
        page.get_by_label("A query over").fill("select nope from events order by 1")
        page.get_by_role("button", name="Run").click()
        if "nope" not in page.get_by_role("alert").inner_text():
            faults.append("SQL: no alert says what is wrong")
        problems += page.evaluate(RULES)
        faults += [f"SQL, scripts {scripts}: {p}" for p in problems]
        page.close()


def look(browser, origin, faults):
    request = browser.new_context().request
    paths = ["", "streams", "datasets/events/rows?where=id+%3C+10", "datasets/events/rows?where=x+%3E+0.5&sort=-x&show=id&show=x&from=50"]
    paths += ["datasets/wide/rows?show=column+7&show=column+150&sort=column+9", "datasets/wide/rows?find=column+19", "datasets/events/rows?where=nope", "datasets/events/rows?sort=id&from=9950"]
    for name in ["events", "hostile", "wide"]:
        body = request.get(f"{origin}datasets/{name}").text()
        paths += [f"datasets/{name}", f"datasets/{name}/rows", re.search(f"datasets/{name}/files/[0-9a-f]+", body).group(0)]
    if 'href="/sql"' in request.get(origin).text():
        paths += ["sql", "sql?query=select+1"]
    axe = (importlib.resources.files("axe_playwright_python") / "axe.min.js").read_text()
    for width, scheme, scripts in [(1280, "light", False), (1280, "dark", True), (400, "light", True)]:
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme, java_script_enabled=scripts)
        for path in paths:
            page = context.new_page()
            problems = check(page, origin + path, origin, faults)
            problems += page.evaluate(RULES)
            if "/files/" in path and "events" in path:
                areas(page, problems)
            if scripts:
                page.evaluate(axe)
                for v in page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]:
                    problems.append(f"axe: {v['id']}: {v['help']}: {v['nodes'][0]['html'][:200]}")
            for _ in range(2):
                page.keyboard.press("Tab")
            if page.evaluate("() => document.activeElement === document.body"):
                problems.append("a keyboard reaches nothing")
            faults += [f"{path or '/'} at {width}, {scheme}, scripts {scripts}: {x}" for x in problems]
            page.close()
        context.close()
    # Links and the form lead where they say, without scripts.
    if "sql" in paths:
        sql(browser, origin, faults)
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(origin)
    page.get_by_role("link", name="events", exact=True).click()
    page.get_by_role("link", name="Rows", exact=True).click()
    page.get_by_label("Filter").fill("id >= 29990")
    page.get_by_role("button", name="Show").click()
    details(browser, origin, faults)
    find(browser, origin, faults)
    rows(browser, origin, faults)
    if page.locator("tbody tr").count() != 10:
        faults.append(f"{page.locator('tbody tr').count()} rows by the filter, not 10")


def details(browser, origin, faults):
    """What opens and what is searched for, by the keyboard and without scripts."""
    page = browser.new_context(viewport={"width": 400, "height": 844}, java_script_enabled=False).new_page()
    page.goto(origin)
    page.get_by_label("Name has").fill("VEN")
    page.keyboard.press("Enter")
    page.wait_for_url("**name=VEN")
    names = page.locator("tbody th").all_inner_texts()
    if names != ["events"]:
        faults.append(f"the search in the catalog finds {names}")
    page.goto(origin + "datasets/hostile/rows")
    cell = page.locator("td summary").filter(has_text="xxxxxxxx").first
    whole = cell.locator("xpath=../div")
    if whole.is_visible():
        faults.append("a long cell is open before anybody opens it")
    cell.focus()
    page.keyboard.press("Enter")
    if not whole.is_visible() or len(whole.inner_text()) < 900:
        faults.append("a long cell does not open by the keyboard")
    page.goto(origin + "datasets/events")
    page.get_by_text("Python, with pyarrow").click()
    snippet = page.locator("pre").first.inner_text()
    into = {}
    exec(snippet, into)  # the judge's own server has made it
    if into["table"].num_rows != 30_000:
        faults.append(f"the snippet reads {into['table'].num_rows} rows")
    page.locator("section a[href*='/files/']").first.click()
    page.wait_for_url("**/files/*")
    bars = page.eval_on_selector_all("meter", "all => all.map(m => [m.value, m.max, m.getBoundingClientRect().width])")
    if not bars or max(b[0] for b in bars) != bars[0][1] or any(b[2] < 20 for b in bars):
        faults.append(f"bars of columns: {bars}")


def find(browser, origin, faults):
    """Columns of a wide dataset are found and chosen by the keyboard, without scripts."""
    context = browser.new_context(viewport={"width": 400, "height": 844}, java_script_enabled=False)
    page = context.new_page()
    page.goto(origin + "datasets/wide/rows")
    page.get_by_text("Columns: 200").focus()
    page.keyboard.press("Enter")
    for name, listed in [("column 19", 11), ("N 7", 12)]:
        page.get_by_label("Name has").fill(name)
        page.keyboard.press("Enter")
        page.wait_for_url("**find=" + name.replace(" ", "+") + "*")
        boxes = page.get_by_role("checkbox")
        if boxes.count() != listed:
            faults.append(f"find: {boxes.count()} columns are listed for {name}, not {listed}")
        page.get_by_label("Name has").focus()
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
    page.get_by_label("Filter").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**show=column+7&*")
    heads = page.locator("thead button").all_inner_texts()
    if heads != ["column 7", "column 19"]:
        faults.append(f"find: the heads are {heads}")
    context.close()


def rows(browser, origin, faults):
    """A filter, an order and a choice of columns, by the keyboard and without scripts, at the width of a telephone; then what is
    shown as a file, against what pyarrow and Python make of the same rows."""
    context = browser.new_context(viewport={"width": 400, "height": 844}, java_script_enabled=False, accept_downloads=True)
    page = context.new_page()
    page.goto(origin + "datasets/events/rows")
    page.get_by_label("Filter").fill("x > 0.25 AND name IS NOT NULL")
    page.get_by_text("Columns: 4").focus()
    page.keyboard.press("Enter")
    # From the filter on, each control is behind the one before.
    page.get_by_label("Filter").focus()
    order = []
    for _ in range(7):
        page.keyboard.press("Tab")
        order.append(page.evaluate("() => { const e = document.activeElement; return (e.labels && e.labels[0] || e).textContent.trim() || e.getAttribute('aria-label'); }"))
    if order[:6] != ["Show", "Columns: 4", "id", "name", "x", "place"]:
        faults.append(f"rows: Tab leads to {order}")
    for name in ["name", "id"]:
        page.get_by_role("checkbox", name=name, exact=True).focus()
        page.keyboard.press("Space")
    page.get_by_label("Filter").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**where=*")
    page.get_by_role("button", name="Sort by name, ascending").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**sort=name*")
    page.get_by_role("button", name="Sort by name, descending").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**sort=-name*")
    heads = page.eval_on_selector_all("th", "all => all.map(t => [t.querySelector('button').textContent.trim(), t.ariaSort])")
    if heads != [["id", None], ["name ↓", "descending"]]:
        faults.append(f"rows: the heads are {heads}")
    checked = page.get_by_role("checkbox", checked=True).count()
    if checked != 2:
        faults.append(f"rows: {checked} columns are checked, not 2")
    want = [(r["id"], r["name"]) for r in events().to_pylist() if r["x"] > 0.25 and r["name"] is not None]
    want.sort(key=lambda r: r[1], reverse=True)  # stable: equal names stay as they were
    seen = []
    while len(seen) < 200:
        cells = page.locator("tbody td").all_inner_texts()
        seen += list(zip((int(c) for c in cells[0::2]), cells[1::2]))
        page.get_by_role("link", name="next rows").focus()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**from={len(seen)}*")
    if seen != want[:200]:
        faults.append(f"rows: pages have {seen[:5]}, want {want[:5]}")
    page.get_by_role("link", name="rows before").click()
    page.wait_for_url("**from=150*")
    into = {"Parquet": pq.read_table, "CSV": csv.read_csv, "Arrow": lambda f: pa.ipc.open_file(f).read_all()}
    for kind, read in into.items():
        with page.expect_download() as started:
            page.get_by_role("navigation", name="Download").get_by_role("link", name=kind, exact=True).click()
        download = started.value
        if download.suggested_filename != f"events.{kind.lower()}":
            faults.append(f"rows: the file is called {download.suggested_filename}")
        if download.failure():
            faults.append(f"rows: {kind}: {download.failure()}")
            continue
        table = read(str(download.path()))
        got = list(zip(table["id"].to_pylist(), table["name"].to_pylist()))
        if table.column_names != ["id", "name"] or got != want:
            faults.append(f"rows: {kind} has {table.column_names}, {len(got)} rows, want {len(want)}: {got[:3]}")
    page.goto(origin + "datasets/events/rows?sort=place")
    if "cannot be sorted" not in page.get_by_role("alert").inner_text():
        faults.append("rows: a struct has an order")
    context.close()


def streams(browser, origin, address, faults):
    """A stream that nobody reads is seen, and ended by its button."""
    client = flight.FlightClient(address)
    info = client.get_flight_info(flight.FlightDescriptor.for_path("events"))
    call = flight.FlightCallOptions(timeout=60, headers=[(b"x-request-id", b"judged")])
    command = json.dumps({"dataset": "events", "batch_rows": 1})
    reader = client.do_get(flight.Ticket(command.encode()), call)
    reader.read_chunk()
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(origin + "streams")
    page.get_by_role("button", name="Cancel judged").click()
    if page.url != origin + "streams":
        faults.append(f"cancelling leads to {page.url}")
    try:
        while True:
            reader.read_chunk()
    except StopIteration:
        faults.append("the stream has ended well")
    except flight.FlightCancelledError:
        pass
    del info
    client.close()


main()
