# The browser's program: web/app.wasm and its compressed forms, which the
# server carries inside it (web/embed.go).

# The most that a first visit may load, in bytes at brotli's level 11.
WASM_MAX_BR := 2000000

WASM_FILES := web/app.wasm web/app.wasm.br web/app.wasm.gz

# Folders are listed too: a deleted file changes its folder's time.
WASM_SOURCES := go.mod go.sum $(shell find app shared \
	-name testdata -prune -o ! -name '*_test.go' ! -name '.*' -print)

# go-app is taken without its HTTP server, which saves a sixth (see app/slim).
# Version control is left out of it, so that a commit that changes nothing here
# gives the same bytes, and the browser's cache stays good.
build/app.wasm: $(WASM_SOURCES)
	@go run ./app/slim -out build/slim
	GOOS=js GOARCH=wasm go build -modfile build/slim/go.mod -trimpath -buildvcs=false -ldflags '-s -w' -o $@ ./app

# Compressing takes many times as long as compiling, so it waits for a change
# of the bytes themselves.
web/app.wasm: build/app.wasm
	@cmp -s $< $@ || cp $< $@

# One run makes both (the .gz is written first).
web/app.wasm.gz: web/app.wasm.br ;
web/app.wasm.br: web/app.wasm web/precompress/main.go
	@echo 'compressing web/app.wasm (some seconds)'
	@go run ./web/precompress -max-br $(WASM_MAX_BR) web/app.wasm
