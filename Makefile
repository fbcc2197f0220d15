# One command for every chore; `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

CACHE := $(CURDIR)/.cache
PKG ?= ./...
FUZZTIME ?= 30s
SECONDS ?= 60
COUNT ?= 1
BENCH ?= .

GOLANGCI_VERSION := v2.15.0
BENCHSTAT_VERSION := v0.0.0-20260908200009-22c9c6c9d4da
GOLANGCI := $(CACHE)/bin/golangci-lint-$(GOLANGCI_VERSION)
BIN := $(CACHE)/bin/arrowio
ARROW18 := arrowio/arrow18
# Modules of their own, which ./... leaves out.
MODULES := internal/release $(ARROW18) $(ARROW18)/examples
INTEROP := testdata/interop
VENV := $(CACHE)/venv
JUDGE := $(INTEROP)/trevni-judge/target/trevni-judge.jar
ORC_JUDGE := $(INTEROP)/orc-judge/target/orc-judge.jar
KUDU := $(INTEROP)/kudu/kudu.sh
KUDU_JUDGE := $(INTEROP)/kudu-judge/target/kudu-judge.jar
ICEBERG_JUDGE := $(INTEROP)/iceberg-judge/target/iceberg-judge.jar
HDFS_JUDGE := $(INTEROP)/hdfs-judge/target/hdfs-judge.jar
FLIGHT_JUDGE := $(INTEROP)/flight-judge/target/flight-judge.jar
HIVE_JUDGE := $(INTEROP)/hive-judge/target/hive-judge.jar
HIVE4_JUDGE := $(INTEROP)/hive4-judge/target/hive4-judge.jar
SPARK_JUDGE := $(INTEROP)/spark-judge/target/spark-judge.jar
DUCKDB_ICEBERG := $(CACHE)/duckdb-iceberg
ORC_PEER := $(INTEROP)/orc-bench/rust/target/release/orc-peer
# Comparison programs and files that lie beside the project where it is developed.
SHARED ?= ../shared
BIG ?= $(CACHE)/big
BIGROWS ?= 1300000
BENCHFLAGS ?=

export ARROWIO_JUDGE_JAR := $(CURDIR)/$(JUDGE)
export ARROWIO_ORC_JUDGE_JAR := $(CURDIR)/$(ORC_JUDGE)
export ARROWIO_KUDU_JUDGE_JAR := $(CURDIR)/$(KUDU_JUDGE)
export ARROWIO_ICEBERG_JUDGE_JAR := $(CURDIR)/$(ICEBERG_JUDGE)
export ARROWIO_HDFS_JUDGE_JAR := $(CURDIR)/$(HDFS_JUDGE)
export ARROWIO_FLIGHT_JUDGE_JAR := $(CURDIR)/$(FLIGHT_JUDGE)
export ARROWIO_HIVE_JUDGE_JAR := $(CURDIR)/$(HIVE_JUDGE)
export ARROWIO_HIVE4_JUDGE_JAR := $(CURDIR)/$(HIVE4_JUDGE)
export ARROWIO_SPARK_JUDGE_JAR := $(CURDIR)/$(SPARK_JUDGE)
export ARROWIO_DUCKDB_ICEBERG := $(DUCKDB_ICEBERG)
export ARROWIO_KUDU := $(CURDIR)/$(KUDU)
export ARROWIO_PYTHON := $(VENV)/bin/python
export ARROWIO_BIN := $(BIN)
# Any Chromium: tests of the page for browsers start it by this path.
export ARROWIO_CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)

.PHONY: help
help: ## this list
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## /{printf "%-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## the arrowio command, into .cache/bin
	go build -o $(BIN) ./cmd/arrowio

.PHONY: test
test: ## the tests (PKG=./...)
	go test $(PKG)
	$(if $(filter ./...,$(PKG)),go -C $(ARROW18) test ./...)
	$(if $(filter ./...,$(PKG)),go -C $(ARROW18)/examples test -tags duckdb_arrow ./...)

.PHONY: test-arm64
test-arm64: ## by hand: the short tests as on linux/arm64, below an emulator (PKG=./readers/...; Debian: qemu-user-static)
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go test -short -timeout 60m -exec qemu-aarch64-static $(PKG)

.PHONY: release
release: ## everything that is downloaded: VERSION=v0.9.0 makes it in .cache/dist (aarch64-linux-gnu-g++ for DuckDB on arm64)
	go -C internal/release run . -version $(VERSION) -out $(CACHE)/dist $(RELEASEFLAGS)

# One platform, twice from the same commit in two places, and what is in the packages run where nothing else is.
.PHONY: release-check
release-check: ## are releases of one commit the same bytes, and do the packages work? (root)
	go -C internal/release test ./...
	internal/release/check.sh

.PHONY: install-check
install-check: ## by hand: install what .cache/dist has in whole systems without a network, timed to the first rows (ROOTS="DIR... busybox rpm"; root)
	internal/release/install.sh $(CACHE)/dist $(or $(ROOTS),busybox)

# Machines of 32 bits are refused when compiled, which a test of arrowio looks at.
.PHONY: vet-platforms
vet-platforms: ## do the types of all packages and tests fit as on macOS, Windows and arm64? but for what needs a C compiler
	go run ./internal/platforms -but github.com/arrowio/arrowio/cmd/libarrowio darwin/arm64 windows/amd64 linux/arm64 -- ./...

