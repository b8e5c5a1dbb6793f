package gateway

import (
	"strconv"
	"strings"

	"screentest/shared/strictjson"
)

// checkFields is the fourth stage: each entry of the endpoint's table against
// the body.
func (k *checker) checkFields() {
	table := specs(k.endpoint)
	k.collect(table)
	if k.model.takesMultiShot() {
		if v := k.field("multi_shots"); v != nil && v.Kind == strictjson.Bool && v.Text == "true" {
			k.mode = MultiShot
		}
	}
	for i := range table {
		if table[i].name != "model" { // a stage of its own
			k.checkField(&table[i], k.values[i], k.nulls[i])
		}
	}
}

// collect finds the table's fields in the body. Null counts as absent (G12).
func (k *checker) collect(table []spec) {
	for i := range table {
		v, ok := k.doc.Root.Get(table[i].name)
		switch {
		case !ok:
		case v.Kind == strictjson.Null:
			k.nulls[i] = true
		default:
			k.values[i] = v
		}
	}
}

// field returns the value of a field of the body, nil where it is absent.
func (k *checker) field(name string) *strictjson.Value {
	table := specs(k.endpoint)
	for i := range table {
		if table[i].name == name {
			return k.values[i]
		}
	}
	return nil
}

func (k *checker) checkField(s *spec, v *strictjson.Value, null bool) {
	u := s.use(k.model, k.mode)
	if s.form == FormURLOrURLs && v != nil && v.Kind == strictjson.Array && len(v.Items) == 0 {
		v = nil // G29
	}
	if v == nil {
		switch {
		case null && u.null:
			k.forbidden(s, u)
		case u.standing == Required:
			k.missing(s, u)
		}
		return
	}
	switch u.standing {
	case Foreign:
		k.report(u.rule, s.name, passedOn(s.name))
		return
	case Forbidden:
		k.forbidden(s, u)
		return
	case NoEffect:
		k.report(u.rule, s.name, s.name+" has no effect on "+k.subject()+", it is "+u.note)
	case Undocumented:
		if u.rule == rUndocumented {
			k.report(u.rule, s.name, k.subject()+" isn't known to take "+s.name+"; it is passed on, and a gateway may ignore or refuse it")
		} else if u.rule != rStreamOptions || !k.options.StreamOptions {
			k.report(u.rule, s.name, s.name+" is not documented for "+k.subject()+": it is "+u.note)
		}
	}
	k.checkForm(s, u, v)
}

// subject names the model and what it does.
func (k *checker) subject() string {
	if k.mode == MultiShot {
		return cut(k.model.ID) + " with multi_shots"
	}
	return cut(k.model.ID)
}

func (k *checker) missing(s *spec, u *use) {
	text := s.name + " is missing: " + k.subject() + " needs "
	switch s.form {
	case FormSeconds:
		seconds := k.model.seconds(k.mode)
		k.reportWith(u.rule, s.name, text+`the seconds as a string of digits: `+seconds.String(), seconds.List(), "")
		return
	case FormURLOrURLs, FormURLs, FormScenes, FormMessages:
		lo, hi := s.lo, s.hi
		if u.hi != 0 || u.lo != 0 {
			lo, hi = u.lo, u.hi
		}
		text += count(lo, hi, things[s.form])
	case FormUUID:
		text += "the internal id (UUID) of the clip it starts from, data.data.id in that task's status"
	case FormBoolean:
		k.reportWith(u.rule, s.name, text+"true", []string{"true"}, `Add "`+s.name+`": true.`)
		return
	case FormURL:
		text += "a link, an absolute http or https URL"
	default:
		text += "a string that is not empty"
	}
	k.report(u.rule, s.name, text)
}

// things are what an array holds, one and many.
var things = map[Form][2]string{
	FormURLOrURLs: {"link", "links"},
	FormURLs:      {"link", "links"},
	FormScenes:    {"scene", "scenes"},
	FormMessages:  {"message", "messages"},
}

// amount writes how many there are: "1 link", "3 links".
func amount(n int, thing [2]string) string {
	if n == 1 {
		return "1 " + thing[0]
	}
	return strconv.Itoa(n) + " " + thing[1]
}

// count says how many there may be: "1 to 3 links", "exactly 1 link".
func count(lo, hi int, thing [2]string) string {
	switch {
	case hi == 0:
		return "at least " + amount(lo, thing)
	case lo == hi:
		return "exactly " + amount(lo, thing)
	case lo == 0:
		return "at most " + amount(hi, thing)
	}
	return strconv.Itoa(lo) + " to " + amount(hi, thing)
}

func (k *checker) forbidden(s *spec, u *use) {
	why := map[ruleID]string{
		rUserEpsilon:         "epsilon models refuse it, even empty or null",
		rMessagesOnResponses: "on this endpoint the conversation goes into input",
		rImagesUnsupported:   "this model takes no images",
		rTaskIDUnused:        "only an extend or an upscale starts from an earlier task",
		rReferencesModel:     "only reference-video models take reference videos",
		rMultiShotsModel:     "only delta's generating models make several shots",
		rMultiPromptAlone:    "it goes with multi_shots: true only",
		rVideoURLUnused:      "only motion control takes a motion clip",
		rLastFrame:           "it is the model's own field; send the last frame as the second of image_urls",
	}[u.rule]
	hint := "Leave " + s.name + " out."
	if u.rule == rMultiPromptAlone {
		hint = `Add "multi_shots": true, or leave multi_prompt out.`
	}
	k.reportWith(u.rule, s.name, s.name+" must not be sent to "+k.subject()+": "+why, nil, hint)
}

