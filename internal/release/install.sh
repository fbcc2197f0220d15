#!/usr/bin/env bash
# Installs what a release holds as people do, in whole systems of their own and without a network, and times the way from the
# package to the first rows of an ORC file, which Java has written: ten seconds at most.
#
#   install.sh DIST ROOT...
#
# DIST has the files of `make release`, and of `make wheels` if wheels are to be tried. A ROOT is the root of the files of a system, which
# is copied and not changed, as debootstrap makes one:
#
#   debootstrap --variant=minbase --include=python3-venv bookworm ROOT
#
# or the word "busybox": nothing but that program, as in small containers; or "rpm": nothing at all, and the rpm of this machine installs there.
set -euo pipefail
[ $# -ge 2 ] && [ "$(id -u)" = 0 ] || { sed -n '2,14s/^# \{0,1\}//p' "$0" >&2; echo "and root is needed" >&2; exit 2; }
dist=$(realpath "$1")
shift
orc=$(realpath "$(dirname "$0")/../../testdata/orc/java-2.3.1")
work=$(mktemp -d)
trap 'umount -q "$work"/files/proc 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'echo "line $LINENO: $BASH_COMMAND" >&2' ERR
want=$(zcat "$orc/tiny-none.jsonl.gz" | head -n 3 | tr -d '[]"')
most=10000 # milliseconds

inside() { unshare --net --mount --pid --fork chroot "$work/files" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp sh -ec "$1" </dev/null; }

# NAME OF THE SYSTEM, WHAT IS DONE, COMMANDS, and those outside of the system that come before them
try() {
	local from to rows log=$work/log
	from=$(date +%s%N)
	if ! { [ -z "${4:-}" ] || eval "$4" >"$log" 2>&1; } || ! rows=$(inside "{ $3; } 2>/tmp/log" 2>>"$log"); then
		echo "$1: $2 failed" >&2
		cat "$log" "$work/files/tmp/log" >&2 || true
		exit 1
	fi
	to=$(date +%s%N)
	rows=$(tail -n 3 <<<"$rows")
	[ "$rows" = "$want" ] || { printf '%s: %s shows other rows than Java:\n%s\n' "$1" "$2" "$rows" >&2; exit 1; }
	printf '%-20s %-36s %5d ms\n' "$1" "$2" $(((to - from) / 1000000))
	[ $(((to - from) / 1000000)) -le $most ] || { echo "more than $most ms" >&2; exit 1; }
}

# The rows, by the command and by Python.
shown="--format csv --limit 3 tiny-none.orc"
python='import arrowio; arrowio.write(arrowio.open("tiny-none.orc", rows=(0, 3)), "rows.csv"); print(open("rows.csv").read().partition("\n")[2], end="")'
tarball=$(basename "$dist"/arrowio_*_linux_amd64.tar.gz)

for given in "$@"; do
	rm -rf "$work/files"
	if [ "$given" = busybox ] || [ "$given" = rpm ]; then
		name=$given
		mkdir -p "$work"/files/{tmp,proc,usr/bin}
		cp "$(command -v busybox)" "$work/files/usr/bin/busybox"
		for applet in env sh tar gzip; do ln -s busybox "$work/files/usr/bin/$applet"; done
		ln -s usr/bin "$work/files/bin"
	else
		cp -a "$given" "$work/files"
		name=$(. "$given/etc/os-release" && echo "$ID $VERSION_ID")
	fi
	cp "$orc/tiny-none.orc" "$dist"/*_amd64.deb "$dist"/*.x86_64.rpm "$dist/$tarball" "$work/files/tmp/"
	has() { chroot "$work/files" /bin/sh -c "command -v $1" >/dev/null 2>&1; }
	try "$name" "tar xzf" "cd /tmp; tar xzf $tarball; ${tarball%.tar.gz}/arrowio cat $shown"
	if has apt-get; then
		try "$name" "apt-get install ./arrowio.deb" "cd /tmp; apt-get install -y ./*.deb; cd /tmp; arrowio cat $shown"
		inside "dpkg --verify arrowio; dpkg --purge arrowio" >/dev/null
	fi
	if has dnf; then
		try "$name" "dnf install ./arrowio.rpm" "cd /tmp; dnf install -y --disablerepo='*' ./*.rpm; arrowio cat $shown"
	fi
	if [ "$given" = rpm ]; then
		try "$name" "rpm --install arrowio.rpm" "cd /tmp; arrowio cat $shown" 'rpm --root "$work/files" --install "$work"/files/tmp/*.rpm && rpm --root "$work/files" --verify arrowio'
	fi
	wheel=$(ls "$dist"/arrowio-*manylinux*x86_64.whl 2>/dev/null || true)
	if [ -n "$wheel" ] && has python3; then
		cp "$wheel" "$work/files/tmp/"
		inside "python3 -m venv /tmp/venv"
		try "$name" "pip install WHEEL" "cd /tmp; venv/bin/pip install --no-index --disable-pip-version-check ./*.whl; venv/bin/python -c '$python'"
	fi
done
