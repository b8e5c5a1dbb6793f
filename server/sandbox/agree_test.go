package sandbox

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/gateway/gatewaytest"
	"screentest/shared/money"
	"screentest/shared/strictjson"

	"pgregory.net/rapid"
)

// TestSandboxAgreesWithTheValidator: what the validator takes, told all that
// can be known, the sandbox takes, at the price that was quoted; what it
// refuses, the sandbox refuses with the same code. The sandbox finds sources
// and lengths out for itself.
func TestSandboxAgreesWithTheValidator(t *testing.T) {
	w := newWitness(t)
	codes := map[string]int{}
	for r := range gatewaytest.Corpus(w.catalogue, 20, agreeCount) {
		code, err := w.agree(r)
		if err != nil {
			t.Fatal(err)
		}
		codes[code]++
	}
	for _, r := range gatewaytest.Extremes() {
		code, err := w.agree(r)
		if err != nil {
			t.Error(err)
		}
		codes[code]++
	}
	var table strings.Builder
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		fmt.Fprintf(&table, "\n%8d  %s", codes[code], map[bool]string{true: "accepted", false: code}[code == ""])
	}
	t.Logf("%d requests%s", agreeCount, &table)
	for _, code := range []string{"", gateway.CodeInvalidRequest, gateway.CodeRequestTooLarge, gateway.CodeWrongEndpoint, gateway.CodeStreamRequired,
		gateway.CodeUnsupportedParameter, gateway.CodeInvalidSeconds, gateway.CodeReferenceSeconds, gateway.CodeSourceModeMismatch,
		gateway.CodeSourceMismatch, gateway.CodeUpstreamRejected, gateway.CodeSourceNotReady, gateway.CodeResultExpired,
		gateway.CodeTaskNotExist, gateway.CodeModelNotFound} {
		if codes[code] == 0 {
			t.Errorf("no request came to %q", code)
		}
	}
}

// The same, with requests that are made smaller until one that disagrees is as
// small as can be.
func TestSandboxAgreesShrinking(t *testing.T) {
	w := newWitness(t)
	rapid.Check(t, func(t *rapid.T) {
		r := gatewaytest.Generate(w.catalogue, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
		if _, err := w.agree(r); err != nil {
			t.Fatal(err)
		}
	})
}

// witness is a sandbox that is called without a network, and the outside world
// as it sees it.
type witness struct {
	catalogue *gateway.Catalogue
	server    *Server
	clock     *testClock
	world     *world
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	w := &witness{catalogue: gateway.SampleCatalogue(), clock: newTestClock(), world: &world{}}
	s, err := New(Config{Catalogue: w.catalogue, Now: w.clock.now, TokensPerSecond: -1, Balance: 1 << 60})
	if err != nil {
		t.Fatal(err)
	}
	s.fetch = &http.Client{Transport: w.world}
	w.server = s
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

// world is every file host there is: a link has a clip whose length follows
// from the link and the number of the request, in tenths of a second.
type world struct{ turn uint32 }

func (w *world) tenths(link string) uint32 {
	h := fnv.New32a()
	_, _ = io.WriteString(h, link)
	return 15 + (h.Sum32()^w.turn*2654435761)%300>>(w.turn%4)
}

func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(tinyMP4(w.tenths(r.URL.String())))),
		ContentLength: -1, Header: http.Header{}, Request: r}, nil
}

// tinyMP4 is an MP4 with an index and no pictures.
func tinyMP4(tenths uint32) []byte {
	box := func(kind string, content ...[]byte) []byte {
		b := append([]byte{0, 0, 0, 0}, kind...)
		b = append(b, bytes.Join(content, nil)...)
		binary.BigEndian.PutUint32(b, uint32(len(b)))
		return b
	}
	words := func(v ...uint32) (b []byte) {
		for _, n := range v {
			b = binary.BigEndian.AppendUint32(b, n)
		}
		return b
	}
	return append(box("ftyp", []byte("isom")), box("moov", box("trak", box("mdia",
		box("mdhd", words(0, 0, 0, 10, tenths, 0)), box("hdlr", words(0, 0), []byte("vide")))))...)
}

// agree judges a request on both sides and returns the code, "" for accepted.
func (w *witness) agree(r gatewaytest.Request) (string, error) {
	w.world.turn++
	options := w.options(r)
	verdict := w.catalogue.Validate(r.Endpoint, r.Body, options)
	want := ""
	if !verdict.OK() {
		want = verdict.Errors[0].Code
	}
	doc, err := strictjson.Parse(r.Body, strictjson.Limits{Bytes: maxBody})
	if err == nil && (verdict.OK() || verdict.Errors[0].Fact != "G42") {
		model, _ := doc.Root.Get("model")
		if model != nil && model.Kind == strictjson.String && model.Text != "" {
			m, known := w.catalogue.Lookup(model.Text)
			switch {
			case !known:
				want = gateway.CodeModelNotFound // G3
			case verdict.OK() && (m.Mode == gateway.Extend || m.Mode == gateway.Upscale) && options.Source == nil:
				want = gateway.CodeTaskNotExist // G19
			}
		}
	}
	before := w.charged()
	reply := w.call(r.Endpoint, r.Body)
	wrong := func(format string, a ...any) (string, error) {
		return want, fmt.Errorf("%s\n%s %s\n%v\nvalidator: %+v\nsandbox: %d %.500s",
			fmt.Sprintf(format, a...), r.Endpoint, cut(string(r.Body), 1000), r.Broken, verdict.Errors, reply.status, reply.body)
	}
	if want == "" {
		if reply.status != http.StatusOK {
			return wrong("the validator takes it, the sandbox does not")
		}
		if cost := w.charged() - before; verdict.Price != nil && cost != verdict.Price.Cost {
			return wrong("quoted %v, charged %v", verdict.Price.Cost, cost)
		}
		return want, nil
	}
	var body struct {
		Code  string
		Error struct{ Code string }
	}
	if err := json.Unmarshal(reply.body, &body); err != nil {
		return wrong("not a JSON error: %v", err)
	}
	if got := body.Code + body.Error.Code; got != want || reply.status != gateway.Status(want) {
		return wrong("the code is %q, want %q", got, want)
	}
	if w.charged() != before {
		return wrong("a refused call was charged")
	}
	return want, nil
}