# The race detector sees what several goroutines do: it watches the packages that start them or have internal/workers start
# them, and the conformance tests of the others, which scan a file several times at once.
RACE_STARTS = $(shell grep -rlE --include='*.go' --exclude='*_test.go' --exclude-dir='.?*' --exclude-dir=arrow18 --exclude-dir=testdata \
	'^\s*go [A-Za-z]|"github.com/arrowio/arrowio/internal/workers"|sync\.WaitGroup' . | xargs -r -n1 dirname | sort -u)
RACE_CONFORMS = $(filter-out $(RACE_STARTS),$(shell grep -rl --include='*_test.go' --exclude-dir='.?*' --exclude-dir=arrow18 \
	'"github.com/arrowio/arrowio/arrowio/conformance"' . | xargs -r -n1 dirname | sort -u))

.PHONY: race-packages race-conformance
race-packages: # those that start goroutines, for a shell
	@echo $(RACE_STARTS)
race-conformance: # those of which only the conformance tests are watched, for a shell
	@echo $(RACE_CONFORMS)

.PHONY: race
race: ## the tests of what starts goroutines under the race detector (PKG=./internal/orcwire: all of a package)
	$(if $(filter ./...,$(PKG)),go test -race $(or $(RACE_STARTS),$(error no package starts a goroutine)),go test -race $(PKG))
	$(if $(filter ./...,$(PKG)),go test -race -run Conformance $(or $(RACE_CONFORMS),$(error no package has conformance tests)))
	$(if $(filter ./...,$(PKG)),go -C $(ARROW18) test -race -tags assert ./...)

.PHONY: vet
vet: ## go vet
	go vet $(PKG)
	go vet -tags interop $(PKG)
	go vet -tags man ./cmd/arrowio
	@for m in $(MODULES); do echo "go -C $$m vet ./..."; go -C $$m vet ./...; done

.PHONY: tidy
tidy: ## are go.mod and go.sum what go mod tidy makes?
	go mod tidy -diff
	@for m in $(MODULES); do echo "go -C $$m mod tidy -diff"; go -C $$m mod tidy -diff; done

.PHONY: lint
lint: $(GOLANGCI) ## golangci-lint, its version pinned
	$(GOLANGCI) run $(PKG)
	$(if $(filter ./...,$(PKG)),cd $(ARROW18) && $(GOLANGCI) run ./...)

.PHONY: format
format: $(GOLANGCI) ## gofumpt
	$(GOLANGCI) fmt

$(GOLANGCI):
	GOBIN=$(CACHE)/bin GOFLAGS= go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv $(CACHE)/bin/golangci-lint $@

.PHONY: api
api: ## docs/api.txt anew: what the packages export; read the difference before it is kept
	go test -run '^TestAPI$$' ./internal/arch -args -rewrite-api

.PHONY: golden
golden: ## rewrite the annotated golden texts; read the difference before it is kept
	@grep -rl 'internal/annotate/golden"' --include='*_test.go' . | xargs -r -n1 dirname | sort -u | while read -r d; do \
		go test "$$d" -args -rewrite; done

.PHONY: fixtures
fixtures: $(VENV)/ready ## the files of testdata by the real writers, anew
	testdata/trevni/make.sh
	testdata/orc/make.sh
	testdata/kudu/make.sh
	$(VENV)/bin/python testdata/make_pyarrow.py

.PHONY: fixtures-check
fixtures-check: $(VENV)/ready ## are the files of testdata what their scripts make?
	testdata/trevni/make.sh --check
	testdata/orc/make.sh --check
	testdata/kudu/make.sh --check
	$(VENV)/bin/python testdata/make_pyarrow.py --check

