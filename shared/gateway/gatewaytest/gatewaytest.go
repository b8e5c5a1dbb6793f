// Package gatewaytest makes requests for tests: right ones and wrong ones, for
// every model and mode, so that whatever judges a request can be compared
// with the rest. Use [Generate] with a source of choices of your own, such as
// rapid's, or [Corpus] for the same requests each time.
//
//	choose := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") }
//	request := gatewaytest.Generate(catalogue, choose)
//
// It imports the standard library only, and is for tests only.
package gatewaytest

import (
	"iter"
	"math/rand/v2"
	"strings"

	"screentest/shared/gateway"
)

// Choose returns a number from 0 to n-1; n is at least 1. All that is made
// follows from the numbers it returns, smaller ones giving simpler requests.
type Choose func(n int) int

// Request is one request, perhaps a wrong one.
type Request struct {
	Endpoint gateway.Endpoint
	Body     []byte
	Model    string // as the body names it, before anything was broken
	Known    bool   // Model is in the catalogue
	// Options is what might be known besides: measured lengths, a source. A
	// test that looks at the body alone leaves it.
	Options gateway.Options
	Broken  []string // what was done to a right request, for the log
}

// Generate makes a request: for a model in one of its modes, right, and then
// in more than half of the cases broken in one to three ways.
func Generate(c *gateway.Catalogue, choose Choose) Request {
	g := &generator{choose: choose, catalogue: c}
	m := g.model()
	mode := one(g, m.Modes())
	r := Request{Endpoint: m.Endpoint, Model: m.ID}
	_, r.Known = c.Lookup(m.ID)
	if m.Family == gateway.Unknown {
		r.Endpoint = one(g, []gateway.Endpoint{gateway.Chat, gateway.Responses, gateway.Video})
		if r.Endpoint == gateway.Video {
			mode = gateway.AnyVideo
		}
	}
	g.m, g.mode, g.endpoint = m, mode, r.Endpoint
	g.fill()
	r.Options = g.options()
	for range g.weighted(4, 4, 1, 1) {
		r.Broken = append(r.Broken, g.breakOne())
	}
	r.Endpoint = g.endpoint
	r.Body = g.body()
	return r
}

// Corpus makes n requests that are the same for the same seed and catalogue,
// on every platform.
func Corpus(c *gateway.Catalogue, seed uint64, n int) iter.Seq[Request] {
	return func(yield func(Request) bool) {
		random := rand.New(rand.NewPCG(seed, 0x5c4ee27e57))
		for range n {
			if !yield(Generate(c, random.IntN)) {
				return
			}
		}
	}
}

// Extremes are requests at the limits of what is read, too large to be among
// many: each breaks one.
func Extremes() []Request {
	chat := func(extra string) []byte {
		return []byte(`{"model":"vendor/model-a","messages":[{"role":"user","content":"Hi"}],` + extra + `}`)
	}
	request := func(what string, body []byte) Request {
		return Request{Endpoint: gateway.Chat, Body: body, Model: "vendor/model-a", Known: true, Broken: []string{what}}
	}
	return []Request{
		request("body too large", chat(`"user":"`+strings.Repeat("u", gateway.MaxBody)+`"`)),
		request("too many values", chat(`"x":[`+strings.Repeat("0,", 250_000)+`0]`)),
		request("nested too deep", chat(`"x":`+strings.Repeat("[", 100_000))),
		request("a number too long", chat(`"temperature":0.`+strings.Repeat("1", 100_000))),
	}
}

// generator is one call of Generate. fields is the body so far, in order.
type generator struct {
	choose    Choose
	catalogue *gateway.Catalogue
	m         gateway.Model
	mode      gateway.Mode
	endpoint  gateway.Endpoint
	fields    []field
	lengths   []float64 // of the references, one for each; not said in every Options
	raw       string    // instead of fields, where the body is no object
}

// field is a key and its value as JSON.
type field struct{ name, value string }

// one picks an element.
func one[T any](g *generator, list []T) T { return list[g.choose(len(list))] }

// weighted picks an index, each as often as its weight says.
func (g *generator) weighted(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := g.choose(sum)
	for i, w := range weights {
		if n < w {
			return i
		}
		n -= w
	}
	return 0
}

// unlisted are ids that are in no sample catalogue: of each pattern, and of
// none.
var unlisted = []string{
	"acme/anything", "acme/epsilon-5.6-nano", "acme/beta-4.9", "vendor/beta-4.3-fast", "zeta-7",
	"alpha-3.1-ultra", "alpha-3.1-ultra-i2v", "alpha-3.1-ultra-extend", "alpha-3.1-2k-upscale",
	"beta-video-240p", "beta-video-240p-i2v", "beta-video-240p-extend", "beta-video-upscale-240p-480p",
	"gamma-2.5-pro-720p", "gamma-2.5-pro-720p-i2v", "gamma-2.5-pro-720p-vref", "delta-3.0-480p",
	"delta-3.0-480p-i2v", "delta-3.0-motion-control-480p", "nobody-knows", "/slash",
}

// model picks one of the catalogue, often by its mode, so that a mode with few
// models has its share; now and then one that is in none.
func (g *generator) model() gateway.Model {
	models := g.catalogue.Models
	switch g.weighted(6, 6, 1) {
	case 1:
		mode := one(g, []gateway.Mode{gateway.TextMode, gateway.TextToVideo, gateway.ImageToVideo, gateway.FirstLastFrame,
			gateway.Reference, gateway.Motion, gateway.Extend, gateway.Upscale})
		var some []gateway.Model
		for _, m := range models {
			if m.Mode == mode {
				some = append(some, m)
			}
		}
		if len(some) > 0 {
			models = some
		}
	case 2:
		m, _ := g.catalogue.Lookup(one(g, unlisted))
		return m
	}
	return one(g, models)
}

// body writes the request.
func (g *generator) body() []byte {
	if g.raw != "" {
		return []byte(g.raw)
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, f := range g.fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(f.name) + ":" + f.value)
	}
	b.WriteByte('}')
	return []byte(b.String())
}
