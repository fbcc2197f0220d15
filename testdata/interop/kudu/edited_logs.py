"""edited_logs.py BIN DIR: what arrowio makes of write-ahead logs that were edited, as DIR/bad.json says: as many rows as the
independent reader found, or an error; with --kudu-salvage always rows. Prints a line for each difference, then N/M."""
import json
import subprocess
import sys

arrowio, folder = sys.argv[1:]


def read(table, *flags):
    command = [arrowio, "scan", "--json", "--from", "kudu", "--kudu-data-dir", f"{folder}/fs_file/data", "--kudu-table", table]
    done = subprocess.run([*command, *flags, f"{folder}/fs_file/wal"], capture_output=True, text=True, timeout=60)
    # 4: losses are reported
    return json.loads(done.stdout)["rows"] if done.returncode in (0, 4) else f"exit {done.returncode}: {done.stderr.strip()[-200:]}"


cases = json.load(open(f"{folder}/bad.json"))["cases"]
good = 0
for case in cases:
    want, got, saved = case["reader"].get("rows"), read(case["table"]), read(case["table"], "--kudu-salvage")
    ok = got == want if want is not None else isinstance(got, str) and got.startswith("exit 1:")
    if ok and isinstance(saved, int):
        good += 1
    else:
        print(f"{case['table']}, {case['case']}: {got}, wanted {want if want is not None else 'an error'}; salvaged: {saved}")
print(f"{good}/{len(cases)} as owed")
sys.exit(good != len(cases))
