package gateway

import "slices"

// Standing is how a field stands with a model in a mode.
type Standing uint8

// The standings.
const (
	Optional Standing = iota
	Required
	NoEffect     // may be sent and changes nothing: a warning
	Undocumented // may be sent, nobody promises anything: a warning
	Forbidden    // must not be sent: an error
	Foreign      // no field of the model's document: passed on as it is, with a warning, and in no form
)

func (s Standing) String() string {
	return [...]string{"optional", "required", "no effect", "undocumented", "must not be sent", "foreign"}[s]
}

// Form is the JSON type and shape of a field.
type Form uint8

// The forms.
const (
	FormText      Form = iota // a string
	FormNumber                // any number, Min to Max
	FormInteger               // a number written as an integer, Min to Max
	FormBoolean               //
	FormChoice                // one of Choices
	FormSeconds               // a string of decimal digits
	FormRatio                 // "W:H"
	FormUUID                  //
	FormURL                   // an absolute http or https URL
	FormURLs                  // an array of Min to Max URLs
	FormURLOrURLs             // one URL, or an array of Min to Max
	FormScenes                // an array of Min to Max scenes
	FormMessages              // an array of chat messages
	FormInput                 // a string, or items where the model takes them
	FormTools                 // an array of tools
	FormObject                //
	FormStrings               // a string, or an array of Min to Max strings
	FormFormat                // an answer's format: see [Format]
	FormEffort                // an object with effort, one of Choices
	FormAnswer                // an object with format, an answer's format
)

// Field is one field of a request as a model takes it in a mode: what a form
// draws and what Validate checks.
type Field struct {
	Name     string
	Form     Form
	Standing Standing
	// Min and Max bound a number's value, or how many items an array has; both
	// 0 where there is no bound, Max 0 where there is none above.
	Min, Max int
	Choices  []string // of FormChoice; of FormRatio the catalogue's; of a boolean the one that will do
	Seconds  Seconds  // of FormSeconds
	Fact     string   // why it stands so
	Note     string   // for people, beside the field; may be empty
}

// spec is an entry of the tables: a field, its shape, and its uses. The first
// use that fits the model counts.
type spec struct {
	name    string
	people  string // what a person calls it within a sentence: see PlaceName
	item    string // and one of several
	form    Form
	shape   ruleID // broken by another type or form
	bounds  ruleID // broken by a value or a count out of bounds
	lo, hi  int
	choices []string
	uses    []use
}

// use says how a field stands with some models. No in means any mode, no of
// any family.
type use struct {
	in       []Mode
	of       []Family
	standing Standing
	rule     ruleID // broken by absence, presence, or a count out of lo to hi
	lo, hi   int    // of an array, where they differ from the spec's
	note     string
	choices  []string // where only some of the form's values will do
	// null counts as present (G12).
	null bool
}

func (u *use) fits(m Model, mode Mode) bool {
	return (u.in == nil || slices.Contains(u.in, mode)) && (u.of == nil || slices.Contains(u.of, m.Family))
}

// anyUse is what an unknown model gets where a table would warn or refuse only
// because the model is not among those named (G3).
var anyUse = use{standing: Optional}

// use returns how the field stands with m in mode.
func (s *spec) use(m Model, mode Mode) *use {
	if m.told(s.name) {
		return &anyUse // G43
	}
	for i := range s.uses {
		u := &s.uses[i]
		if !u.fits(m, mode) {
			continue
		}
		if m.Family == Unknown && u.in == nil && u.of == nil && u.standing >= NoEffect {
			return &anyUse
		}
		return u
	}
	return &anyUse
}

// specs returns the table of an endpoint.
func specs(ep Endpoint) []spec {
	switch ep {
	case Chat:
		return chatFields
	case Responses:
		return responsesFields
	}
	return videoFields
}

// Modes returns the modes a form can offer for the model: its own, and for
// delta's generating models multi-shot too (F150, G25).
func (m Model) Modes() []Mode {
	if m.takesMultiShot() {
		return []Mode{m.Mode, MultiShot}
	}
	return []Mode{m.Mode}
}

func (m Model) takesMultiShot() bool {
	return m.Family == Delta && (m.Mode == TextToVideo || m.Mode == ImageToVideo)
}

// Fields returns every field of the model's endpoint as it stands with the
// model in a mode of [Model.Modes], in the order of the tables, without the
// Foreign ones. A form leaves out what is Forbidden and says of what has NoEffect
// that it has none.
func (m Model) Fields(mode Mode) []Field {
	table := specs(m.Endpoint)
	fields := make([]Field, 0, len(table))
	for i := range table {
		s := &table[i]
		u := s.use(m, mode)
		if u.standing == Foreign {
			continue
		}
		f := Field{Name: s.name, Form: s.form, Standing: u.standing, Min: s.lo, Max: s.hi,
			Choices: s.choices, Fact: rules[s.shape].Fact, Note: u.note}
		if u.rule != 0 {
			f.Fact = rules[u.rule].Fact
		}
		if u.lo != 0 || u.hi != 0 {
			f.Min, f.Max = u.lo, u.hi
		}
		switch {
		case s.form == FormSeconds:
			f.Seconds = m.seconds(mode)
		case s.form == FormRatio && len(m.Ratios) > 0:
			f.Choices = m.Ratios
		case u.choices != nil:
			f.Choices = u.choices
		}
		fields = append(fields, f)
	}
	return fields
}

// seconds returns the values of the field seconds in a mode (F59, G24).
func (m Model) seconds(mode Mode) Seconds {
	if mode != MultiShot {
		return m.Seconds
	}
	if m.MultiShotSeconds.Any() {
		return Seconds{Min: 1, Max: 60}
	}
	return m.MultiShotSeconds
}
