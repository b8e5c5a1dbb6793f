# Screentest: `make run` builds it and serves http://localhost:8080,
# `make test` runs every test. Both work on a fresh clone with Go and make.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The version is ours to tell (below), so Go need not ask git, which refuses in a
# clone that belongs to somebody else.
export GOFLAGS := $(strip -buildvcs=false $(GOFLAGS))

# Without a home, what Go fetches and builds is kept here.
ifeq ($(HOME),)
export HOME := $(CURDIR)/build/.home
GOFLAGS += -modcacherw
endif

ifeq ($(shell go version 2>/dev/null),)
$(error Go is not found on the PATH: install Go 1.26 or newer, see https://go.dev/doc/install)
endif

ifneq ($(shell test -w . && echo yes),yes)
$(error This folder can't be written to, and the build writes into bin, build and web: copy it to where you may write)
endif

# What `screentest version` prints.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 60s
BENCH ?= .

include wasm.mk

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

# go build knows best what has changed, so it is always asked.
define COMPILE
	@mkdir -p bin
	@echo 'Compiling the server (the first time SQLite too: most of a minute)'
	@CGO_ENABLED=0 go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/screentest ./server
endef

.PHONY: build
build: build/packed-11 ## build bin/screentest, as it is shipped
	$(COMPILE)

.PHONY: quick
quick: build/packed ## the same with a page that is compressed in a second
	$(COMPILE)

.PHONY: release
release: build/packed-11 ## static binaries for Linux, macOS and Windows, with checksums, in build/release
	@.ci/release '$(VERSION)'

.PHONY: run
run: quick ## build quickly, then serve http://localhost:8080 with the sandbox gateway
	@exec bin/screentest

.PHONY: test
test: quick ## every test: unit and race, fuzz seeds, end to end in Chromium
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
	rm -rf bin build $(PAGE_FILES)
