"""Runs SQL logic tests as DuckDB writes them (https://duckdb.org/docs/stable/dev/sqllogictest/intro): the part of the format that ours need.

    statement ok           query II rowsort        statement error
    SELECT 1               SELECT 1, 'a'           SELECT nosuch
                           ----                    ----
                           1<tab>a                 <REGEX>:.*nosuch.*

A blank line ends each. Values are those of DuckDB's cast to VARCHAR, NULL, or (empty). What is behind the ---- of an error has to be in its
text, or match as a whole. ${NAME} and __TEST_DIR__ are replaced. A word that is not known is an error: nothing is passed over.
"""

import re

import duckdb


class Failure(Exception):
    """A test that does not hold; its text begins with the file and the line."""


def run(path, con, variables):
    """Runs the file at path on a connection and returns how many tests it had."""
    lines = [line.rstrip("\n") for line in path.read_text().splitlines()]
    done, at = 0, 0
    while at < len(lines):
        line = lines[at]
        if not line.strip() or line.startswith("#"):
            at += 1
            continue
        end = at
        while end < len(lines) and lines[end].strip():
            end += 1
        where = f"{path.name}:{at + 1}"
        try:
            done += _one(line.split(), lines[at + 1 : end], con, variables)
        except Failure as e:
            raise Failure(f"{where}: {e}") from None
        at = end
    return done


def _one(words, body, con, variables):
    """Runs one test: its first line in words, and the others."""
    if words[0] == "require":
        if words[1:] != ["arrowio"]:
            raise Failure(f"{' '.join(words)}: only arrowio is there")
        return 0
    cut = body.index("----") if "----" in body else len(body)
    sql = "\n".join(body[:cut])
    for name, value in variables.items():
        sql = sql.replace("__TEST_DIR__" if name == "TEST_DIR" else "${" + name + "}", str(value))
    want = body[cut + 1 :] if cut < len(body) else None
    if words == ["statement", "ok"] and want is None:
        _execute(con, sql)
    elif words == ["statement", "error"] and want:
        _refused(con, sql, "\n".join(want))
    elif words[0] == "query" and len(words) in (2, 3) and want is not None:
        _compare(con, sql, words[1], words[2] if len(words) == 3 else "nosort", want)
    else:
        raise Failure(f"{' '.join(words)}: not a test that this program knows")
    return 1


def _execute(con, sql):
    try:
        con.execute(sql).fetchall()
    except duckdb.Error as e:
        raise Failure(f"{sql}\n{e}") from None


def _refused(con, sql, want):
    try:
        con.execute(sql).fetchall()
    except duckdb.Error as e:
        got = str(e)
    else:
        raise Failure(f"{sql}\nno error; wanted {want}")
    if want.startswith("<REGEX>:"):
        held = re.fullmatch(want.removeprefix("<REGEX>:"), got, re.DOTALL) is not None
    else:
        held = want in got
    if not held:
        raise Failure(f"{sql}\nthe error is {got}\nwanted {want}")


def _compare(con, sql, types, order, want):
    if not re.fullmatch("[TIR]+", types) or order not in ("nosort", "rowsort"):
        raise Failure(f"query {types} {order}: types are of T, I and R, the order is nosort or rowsort")
    try:
        rows = con.sql(sql)
        texts = rows.project(", ".join(f"CAST(#{i + 1} AS VARCHAR)" for i in range(len(rows.columns)))).fetchall()
    except duckdb.Error as e:
        raise Failure(f"{sql}\n{e}") from None
    if len(rows.columns) != len(types):
        raise Failure(f"{sql}\n{len(rows.columns)} columns, wanted {len(types)}")
    got = ["\t".join("NULL" if v is None else v or "(empty)" for v in row) for row in texts]
    if order == "rowsort":
        got, want = sorted(got), sorted(want)
    if got != want:
        raise Failure("\n".join([sql, "got", *got, "wanted", *want]))
