package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// connect types an address and a key, and connects them.
func (p *page) connect(address, key string) {
	p.w.t.Helper()
	for id, text := range map[string]string{"#gateway-address": address, "#gateway-key": key} {
		p.click(id)
		p.must(p.tab.Eval(nil, `document.querySelector("`+id+`").select()`))
		p.keys("\b" + text)
	}
	p.click("#gateway-connect")
}

// From the sandbox to the first answer of a gateway of one's own: with a wrong key,
// with the right one, in two tabs, over a restart, and back.
func TestAGatewayIsConnectedInThePage(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, "")
	w.allow = append(append(w.allow, away...), "400 (Bad Request)") // without an address
	p := w.tab("/")
	second := w.tab("/settings/gateway")
	p.says("#connect-yours", "This is the sandbox.")
	p.passes("the empty page of the sandbox")
	p.click("#connect-yours a")
	p.wait(`document.querySelector("#gateway-state")?.innerText.includes("This is the sandbox")`)

	p.click("#gateway-connect")
	p.says("#gateway-found", "Enter the address of the gateway.")
	p.connect("http://127.0.0.1:1", sandboxKey)
	p.says("#gateway-found", "Nothing answers at its address and port.")
	p.connect(sandbox.URL+"/v1/chat/completions", otherKey)
	p.says("#gateway-found", "It can’t be used like this.")
	p.says("#gateway-found", "/v1/chat/completions was taken off")
	p.says("#gateway-found", "The key is refused.")
	p.passes("a gateway that refuses the key")
	second.says("#gateway-state", "This is the sandbox")

	p.connect(sandbox.URL, sandboxKey)
	p.says("#gateway-found", "Connected to "+sandbox.URL)
	p.says("#gateway-found", "The key is accepted.")
	p.wait(`!!document.querySelector("#gateway .dot.good") && document.querySelector("#gateway-key").value === ""`)
	p.passes("a gateway that was connected")
	second.says("#gateway-state", "It answers, and a key is held.")
	second.wait(`!!document.querySelector("#gateway-sandbox")`)

	p.click("#gateway-test")
	p.says("#gateway-found", "It works.")

	p.click("#gateway-connect") // once more, with the key that is held
	p.says("#gateway-found", "Connected to "+sandbox.URL)
	p.click("#gateway-begin")
	p.wait(`location.pathname === "/" && !document.querySelector("#connect-yours")`)
	p.click("#model") // it lists none, and the sample is the sandbox's
	p.says("#picker-list", "No models known yet.")
	p.keys("\x1b")
	p.choose("vendor/model-a")
	p.send("Hello, [[repeat: 5]]")
	if state := p.settled(); state != "done" {
		t.Errorf("the first answer: %s: %s", state, p.problem())
	}

	w.server.Kill()
	w.restart()
	p.reload()
	p.wait(`document.querySelector("#gateway")?.title.startsWith("` + sandbox.URL + `")`)
	p.open("/settings/gateway")
	p.says("#gateway-state", "Nothing was asked of it yet.")
	p.wait(`document.querySelector("#key-state").textContent.startsWith("held")`)
	p.click("#gateway-sandbox")
	p.says("#gateway-found", "The sandbox is used again.")
	p.says("#gateway-state", "This is the sandbox")
	second.reload()
	second.says("#gateway-state", "This is the sandbox")
}

// A gateway that asks for no key, as those on one's own machine, is connected with
// its address alone; when it goes, the dot says so, and when it comes again, too.
func TestAGatewayWithoutAKeyIsConnected(t *testing.T) {
	t.Parallel()
	g := startOpenGateway(t)
	w := newWorld(t, "")
	p := w.tab("/settings/gateway")
	p.connect(g.URL, "")
	p.says("#gateway-found", "No key is asked for.")
	p.says("#gateway-found", "It lists one model.")
	p.says("#gateway-state", "It answers, and asks for no key.")
	p.says("#key-state", "none is asked for")
	p.open("/")
	p.wait(`!!document.querySelector("#gateway .dot.good") && !document.querySelector(".notice.strip")`)
	p.wait(`document.querySelector("#model .model-name").textContent === "llama3"`) // the only one that it lists
	p.open("/settings/gateway")
	g.CloseClientConnections()
	g.Listener.Close()
	p.click("#gateway-test")
	p.says("#gateway-found", "Nothing answers at its address and port.")
	p.says("#gateway-state", "Not reachable since")
	p.says("#gateway", "Not reachable")
	p.passes("a gateway that can't be reached")
}

// With -gateway the page says so, and tests all the same.
func TestAFixedGatewayIsTested(t *testing.T) {
	t.Parallel()
	w := newWorld(t, startSandbox(t).URL)
	p := w.keyed("/settings/gateway")
	p.says("#gateway-form", "It was set by -gateway when the server was started.")
	if p.has("#gateway-address") || p.has("#gateway-connect") || p.has("#gateway-sandbox") {
		t.Error("it can be changed")
	}
	p.click("#gateway-test")
	p.says("#gateway-found", "The key is accepted.")
	p.wait(`!!document.querySelector("#gateway .dot.good")`)
}

// passes looks for what axe finds wrong with the page as it stands, wide and on a
// phone, in both colours.
func (p *page) passes(name string) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, axeCore(p.w.t)+"; true"))
	for size, width := range map[string]int64{"wide": 1440, "phone": 390} {
		for colours, dark := range map[string]bool{"dark": true, "light": false} {
			p.looks(width, 900, dark)
			if found := p.axe(); len(found) > 0 {
				p.w.t.Errorf("%s, %s, %s: %s", name, size, colours, strings.Join(found, "\n"))
			}
			p.picture(strings.ReplaceAll(name, "'", "") + "-" + size + "-" + colours)
		}
	}
	p.looks(1440, 900, true)
}

// startOpenGateway is a gateway that asks for no key and lists its only model.
func startOpenGateway(t *testing.T) *httptest.Server {
	m := http.NewServeMux()
	m.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"llama3","object":"model"}]}`)
	})
	m.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"model is required"}}`)
	})
	s := httptest.NewServer(m)
	t.Cleanup(s.Close)
	return s
}
