#!/usr/bin/env bash
# Makes every Trevni fixture anew: the Java writer's, the ones it does not write, the damaged ones, the manifests.
# The bytes are the same every time with the same Java and zlib. Needs JDK 17, Maven and Python 3.11.
#   make.sh          writes testdata
#   make.sh --check  writes to a scratch folder and compares
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
testdata=$(dirname "$here")
version=java-1.12.1
export PYTHONDONTWRITEBYTECODE=1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=$scratch/testdata
java=$out/trevni/$version
foreign=$out/trevni/foreign
mkdir -p "$java" "$foreign"

mvn -q -B -f "$testdata/interop/trevni-judge/pom.xml" package
judge() { java -jar "$testdata/interop/trevni-judge/target/trevni-judge.jar" "$@"; }

judge gen "$java"
python3 "$here/foreign.py" "$foreign" "$java"

# Java says what it reads in each file, and in the twins of the files that it does not read.
twins() { find "$foreign/twins" -name '*.trv'; }
unread() { awk -F'\t' -v dir="$1" '$3 != "" { print dir "/" $1 }' "$1/fixtures.tsv"; }
readable() { find "$1" -maxdepth 1 -name '*.trv' | sort | grep -vxFf <(unread "$1"; echo -); }
judge expect $(readable "$java") $(readable "$foreign") $(twins)
for f in $(unread "$java") $(unread "$foreign"); do
	case $(judge try "$f") in
	*$'\tok') echo "$f is listed as a file that Java does not read, and it reads it" >&2; exit 1 ;;
	esac
done
python3 - "$foreign" "$java" <<'PY'
import gzip, pathlib, sys
foreign, java = map(pathlib.Path, sys.argv[1:])
for line in (foreign / "twins.tsv").read_text().splitlines():
    name, old, new = line.split("\t")
    text = gzip.decompress((foreign / "twins" / name.replace(".trv", ".raw.jsonl.gz")).read_bytes()).split(b"\n", 1)
    if old:
        assert old.encode() in text[0], (name, old)
        text[0] = text[0].replace(old.encode(), new.encode())
    to = java / name.removeprefix("java/") if name.startswith("java/") else foreign / name
    to.with_name(to.name.replace(".trv", ".raw.jsonl.gz")).write_bytes(gzip.compress(b"\n".join(text), 9, mtime=0))
PY
rm -rf "$foreign/twins" "$foreign/twins.tsv"

python3 "$here/corrupt.py" "$java" "$out/corrupt/trevni"
[ ! -f "$testdata/manifest.json" ] || cp "$testdata/manifest.json" "$out/manifest.json"
python3 "$testdata/manifest.py" "$out" trevni \
	"trevni/$version=org.apache.avro:trevni-core, trevni-avro=1.12.1=trevni-judge gen" \
	"trevni/foreign=testdata/trevni/foreign.py==foreign.py"
rm "$java/fixtures.tsv" "$foreign/fixtures.tsv"

places="trevni/$version trevni/foreign corrupt/trevni manifest.json"
if [ "${1:-}" = --check ]; then
	for p in $places; do diff -r "$testdata/$p" "$out/$p"; done
	echo "the fixtures are what their scripts make"
	exit
fi
for p in $places; do
	rm -rf "${testdata:?}/$p"
	mkdir -p "$(dirname "$testdata/$p")"
	cp -r "$out/$p" "$testdata/$p"
done
