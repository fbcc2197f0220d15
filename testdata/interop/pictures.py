#!/usr/bin/env python3
"""pictures.py BIN CHROMIUM FOLDER: the pictures of the documentation, docs/report.png and docs/browse.png.

A report of a file of orders in a browser, and the same file in `arrowio browse` in a terminal of 96×27 (tmux). Needs tmux, and besides the Python packages of the judges
Pillow, which gives the pictures few colours: pip install pillow.
"""

import pathlib
import subprocess
import sys
import tempfile

try:
    from PIL import Image
except ImportError:
    sys.exit("pictures.py needs Pillow: pip install pillow")
from playwright.sync_api import sync_playwright

import report_judge
import terminal

COLOURS = 160


def main():
    binary, chromium, out = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as name, sync_playwright() as p:
        folder = pathlib.Path(name)
        report_judge.orders(binary, folder)
        browser = p.chromium.launch(executable_path=chromium, args=["--no-sandbox"])

        def photograph(path, to, width, select, until):
            page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
            page.goto(path.as_uri())
            box, last = page.locator(select).first.bounding_box(), page.locator(until).first.bounding_box()
            page.screenshot(path=str(to), full_page=True, clip={"x": box["x"], "y": 0, "width": box["width"], "height": last["y"] + last["height"] + (12 if until != select else 0)}, omit_background=True)
            Image.open(to).convert("RGB").quantize(COLOURS, method=Image.Quantize.MAXCOVERAGE).save(to, optimize=True)

        subprocess.run([binary, "inspect", "--html", "report.html", "--verify", "--where", "customer = 'customer-00042'", "orders.orc"], check=True, cwd=folder, stderr=subprocess.DEVNULL)
        photograph(folder / "report.html", out / "report.png", 1240, "body", ".columns")
        with terminal.Terminal([binary, "browse", "--rows", "--where", "price > 100", "orders.orc"], 96, 27, folder=folder) as t:
            t.until(lambda s: "match" in s)
            t.keys("Down", "Down", "Down", "Down", "Down", "Down", "Right", "Right", "Right", "Right", "s", "s")
            t.until(lambda s: "▼" in s)
            t.keys("Down", "Down", "Down", "Down")
            (folder / "browse.html").write_text(terminal.page(t.screen(styles=True), "arrowio browse --rows --where 'price > 100' orders.orc"))
            print(t.screen())
        photograph(folder / "browse.html", out / "browse.png", 1200, "body", "body")
        browser.close()


main()
