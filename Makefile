# Each target is a few go commands; nothing here is needed to use the library.
# .ci/run has all the checks that a change must pass.
.PHONY: build test long race bench bench-peers fuzz cover demo static-page fmt release

# How long make fuzz spends on each fuzzer.
FUZZTIME ?= 60s

build: ; go build -o patchwork ./cmd/patchwork

# All modules of go.work: the library with the program, and the experiments.
test: ; go test work

# The tests with all their repetitions and inputs, which takes hours: 100 kills of a process, more steps of writing
# that fail, all real data on every path of the vector code, a million tiny cases. make test takes some of each, and so does CI.
long: ; PATCHWORK_LONG=1 PATCHWORK_FULL=1 PATCHWORK_TINY=1000000 go test -count=1 -timeout 12h work

race: ; go test -race -short . ./learn ./table ./posterior ./studio ./internal/pool ./cmd/...

# make bench > old.txt, change something, make bench > new.txt, benchstat old.txt new.txt.
# BENCH chooses benchmarks, COUNT how often each runs (benchstat wants 6 or more), PKG packages.
BENCH ?= .
COUNT ?= 6
PKG ?= work
bench: ; go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) -cpu 1 -timeout 2h $(PKG)

# Compares Patchwork with OpenCV, scikit-learn and NumPy, for experiments/bench/README.md; PEERS="P1 P2 --rounds 9"
# runs a part. Needs an idle machine, and a Python with the peers; PYTHON=/path/to/python3 names one:
#   apt-get install python3-opencv python3-sklearn python3-numpy
PEERS ?=
bench-peers: ; taskset -c 0 go run ./experiments/bench/peers $(PEERS)

# By default minimising an input that is only new may take a minute. A fuzzer that fails is run again, since Go takes
# its own end of the time for a failure where a machine is busy; an input that fails is kept, and fails again.
fuzz:
	@set -e; for pkg in $$(go list work); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "== $$pkg $$target"; \
			fuzz="go test -run ^$$ -fuzz ^$$target$$ -fuzztime $(FUZZTIME) -fuzzminimizetime 50x $$pkg"; \
			$$fuzz || $$fuzz; \
		done; \
	done

cover:
	go test -coverprofile cover.prof work
	go tool cover -func cover.prof | tail -1
	@echo "go tool cover -html cover.prof shows it line by line"

demo: build ; ./patchwork demo

# The studio as a page without a server: build/static/index.html and what it needs.
static-page: ; go run ./studio/static -o build/static

fmt: ; gofmt -w .

# A release of the tag at this commit in dist/, published by nothing here: docs/CONTRIBUTING.md.
release: ; go run github.com/goreleaser/goreleaser/v2@v2.14.0 release --clean --skip=publish,announce
