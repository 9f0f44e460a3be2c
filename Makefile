# Every verb is a few go commands; nothing here is needed to use the library.
# What a change must pass is .ci/run.
.PHONY: build test race bench bench-peers fuzz cover demo fmt

# How long make fuzz spends on each fuzzer.
FUZZTIME ?= 60s

build: ; go build -o patchwork ./cmd/patchwork

# The library and the modules beside it (go.work), each package by its name; go test ./... does
# the same, and shows those beside it as one package, internal/modules.
test: ; PATCHWORK_MODULES=apart go test work

race: ; go test -race -short . ./learn ./table ./posterior ./studio ./internal/pool ./cmd/...

# make bench > old.txt, change something, make bench > new.txt, benchstat old.txt new.txt.
# BENCH chooses benchmarks, COUNT how often each runs (benchstat wants 6 or more), PKG packages.
BENCH ?= .
COUNT ?= 6
PKG ?= work
bench: ; go test -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) -cpu 1 -timeout 2h $(PKG)

# Patchwork beside OpenCV, scikit-learn and NumPy, for experiments/bench/README.md; PEERS="P1 P2 --rounds 9" for
# less. Wants an idle machine, and Python with the peers; PYTHON=/path/to/python3 names one:
#   apt-get install python3-opencv python3-sklearn python3-numpy
PEERS ?=
bench-peers: ; go run ./experiments/bench/peers --md --pictures experiments/bench/pictures $(PEERS)

# Minimising an input that is merely new may take a minute by default.
fuzz:
	@set -e; for pkg in $$(go list work); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "== $$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 50x $$pkg; \
		done; \
	done

cover:
	PATCHWORK_MODULES=apart go test -coverprofile cover.prof work
	go tool cover -func cover.prof | tail -1
	@echo "go tool cover -html cover.prof shows it line by line"

demo: build ; ./patchwork demo

fmt: ; gofmt -w .
