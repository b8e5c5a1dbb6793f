package gatewaytest

import (
	"bytes"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/web/build/nodetest"
)

// The browser's build of the validator says the same as the server's, byte for
// byte, on a corpus of every model, mode and rule. It runs in Node.
func TestTheBrowserSaysTheSame(t *testing.T) {
	const seed, count = 11, 20_000
	got, complaints, err := nodetest.Run(t, nodetest.Build(t, "./verdicts"), strconv.Itoa(seed), strconv.Itoa(count))
	if err != nil {
		t.Fatalf("run in Node: %v\n%s", err, complaints)
	}
	var want bytes.Buffer
	if err := WriteVerdicts(&want, gateway.SampleCatalogue(), seed, count); err != nil {
		t.Fatal(err)
	}
	if got == want.String() {
		t.Logf("%d verdicts, %d bytes, are the same on %s/%s and js/wasm", count, want.Len(), runtime.GOOS, runtime.GOARCH)
		return
	}
	native, browser := strings.Split(want.String(), "\n"), strings.Split(got, "\n")
	for i := range min(len(native), len(browser)) {
		if native[i] != browser[i] {
			t.Fatalf("line %d\nnative  %s\nbrowser %s", i, native[i], browser[i])
		}
	}
	t.Fatalf("%d lines native, %d in the browser's build", len(native), len(browser))
}