.PHONY: fuzz
fuzz: ## every fuzz target, one after another, FUZZTIME each
	@for p in $$(go list $(PKG)); do \
		for f in $$(go test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
			echo "== $$p $$f"; go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$p; \
		done; done

.PHONY: campaign
campaign: ## damaged inputs for all readers, random tables for all writers (SECONDS=60, SEED=, ONLY=orc)
	go run ./internal/campaign/cmd -seconds $(SECONDS) $(if $(SEED),-seed $(SEED)) $(if $(ONLY),-only $(ONLY))

.PHONY: rescue
rescue: ## damage each ORC and Trevni file in DIRS, salvage it, and count what comes back (PLACES=200 CUTS=256 ONLY=x.orc)
	go run ./internal/campaign/cmd -rescue -places $(or $(PLACES),200) -cuts $(or $(CUTS),256) $(if $(ONLY),-only $(ONLY)) $(or $(DIRS),testdata/orc testdata/trevni)

.PHONY: flips
flips: ## every bit of the indexes and tails of ORC files, one at a time (FILES="small-none.orc")
	go run ./internal/campaign/cmd -flips $(FILES)

.PHONY: bench
bench: ## the Go benchmarks (COUNT=10 for benchstat)
	go test -run '^$$' -bench . -benchmem -count $(COUNT) $(PKG)

# The test binaries of BASE and of the working tree run in turns, so that a busy machine slows both.
.PHONY: bench-compare
bench-compare: ## the Go benchmarks of BASE=COMMIT and of the working tree in turns, compared (PKG=./readers/orc BENCH=. COUNT=6)
	@[ -n "$(BASE)" ] || { echo "name the commit to compare with: make bench-compare BASE=HEAD~1 PKG=./readers/orc" >&2; exit 2; }
	@mkdir -p $(CACHE)/compare && rm -rf $(CACHE)/compare/* && git worktree prune
	git worktree add --quiet --detach $(CACHE)/compare/base $(BASE)
	@for p in $$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' $(PKG)); do \
		p=$${p#$(CURDIR)/}; n=$${p//\//-}; c=$(CACHE)/compare; \
		go test -c -o $$c/$$n.new ./$$p; \
		[ -d $$c/base/$$p ] && (cd $$c/base && go test -c -o $$c/$$n.old ./$$p) || { echo "$$p is not in $(BASE)"; continue; }; \
		for i in $$(seq $(COUNT)); do \
			(cd $$c/base/$$p && $$c/$$n.old -test.run '^$$' -test.bench '$(BENCH)' -test.benchmem >> $$c/old.txt); \
			(cd $$p && $$c/$$n.new -test.run '^$$' -test.bench '$(BENCH)' -test.benchmem >> $$c/new.txt); \
		done; \
	done
	git worktree remove --force $(CACHE)/compare/base
	go run golang.org/x/perf/cmd/benchstat@$(BENCHSTAT_VERSION) $(CACHE)/compare/old.txt $(CACHE)/compare/new.txt

.PHONY: bench-filters
bench-filters: $(VENV)/ready build ## filters by selectivity and length of runs against whole scans and pyarrow, into docs/bench/raw
	$(VENV)/bin/python $(INTEROP)/bench_filters.py --bin $(BIN) --dir $(CACHE)/filters --out docs/bench/raw $(BENCHFLAGS)

.PHONY: bench-look
bench-look: $(VENV)/ready build ## diff of 100 million rows and browse of 10 GB (13 GB on disk, half an hour)
	$(VENV)/bin/python $(INTEROP)/bench_look.py --bin $(BIN) --dir $(CACHE)/big-look $(BENCHFLAGS)

.PHONY: bench-builds
bench-builds: $(VENV)/ready build ## the commands of BASE=COMMIT and of the working tree in turns, on the big files of bench-orc, -trevni and -cfile that are there
	@[ -n "$(BASE)" ] || { echo "name the commit to compare with: make bench-builds BASE=HEAD~1" >&2; exit 2; }
	@mkdir -p $(CACHE)/compare && rm -rf $(CACHE)/compare/* && git worktree prune
	git worktree add --quiet --detach $(CACHE)/compare/base $(BASE)
	cd $(CACHE)/compare/base && go build -o ../old ./cmd/arrowio && go build -o ../old-flight ./$(INTEROP)/flight-bench
	go build -o $(CACHE)/compare/new-flight ./$(INTEROP)/flight-bench
	git worktree remove --force $(CACHE)/compare/base
	$(VENV)/bin/python $(INTEROP)/bench_builds.py --old $(CACHE)/compare/old --new $(BIN) --memory $(CACHE)/compare/old-flight $(CACHE)/compare/new-flight \
		$(foreach d,orc:big-orc trevni:big kudu:big-kudu,$(if $(wildcard $(CACHE)/$(lastword $(subst :, ,$(d)))),--$(firstword $(subst :, ,$(d))) $(CACHE)/$(lastword $(subst :, ,$(d))))) $(BENCHFLAGS)

.PHONY: cover
cover: ## coverage by package; the profile is .cache/cover.out
	@mkdir -p $(CACHE)
	go test -coverprofile $(CACHE)/cover.out -coverpkg ./... $(PKG)
	go tool cover -func $(CACHE)/cover.out | tail -n 1

$(VENV)/ready: $(INTEROP)/requirements.txt
	python3 -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

$(JUDGE): $(INTEROP)/trevni-judge/pom.xml $(shell find $(INTEROP)/trevni-judge/src -name '*.java')
	mvn -q -B -f $< package
	touch $@

$(ORC_JUDGE): $(INTEROP)/orc-judge/pom.xml $(shell find $(INTEROP)/orc-judge/src -name '*.java')
	mvn -q -B -f $< package
	touch $@

$(KUDU_JUDGE): $(INTEROP)/kudu-judge/pom.xml $(shell find $(INTEROP)/kudu-judge/src -name '*.java')
	mvn -q -B -f $< package
	touch $@

$(ICEBERG_JUDGE): $(INTEROP)/iceberg-judge/pom.xml $(shell find $(INTEROP)/iceberg-judge/src -name '*.java')
	mvn -q -B -f $< package
	touch $@

$(HDFS_JUDGE): $(INTEROP)/hdfs-judge/pom.xml $(shell find $(INTEROP)/hdfs-judge/src -type f)
	mvn -q -B -f $< package
	touch $@

$(FLIGHT_JUDGE): $(INTEROP)/flight-judge/pom.xml $(shell find $(INTEROP)/flight-judge/src -name '*.java')
	mvn -q -B -f $< package
	touch $@

$(HIVE_JUDGE): $(INTEROP)/hive-judge/pom.xml $(shell find $(INTEROP)/hive-judge/src -name '*.java')
	mvn -q -B -f $< package
	touch $@

$(HIVE4_JUDGE): $(INTEROP)/hive4-judge/pom.xml $(shell find $(INTEROP)/hive4-judge/src -name '*.java')
	mvn -q -B -f $< package
	touch $@

$(SPARK_JUDGE): $(INTEROP)/spark-judge/pom.xml $(shell find $(INTEROP)/spark-judge/src -type f)
	mvn -q -B -f $< package
	touch $@

# DuckDB with its extensions for Iceberg tables, of the version that the package index has them for.
$(DUCKDB_ICEBERG)/ready: $(VENV)/ready
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(DUCKDB_ICEBERG) \
		duckdb==1.5.5 duckdb-extension-iceberg==1.5.5 duckdb-extension-avro==1.5.5
	touch $@

.PHONY: kudu
kudu: # Kudu itself, into .cache
	$(KUDU) get

.PHONY: judges
judges: $(VENV)/ready $(JUDGE) $(ORC_JUDGE) $(ICEBERG_JUDGE) $(KUDU_JUDGE) $(HDFS_JUDGE) $(FLIGHT_JUDGE) $(HIVE_JUDGE) $(HIVE4_JUDGE) $(SPARK_JUDGE) $(DUCKDB_ICEBERG)/ready kudu build ## what interop needs: Python, the Java judges, the command

.PHONY: environment
environment: # what tests with the tag interop find the judges by, for a shell
	@echo 'export ARROWIO_JUDGE_JAR="$(ARROWIO_JUDGE_JAR)" ARROWIO_ORC_JUDGE_JAR="$(ARROWIO_ORC_JUDGE_JAR)" ARROWIO_KUDU_JUDGE_JAR="$(ARROWIO_KUDU_JUDGE_JAR)" ARROWIO_ICEBERG_JUDGE_JAR="$(ARROWIO_ICEBERG_JUDGE_JAR)" ARROWIO_HDFS_JUDGE_JAR="$(ARROWIO_HDFS_JUDGE_JAR)" ARROWIO_FLIGHT_JUDGE_JAR="$(ARROWIO_FLIGHT_JUDGE_JAR)" ARROWIO_HIVE_JUDGE_JAR="$(ARROWIO_HIVE_JUDGE_JAR)" ARROWIO_HIVE4_JUDGE_JAR="$(ARROWIO_HIVE4_JUDGE_JAR)" ARROWIO_SPARK_JUDGE_JAR="$(ARROWIO_SPARK_JUDGE_JAR)" ARROWIO_DUCKDB_ICEBERG="$(ARROWIO_DUCKDB_ICEBERG)" ARROWIO_KUDU="$(ARROWIO_KUDU)" ARROWIO_PYTHON="$(ARROWIO_PYTHON)" ARROWIO_BIN="$(ARROWIO_BIN)" ARROWIO_CHROMIUM="$(ARROWIO_CHROMIUM)"'

# The packages whose tests have a part for judges; all the others were tested without it.
INTEROP_PKG = $(if $(filter file,$(origin PKG)),$(shell grep -rlE --include='*.go' --exclude-dir='.?*' --exclude-dir=arrow18 \
	'^//go:build .*\binterop\b' . | xargs -r -n1 dirname | sort -u),$(PKG))

.PHONY: interop-packages
interop-packages: # one line of them, for a shell
	@echo $(INTEROP_PKG)

WHEEL_VENV := $(CACHE)/wheel-venv

.PHONY: wheel
wheel: ## the Python package, with the library in it, into .cache/wheel (Go, gcc)
	rm -rf $(CACHE)/wheel python/build python/arrowio.egg-info
	python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir $(CACHE)/wheel ./python
	rm -rf python/build python/arrowio.egg-info

.PHONY: wheels
wheels: ## the wheels that are published and the source distribution: VERSION=v0.9.0 makes them in .cache/dist-python (Go, ld64.lld of LLVM 16 or later, 200 MB to download)
	python3 -m venv $(CACHE)/wheels-venv
	$(CACHE)/wheels-venv/bin/pip install --quiet --disable-pip-version-check --requirement python/requirements-wheels.txt
	$(CACHE)/wheels-venv/bin/python python/wheels.py --version $(VERSION) --out $(CACHE)/dist-python

DOCS_VENV := $(CACHE)/docs-venv

$(DOCS_VENV)/ready: docs/site/requirements.txt
	python3 -m venv --clear $(DOCS_VENV)
	$(DOCS_VENV)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

.PHONY: docs-site
docs-site: $(DOCS_VENV)/ready ## the pages of docs as a site, into .cache/docs-site; it fails where a link leads nowhere (Python, 30 MB to download)
	NO_MKDOCS_2_WARNING=1 $(DOCS_VENV)/bin/mkdocs build --strict --config-file docs/site/mkdocs.yml

.PHONY: wheel-test
wheel-test: wheel build docs-site ## the tests of the wheel, in a clean environment (Node.js, for pyright)
	python3 -m venv --clear $(WHEEL_VENV)
	$(WHEEL_VENV)/bin/pip install --quiet --disable-pip-version-check --requirement python/requirements-test.txt $(CACHE)/wheel/arrowio-*.whl
	cd python/tests && ARROWIO_BIN=$(BIN) $(WHEEL_VENV)/bin/python -m pytest -q -p no:cacheprovider .
	cd python && $(WHEEL_VENV)/bin/python -m mypy --cache-dir $(CACHE)/mypy arrowio
	cd python && PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(WHEEL_VENV)/bin/python -m pyright --pythonpath $(WHEEL_VENV)/bin/python

CLUSTER_VENV := $(CACHE)/cluster-venv

# Kept as long as the requirements are the same.
$(CLUSTER_VENV)/ready: python/requirements-cluster.txt
	python3 -m venv --clear $(CLUSTER_VENV)
	$(CLUSTER_VENV)/bin/pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

# Not a part of interop, which is run often by hand: 650 MB to download and 1.2 GB on disk.
.PHONY: interop-cluster
interop-cluster: $(CLUSTER_VENV)/ready wheel build ## Ray, Dask and Spark with two workers each over files and a server (JDK 17, 650 MB to download)
	$(CLUSTER_VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall $(CACHE)/wheel/arrowio-*.whl
	cd python/cluster_tests && for engine in ray dask spark; do \
		ARROWIO_BIN=$(BIN) timeout 1200 $(CLUSTER_VENV)/bin/python -m pytest -q -p no:cacheprovider test_$$engine.py; done

# The race detector of Go cannot start within a library that another program loads: `go test -race` has that part.
.PHONY: handoff-check
handoff-check: wheel-test ## by hand: what is handed over to C with Go's checks of pointers and the race detector, the tests of the wheel too
	GOEXPERIMENT=cgocheck2 go test ./internal/arrowc/... ./cmd/libarrowio/...
	go test -race ./internal/arrowc/... ./cmd/libarrowio/...
	rm -rf $(CACHE)/wheel-check && mkdir -p $(CACHE)/wheel-check && cp -r python/arrowio $(CACHE)/wheel-check/
	GOEXPERIMENT=cgocheck2 go build -buildmode=c-shared -o $(CACHE)/wheel-check/arrowio/libarrowio.so ./cmd/libarrowio
	cd python/tests && PYTHONPATH=$(CACHE)/wheel-check ARROWIO_BIN=$(BIN) $(WHEEL_VENV)/bin/python -m pytest -q -p no:cacheprovider .

.PHONY: interop
interop: judges ## compare with other implementations (JDK 17, Maven, Python 3.11)
	go test -timeout 40m -tags interop $(or $(INTEROP_PKG),$(error no package has a file with the tag interop))
	$(if $(filter file,$(origin PKG)),go -C $(ARROW18)/examples test -tags interop ./adbc)
	@$(MAKE) --no-print-directory query-test wheel-test interop-orc shared

.PHONY: query-test
query-test: ## the tests of arrowio query, with DuckDB (gcc, g++, 60 MB to download)
	go vet -tags duckdb ./internal/duckdb ./cmd/arrowio
	go test -tags duckdb ./internal/duckdb
	go test -tags duckdb -run Query ./cmd/arrowio

DUCKEXT := $(CACHE)/duckdb-extension
DUCKEXT_FLAGS = $(if $(VERSION),-version $(VERSION)) $(if $(PLATFORM),-platform $(PLATFORM))

.PHONY: duckdb-extension
duckdb-extension: ## the extension of DuckDB, into .cache/duckdb-extension (Go, gcc; PLATFORM=linux_amd64 as DuckDB names it)
	mkdir -p $(DUCKEXT)
	CGO_CFLAGS="-O2 -g0" go build -tags duckdb_extension -buildmode=c-shared -trimpath -buildvcs=false -ldflags='-s -w -buildid=' \
		-o $(DUCKEXT)/libarrowio.so ./cmd/libarrowio
	go run ./internal/duckext/footer $(DUCKEXT_FLAGS) $(DUCKEXT)/libarrowio.so $(DUCKEXT)/arrowio.duckdb_extension

# The oldest that loads it, and the newest. What was downloaded is kept.
DUCKDB_VERSIONS ?= 1.2.2 2.0.1

.PHONY: duckdb-extension-test
duckdb-extension-test: $(VENV)/ready duckdb-extension build ## the tests of the extension, in two versions of DuckDB (40 MB to download)
	go vet -tags duckdb_extension ./internal/duckext ./cmd/libarrowio
	@for v in $(DUCKDB_VERSIONS); do echo "== DuckDB $$v"; d=$(DUCKEXT)/$$v; \
		[ -d $$d/duckdb ] || $(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --target $$d duckdb==$$v; \
		platform=$$(PYTHONPATH=$$d $(VENV)/bin/python -c 'import duckdb; print(duckdb.execute("pragma platform").fetchall()[0][0])'); \
		go run ./internal/duckext/footer -platform $$platform $(DUCKEXT)/libarrowio.so $$d/arrowio.duckdb_extension; \
		(cd $(INTEROP)/duckdb-extension && PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$$d ARROWIO_BIN=$(BIN) \
			ARROWIO_DUCKDB_EXTENSION=$$d/arrowio.duckdb_extension $(abspath $(VENV))/bin/python -m unittest -q); done
	ARROWIO_DUCKDB_EXTENSION=$(DUCKEXT)/arrowio.duckdb_extension go -C $(ARROW18)/examples test -tags duckdb_arrow,interop ./duckdb

.PHONY: interop-orc
interop-orc: judges $(if $(shell command -v cargo),$(ORC_PEER)) ## 500 random files of the ORC writer before Java, C++ and, with cargo, Rust
	ARROWIO_ORC_SAMPLES=500 $(if $(shell command -v cargo),ARROWIO_ORC_PEER=$(CURDIR)/$(ORC_PEER)) \
		go test -tags interop -timeout 60m -v -run 'TestJudged|TestPeers|TestRewritten' ./writers/orc

.PHONY: upstream
upstream: ## the files of docs/formats/upstream.md with their rows, into .cache/upstream
	rm -rf $(CACHE)/upstream && mkdir -p $(CACHE)/upstream
	@for f in $$(grep -oE '^\| `[^`]+\.(orc|trv)`' docs/formats/upstream.md | tr -d '|` '); do \
		cp $$(ls testdata/*/foreign/$$f testdata/*/java-*/$$f 2>/dev/null) $(CACHE)/upstream/; \
		cp $$(ls testdata/*/foreign/$${f%.*}.*jsonl.gz testdata/*/java-*/$${f%.*}.*jsonl.gz 2>/dev/null) $(CACHE)/upstream/ 2>/dev/null || true; done
	cp docs/formats/upstream.md $(CACHE)/upstream/README.md

