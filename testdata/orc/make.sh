#!/usr/bin/env bash
# Makes every ORC fixture anew: the Java writer's, the C++ writer's, the ones neither makes, the damaged ones, the
# manifests. The bytes are the same every time with the same Java, zlib, pyarrow, pyorc and time zone database. Needs JDK 17, Maven, and a Python
# 3.11 with pyarrow and pyorc, ARROWIO_PYTHON.
#   make.sh          writes testdata
#   make.sh --check  writes to a scratch folder and compares
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
testdata=$(dirname "$here")
javaVersion=2.3.1
cppVersion=26.0.1
zonesVersion=0.12.0
python=${ARROWIO_PYTHON:-python3}
export PYTHONDONTWRITEBYTECODE=1

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
out=$scratch/testdata
java=$out/orc/java-$javaVersion
cpp=$out/orc/pyarrow-$cppVersion
zones=$out/orc/pyorc-$zonesVersion
foreign=$out/orc/foreign
mkdir -p "$java" "$cpp" "$zones" "$foreign"

mvn -q -B -f "$testdata/interop/orc-judge/pom.xml" package
judge() { java -Xmx1g -jar "$testdata/interop/orc-judge/target/orc-judge.jar" "$@"; }

judge gen "$java"
"$python" "$here/cpp.py" "$cpp"
"$python" "$here/zones.py" "$zones"
"$python" "$here/foreign.py" "$java" "$foreign"

# Java says what it reads in each file. Of a file that it does not read, what that was made from says it.
judge expect "$cpp"/*.orc "$zones"/*.orc
unread() { awk -F'\t' -v dir="$foreign" '$5 != "" { print dir "/" $1 }' "$foreign/fixtures.tsv"; }
# shellcheck disable=SC2046 # lists of words
judge expect $(find "$foreign" -name '*.orc' | sort | grep -vxFf <(unread; echo -))
# shellcheck disable=SC2046
judge try $(unread) | while IFS=$'\t' read -r file answer; do
	[ "$answer" != ok ] || { echo "$file is listed as a file that Java does not read, and it reads it" >&2; exit 1; }
	name=$(basename "$file")
	base=$(awk -F'\t' -v name="$name" '$1 == name { print $4 }' "$foreign/fixtures.tsv")
	cp "$java/$base.jsonl.gz" "${file%.orc}.jsonl.gz"
done

"$python" "$here/corrupt.py" "$java" "$out/corrupt/orc"
[ ! -f "$testdata/manifest.json" ] || cp "$testdata/manifest.json" "$out/manifest.json"
"$python" "$testdata/manifest.py" "$out" orc \
	"orc/java-$javaVersion=org.apache.orc:orc-core=$javaVersion=orc-judge gen" \
	"orc/pyarrow-$cppVersion=pyarrow=$cppVersion=testdata/orc/cpp.py" \
	"orc/pyorc-$zonesVersion=pyorc=$zonesVersion=testdata/orc/zones.py" \
	"orc/foreign=testdata/orc/foreign.py==foreign.py"
rm "$java/fixtures.tsv" "$cpp/fixtures.tsv" "$zones/fixtures.tsv" "$foreign/fixtures.tsv"

places="orc/java-$javaVersion orc/pyarrow-$cppVersion orc/pyorc-$zonesVersion orc/foreign corrupt/orc manifest.json"
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
