package door

import "testing"

func TestALinkLeadsOnWithinThisServerOnly(t *testing.T) {
	for to, want := range map[string]string{
		"/c/1?x=y#z": "/c/1?x=y#z", "/video": "/video", "/": "/", "/settings/security": "/settings/security",
		"": "/", "c/1": "/", "https://evil.example/": "/", "//evil.example/": "/", `/\evil.example`: "/", "/\tevil": "/",
		"javascript:alert(1)": "/", "/\n/evil.example": "/", "/%zz": "/",
		"/signin": "/", "/setup": "/", "/api/export.json": "/",
	} {
		if got := OwnPath(to); got != want {
			t.Errorf("%q leads to %q, want %q", to, got, want)
		}
	}
	if got := SignInAt("/c/1?x=y"); got != "/signin?to=%2Fc%2F1%3Fx%3Dy" {
		t.Error(got)
	}
	if got := SignInAt("/"); got != "/signin" {
		t.Error(got)
	}
}
