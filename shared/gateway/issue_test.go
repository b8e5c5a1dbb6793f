package gateway

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestVerdictJSON(t *testing.T) {
	for _, c := range []struct {
		name string
		v    Verdict
		want string
	}{
		{"nothing to say", Verdict{}, `{"errors":[],"warnings":[],"price":null}`},
		{"a list is never null", Verdict{Errors: []Issue{{Field: "a", Code: "b", Message: "<c>", Fact: "F1"}}},
			`{"errors":[{"field":"a","code":"b","message":"<c>","allowed":[],"fact":"F1"}],"warnings":[],"price":null}`},
		{"a price", Verdict{Price: &Quote{Cost: 5, Basis: "1 s × $0.000000005", Known: true}},
			`{"errors":[],"warnings":[],"price":{"nano_usd":5,"basis":"1 s × $0.000000005"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.v.MarshalJSON()
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v", got, err)
			}
			var again Verdict
			if err := json.Unmarshal(got, &again); err != nil || len(again.Errors) != len(c.v.Errors) || !reflect.DeepEqual(again.Price, c.v.Price) {
				t.Errorf("reads back as %+v, %v", again, err)
			}
		})
	}
	var v Verdict
	if err := json.Unmarshal([]byte(`{"errors":5}`), &v); err == nil {
		t.Error("a verdict that is none is read")
	}
}

// A body of a stranger's making can't make a verdict, or a message in it, as
// long as itself.
func TestVerdictsAreBounded(t *testing.T) {
	c := SampleCatalogue()
	long := strings.Repeat("x", 100_000)
	many := func(item string) string { return strings.TrimSuffix(strings.Repeat(item+",", 10_000), ",") }
	distinct := func() string {
		var b strings.Builder
		for i := range 10_000 {
			b.WriteString(`"u` + strings.Repeat("y", i%7) + string(rune('a'+i%26)) + strings.Repeat("z", i/182) + `":1,`)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for name, body := range map[string]string{
		"messages that are none":   says(`[` + many(`5`) + `]`),
		"messages with no role":    says(`[` + many(`{}`) + `]`),
		"roles of many kinds":      says(`[` + many(`{"role":"x","content":""}`) + `]`),
		"tools that are none":      chat("zeta-1", `"tools":[`+many(`5`)+`]`),
		"fields that are none":     chat(plain, distinct()),
		"a long model":             chat(long, ""),
		"a long role":              says(`[{"role":"` + long + `","content":""}]`),
		"a long field":             chat(plain, `"`+long+`":1`),
		"a long user of long keys": chat(plain, `"`+long+`":{"`+long+`":{"`+long+`":1,"`+long+`":2}}`),
		"duplicates":               chat(plain, many(`"x":1`)),
	} {
		v := c.Validate(Chat, []byte(body), Options{})
		check(t, name, v)
	}
	for name, body := range map[string]string{
		"links that are none": vrefWith(many(`5`)),
		"links that are bad":  vrefWith(many(`"` + strings.Repeat("x", 300) + `"`)),
		"links of this host":  video("alpha-3.1-lite-i2v", `"seconds":"8","image_urls":[`+many(`"http://localhost"`)+`]`),
		"scenes":              shots("delta-3.0-720p", "5", many(`{}`), ""),
		"long seconds":        t2v(`"seconds":"` + long + `"`),
		"long ratio":          t2v(`"seconds":"8","aspect_ratio":"` + long + `"`),
		"long task_id":        video("alpha-3.1-lite-extend", `"seconds":"8","task_id":"`+long+`"`),
		"a long host":         i2v(`["http://` + long + `/"]`),
		"many mentions":       `{"model":"gamma-2-720p-vref","prompt":"` + strings.Repeat("@Video9", 10_000) + `","seconds":"8","reference_video_urls":["` + clip + `"]}`,
	} {
		check(t, name, c.Validate(Video, []byte(body), Options{}))
	}
}

func vrefWith(links string) string {
	return video("gamma-2-720p-vref", `"seconds":"8","reference_video_urls":[`+links+`]`)
}

// check looks at the size of a verdict.
func check(t *testing.T, name string, v Verdict) {
	t.Helper()
	if len(v.Errors)+len(v.Warnings) == 0 {
		t.Errorf("%s: nothing is said", name)
	}
	if len(v.Errors) > maxIssues+1 || len(v.Warnings) > maxIssues+1 {
		t.Errorf("%s: %d errors, %d warnings", name, len(v.Errors), len(v.Warnings))
	}
	for _, i := range append(v.Errors, v.Warnings...) {
		if len(i.Message) > 1000 || len(i.Field) > 1000 {
			t.Errorf("%s: a message of %d bytes about a field of %d", name, len(i.Message), len(i.Field))
		}
	}
}
