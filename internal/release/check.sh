#!/usr/bin/env bash
# Makes the release of this machine's platform twice, from two clones of the last commit, and compares them. Then runs
# what each package holds in a folder that has nothing else, as root of a file system: no C library, no shell, no certificates.
set -euo pipefail
cd "$(dirname "$0")/../.."
platform=$(go env GOOS)/$(go env GOARCH)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'echo "line $LINENO: $BASH_COMMAND" >&2' ERR

for n in 1 22; do # folders with names of different length: no path may be in the files
	git clone -q . "$work/source$n"
	go -C "$work/source$n/internal/release" run . -version v0.0.1 -source "$work/source$n" -out "$work/dist$n" -targets "$platform" -duckdb ""
done
cmp "$work/dist1/SHA256SUMS" "$work/dist22/SHA256SUMS"
(cd "$work/dist1" && sha256sum --quiet -c SHA256SUMS)
echo "two builds of one commit: the same bytes"

if grep -rlF "$PWD" "$work/dist1" || grep -rlF "$work" "$work/dist1"; then
	echo "a file names a folder of this machine" >&2
	exit 1
fi

cd "$work/dist1"
mkdir "$work"/{tar,deb,rpm,oci,layer}
tar xzf arrowio_*.tar.gz -C "$work/tar" --strip-components=1
dpkg-deb -x arrowio_*.deb "$work/deb"
tar xf arrowio_*_oci.tar -C "$work/oci"
# The layer is the largest blob.
layer=$(find "$work/oci/blobs" -type f -size +1M)
[ "$(stat -c %s "$layer")" -le 60000000 ] || { echo "the image has $(stat -c %s "$layer") bytes, more than 60 MB" >&2; exit 1; }
tar xzf "$layer" -C "$work/layer"
bsdtar -xf arrowio-*.rpm -C "$work/rpm" 2>/dev/null # "Removing leading '/'"
mkdir -p "$work/tar/usr/bin" && mv "$work/tar/arrowio" "$work/tar/usr/bin/"
roots=("$work/deb" "$work/layer" "$work/rpm" "$work/tar")
for root in "${roots[@]}"; do
	mkdir -p "$root/data"
	printf 'n,word\n1,one\n2,two\n' >"$root/data/a.csv"
	run() { chroot "$root" /usr/bin/arrowio "$@"; }
	[ "$(run --version | cut -d' ' -f2)" = v0.0.1 ]
	run convert /data/a.csv /data/a.orc 2>/dev/null
	[ "$(run count /data/a.orc)" = 2 ]
	run convert /data/a.orc /data/a.parquet 2>/dev/null
	[ "$(run cat --format csv --where 'n = 2' /data/a.parquet)" = $'n,word\n2,two' ]
done
gzip -t "$work"/deb/usr/share/man/man1/*.gz
bash -n "$work/deb/usr/share/bash-completion/completions/arrowio"
grep -q 'ExecStart=/usr/bin/arrowio' "$work/deb/usr/lib/systemd/system/arrowio.service"
echo "${#roots[@]} packages run in an empty root"
