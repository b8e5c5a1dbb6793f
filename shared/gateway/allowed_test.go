package gateway

import "testing"

func TestModelAllowed(t *testing.T) {
	for _, c := range []struct {
		patterns []string
		model    string
		want     bool
	}{
		{nil, "any/model", true},
		{[]string{"openai/*"}, "openai/gpt-5", true},
		{[]string{"openai/*"}, "OpenAI/gpt-5", true},
		{[]string{"openai/*"}, "notopenai/gpt-5", false},
		{[]string{"*/gpt-*"}, "openai/gpt-5", true},
		{[]string{"*/gpt-*-mini"}, "openai/gpt-5-mini", true},
		{[]string{"*/gpt-*-mini"}, "openai/gpt-5-maxi", false},
		{[]string{"a*a"}, "a", false}, // one character is not two
		{[]string{"*a*b*"}, "b-a", false},
		{[]string{"**"}, "", true},
		{[]string{"x", "exact/model"}, "exact/model", true},
		{[]string{"exact/model"}, "exact/model-2", false},
		{[]string{""}, "model", false},
	} {
		if got := ModelAllowed(c.patterns, c.model); got != c.want {
			t.Errorf("%q allow %s: %t", c.patterns, c.model, got)
		}
	}
}
