"""A terminal of a given size, which is tmux, with a program in it."""

import os
import re
import subprocess
import tempfile
import time
from html import escape


class Terminal:
    """Runs a command. Close it, or use it in a with statement."""

    def __init__(self, command, width, height, folder=None, environment=None):
        self.folder = tempfile.TemporaryDirectory()
        self.socket = os.path.join(self.folder.name, "tmux")
        self.environment = {k: v for k, v in os.environ.items() if k not in ("TMUX", "NO_COLOR")} | (environment or {})
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height), "-c", str(folder or "."), *map(str, command), ";", "set-option", "remain-on-exit", "on", ";", "set-option", "status", "off", ";", "resize-window", "-x", str(width), "-y", str(height))

    def tmux(self, *args):
        return subprocess.run(["tmux", "-u", "-f", "/dev/null", "-S", self.socket, *args], check=True, capture_output=True, text=True, env=self.environment).stdout

    def keys(self, *keys):
        """Presses keys: tmux's names of keys, such as Enter, or text."""
        for key in keys:
            before = self.screen() if key == "Enter" else ""
            self.tmux("send-keys", *([key] if re.fullmatch(r"[A-Z][A-Za-z]+|C-.|F\d+", key) else ["-l", key]))
            if key == "Escape":
                time.sleep(0.3)  # or it would be one key with the next
            elif key == "Enter":
                self.until(lambda s: s != before, 2)  # what it opens may take other keys than what is still on the screen

    def screen(self, styles=False):
        """The lines on the screen, with their colours if styles."""
        text = self.tmux("capture-pane", "-p", *(["-e", "-N"] if styles else [])).rstrip("\n")
        return text if styles else "\n".join(line.rstrip() for line in text.split("\n")) + "\n"

    def until(self, right, seconds=20):
        """Waits until right(screen) is true; returns the screen, right or not."""
        end = time.monotonic() + seconds
        while True:
            screen = self.screen()
            if right(screen) or time.monotonic() > end:
                return screen
            time.sleep(0.05)

    def exit_code(self, seconds=20):
        """The exit code of the command; None = it runs on."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            dead, code = self.tmux("display-message", "-p", "#{pane_dead} #{pane_dead_status}").split(" ")
            if dead == "1":
                return int(code)
            time.sleep(0.05)
        return None

    def close(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True)
        self.folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def page(screen, title):
    """A screen with its colours as HTML."""
    lines, style = [], frozenset()
    for line in screen.split("\n"):
        out = []
        for code, text in re.findall(r"(?:\x1b\[([\d;]*)m)|([^\x1b]+)", line):
            if text:
                out.append(f'<span class="{" ".join(sorted(style))}">{escape(text)}</span>')
                continue
            for n in code.split(";"):
                n = int(n or 0)
                if n == 0:
                    style = frozenset()
                elif n in (1, 2, 4, 7):
                    style |= {f"s{n}"}
                elif n in (39, *range(30, 38)):
                    style = frozenset(x for x in style if x[0] != "c") | ({f"c{n - 30}"} if n < 39 else set())
        lines.append("".join(out))
    return """<!doctype html><meta charset="utf-8"><style>
      body { margin: 0; display: inline-block; background: #15191c; border-radius: 9px; padding: 0 0 10px; }
      p { margin: 0; padding: 7px 14px; font: 12px system-ui, "DejaVu Sans", sans-serif; color: #9ba5aa; border-bottom: 1px solid #2d3438; }
      pre { margin: 8px 14px 0; font: 14px/1.32 "DejaVu Sans Mono", monospace; color: #dfe4e4; }
      .s1 { font-weight: 700; } .s2 { color: #8b959b; } .s4 { text-decoration: underline; }
      .c1 { color: #ff8d7a; } .c2 { color: #9fd07d; } .c3 { color: #f0c58c; } .c5 { color: #e0a1e8; } .c6 { color: #6cc5cf; }
      .s7 { background: #c9d3d3; color: #15191c; } .s7.s2 { color: #15191c; }
    </style><p>""" + escape(title) + "</p><pre>" + "\n".join(lines) + "</pre>"
