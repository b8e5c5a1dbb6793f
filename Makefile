# Screentest: `make run` builds it and serves http://localhost:8080,
# `make test` runs every test. Both work on a fresh clone with Go and make.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# What `screentest version` prints.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 60s
BENCH ?= .

include wasm.mk

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

.PHONY: build
build: bin/screentest ## build bin/screentest with everything inside it

# go build knows best what has changed, so it is always asked.
.PHONY: bin/screentest
bin/screentest: $(WASM_FILES)
	@mkdir -p bin
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o $@ ./server

.PHONY: run
run: build ## build, then serve http://localhost:8080 with the sandbox gateway
	@exec bin/screentest

.PHONY: test
test: build ## every test: unit and race, fuzz seeds, end to end in Chromium
	@.ci/test

.PHONY: lint
lint: ## gofmt, vet and staticcheck for both builds, govulncheck
	@.ci/lint

.PHONY: fmt
fmt: ## format the code
	gofmt -w app server shared web

.PHONY: bench
bench: build ## print the measured figures: sizes, relay, streaming in Chromium, Go benchmarks
	@BENCH='$(BENCH)' .ci/bench

.PHONY: screenshot
screenshot: build ## make the README's pictures anew
	SCREENTEST_README_SCREENSHOT=1 go test -count=1 -run '^TestScreenshots' ./server/e2e

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME each (60s)
	@.ci/fuzz '$(FUZZTIME)'

.PHONY: clean
clean: ## remove what was built; data/ stays
	rm -rf bin build $(WASM_FILES)
