#!/usr/bin/env bash
# A real Kudu on this machine, for fixtures and comparisons: a master and a tablet server on free ports of the loopback.
#   kudu.sh get                            fetches the binaries by Maven, into .cache, unless they are there
#   kudu.sh start DIR file|log [FLAG...]   starts both, with their state in DIR: DIR/wal and DIR/data are the tablet
#                                          server's; DIR/ports has the ports of master, tablet server and its web page
#   kudu.sh stop DIR, kudu.sh kill DIR     ends both, by SIGTERM (which flushes nothing) or SIGKILL
#   kudu.sh tool ARG...                    Kudu's own tool
#   kudu.sh dump FILE [FLAG...]            what Kudu reads in a lone CFile; fails where Kudu refuses it or dies of it
# A flush follows one or two seconds after a write; compactions are off until kudu-judge turns them on.
set -euo pipefail
version=1.17.1
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

# server PROGRAM STATE FLAG...: starts a server in the background and prints the port, or ports, that it took.
server() {
	local program=$1 state=$2 info=$dir/$1.json pid
	shift 2
	rm -f "$info"
	kudu "kudu-$program" --unlock_unsafe_flags --unlock_experimental_flags --time_source=system_unsync --never_fsync \
		--rpc_authentication=disabled --rpc_encryption=disabled --rpc_negotiation_timeout_ms=15000 --redact=none --logtostderr \
		--block_manager="$manager" --fs_wal_dir="$state/wal" --fs_data_dirs="$state/data" --rpc_bind_addresses=127.0.0.1:0 --rpc_server_allow_ephemeral_ports \
		--server_dump_info_path="$info" --server_dump_info_format=json "$@" >"$dir/$program.log" 2>&1 </dev/null &
	pid=$!
	echo $pid >"$dir/$program.pid"
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
	tail -n 5 "$dir/$program.log" >&2
	exit 1
}

start() {
	mkdir -p "$1/master"
	dir=$(cd "$1" && pwd)
	manager=$2
	shift 2
	local master
	master=$(server master "$dir/master" --webserver_enabled=false --default_num_replicas=1)
	echo "$master $(server tserver "$dir" --tserver_master_addrs="127.0.0.1:$master" \
		--webserver_interface=127.0.0.1 --webserver_port=0 --webserver_doc_root="$home/www" \
		--flush_threshold_secs=1 --flush_upper_bound_ms=1000 --maintenance_manager_polling_interval_ms=50 \
		--enable_rowset_compaction=false --enable_major_delta_compaction=false --enable_minor_delta_compaction=false \
		--log_preallocate_segments=false --log_async_preallocate_segments=false --log_container_preallocate_bytes=0 "$@")" >"$dir/ports"
	for ((i = 0; i < 300; i++)); do
		[ -z "$(kudu kudu tserver list "127.0.0.1:$master" --columns=uuid --format=csv 2>/dev/null)" ] || return 0
		sleep 0.1
	done
	tail -n 5 "$dir/tserver.log" >&2
	exit 1
}

# finish SIGNAL DIR
finish() {
	for program in tserver master; do
		[ -f "$2/$program.pid" ] || continue
		pid=$(cat "$2/$program.pid")
		kill "-$1" "$pid" 2>/dev/null || true
		while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
		rm -f "$2/$program.pid"
	done
}

# dump FILE FLAG...: the file becomes block 1 of an empty file system.
dump() {
	local fs rc=0
	fs=$(mktemp -d)
	(kudu kudu fs format --fs_wal_dir="$fs/wal" --fs_data_dirs="$fs/data" --block_manager=file) >/dev/null 2>&1
	mkdir -p "$fs/data/data/00/00/00"
	cp "$1" "$fs/data/data/00/00/00/0000000000000001"
	(kudu kudu fs dump cfile 1 --fs_wal_dir="$fs/wal" --fs_data_dirs="$fs/data" --block_manager=file "${@:2}") 2>"$fs/err" || rc=$?
	[ $rc = 0 ] || grep -v '^[IWE][0-9]\{8\}' "$fs/err" | head -n 1 >&2
	rm -rf "$fs"
	return $rc
}

case ${1:-} in
get) get ;;
start) shift; start "$@" ;;
stop) finish TERM "$2" ;;
kill) finish KILL "$2" ;;
dump) shift; dump "$@" ;;
tool) shift; kudu kudu "$@" ;;
*) sed -n '2,10s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
