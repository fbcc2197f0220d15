#!/usr/bin/env bash
# Makes every fixture of Kudu anew with real servers: lone CFiles, tablet servers' directories, damaged CFiles, the
# manifests. Needs JDK 17, Maven and Python 3.11; x86-64 Linux.
#   make.sh          writes testdata
#   make.sh --check  writes to a scratch folder and compares: bytes where they are the same every time; rows, and the
#                    shape of what holds them, where numbers of blocks and timestamps get into the bytes
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
testdata=$(dirname "$here")
version=1.17.1
export ARROWIO_KUDU=$testdata/interop/kudu/kudu.sh PYTHONDONTWRITEBYTECODE=1

scratch=$(mktemp -d)
trap 'for d in "$scratch"/*.server; do "$ARROWIO_KUDU" kill "$d"; done; rm -rf "$scratch"' EXIT
out=$scratch/testdata
cfiles=$out/cfile/kudu-$version
servers=$out/kudu/kudu-$version
mkdir -p "$cfiles" "$servers"

"$ARROWIO_KUDU" get
mvn -q -B -f "$testdata/interop/kudu-judge/pom.xml" package
judge() { java -Xmx1g -jar "$testdata/interop/kudu-judge/target/kudu-judge.jar" "$@"; }

lone() {
	"$ARROWIO_KUDU" start "$scratch/lone.server" file
	judge files "$scratch/lone.server" "$scratch/texts"
	"$ARROWIO_KUDU" stop "$scratch/lone.server"
	python3 "$here/cfiles.py" "$scratch/lone.server" "$scratch/texts" "$cfiles"
}

server() { # MANAGER
	"$ARROWIO_KUDU" start "$scratch/$1.server" "$1"
	judge tables "$scratch/$1.server" "$servers/$1"
	"$ARROWIO_KUDU" kill "$scratch/$1.server"
	python3 "$testdata/interop/kudu/pack.py" "$scratch/$1.server" "$servers/$1.tar.gz" >"$servers/$1.shape.json"
}

pids=()
for what in lone "server file" "server log"; do
	$what &
	pids+=($!)
done
for p in "${pids[@]}"; do wait "$p"; done

python3 "$here/servers.py" "$servers"
python3 "$here/corrupt.py" "$cfiles" "$out/corrupt/cfile"
[ ! -f "$testdata/manifest.json" ] || cp "$testdata/manifest.json" "$out/manifest.json"
python3 "$testdata/manifest.py" "$out" cfile "cfile/kudu-$version=org.apache.kudu:kudu-binary=$version=testdata/kudu/make.sh"
rm "$cfiles/fixtures.tsv"

places="cfile/kudu-$version kudu/kudu-$version corrupt/cfile manifest.json"
if [ "${1:-}" = --check ]; then
	for p in $places; do python3 "$here/check.py" "$testdata/$p" "$out/$p"; done
	echo "the fixtures are what their scripts make"
	exit
fi
for p in $places; do
	rm -rf "${testdata:?}/$p"
	mkdir -p "$(dirname "$testdata/$p")"
	cp -r "$out/$p" "$testdata/$p"
done
# Others whenever they are made: a test makes them anew, and has the same expectations of them.
ARROWIO_KUDU_JUDGE_JAR=$testdata/interop/kudu-judge/target/kudu-judge.jar python3 "$here/replicas.py" "$testdata/kudu/replicas-$version" log
python3 "$here/killed.py" "$testdata/kudu/killed-$version"
