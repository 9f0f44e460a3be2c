# Every verb is a few go commands; nothing here is needed to use the library.
# What a change must pass is .ci/run.
.PHONY: build test race bench fuzz cover demo fmt

# How long make fuzz spends on each fuzzer.
FUZZTIME ?= 60s

build: ; go build -o patchwork ./cmd/patchwork

test: ; go test ./...

race: ; go test -race -short . ./cmd/...

bench: ; go test -run '^$$' -bench . -benchmem ./...

# Minimising an input that is merely new may take a minute by default.
fuzz:
	@set -e; for pkg in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "== $$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 50x $$pkg; \
		done; \
	done

cover:
	go test -coverprofile cover.prof ./...
	go tool cover -func cover.prof | tail -1
	@echo "go tool cover -html cover.prof shows it line by line"

demo: build ; ./patchwork demo

fmt: ; gofmt -w .
