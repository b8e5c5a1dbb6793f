package markdown

import "testing"

func TestLinkAddress(t *testing.T) {
	for dest, want := range map[string]string{
		"https://example.com/a?b=c#d": "https://example.com/a?b=c#d",
		"HTTP://example.com":          "http://example.com",
		"mailto:a@example.com":        "mailto:a@example.com",

		"https://bank.example@evil.example/":  "", // reads as the bank
		"https://":                            "",
		"//evil.example":                      "",
		"/settings":                           "",
		"javascript:alert(1)":                 "",
		" javascript:alert(1)":                "",
		"java\nscript:alert(1)":               "",
		"https://evil.example\\@bank.example": "",
		"https://evil.example/\u202egpj":      "",
		"data:text/html,x":                    "",
		"":                                    "",
	} {
		if got, ok := LinkAddress(dest); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", dest, got, ok, want)
		}
	}
}
