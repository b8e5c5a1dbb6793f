package rig

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// The rig is what every other test believes, so it is tried on a page that is
// known to misbehave.
func TestTabSeesWhatAPageDoes(t *testing.T) {
	browser := open(t)
	mux := http.NewServeMux()
	mux.HandleFunc("/ws", func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		defer c.CloseNow()
		_, p, err := c.Read(r.Context())
		if err == nil {
			_ = c.Write(r.Context(), websocket.MessageText, append([]byte("seen "), p...))
			_ = c.Write(r.Context(), websocket.MessageBinary, []byte("raw \xff"))
		}
		_, _, _ = c.Read(r.Context())
	})
	mux.HandleFunc("/page.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `
			console.log("fine");
			console.error("told on purpose");
			const s = new WebSocket("ws://" + location.host + "/ws");
			s.onopen = () => s.send("hello");
			s.onmessage = e => { if (typeof e.data !== "string") document.title = "done" };
			try { eval("1") } catch (e) {}`)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; connect-src 'self'")
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>x</title><p id="dark">text</p><script src="/page.js"></script>`)
	})
	server := httptest.NewServer(mux)
	defer server.Close()

	profile, err := browser.Profile()
	must(t, err)
	defer profile.Close()
	tab, err := profile.Tab()
	must(t, err)
	defer tab.Close()
	must(t, tab.Look(390, 844, true))
	must(t, tab.Open(server.URL))
	must(t, tab.Wait(`document.title === "done"`))
	must(t, tab.Wait(`matchMedia("(prefers-color-scheme: dark)").matches && innerWidth === 390`))
	must(t, tab.Visible("#dark"))

	// What the page did is told a little later than the page itself shows it.
	var frames, errors string
	told := soon(func() bool {
		frames = strings.Join(tab.Frames(), "|")
		errors = strings.Join(tab.Errors("favicon"), "\n")
		return frames == "hello|seen hello|raw \xff" &&
			strings.Contains(errors, "told on purpose") && strings.Contains(errors, "Content Security Policy")
	})
	if !told {
		t.Errorf("a message, the error or the breach of the policy was missed:\n%q\n%s", frames, errors)
	}
	if strings.Contains(errors, "fine") {
		t.Errorf("an innocent line counts as an error:\n%s", errors)
	}
	if left := tab.Errors("favicon", "told on purpose", "Content Security Policy"); len(left) > 0 {
		t.Errorf("allowed errors remain: %q", left)
	}
}

// soon reports whether holds comes true within the bound of a wait.
func soon(holds func() bool) bool {
	for end := time.Now().Add(within); !holds(); time.Sleep(lookEvery) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

func TestLineCutAndMended(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "through")
		w.(http.Flusher).Flush()
		if r.URL.Path == "/open" {
			<-r.Context().Done()
		}
	}))
	defer server.Close()
	line, err := NewLine(strings.TrimPrefix(server.URL, "http://"))
	must(t, err)
	defer line.Close()

	get := func(path string) (*http.Response, error) {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		return client.Get(line.URL() + path)
	}
	running, err := get("/open")
	must(t, err)
	defer running.Body.Close()

	line.Cut()
	if _, err := io.ReadAll(running.Body); err == nil {
		t.Error("a reply under way survived the cut")
	}
	if r, err := get("/"); err == nil {
		r.Body.Close()
		t.Error("a new connection got through a line that is cut")
	}
	line.Mend()
	r, err := get("/")
	must(t, err)
	defer r.Body.Close()
	if p, _ := io.ReadAll(r.Body); string(p) != "through" {
		t.Errorf("after mending: %q", p)
	}
}

func TestReadyLine(t *testing.T) {
	for line, want := range map[string]string{
		"Screentest is ready on http://localhost:8080 (sandbox gateway)\n":     "http://localhost:8080",
		"time=x msg=\"no http://elsewhere here\"\nready: http://[::1]:9/\n":    "http://[::1]:9",
		"The sandbox gateway is ready on http://127.0.0.1:9090, key sandbox\n": "http://127.0.0.1:9090",
		"Screentest is ready on http://local":                                  "",
	} {
		o := &output{ready: make(chan string, 1)}
		for i := range len(line) { // in the smallest pieces
			_, _ = o.Write([]byte(line[i : i+1]))
		}
		got := ""
		select {
		case got = <-o.ready:
		default:
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", line, got, want)
		}
	}
}

func open(t *testing.T) *Browser {
	t.Helper()
	b, err := OpenBrowser()
	must(t, err)
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestMain(m *testing.M) {
	if LeftOut() {
		fmt.Fprintln(os.Stderr, NoBrowser+" is set: the browser is NOT tested")
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