func (w *witness) charged() money.NanoUSD {
	w.server.bank.mu.Lock()
	defer w.server.bank.mu.Unlock()
	return w.server.bank.account(DefaultKey).charged
}

// options tells the validator what the sandbox will find: the lengths of the
// clips in the world, and the source, which is put into the sandbox.
func (w *witness) options(r gatewaytest.Request) gateway.Options {
	o := gateway.Options{Exact: true, StreamOptions: true, Now: w.server.now(), Source: r.Options.Source}
	var body struct {
		References []string `json:"reference_video_urls"`
		Motion     string   `json:"video_url"`
		TaskID     string   `json:"task_id"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		// Of another type, or not JSON: refused for that, and not fetched.
		o.Source = nil
		return o
	}
	for _, u := range body.References {
		o.ReferenceSeconds = append(o.ReferenceSeconds, float64(w.world.tenths(u))/10)
	}
	if body.Motion != "" {
		o.MotionSeconds = float64(w.world.tenths(body.Motion)) / 10
	}
	id := strings.ToLower(body.TaskID)
	w.server.bank.mu.Lock()
	defer w.server.bank.mu.Unlock()
	delete(w.server.tasks.byUUID, id)
	if p := o.Source; p != nil && id != "" {
		w.server.tasks.byUUID[id] = w.stored(*p, id)
		if p.Expired {
			// The validator's caller may know of an expiry alone; here it
			// follows from a finish.
			p.Status = "SUCCESS"
		}
	}
	return o
}

// stored is a task of that provenance.
func (w *witness) stored(p gateway.Provenance, uuid string) *task {
	now := w.server.now()
	t := &task{ID: "task_source", UUID: uuid, Account: w.server.bank.account(DefaultKey).name,
		Created: now.Add(-3 * time.Hour), Started: now.Add(-2 * time.Hour), Finished: now.Add(-time.Hour), Expire: p.Expired,
		origin: origin{Family: p.Family, Mode: p.Mode, Tier: p.Tier, Resolution: p.Resolution, Root: uuid}}
	t.Clip.Width, t.Clip.Height = 1280, 720
	switch {
	case p.Expired:
	case strings.EqualFold(p.Status, "FAILURE"):
		t.Fail = "it failed"
	case !p.Succeeded():
		t.Finished = now.Add(time.Hour)
	}
	return t
}

// quickReply takes a reply and leaves as soon as a stream begins.
type quickReply struct {
	header http.Header
	status int
	body   []byte
}

var errGone = errors.New("gone")

func (q *quickReply) Header() http.Header    { return q.header }
func (q *quickReply) WriteHeader(status int) { q.status = status }
func (q *quickReply) FlushError() error      { return errGone }
func (q *quickReply) Write(p []byte) (int, error) {
	if strings.HasPrefix(q.header.Get("Content-Type"), "text/event-stream") {
		return 0, errGone
	}
	q.body = append(q.body, p...)
	return len(p), nil
}

// call sends a request to the handler.
func (w *witness) call(ep gateway.Endpoint, body []byte) (q quickReply) {
	q.header = http.Header{}
	r, err := http.NewRequest(http.MethodPost, ep.Path(), bytes.NewReader(body))
	if err != nil {
		return q
	}
	r.Header.Set("Authorization", "Bearer "+DefaultKey)
	r.Header.Set("Content-Type", "application/json")
	defer func() {
		// A stream whose client has left ends so.
		if p := recover(); p != nil && p != http.ErrAbortHandler {
			panic(p)
		}
	}()
	w.server.ServeHTTP(&q, r)
	return q
}

// FuzzHandler: nothing that can be sent makes the sandbox panic, and whatever
// it refuses it refuses with a code.
func FuzzHandler(f *testing.F) {
	catalogue := gateway.SampleCatalogue()
	for r := range gatewaytest.Corpus(catalogue, 30, 200) {
		f.Add(string(r.Endpoint), r.Body)
	}
	f.Add("chat", []byte(`{"model":"zeta-1","messages":[{"role":"user","content":"[[markdown]] [[repeat: 9]] [[drop]]"}],"tools":[{"type":"function","function":{"name":"f","parameters":{"type":["object"],"properties":{"a":{"enum":[null]},"b":{"type":"array"}}}}}]}`))
	s, err := New(Config{Catalogue: catalogue, TokensPerSecond: -1, Balance: 1 << 60})
	if err != nil {
		f.Fatal(err)
	}
	s.fetch = &http.Client{Transport: &world{}}
	w := &witness{catalogue: catalogue, server: s}
	f.Fuzz(func(t *testing.T, endpoint string, body []byte) {
		ep := gateway.Endpoint(endpoint)
		if ep.Path() == "" || bytes.Contains(body, []byte("[[silent]]")) || bytes.Contains(body, []byte("[[status")) {
			return
		}
		reply := w.call(ep, body)
		if reply.status >= 400 && (!json.Valid(reply.body) || !bytes.Contains(reply.body, []byte(`"code":`))) {
			t.Errorf("%d %q", reply.status, reply.body)
		}
	})
}
