# The browser's program: web/app.wasm and its compressed forms, which the
# server carries inside it (web/embed.go).

# The most that a first visit may load, in bytes at brotli's level 11.
WASM_MAX_BR := 2000000

WASM_FILES := web/app.wasm web/app.wasm.br web/app.wasm.gz

# Folders are listed too: a deleted file changes its folder's time.
WASM_SOURCES := $(shell find app shared \
	\( -name testdata -o -path app/slim \) -prune -o ! -name '*_test.go' ! -name '.*' -print)

# Copies of functions at their callers would be an eighth of the download.
WASM_INLINE := -gcflags 'all=-l'

WASM_BUILD := GOOS=js GOARCH=wasm go build -modfile build/slim/go.mod -overlay build/slim/overlay.json -trimpath -buildvcs=false $(WASM_INLINE) -ldflags '-s -w'

# go-app without its HTTP server (see app/slim).
build/slim/go.mod: go.mod go.sum app/slim/main.go
	@mkdir -p build/slim
	go run ./app/slim -out build/slim

# Version control is left out of it, so that a commit that changes nothing here
# gives the same bytes, and the browser's cache stays good.
build/app.wasm: $(WASM_SOURCES) build/slim/go.mod wasm.mk
	@! GOOS=js GOARCH=wasm go list -modfile build/slim/go.mod -deps ./app | grep -x net/http || \
		{ echo 'The browser program depends on net/http: that is 0.35 MB more to load.'; exit 1; }
	$(WASM_BUILD) -o $@ ./app

# Compressing takes many times as long as compiling, so it waits for a change
# of the bytes themselves.
web/app.wasm: build/app.wasm
	@cmp -s $< $@ || cp $< $@

# One run makes both (the .gz is written first).
web/app.wasm.gz: web/app.wasm.br ;
web/app.wasm.br: web/app.wasm web/precompress/main.go
	@echo 'compressing web/app.wasm (some seconds)'
	@go run ./web/precompress -max-br $(WASM_MAX_BR) web/app.wasm