.PHONY: judge-features
judge-features: $(JUDGE) kudu ## 200 random files of each feature of the Trevni and the CFile writer before Java's Trevni and Kudu (COUNT=200)
	ARROWIO_TREVNI_SAMPLES=$(if $(filter file,$(origin COUNT)),200,$(COUNT)) ARROWIO_CFILE_SAMPLES=$(if $(filter file,$(origin COUNT)),200,$(COUNT)) \
		go test -tags interop -timeout 60m -v -run TestFeaturesJudged ./writers/trevni ./writers/cfile

.PHONY: shared
shared: judges # a judge whose interpreter dies at its end, as pyarrow's threads let it now and then, is asked once more
	@if [ -f $(SHARED)/oracles/check.py ]; then \
		judge() { $(VENV)/bin/python "$$@" || if [ $$? -ge 128 ]; then $(VENV)/bin/python "$$@"; else false; fi; }; \
		judge $(SHARED)/oracles/check.py --bin $(BIN) trevni $(SHARED)/corpus/trevni; \
		judge $(SHARED)/oracles/check.py --bin $(BIN) corrupt $(SHARED)/corpus/trevni/corrupt; \
		judge $(SHARED)/oracles/check.py --bin $(BIN) orc $(SHARED)/corpus/orc; \
		judge $(SHARED)/oracles/check.py --bin $(BIN) orc $(SHARED)/corpus/orc-examples; \
		judge $(INTEROP)/orc_rewrite.py --bin $(BIN) --jar $(ORC_JUDGE) $(SHARED)/corpus/orc $(SHARED)/corpus/orc-examples; \
		judge $(INTEROP)/orc_merge.py --bin $(BIN) --jar $(ORC_JUDGE) testdata/orc/java-2.3.1; \
		judge $(INTEROP)/parquet_merge.py --bin $(BIN); \
		judge $(INTEROP)/trevni_merge.py --bin $(BIN) --jar $(JUDGE) testdata/trevni/java-1.12.1; \
		judge $(SHARED)/oracles/check.py --bin $(BIN) corrupt $(SHARED)/corpus/orc/bad; \
		judge $(SHARED)/oracles/check.py --bin $(BIN) acid $(SHARED)/corpus/orc-tables; \
		judge $(INTEROP)/orc_tables.py --bin $(BIN) $(SHARED)/corpus/orc-tables; \
		judge $(INTEROP)/orc_iceberg.py --bin $(BIN) $(SHARED)/corpus/orc-tables; \
		judge $(SHARED)/oracles/check.py --bin $(BIN) cfile $(SHARED)/corpus/kudu; \
		judge $(INTEROP)/kudu_rewrite.py --bin $(BIN) --kudu $(KUDU) $(SHARED)/corpus/kudu; \
		judge $(SHARED)/oracles/check.py --bin $(BIN) kudu $(SHARED)/corpus/kudu; \
		judge $(SHARED)/oracles/check.py --bin $(BIN) kudu $(SHARED)/corpus/kudu-wal; \
		judge $(SHARED)/oracles/check.py --bin $(BIN) corrupt $(SHARED)/corpus/kudu/bad; \
		judge $(INTEROP)/kudu/edited_logs.py $(BIN) $(SHARED)/corpus/kudu-wal/bad; \
		judge $(INTEROP)/convert_judge.py --bin $(BIN) testdata $(SHARED)/corpus; \
	else echo "no $(SHARED)/oracles/check.py: only the project's own comparisons ran"; fi

