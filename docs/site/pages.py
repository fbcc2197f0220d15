"""What mkdocs does not know of these pages: the first one is README.md, links lead out of docs/, directories are parts of the
navigation, and llms.txt lists all of them."""

from __future__ import annotations

import pathlib
import posixpath
import re
from typing import Any

from mkdocs.structure.files import File

DOCS = pathlib.Path(__file__).resolve().parents[1]
ROOT = DOCS.parent

#: Directories of which every page is a part of the navigation.
LISTED = {"Formats": "formats", "Benchmarks": "bench", "Decisions": "adr"}

_LINK = re.compile(r"""(\]\(|(?:href|src)=")([^)"\s#]+)(#[^)"\s]*)?(?=[)"\s])""")
_FENCE = re.compile(r"^( *)(```|~~~)", re.MULTILINE)


def on_config(config: Any) -> Any:
    for part in config.nav:
        for pages in part.values():
            for entry in pages if isinstance(pages, list) else []:
                if isinstance(entry, dict):
                    for name in entry.keys() & LISTED.keys():
                        entry[name] = _pages_in(LISTED[name])
    return config


def _pages_in(directory: str) -> "list[str]":
    pages = sorted(f"{directory}/{p.name}" for p in (DOCS / directory).glob("*.md"))
    return sorted(pages, key=lambda p: not p.endswith("/README.md"))  # which is the page of the directory


def on_files(files: Any, config: Any) -> Any:
    files.append(File.generated(config, "index.md", abs_src_path=str(ROOT / "README.md")))
    files.append(File.generated(config, "llms.txt", content=_index(config)))
    return files


def _index(config: Any) -> str:
    """Makes llms.txt, for programs that read pages: each page with its title, in the order of the navigation, as Markdown in the repository."""
    out = [f"# {config.site_name}\n\n> {config.site_description}\n"]

    def add(entries: Any) -> None:
        for entry in entries:
            for e in [entry] if isinstance(entry, str) else entry.values():
                if not isinstance(e, str):
                    add(e)
                    continue
                path = "README.md" if e == "index.md" else f"docs/{e}"
                title = re.search(r"^# (.+)$", (ROOT / path).read_text(), re.MULTILINE)
                if title is None:
                    raise ValueError(f"{path} has no title")
                out.append(f"- [{title[1]}]({config.repo_url.rstrip('/')}/raw/main/{path})")

    for part in config.nav:
        for name, entries in part.items():
            out.append(f"\n## {name}\n")
            add([entries] if isinstance(entries, str) else entries)
    return "\n".join(out) + "\n"


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Makes links that lead to what is no page links to the repository, and sets lists off, as GitHub does."""
    home = page.file.src_uri == "index.md"
    here = "" if home else posixpath.join("docs", posixpath.dirname(page.file.src_uri))

    def moved(m: "re.Match[str]") -> str:
        begin, path, anchor = m[1], m[2], m[3] or ""
        if "://" in path or path.startswith("mailto:"):
            return m[0]
        at = posixpath.normpath(posixpath.join(here, path))
        if at == "README.md":
            return f"{begin}{posixpath.relpath('docs/index.md', here or 'docs')}{anchor}"
        uri = at.removeprefix("docs/")
        if at.startswith("docs/") and files.get_file_from_path(uri) is not None and not files.get_file_from_path(uri).inclusion.is_excluded():
            return f"{begin}{uri if home else path}{anchor}"
        if not (ROOT / at).exists():
            return m[0]  # mkdocs says so
        kind = "tree" if (ROOT / at).is_dir() else "blob"
        return f"{begin}{config.repo_url.rstrip('/')}/{kind}/main/{at}{anchor}"

    out, fenced, before = [], False, ""
    for line in markdown.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            line = _LINK.sub(moved, line)
            if re.match(r"([-*]|\d+\.) ", line) and before and not re.match(r"([-*]|\d+\.) | ", before):
                out.append("")
        out.append(line)
        before = line
    return "\n".join(out)
