#!/usr/bin/env bash
# fetch.sh DIR: brings the ORC files of other projects' tests to DIR, a directory each, at the commits below. All are under the Apache
# License 2.0. Needs git and the network; no test and no build calls it.
set -euo pipefail
out=${1:?usage: fetch.sh DIR}
mkdir -p "$out"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

bring() { # name, repository, commit, folders
	local name=$1 repository=$2 commit=$3
	shift 3
	git -c init.defaultBranch=main init -q "$scratch/$name"
	git -C "$scratch/$name" remote add origin "https://github.com/$repository"
	git -C "$scratch/$name" sparse-checkout set --no-cone "${@/%//**/*.orc}"
	git -C "$scratch/$name" fetch -q --depth 1 --filter=blob:none origin "$commit"
	git -C "$scratch/$name" checkout -q FETCH_HEAD
	for folder in "$@"; do
		(cd "$scratch/$name/$folder" && find . -name '*.orc' -exec install -D -m 644 {} "$out/$name/{}" \;)
	done
}

out=$(cd "$out" && pwd)
bring orc apache/orc 3738b82366ba64cacae450e7e0e1702c66148afe examples java/core/src/test/resources
bring orc-rust datafusion-contrib/orc-rust c1e4fe436219f11f7f6204eb591fa7d770deb336 tests/basic/data
bring cudf rapidsai/cudf 6a22d1d2f908ba046c76aa7895fc7b78e53d8023 python/cudf/cudf/tests/data/orc java/src/test/resources
