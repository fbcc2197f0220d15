#!/usr/bin/env bash
# A real Kudu on this machine, for fixtures and comparisons: a master and a tablet server on free ports of the loopback.
#   kudu.sh get                            fetches the binaries by Maven, into .cache, unless they are there
#                                          (of Kudu 1.17.1, or of the version in ARROWIO_KUDU_VERSION)
#   kudu.sh start DIR MANAGER [FLAG...]    starts both, with the block manager file, log or logr, and their state in DIR:
#                                          DIR/wal and DIR/data are the tablet server's; DIR/ports has the ports of
#                                          master, tablet server and its web page
#   kudu.sh cluster DIR file|log [FLAG...] starts a master and three tablet servers, with their state in DIR/0, DIR/1 and DIR/2;
#                                          a table has three replicas
#   kudu.sh kill-one DIR N                 kills tablet server N of three
#   kudu.sh stop DIR, kudu.sh kill DIR     ends all, by SIGTERM (which flushes nothing) or SIGKILL
#   kudu.sh tool ARG...                    Kudu's own tool
#   kudu.sh dump FILE [FLAG...]            what Kudu reads in a lone CFile; fails where Kudu refuses it or dies of it
#   kudu.sh dumps <LIST                    the same for many, some at a time: each line is FILE<tab>TEXT, and TEXT becomes
#                                          what Kudu says; answers a line each: ok<tab>FILE, or error<tab>FILE<tab>why
# A flush follows one or two seconds after a write; compactions are off until kudu-judge turns them on.
set -euo pipefail
version=${ARROWIO_KUDU_VERSION:-1.17.1}
cache=$(cd "$(dirname "$0")/../../.." && pwd)/.cache/kudu-$version
home=$cache/kudu-binary-$version-linux-x86_64

# kudu PROGRAM ARG...: without these variables a program finds neither its libraries nor the plugins of SASL.
kudu() { LD_LIBRARY_PATH=$home/lib SASL_PATH=$home/lib/sasl2 exec "$home/bin/$1" "${@:2}"; }

