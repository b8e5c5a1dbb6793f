package wire

import (
	"net/url"
	"strings"
	"testing"
)

func TestOwnPath(t *testing.T) {
	for path, want := range map[string]string{
		"/": "/", "/c/1": "/c/1", "/settings/people?q=1#x": "/settings/people?q=1#x", "/c/a%2Fb": "/c/a%2Fb",
		"": "/", "c/1": "/", "//evil.example": "/", "/\\evil.example": "/", "/%5Cevil.example": "/", "/%2F/evil.example/": "/", "https://evil.example/": "/",
		"javascript:alert(1)": "/", "/\t/evil.example": "/", "/a\nb": "/", "\\\\evil": "/", "/api/signout": "/", "///evil": "/", "/" + strings.Repeat("a", maxPath): "/", "/%zz": "/",
	} {
		if got := OwnPath(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

// Whatever the path, a browser that is led to it stays with us.
func FuzzOwnPath(f *testing.F) {
	for _, path := range []string{"/", "/c/1?x#y", "//evil.example", "/\\evil.example", "/\t/evil", "https://evil.example", "/%2f/x", "/..//evil", "/./\\evil"} {
		f.Add(path)
	}
	ours, err := url.Parse("https://ours.example/api/oidc/callback")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, path string) {
		own := OwnPath(path)
		led, err := ours.Parse(own)
		if err != nil || led.Host != "ours.example" || led.Scheme != "https" || strings.HasPrefix(led.Path, "/api/") || strings.HasPrefix(led.Path, "//") {
			t.Errorf("%q leads to %v, %v", path, led, err)
		}
		// As browsers read it: a backslash is a slash, tabs and newlines are nothing.
		read := strings.NewReplacer("\\", "/", "\t", "", "\n", "", "\r", "").Replace(own)
		if !strings.HasPrefix(read, "/") || strings.HasPrefix(read, "//") {
			t.Errorf("%q is read as %q", path, read)
		}
	})
}
