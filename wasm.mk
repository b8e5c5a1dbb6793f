# The browser's program: web/app.wasm and its compressed forms, which the
# server carries inside it (web/embed.go).

# The most that a first visit may load, in bytes at brotli's level 11.
WASM_MAX_BR := 1850000

PAGE_FILES := web/app.wasm web/app.wasm.br web/app.wasm.gz

# A stamp whose files are gone says nothing.
PACKED_ANEW := $(if $(filter-out $(wildcard $(PAGE_FILES)),$(PAGE_FILES)),FORCE)

# Built as the server is, so that the two share what they are made of.
GO_RUN := CGO_ENABLED=0 go run -trimpath

# Folders are listed too: a deleted file changes its folder's time.
WASM_SOURCES := $(shell find app shared \
	-name testdata -prune -o ! -name '*_test.go' ! -name '.*' -print)

# Copies of functions at their callers would be an eighth of the download.
WASM_INLINE := -gcflags 'all=-l'

WASM_BUILD := GOOS=js GOARCH=wasm go build -modfile build/slim/go.mod -overlay build/slim/overlay.json -trimpath $(WASM_INLINE) -ldflags '-s -w'

# What web/build/slim replaces of the standard library is copied from this
# release: beside another one's files it could do anything.
GO_RELEASE = $(shell go env GOVERSION GOROOT)

build/go-release: FORCE
	@mkdir -p build
	@echo '$(GO_RELEASE)' | cmp -s - $@ || echo '$(GO_RELEASE)' > $@

# go-app without its HTTP server (see web/build/slim).
build/slim/go.mod: go.mod go.sum build/go-release $(filter-out %_test.go,$(wildcard web/build/slim/*.go))
	@mkdir -p build/slim
	@echo 'Making go-app smaller for the browser (the first time this fetches modules)'
	@$(GO_RUN) ./web/build/slim -out build/slim

# Version control is left out of it (GOFLAGS in the Makefile), so that a commit
# that changes nothing here gives the same bytes, and the browser's cache stays
# good.
build/linked.wasm: $(WASM_SOURCES) build/slim/go.mod wasm.mk
	@echo 'Compiling the page to WebAssembly'
	@! GOOS=js GOARCH=wasm go list -modfile build/slim/go.mod -deps ./app | grep -x net/http || \
		{ echo 'The browser program depends on net/http: that is 0.35 MB more to load.'; exit 1; }
	@$(WASM_BUILD) -o $@ ./app

# Compressing takes many times as long as compiling, so it waits for a change
# of the bytes themselves.
build/app.wasm: build/linked.wasm
	@cmp -s $< $@ || cp $< $@

PACKING := build/app.wasm $(filter-out %_test.go,$(wildcard web/build/pack/*.go web/build/compress/*.go)) $(PACKED_ANEW)

# What is shipped is packed and compressed as far as it goes, and the gate holds
# there. What is only run here keeps the names and lines of functions, so that a
# panic in a test says where it was; a stack trace of the shipped page has
# neither, and is had by doing the same with `make quick`. The two stamps say
# which of them is in web.
build/packed-11: $(PACKING)
	@echo 'Compressing the page as far as it goes (brotli 11: most of a minute)'
	@rm -f build/packed
	@$(GO_RUN) ./web/build/pack build/app.wasm web/app.wasm
	@$(GO_RUN) ./web/build/compress -level 11 -max-br $(WASM_MAX_BR) web/app.wasm
	@touch build/packed $@

build/packed: $(PACKING)
	@echo 'Compressing the page quickly (brotli 5; make build does it as far as it goes)'
	@rm -f build/packed-11
	@$(GO_RUN) ./web/build/pack -names build/app.wasm web/app.wasm
	@$(GO_RUN) ./web/build/compress -level 5 web/app.wasm
	@touch $@

.PHONY: FORCE
FORCE:
