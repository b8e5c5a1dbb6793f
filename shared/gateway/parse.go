package gateway

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"screentest/shared/money"
	"screentest/shared/strictjson"
)

// CatalogueError is a mistake in a catalogue file, and where.
type CatalogueError struct {
	Line    int    // from 1
	Field   string // "models[3].seconds"; "" for the file as a whole
	Message string
}

func (e *CatalogueError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("catalogue, line %d: %s", e.Line, e.Message)
	}
	return fmt.Sprintf("catalogue, line %d, %s: %s", e.Line, e.Field, e.Message)
}

// Bounds of a catalogue file.
const (
	maxModels    = 5000
	maxSeconds   = 600
	maxNote      = 1000 // characters
	maxRatioPart = 100  // of W and H in a catalogue's ratio
	maxTokens    = 1_000_000_000
)

// ParseCatalogue reads a catalogue file. Of a model only id is always needed:
// what its id tells by the patterns may be left out, and what is written wins.
// The error is a *CatalogueError with the first mistake.
//
//	{"note": "…", "sample": false, "models": [
//	  {"id": "vendor/model-a", "price": {"input": 0.50, "output": 1.50}},
//	  {"id": "beta-video-720p", "seconds": [6, 10], "aspect_ratios": ["16:9"], "price": {"per_second": 0.05}},
//	  {"id": "new-clips", "family": "gamma", "mode": "text-to-video", "seconds": {"min": 4, "max": 15}},
//	  {"id": "vendor/model-c", "name": "Model C", "context": 128000, "max_output": 8192,
//	   "takes": ["max_tokens", "images"], "price": {"input": 2, "output": 8, "per_image": 0.001}}
//	]}
//
// Text prices are per million tokens in US dollars, per_image is of one image.
func ParseCatalogue(b []byte) (*Catalogue, error) { return parseCatalogue(b, 1) }

// ReadCatalogue is ParseCatalogue for what a server tells a page: of a gateway that
// lists no models it has none.
func ReadCatalogue(b []byte) (*Catalogue, error) { return parseCatalogue(b, 0) }

func parseCatalogue(b []byte, least int) (*Catalogue, error) {
	doc, err := strictjson.Parse(b, strictjson.Limits{})
	if err != nil {
		e := err.(*strictjson.Error)
		return nil, &CatalogueError{Line: e.Line, Field: e.Path, Message: e.Message}
	}
	r := &catalogueReader{doc: doc, least: least}
	if len(doc.Clashes) > 0 {
		clash := doc.Clashes[0]
		r.fail(clash.Offset, join(clash.Path, clash.Second), "this key is there already as %q", clash.First)
		return nil, r.err
	}
	c := r.catalogue(&doc.Root)
	if r.err != nil {
		return nil, r.err
	}
	return c, nil
}

// catalogueReader keeps the first mistake; after it everything reads as empty.
type catalogueReader struct {
	doc   *strictjson.Document
	least int   // models
	err   error // nil or a *CatalogueError
}

func (r *catalogueReader) fail(offset int, field, format string, args ...any) {
	if r.err == nil {
		r.err = &CatalogueError{Line: r.doc.Line(offset), Field: field, Message: fmt.Sprintf(format, args...)}
	}
}

func (r *catalogueReader) catalogue(root *strictjson.Value) *Catalogue {
	c := &Catalogue{lines: map[string]int{}}
	o := r.object(root, "", "note", "sample", "models")
	c.Note = o.text("note", maxNote)
	c.Sample = o.boolean("sample", false)
	list := o.get("models", strictjson.Array)
	if list == nil || len(list.Items) < r.least {
		r.fail(root.Offset, "models", "a catalogue needs an array of at least one model")
		return c
	}
	if len(list.Items) > maxModels {
		r.fail(list.Offset, "models", "%d models; at most %d are read", len(list.Items), maxModels)
		return c
	}
	for i := range list.Items {
		at := "models[" + strconv.Itoa(i) + "]"
		m := r.model(&list.Items[i], at, c.Sample)
		if r.err != nil {
			return c
		}
		if first, twice := c.lines[m.ID]; twice {
			r.fail(list.Items[i].Offset, at+".id", "%q is models[%d] already", m.ID, first)
			return c
		}
		c.lines[m.ID] = i
		c.Models = append(c.Models, m)
	}
	return c
}

// modesOf are the modes that each family's models may have.
var modesOf = map[Family][]Mode{
	Ordinary:  {TextMode},
	Epsilon:   {TextMode},
	Beta:      {TextMode},
	Zeta:      {TextMode},
	Alpha:     {TextToVideo, ImageToVideo, Extend, Upscale},
	BetaVideo: {TextToVideo, ImageToVideo, Extend, Upscale},
	Gamma:     {TextToVideo, FirstLastFrame, Reference},
	Delta:     {TextToVideo, ImageToVideo, Motion},
}

// videoKeys are the keys that only video models have.
var videoKeys = []string{"tier", "resolution", "from", "seconds", "multi_shot_seconds", "aspect_ratios"}

var familyNames = []Family{Ordinary, Epsilon, Beta, Zeta, Alpha, BetaVideo, Gamma, Delta}

func (r *catalogueReader) model(v *strictjson.Value, at string, sample bool) Model {
	o := r.object(v, at, "id", "family", "endpoint", "mode", "tier", "resolution", "from", "seconds",
		"multi_shot_seconds", "aspect_ratios", "input_items", "name", "context", "max_output", "takes", "price", "sample")
	id := o.text("id", MaxModelID)
	if !IsModelID(id) {
		o.fail("id", "a model needs an id of 1 to %d characters without spaces", MaxModelID)
		return Model{}
	}
	m := describe(id)
	family := Family(o.choice("family", string(m.familyOr(Ordinary)), names(familyNames)))
	if field := o.onlyOfVideos(); field != "" && m.Family == Unknown && family == Ordinary {
		o.fail(field, "the id %q fits no pattern, so it is taken for a text model, which has no %s; name its family: %s",
			id, field, either(names(familyNames)))
		return m
	}
	if family != m.Family {
		m = Model{ID: id, Family: family, Endpoint: defaultEndpoint(family)}
		if family.Text() {
			m.Mode = TextMode
		}
	}
	m.Mode = Mode(o.choice("mode", string(m.Mode), names(modesOf[family])))
	if m.Mode == "" {
		o.fail("mode", "a model of the family %s needs one of: %s", family, either(names(modesOf[family])))
		return m
	}
	m.Endpoint = o.endpoint(m)
	m.Sample = o.boolean("sample", sample)
	m.Name = o.text("name", MaxModelID)
	if m.InputItems = o.boolean("input_items", false); m.InputItems && m.Endpoint != Responses {
		o.fail("input_items", "only models on responses take items as input (G10)")
	}
	if m.Endpoint == Video {
		o.clip(&m)
	} else {
		o.none("a text model has no %s", videoKeys...)
		o.abilities(&m)
	}
	m.Price = o.price(m)
	return m
}

// familyOr returns the family that the id tells, or otherwise: a model of one's
// own, such as llama3.2, needs no more than its id.
func (m Model) familyOr(otherwise Family) Family {
	if m.Family == Unknown {
		return otherwise
	}
	return m.Family
}

// onlyOfVideos returns a key that is there and that only video models have.
func (o catalogueObject) onlyOfVideos() string {
	if v, ok := o.v.Get("mode"); ok && v.Text != string(TextMode) {
		return "mode"
	}
	for _, key := range videoKeys {
		if _, ok := o.v.Get(key); ok {
			return key
		}
	}
	if price, ok := o.v.Get("price"); ok {
		for _, key := range []string{"per_second", "per_clip"} {
			if _, ok := price.Get(key); ok {
				return "price." + key
			}
		}
	}
	return ""
}

func defaultEndpoint(f Family) Endpoint {
	switch f {
	case Ordinary, Zeta:
		return Chat
	case Epsilon, Beta:
		return Responses
	}
	return Video
}

