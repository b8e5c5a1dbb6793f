package gateway

import (
	"strings"
	"testing"
)

func TestImageRefs(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 64), strings.Repeat("0123456789abcdef", 4)
	for name, tt := range map[string]struct {
		body string
		want []string
	}{
		"chat":                       {`{"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"screentest-image:` + a + `"}}]}]}`, []string{a}},
		"responses":                  {`{"input":[{"role":"user","content":[{"type":"input_image","image_url":"screentest-image:` + b + `"}]}]}`, []string{b}},
		"two, with white space":      {`{"url" : "screentest-image:` + a + `", "x": {"image_url":` + "\n\t" + `"screentest-image:` + b + `"}}`, []string{a, b}},
		"a text that says so":        {`{"content":"screentest-image:` + a + `"}`, nil},
		"a text that says more":      {`{"content":"\"url\":\"screentest-image:` + a + `\""}`, nil},
		"a text that ends in a key":  {`{"text":"\"url\":","content":"screentest-image:` + a + `"}`, nil},
		"too short":                  {`{"url":"screentest-image:` + a[1:] + `"}`, nil},
		"too long":                   {`{"url":"screentest-image:` + a + `a"}`, nil},
		"capitals":                   {`{"url":"screentest-image:` + strings.ToUpper(a) + `"}`, nil},
		"cut off":                    {`{"url":"screentest-image:` + a, nil},
		"the end of a name like url": {`{"my url":"screentest-image:` + a + `"}`, nil},
	} {
		var got []string
		for _, r := range ImageRefs([]byte(tt.body)) {
			got = append(got, r.ID)
			if tt.body[r.From:r.To] != ImageScheme+r.ID {
				t.Errorf("%s: %q is at the place", name, tt.body[r.From:r.To])
			}
		}
		if strings.Join(got, " ") != strings.Join(tt.want, " ") {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
