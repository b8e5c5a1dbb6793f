package gateway

import (
	"reflect"
	"strings"
	"testing"
)

// TestWhatIsSaidHelps holds the words of some verdicts against what a person
// does next: the bound is named, and what is proposed will do.
func TestWhatIsSaidHelps(t *testing.T) {
	c := SampleCatalogue()
	for _, f := range []struct {
		name    string
		body    string
		message string // part of it
		allowed []string
		hint    string
	}{
		{"F57 a number that would do", video("beta-video-720p", `"seconds":6`), "6 or 10 for beta-video-720p", []string{"6", "10"}, `Put it in quotes: "seconds": "6".`},
		{"F57 a number that would not", video("beta-video-720p", `"seconds":8`), "6 or 10 for beta-video-720p", []string{"6", "10"}, ""},
		{"F57 a negative zero", video("beta-video-720p", `"seconds":-0`), "not the number -0", []string{"6", "10"}, ""},
		{"F58 a unit", video("beta-video-720p", `"seconds":"6s"`), "6 or 10 for beta-video-720p", []string{"6", "10"}, ""},
		{"F58 a model of any seconds", video("alpha-3.1-new", `"seconds":"6s"`), `such as "8"`, nil, ""},
		{"F62 a number", video("beta-video-720p", `"seconds":"6","aspect_ratio":16`), "not the number 16", []string{"16:9", "9:16", "1:1"}, ""},
		{"F65 a host with a space", video("beta-video-720p-i2v", `"seconds":"6","image_urls":"https://exa mple.com/"`), "and a host", nil, ""},
	} {
		t.Run(f.name, func(t *testing.T) {
			v := c.Validate(Video, []byte(f.body), Options{})
			if len(v.Errors) != 1 {
				t.Fatalf("errors %+v, want one", v.Errors)
			}
			e := v.Errors[0]
			if !strings.Contains(e.Message, f.message) || !reflect.DeepEqual(e.Allowed, f.allowed) || e.Hint != f.hint {
				t.Errorf("%+v, want %q in the message, allowed %q, hint %q", e, f.message, f.allowed, f.hint)
			}
		})
	}
	t.Run("F17 other versions under the same prefix", func(t *testing.T) {
		v := c.Validate(Responses, []byte(responses("acme/beta-4.9", "")), Options{})
		want := []string{"acme/beta-4.3", "acme/beta-4.5", "acme/beta-4.6"}
		for _, w := range v.Warnings {
			if w.Fact == "F17" && reflect.DeepEqual(w.Allowed, want) {
				return
			}
		}
		t.Errorf("warnings %+v, want %q allowed", v.Warnings, want)
	})
	t.Run("F37 what is refused is not said to be passed on", func(t *testing.T) {
		v := c.Validate(Responses, []byte(streamed(epsilon, `"tools":[{"type":"function","function":{"name":"f"}}]`)), Options{})
		if len(v.Errors) != 1 || v.Errors[0].Fact != "F37" || len(v.Warnings) != 0 {
			t.Errorf("verdict %+v, want one error of F37 alone", v)
		}
	})
}