.PHONY: bench-trevni
bench-trevni: $(JUDGE) build ## Java and arrowio side by side on big files, into docs/bench/raw
	go test -c -o $(CACHE)/write.test ./writers/trevni
	python3 $(INTEROP)/bench_trevni.py --bin $(BIN) --write-bin $(CACHE)/write.test --jar $(JUDGE) --dir $(BIG) --rows $(BIGROWS) --out docs/bench/raw $(BENCHFLAGS)

$(ORC_PEER): $(wildcard $(addprefix $(INTEROP)/orc-bench/rust/,Cargo.toml Cargo.lock src/*.rs))
	cargo build --release --locked --quiet --manifest-path $(INTEROP)/orc-bench/rust/Cargo.toml
	touch $@

CARGO := $(shell command -v cargo)

.PHONY: bench-orc
bench-orc: $(VENV)/ready $(ORC_JUDGE) $(if $(CARGO),$(ORC_PEER)) build ## pyarrow, orc-rust, Java and arrowio side by side on big files, into docs/bench/raw
	$(VENV)/bin/python $(INTEROP)/bench_orc.py --bin $(BIN) --dir $(CACHE)/big-orc --jar $(ORC_JUDGE) \
		$(if $(CARGO),--rust $(ORC_PEER)) --out docs/bench/raw $(BENCHFLAGS)

BENCH_CODECS ?= $(CACHE)/big-orc/lineitem_zlib.orc $(CACHE)/big-orc/nested_zlib.orc

# Debian's libdeflate-dev, libzstd-dev, libsnappy-dev and liblz4-dev.
$(CACHE)/bin/codec-peer: $(INTEROP)/codec-bench/peer/peer.c
	mkdir -p $(@D)
	$(CC) -O2 -o $@ $< -ldeflate -lzstd -lsnappy -llz4

.PHONY: bench-codecs
bench-codecs: $(CACHE)/bin/codec-peer ## C's decoders and arrowio's in turns on the chunks of ORC files, BENCH_CODECS="FILE..." (four -dev packages)
	go run ./$(INTEROP)/codec-bench -peer $< $(BENCHFLAGS) $(BENCH_CODECS)

.PHONY: bench-limits
bench-limits: $(VENV)/ready build $(CACHE)/bin/codec-peer ## ORC files of seven shapes beside their codec, memcpy and pread, and pyarrow, into docs/bench/raw (600 MB on disk)
	go build -o $(CACHE)/bin/codec-bench ./$(INTEROP)/codec-bench
	$(VENV)/bin/python $(INTEROP)/bench_limits.py --bin $(BIN) --codecs $(CACHE)/bin/codec-bench --peer $(CACHE)/bin/codec-peer \
		--dir $(CACHE)/big-limits --out docs/bench/raw $(BENCHFLAGS)

.PHONY: bench-stores
bench-stores: $(VENV)/ready build ## scans, first rows and 2,000 files from a store that is 30 ms away, with the files of bench-limits
	go build -o $(CACHE)/bin/store-bench ./$(INTEROP)/store-bench
	$(VENV)/bin/python $(INTEROP)/bench_stores.py --bin $(BIN) --store $(CACHE)/bin/store-bench --dir $(CACHE)/big-limits $(BENCHFLAGS)

.PHONY: interop-kerberos
interop-kerberos: $(HIVE_JUDGE) build ## a metastore of Hive that asks for Kerberos, beside MIT's KDC; not part of interop
	$(INTEROP)/hive-judge/kerberos.sh $(HIVE_JUDGE) $(INTEROP)/hive-judge/kerberos-check.sh $(BIN)

SIZEROWS ?= 300000

.PHONY: sizes
sizes: $(VENV)/ready $(ORC_JUDGE) build ## bytes of ORC files against Java's and of Trevni files of four tables (SIZEROWS=300000)
	$(VENV)/bin/python $(INTEROP)/sizes.py --bin $(BIN) --jar $(ORC_JUDGE) --dir $(CACHE)/sizes --rows $(SIZEROWS)

.PHONY: bench-acid
bench-acid: $(HIVE_JUDGE) build ## a Hive ACID table and the same rows in plain files, into docs/bench/raw
	python3 $(INTEROP)/bench_acid.py --bin $(BIN) --dir $(CACHE)/big-orc --jar $(HIVE_JUDGE) --out docs/bench/raw $(BENCHFLAGS)

.PHONY: bench-iceberg
bench-iceberg: $(VENV)/ready build ## Iceberg tables and their files as a plain dataset, with and without deletes, into docs/bench/raw (4 GB on disk)
	$(VENV)/bin/python $(INTEROP)/bench_iceberg.py --bin $(BIN) --dir $(CACHE)/big-iceberg --out docs/bench/raw $(BENCHFLAGS)

.PHONY: bench-cfile
bench-cfile: $(KUDU_JUDGE) kudu build ## Kudu's own tool and client and arrowio side by side on big tables, into docs/bench/raw
	python3 $(INTEROP)/bench_cfile.py --bin $(BIN) --dir $(CACHE)/big-kudu --kudu $(KUDU) --jar $(KUDU_JUDGE) --out docs/bench/raw $(BENCHFLAGS)

.PHONY: bench-write
bench-write: $(VENV)/ready $(ORC_JUDGE) build ## writing ORC: pyarrow, Java and arrowio; writing CFiles; into docs/bench/raw
	go build -o $(CACHE)/bin/orc-write ./$(INTEROP)/orc-bench/write
	$(VENV)/bin/python $(INTEROP)/bench_write.py --write $(CACHE)/bin/orc-write --bin $(BIN) --dir $(CACHE)/big-orc --jar $(ORC_JUDGE) \
		--out docs/bench/raw $(BENCHFLAGS)
	go build -o $(CACHE)/bin/kudu-write ./$(INTEROP)/kudu-bench/write
	$(VENV)/bin/python $(INTEROP)/bench_kudu_write.py --write $(CACHE)/bin/kudu-write --bin $(BIN) --dir $(CACHE)/big-orc \
		--out docs/bench/raw $(BENCHFLAGS)

.PHONY: bench-parquet-write
bench-parquet-write: $(VENV)/ready ## writing Parquet: pyarrow and arrowio side by side
	go build -o $(CACHE)/bin/orc-write ./$(INTEROP)/orc-bench/write
	$(VENV)/bin/python $(INTEROP)/bench_parquet_write.py --write $(CACHE)/bin/orc-write --dir $(CACHE)/big-parquet $(BENCHFLAGS)

.PHONY: bench-flight
bench-flight: $(VENV)/ready build ## Flight: pyarrow's server and arrowio's side by side, over TCP and a Unix socket, into docs/bench/raw
	go build -o $(CACHE)/bin/flight-bench ./$(INTEROP)/flight-bench
	$(VENV)/bin/python $(INTEROP)/bench_flight.py --bin $(BIN) --memory-bin $(CACHE)/bin/flight-bench --dir $(CACHE)/big-orc \
		--out docs/bench/raw $(BENCHFLAGS)

DURATION ?= 1h
LOAD_OUT ?= docs/bench/raw

.PHONY: load
load: build ## Flight: 500 streams at once, every value checked, into docs/bench/raw
	go build -o $(CACHE)/bin/flight-load ./$(INTEROP)/flight-load
	$(CACHE)/bin/flight-load load -bin $(BIN) -out $(LOAD_OUT) -- --max-wait 30m

.PHONY: soak
soak: build ## Flight: clients that come, cancel, stall and die, for DURATION=1h, into docs/bench/raw
	go build -o $(CACHE)/bin/flight-load ./$(INTEROP)/flight-load
	$(CACHE)/bin/flight-load soak -bin $(BIN) -duration $(DURATION) -out $(LOAD_OUT)

SCALE ?= 1
TPCH := $(CACHE)/tpch
TPCH_DUCKDB := 1.5.5
$(TPCH)/duckdb-$(TPCH_DUCKDB): | $(VENV)/ready
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --target $@ duckdb==$(TPCH_DUCKDB) duckdb-extension-tpch==$(TPCH_DUCKDB)

# The suite wants Python 3.13.
ADBC_PYTHON ?= python3.13
ADBC_SUITE := $(CACHE)/adbc-validation
ADBC_COMMIT := 246e7f43f7276f3563c13f7438961e414e3c8422
$(ADBC_SUITE)/suite-$(ADBC_COMMIT):
	mkdir -p $(ADBC_SUITE)
	$(ADBC_PYTHON) -m venv --clear $(ADBC_SUITE)/venv
	$(ADBC_SUITE)/venv/bin/pip install --quiet --disable-pip-version-check --requirement $(INTEROP)/adbc-validation/requirements.txt
	git clone --quiet https://github.com/adbc-drivers/validation $@
	git -C $@ checkout --quiet $(ADBC_COMMIT)

.PHONY: adbc-validation
adbc-validation: $(ADBC_SUITE)/suite-$(ADBC_COMMIT) ## the validation suite of ADBC's drivers over a server with DuckDB (Python 3.13, git, 150 MB to download)
	go build -tags duckdb -o $(CACHE)/bin/arrowio-duckdb ./cmd/arrowio
	cd $(INTEROP)/adbc-validation && ARROWIO_BIN=$(abspath $(CACHE))/bin/arrowio-duckdb PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(abspath $<) \
		$(abspath $(ADBC_SUITE))/venv/bin/python -m pytest -q -p no:cacheprovider .

.PHONY: tpch
tpch: $(VENV)/ready $(TPCH)/duckdb-$(TPCH_DUCKDB) ## TPC-H at scale factor 0.01: a server over ORC answers its 22 queries as DuckDB over Parquet does
	go build -tags duckdb -o $(CACHE)/bin/arrowio-duckdb ./cmd/arrowio
	rm -rf $(TPCH)/check
	$(VENV)/bin/python $(INTEROP)/bench_tpch.py --bin $(CACHE)/bin/arrowio-duckdb --duckdb $(TPCH)/duckdb-$(TPCH_DUCKDB) --dir $(TPCH)/check --scale 0.01 --check

SECONDS ?= 1800

.PHONY: soak-sql
soak-sql: $(VENV)/ready $(TPCH)/duckdb-$(TPCH_DUCKDB) ## SQL: 200 clients for SECONDS=1800, 50 of them killed, every answer compared, into docs/bench/raw
	go build -tags duckdb -o $(CACHE)/bin/arrowio-duckdb ./cmd/arrowio
	$(VENV)/bin/python $(INTEROP)/sql_soak.py --bin $(CACHE)/bin/arrowio-duckdb --duckdb $(TPCH)/duckdb-$(TPCH_DUCKDB) --dir $(TPCH)/soak --seconds $(SECONDS) --out $(LOAD_OUT)

.PHONY: bench-tpch
bench-tpch: $(VENV)/ready $(TPCH)/duckdb-$(TPCH_DUCKDB) ## TPC-H of SCALE=1: a server over ORC, DuckDB over Parquet and over pyarrow's ORC, into docs/bench/raw (BENCHFLAGS=--check: answers alone)
	go build -tags duckdb -o $(CACHE)/bin/arrowio-duckdb ./cmd/arrowio
	$(VENV)/bin/python $(INTEROP)/bench_tpch.py --bin $(CACHE)/bin/arrowio-duckdb --duckdb $(TPCH)/duckdb-$(TPCH_DUCKDB) \
		--dir $(TPCH)/$(SCALE) --scale $(SCALE) --out docs/bench/raw $(BENCHFLAGS)

.PHONY: bench-handoff
bench-handoff: wheel-test ## Python and DuckDB over arrowio and over pyarrow side by side, into docs/bench/raw
	go build -o $(CACHE)/bin/handoff-bench ./$(INTEROP)/handoff-bench
	$(WHEEL_VENV)/bin/python $(INTEROP)/bench_handoff.py --go $(CACHE)/bin/handoff-bench --dir $(CACHE)/big-orc --out docs/bench/raw
