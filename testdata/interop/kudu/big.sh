#!/usr/bin/env bash
# What speed is measured on, under OUT: wal and data, the stopped server of a table of ROWS rows in six columns, and
# columns/NAME.cfile, one file of LONE rows for each encoding. Needs the judge's jar, ARROWIO_KUDU_JUDGE_JAR.
#   big.sh OUT [ROWS [LONE]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1 rows=${2:-6000000} lone=${3:-4000000}
export ARROWIO_KUDU=$here/kudu.sh
mkdir -p "$out"
work=$(mktemp -d "$out/making.XXXXXX")
trap '"$ARROWIO_KUDU" stop "$work/table"; "$ARROWIO_KUDU" stop "$work/columns"; rm -rf "$work"' EXIT
judge() { java -Xmx2g -jar "$ARROWIO_KUDU_JUDGE_JAR" "$@"; }

"$ARROWIO_KUDU" get
if [ ! -e "$out/wal" ]; then
	"$ARROWIO_KUDU" start "$work/table" file --flush_threshold_secs=3600
	judge big "$work/table" "$rows"
	"$ARROWIO_KUDU" stop "$work/table"
	mv "$work/table/data" "$out/data"
	mv "$work/table/wal" "$out/wal"
fi
if [ ! -e "$out/columns" ]; then
	# One rowset for all rows: no flush before the end, and no limit of its size.
	"$ARROWIO_KUDU" start "$work/columns" file --flush_threshold_secs=3600 --flush_threshold_mb=1000000 --log_target_replay_size_mb=1000000 \
		--budgeted_compaction_target_rowset_size=1000000000000 --memory_limit_hard_bytes=16000000000
	judge columns "$work/columns" "$lone"
	"$ARROWIO_KUDU" stop "$work/columns"
	python3 "$here/blocks.py" "$work/columns" columns "$work/cut"
	mv "$work/cut" "$out/columns"
fi