get() {
	[ ! -x "$home/bin/kudu" ] || return 0
	mkdir -p "$cache"
	(cd "$cache" && mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:unpack \
		"-Dartifact=org.apache.kudu:kudu-binary:$version:jar:linux-x86_64" "-DoutputDirectory=$cache" "-Dmdep.overWriteReleases=true")
	chmod +x "$home"/bin/*
}

# server PROGRAM STATE FLAG...: starts a server in the background and prints the port, or ports, that it took. PROGRAM may have a
# number behind it.
server() {
	local program=${1%%[0-9]} state=$2 info=$dir/$1.json name=$1 pid
	shift 2
	rm -f "$info"
	kudu "kudu-$program" --unlock_unsafe_flags --unlock_experimental_flags --time_source=system_unsync --never_fsync \
		--rpc_authentication=disabled --rpc_encryption=disabled --rpc_negotiation_timeout_ms=15000 --redact=none --logtostderr \
		--block_manager="$manager" --fs_wal_dir="$state/wal" --fs_data_dirs="$state/data" --rpc_bind_addresses=127.0.0.1:0 --rpc_server_allow_ephemeral_ports \
		--server_dump_info_path="$info" --server_dump_info_format=json "$@" >"$dir/$name.log" 2>&1 </dev/null &
	pid=$!
	echo $pid >"$dir/$name.pid"
	for ((i = 0; i < 600; i++)); do
		if python3 -c '
import json, sys
j = json.load(open(sys.argv[1]))
print(*(a["port"] for k in ("bound_rpc_addresses", "bound_http_addresses") for a in j.get(k, [])))' "$info" 2>/dev/null; then
			return
		fi
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	tail -n 5 "$dir/$name.log" >&2
	exit 1
}

# tserver NAME STATE FLAG...
tserver() {
	server "$1" "$2" --tserver_master_addrs="127.0.0.1:$master" \
		--webserver_interface=127.0.0.1 --webserver_port=0 --webserver_doc_root="$home/www" \
		--flush_threshold_secs=1 --flush_upper_bound_ms=1000 --maintenance_manager_polling_interval_ms=50 \
		--enable_rowset_compaction=false --enable_major_delta_compaction=false --enable_minor_delta_compaction=false \
		--log_preallocate_segments=false --log_async_preallocate_segments=false --log_container_preallocate_bytes=0 "${@:3}"
}

# ready N: waits until N tablet servers have told the master of themselves.
ready() {
	local i
	for ((i = 0; i < 300; i++)); do
		[ "$(kudu kudu tserver list "127.0.0.1:$master" --columns=uuid --format=csv 2>/dev/null | grep -c .)" -lt "$1" ] || return 0
		sleep 0.1
	done
	tail -n 5 "$dir"/tserver*.log >&2
	exit 1
}

cluster() {
	mkdir -p "$1/master" "$1/0" "$1/1" "$1/2"
	dir=$(cd "$1" && pwd)
	manager=$2
	shift 2
	local master i ports=()
	master=$(server master "$dir/master" --webserver_enabled=false --default_num_replicas=3)
	for i in 0 1 2; do ports+=("$(tserver "tserver$i" "$dir/$i" "$@")"); done
	echo "$master ${ports[0]}" >"$dir/ports"
	ready 3
}

start() {
	mkdir -p "$1/master"
	dir=$(cd "$1" && pwd)
	manager=$2
	shift 2
	local master
	master=$(server master "$dir/master" --webserver_enabled=false --default_num_replicas=1)
	echo "$master $(tserver tserver "$dir" "$@")" >"$dir/ports"
	ready 1
}

# finish SIGNAL DIR [PROGRAM]
finish() {
	local program
	for program in ${3:-tserver tserver0 tserver1 tserver2 master}; do
		[ -f "$2/$program.pid" ] || continue
		pid=$(cat "$2/$program.pid")
		kill "-$1" "$pid" 2>/dev/null || true
		while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
		rm -f "$2/$program.pid"
	done
}

# format DIR: an empty file system, whose blocks are files of DIR/data/data/00/00/00.
format() {
	(kudu kudu fs format --fs_wal_dir="$1/wal" --fs_data_dirs="$1/data" --block_manager=file) >/dev/null 2>&1
	mkdir -p "$1/data/data/00/00/00"
}

# block DIR N FLAG...: what Kudu says of block N, and on standard error, in a line, why it cannot read it.
block() {
	local rc=0
	(kudu kudu fs dump cfile "$2" --fs_wal_dir="$1/wal" --fs_data_dirs="$1/data" --block_manager=file "${@:3}") 2>"$1/err$2" || rc=$?
	[ $rc = 0 ] || grep -v '^[IWE][0-9]\{8\}' "$1/err$2" | tail -n 1 >&2
	return $rc
}

# dump FILE FLAG...: the file becomes block 1 of an empty file system.
dump() {
	local fs rc=0
	fs=$(mktemp -d)
	format "$fs"
	cp "$1" "$fs/data/data/00/00/00/0000000000000001"
	block "$fs" 1 "${@:2}" || rc=$?
	rm -rf "$fs"
	return $rc
}

# answer DIR N FILE TEXT
answer() {
	local why
	if why=$(block "$1" "$2" 2>&1 >"$4"); then
		printf 'ok\t%s\n' "$3"
	else
		printf 'error\t%s\t%s\n' "$3" "$why"
	fi
}

dumps() {
	local fs file text n w workers files=() texts=()
	fs=$(mktemp -d)
	format "$fs"
	while IFS=$'\t' read -r file text; do
		files+=("$file")
		texts+=("$text")
	done
	workers=$(nproc)
	for ((w = 0; w < workers; w++)); do
		for ((n = w; n < ${#files[@]}; n += workers)); do
			file=$fs/data/data/00/00/00/$(printf %016d $((n + 1)))
			ln "${files[n]}" "$file" 2>/dev/null || cp "${files[n]}" "$file"
			answer "$fs" $((n + 1)) "${files[n]}" "${texts[n]}"
			rm "$file"
		done &
	done
	wait
	rm -rf "$fs"
}

case ${1:-} in
get) get ;;
start) shift; start "$@" ;;
cluster) shift; cluster "$@" ;;
kill-one) finish KILL "$2" "tserver$3" ;;
stop) finish TERM "$2" ;;
kill) finish KILL "$2" ;;
dump) shift; dump "$@" ;;
dumps) dumps ;;
tool) shift; kudu kudu "$@" ;;
*) sed -n '2,17s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
