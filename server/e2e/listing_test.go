package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// A gateway that lists its models needs no file: what it lists is offered, with its
// prices where it tells them, and never the sample.
func TestModelsThatAGatewayLists(t *testing.T) {
	t.Parallel()
	sandbox, err := url.Parse(startSandbox(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	var list atomic.Pointer[string]
	first := `{"data":[{"id":"vendor/model-a","name":"Model A","context_length":8000,"pricing":{"prompt":"0.0000005","completion":"0.0000015"}},
		{"id":"vendor/model-b"},{"id":"vendor/text-embedding-1"}]}`
	list.Store(&first)
	proxy := httputil.NewSingleHostReverseProxy(sandbox)
	g := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" && r.Header.Get("Authorization") == "Bearer "+sandboxKey {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, *list.Load())
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer g.Close()
	w := newWorld(t, "")
	p := w.tab("/settings/gateway")
	p.connect(g.URL, sandboxKey)
	p.says("#gateway-found", "It lists 2 models.")
	p.click("#gateway-begin")
	p.wait(`document.querySelector("#model .model-name").textContent === "vendor/model-a"`)
	p.click("#model")
	p.wait(`[...document.querySelectorAll("#picker .option")].map(o => o.dataset.model).join() === "vendor/model-a,vendor/model-b"`)
	options := p.text(`document.querySelector("#picker").innerText`)
	for _, said := range []string{"Model A", "$0.50 / $1.50", "no price"} {
		if !strings.Contains(options, said) {
			t.Errorf("the picker doesn't say %q: %s", said, options)
		}
	}
	if strings.Contains(options, "sample") {
		t.Errorf("the picker speaks of samples: %s", options)
	}
	p.keys("\x1b")
	p.send("Hello, [[repeat: 5]]")
	if state := p.settled(); state != "done" {
		t.Fatalf("the first answer: %s: %s", state, p.problem())
	}
	p.wait(`/^(≈ )?\$[\d.]+$/.test(document.querySelector(".state .cost").textContent)`) // no sample
	p.choose("vendor/model-b")
	p.send("And you, [[repeat: 5]]")
	p.settled()
	p.wait(`![...document.querySelectorAll(".state")].at(-1).querySelector(".cost:not([hidden])")`)

	// A price that is entered counts from then on, and can be taken back; an id that
	// nobody lists is offered once it has one.
	p.open("/settings/models")
	p.says("#models-listed", "The gateway lists 2 models")
	p.passes("the models of a gateway")
	p.click(`#models-list [data-model="vendor/model-b"] button`)
	p.wait(`document.activeElement.id === "price-in"`)
	p.keys("x\r")
	p.says("#price-wrong", "as a number")
	p.passes("a price that is no number")
	p.must(p.tab.Eval(nil, `document.querySelector("#price-in").select()`))
	p.keys("2")
	p.click("#price-out")
	p.keys("8\r")
	p.says(`#models-list [data-model="vendor/model-b"]`, "$2 in · $8 out")
	p.says(`#models-list [data-model="vendor/model-b"]`, "entered here")
	p.click("#models-search")
	p.keys("vendor/tomorrow")
	p.click("#models-add")
	p.wait(`!!document.querySelector("#price-in")`)
	p.click("#price-in")
	p.keys("1\r")
	p.wait(`document.querySelectorAll("#models-list > li").length === 1`)
	p.open("/")
	p.choose("vendor/tomorrow")
	p.choose("vendor/model-b")
	p.send("And now, [[repeat: 5]]")
	p.settled()
	p.wait(`/\$/.test([...document.querySelectorAll(".state")].at(-1).querySelector(".cost:not([hidden])")?.textContent ?? "")`)
	p.open("/settings/models")
	p.click(`#models-list [data-model="vendor/model-b"] button`)
	p.click("#price-reset")
	p.says(`#models-list [data-model="vendor/model-b"]`, "no price")
	p.click("#models-refresh")
	p.says("#models-listed", "The gateway lists 2 models")

	// It is there after a start, when nobody has asked the gateway yet.
	none := `{"data":[]}`
	list.Store(&none)
	w.allow = append(w.allow, away...)
	w.server.Kill()
	w.restart()
	p.open("/")
	p.wait(`document.querySelector("#model .model-name")?.textContent.startsWith("vendor/model-")`)
}
