package gateway

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"screentest/shared/strictjson"
)

// defaultMultiShot is what a multi-shot sum may be where the catalogue does
// not say (G24).
var defaultMultiShot = Seconds{Min: 1, Max: 60}

// catalogueObject is an object of the file that is being read.
type catalogueObject struct {
	r  *catalogueReader
	v  *strictjson.Value
	at string
}

// object takes v as an object with no other keys than these.
func (r *catalogueReader) object(v *strictjson.Value, at string, keys ...string) catalogueObject {
	o := catalogueObject{r, v, at}
	if v.Kind != strictjson.Object {
		r.fail(v.Offset, at, "an object should be here, not %s", v.Kind)
		return o
	}
	for _, m := range v.Members {
		if !contains(keys, m.Name) {
			r.fail(m.Offset, join(at, m.Name), "there is no such field%s; there are: %s", near(m.Name, keys), strings.Join(keys, ", "))
			return o
		}
	}
	return o
}

// near suggests the key that was probably meant.
func near(name string, keys []string) string {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	for _, k := range keys {
		if a, b := plain(name), plain(k); a == b || a+"s" == b || a == b+"s" {
			return ", perhaps " + k + " is meant"
		}
	}
	return ""
}

func (o catalogueObject) fail(name, format string, args ...any) {
	offset := o.v.Offset
	for _, m := range o.v.Members {
		if m.Name == name {
			offset = m.Offset
		}
	}
	o.r.fail(offset, join(o.at, name), format, args...)
}

// get returns the member of that name if it is there and of that kind.
func (o catalogueObject) get(name string, kind strictjson.Kind) *strictjson.Value {
	v, ok := o.v.Get(name)
	switch {
	case !ok || v.Kind == strictjson.Null:
		return nil
	case v.Kind != kind:
		o.fail(name, "%s should be here, not %s", kind, v.Kind)
		return nil
	}
	return v
}

func (o catalogueObject) text(name string, most int) string {
	v := o.get(name, strictjson.String)
	if v == nil {
		return ""
	}
	if n := utf8.RuneCountInString(v.Text); n > most {
		o.fail(name, "%d characters; at most %d are read", n, most)
	}
	return v.Text
}

func (o catalogueObject) textOr(name, otherwise string) string {
	if s := o.text(name, MaxModelID); s != "" {
		return s
	}
	return otherwise
}

func (o catalogueObject) boolean(name string, otherwise bool) bool {
	v := o.get(name, strictjson.Bool)
	if v == nil {
		return otherwise
	}
	return v.Text == "true"
}

// choice reads one of the values, or returns otherwise where there is none.
func (o catalogueObject) choice(name, otherwise string, values []string) string {
	v := o.get(name, strictjson.String)
	if v == nil {
		return otherwise
	}
	if !contains(values, v.Text) {
		o.fail(name, "%q is none of the values that fit here: %s", cut(v.Text), either(values))
	}
	return v.Text
}

// tokens reads a number of tokens, 0 where there is none.
func (o catalogueObject) tokens(name string) int {
	v := o.get(name, strictjson.Number)
	if v == nil {
		return 0
	}
	n, err := strconv.Atoi(v.Text)
	if !v.Integer() || err != nil || n < 1 || n > maxTokens {
		o.fail(name, "a number of tokens is an integer from 1 to %d", maxTokens)
		return 0
	}
	return n
}

func (o catalogueObject) resolution(name, otherwise string) string {
	s := o.textOr(name, otherwise)
	if s != "" && !isResolution(s) {
		o.fail(name, "%q is no resolution; write 480p, 720p, 1080p or 4k", cut(s))
	}
	return s
}

// none refuses keys that the model can't have.
func (o catalogueObject) none(format string, keys ...string) {
	for _, k := range keys {
		if _, ok := o.v.Get(k); ok {
			o.fail(k, format, k)
		}
	}
}

// seconds reads [6, 10] or {"min": 4, "max": 15}.
func (o catalogueObject) seconds(name string, otherwise Seconds) Seconds {
	v, ok := o.v.Get(name)
	if !ok || v.Kind == strictjson.Null {
		return otherwise
	}
	switch v.Kind {
	case strictjson.Array:
		var s Seconds
		for i := range v.Items {
			n, ok := second(&v.Items[i])
			if !ok || len(s.Values) > 0 && n <= s.Values[len(s.Values)-1] {
				o.fail(name, "seconds are integers from 1 to %d, rising", maxSeconds)
				return s
			}
			s.Values = append(s.Values, n)
		}
		if len(s.Values) == 0 {
			o.fail(name, "the list of seconds is empty")
		}
		return s
	case strictjson.Object:
		r := o.r.object(v, join(o.at, name), "min", "max")
		least, most := r.second("min"), r.second("max")
		if least > most {
			r.fail("max", "the range ends at %d, before it starts at %d", most, least)
		}
		return Seconds{Min: least, Max: most}
	}
	o.fail(name, `a list such as [6, 10] or a range such as {"min": 4, "max": 15} should be here, not %s`, v.Kind)
	return otherwise
}

func (o catalogueObject) second(name string) int {
	v := o.get(name, strictjson.Number)
	if v == nil {
		o.fail(name, "a range of seconds needs min and max")
		return 0
	}
	n, ok := second(v)
	if !ok {
		o.fail(name, "seconds are integers from 1 to %d", maxSeconds)
	}
	return n
}

// second reads one number of seconds.
func second(v *strictjson.Value) (int, bool) {
	if !v.Integer() {
		return 0, false
	}
	n, err := strconv.Atoi(v.Text)
	return n, err == nil && n >= 1 && n <= maxSeconds
}

func (o catalogueObject) ratios() []string {
	v := o.get("aspect_ratios", strictjson.Array)
	if v == nil {
		return nil
	}
	var list []string
	for i := range v.Items {
		item := &v.Items[i]
		w, h, ok := ratio(item.Text)
		switch {
		case item.Kind != strictjson.String || !ok || w > maxRatioPart || h > maxRatioPart:
			o.fail("aspect_ratios", "%q is no ratio; write W:H with whole numbers up to %d, such as 16:9", cut(item.Text), maxRatioPart)
			return nil
		case slices.Contains(list, item.Text):
			o.fail("aspect_ratios", "%s is there twice", item.Text)
			return nil
		}
		list = append(list, item.Text)
	}
	return list
}

// ratio reads W:H, both positive integers (F62).
func ratio(s string) (w, h int, ok bool) {
	left, right, ok := strings.Cut(s, ":")
	if !ok {
		return 0, 0, false
	}
	w, okW := number(left, maxRatioDigits)
	h, okH := number(right, maxRatioDigits)
	return w, h, okW && okH
}

// maxRatioDigits bounds each side of an aspect ratio.
const maxRatioDigits = 9

// cut shows the start of a stranger's text in a message.
func cut(s string) string {
	const most = 80
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