// checkForm checks the type of a value, its form and its bounds.
func (k *checker) checkForm(s *spec, u *use, v *strictjson.Value) {
	switch s.form {
	case FormText:
		if k.want(s, v, strictjson.String) && s.shape == rPrompt && strings.TrimSpace(v.Text) == "" {
			k.report(rPrompt, s.name, "prompt is blank: every request needs some text, an upscale too")
		}
	case FormNumber:
		k.checkNumber(s, v)
	case FormInteger:
		k.checkInteger(s, v)
	case FormBoolean:
		if k.want(s, v, strictjson.Bool) && u.rule == rStreamRequired && v.Text == "false" {
			k.reportWith(rStreamRequired, s.name, k.subject()+" answers as a stream only: stream must be true",
				[]string{"true"}, `Write "stream": true.`)
		}
	case FormChoice:
		k.checkChoice(s, s.name, v)
	case FormSeconds:
		k.checkSeconds(s, v)
	case FormRatio:
		k.checkRatio(s, v)
	case FormUUID:
		k.checkTaskID(s, v)
	case FormURL:
		if k.want(s, v, strictjson.String) {
			k.checkURL(rVideoURL, s.name, v.Text)
		}
	case FormURLs, FormURLOrURLs:
		k.checkURLs(s, u, v)
	case FormScenes:
		k.checkScenes(s, v)
	case FormMessages:
		k.checkMessages(s, v)
	case FormInput:
		k.checkInput(s, v)
	case FormTools:
		k.checkTools(s, v)
	case FormObject:
		// Undocumented: passed on as it is.
	case FormStrings:
		k.checkStop(s, v)
	case FormFormat:
		k.checkFormat(s, s.name, v, "json_schema")
	case FormEffort:
		k.checkWithin(s, v, "effort", k.checkChoice)
	case FormAnswer:
		k.checkWithin(s, v, "format", func(s *spec, at string, v *strictjson.Value) { k.checkFormat(s, at, v, "") })
	}
}

// want checks the JSON type.
func (k *checker) want(s *spec, v *strictjson.Value, kind strictjson.Kind) bool {
	if v.Kind == kind {
		return true
	}
	hint := ""
	if kind == strictjson.Bool && v.Kind == strictjson.String && (v.Text == "true" || v.Text == "false") {
		hint = "Write it without quotes: \"" + s.name + "\": " + v.Text + "."
	}
	k.reportWith(s.shape, s.name, s.name+" must be "+kind.String()+", not "+show(v), nil, hint)
	return false
}

// show writes a value into a message: a short one itself, else its type.
func show(v *strictjson.Value) string {
	switch v.Kind {
	case strictjson.String:
		return "the string " + strconv.Quote(cut(v.Text))
	case strictjson.Number:
		return "the number " + v.Text
	case strictjson.Bool:
		return v.Text
	}
	return v.Kind.String()
}

func (k *checker) checkNumber(s *spec, v *strictjson.Value) {
	if !k.want(s, v, strictjson.Number) {
		return
	}
	// What does not fit a float64 is ±Inf, and out of bounds too.
	n, _ := strconv.ParseFloat(v.Text, 64)
	if n < float64(s.lo) || n > float64(s.hi) {
		k.report(s.bounds, s.name, s.name+" is usually "+strconv.Itoa(s.lo)+" to "+strconv.Itoa(s.hi)+"; it is "+v.Text)
	}
}

func (k *checker) checkInteger(s *spec, v *strictjson.Value) {
	bounds, from := strconv.Itoa(s.lo)+" to "+strconv.Itoa(s.hi), "from "
	if s.hi == 0 {
		bounds, from = "at least "+strconv.Itoa(s.lo), "of "
	}
	if v.Kind != strictjson.Number {
		k.reportWith(s.shape, s.name, s.name+" must be an integer "+from+bounds+", not "+show(v), nil,
			"Write a number without quotes or brackets.")
		return
	}
	if !v.Integer() {
		k.report(s.shape, s.name, s.name+" must be written as an integer "+from+bounds+", with no point and no exponent; it is "+v.Text)
		return
	}
	// What does not fit an int is out of bounds too.
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if err != nil || n < int64(s.lo) || s.hi != 0 && n > int64(s.hi) {
		k.report(s.bounds, s.name, s.name+" must be "+bounds+"; it is "+v.Text)
		return
	}
	if s.shape == rMaxTokens && k.model.MaxOutput > 0 && n > int64(k.model.MaxOutput) {
		k.report(rMaxOutput, s.name, s.name+" is "+v.Text+", and "+k.subject()+" writes "+strconv.Itoa(k.model.MaxOutput)+" tokens at most")
	}
}