// names turns a list of constants into plain strings.
func names[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// endpoint reads an endpoint that fits the family: an ordinary model may be on
// responses at a gateway that has it there.
func (o catalogueObject) endpoint(m Model) Endpoint {
	fits := []string{string(defaultEndpoint(m.Family))}
	if m.Family == Ordinary {
		fits = []string{string(Chat), string(Responses)}
	}
	return Endpoint(o.choice("endpoint", string(m.Endpoint), fits))
}

// textKeys are the keys that only text models have.
var textKeys = []string{"context", "max_output", "takes"}

// abilities reads what only a text model has (G43).
func (o catalogueObject) abilities(m *Model) {
	m.Context, m.MaxOutput = o.tokens("context"), o.tokens("max_output")
	v := o.get("takes", strictjson.Array)
	switch {
	case v == nil:
		return
	case m.Family != Ordinary:
		o.fail("takes", "a model of the family %s takes what its document says and nothing more (G43)", m.Family)
		return
	}
	for i := range v.Items {
		item := &v.Items[i]
		switch {
		case item.Kind != strictjson.String || !contains(TakeNames(), item.Text):
			o.fail("takes", "%s is nothing that a model can be told to take; there are: %s", show(item), strings.Join(TakeNames(), ", "))
			return
		case contains(m.Takes, item.Text):
			o.fail("takes", "%s is there twice", item.Text)
			return
		}
		m.Takes = append(m.Takes, item.Text)
	}
}

// clip reads what only a video model has.
func (o catalogueObject) clip(m *Model) {
	o.none("a video model has no %s", textKeys...)
	m.Tier = o.textOr("tier", m.Tier)
	m.Resolution = o.resolution("resolution", m.Resolution)
	m.From = o.resolution("from", m.From)
	m.Seconds = o.seconds("seconds", m.Seconds)
	m.Ratios = o.ratios()
	if m.takesMultiShot() {
		m.MultiShotSeconds = o.seconds("multi_shot_seconds", defaultMultiShot)
	} else {
		o.none("only delta's generating models have %s (F150)", "multi_shot_seconds")
	}
	upscale := m.Mode == Upscale
	switch {
	case m.Seconds.Any():
		o.fail("seconds", `a video model needs its values of seconds, such as [6, 10] or {"min": 4, "max": 15} (F59)`)
	case m.Family == Alpha && !upscale && m.Tier == "":
		o.fail("tier", "an alpha model needs its tier, which decides the extends that fit (F128)")
	case m.Resolution == "" && (m.Family == BetaVideo || upscale):
		o.fail("resolution", "this model needs its resolution, which decides the actions that fit (F131)")
	case m.Family == BetaVideo && upscale && m.From == "":
		o.fail("from", "a beta upscale needs the resolution it starts from (F134)")
	case m.From != "" && height(m.From) >= height(m.Resolution):
		o.fail("from", "an upscale from %s to %s makes nothing larger", m.From, m.Resolution)
	}
}

// price reads a model's price; without one it is unknown.
func (o catalogueObject) price(m Model) Price {
	v := o.get("price", strictjson.Object)
	if v == nil {
		return Price{}
	}
	if m.Endpoint != Video {
		p := o.r.object(v, join(o.at, "price"), "input", "output", "per_image")
		price := Price{Known: true, Input: p.usd("input"), Output: p.usd("output")}
		if _, told := v.Get("per_image"); told {
			price.PerImage = p.usd("per_image")
		}
		return price
	}
	p := o.r.object(v, join(o.at, "price"), "per_second", "per_clip")
	_, perSecond := v.Get("per_second")
	_, perClip := v.Get("per_clip")
	switch {
	case perSecond && perClip:
		p.fail("per_clip", "a model has a price per second or per clip, not both")
	case perClip:
		return Price{Known: true, PerClip: p.usd("per_clip")}
	}
	return Price{Known: true, PerSecond: p.usd("per_second")}
}

// usd reads a price in dollars, exactly as it is written.
func (o catalogueObject) usd(name string) money.NanoUSD {
	v := o.get(name, strictjson.Number)
	if v == nil {
		o.fail(name, "a price in US dollars is missing")
		return 0
	}
	n, err := money.ParseUSD(v.Text)
	if err == nil && n < 0 {
		err = fmt.Errorf("a price is not negative")
	}
	if err != nil {
		o.fail(name, "%v", err)
	}
	return n
}

// join puts a key after a path.
func join(path, key string) string {
	if utf8.RuneCountInString(key) > 60 {
		key = string([]rune(key)[:60]) + "…"
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// contains says whether list has s.
func contains(list []string, s string) bool { return slices.Contains(list, s) }
