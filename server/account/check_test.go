package account

import (
	"errors"
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestEmail(t *testing.T) {
	for in, want := range map[string]string{
		"ann@example.com": "ann@example.com", " Ann@Example.COM ": "ann@example.com", "a+b@x.co": "a+b@x.co", "root@localhost": "root@localhost",
		"": "", "ann": "", "@x": "", "Ann <ann@example.com>": "", "a@b, c@d": "", `"a b"@x.co`: "", "a@b\n": "a@b", "a\r\nb@x": "", "a\x00b@x.co": "",
		strings.Repeat("a", 250) + "@x.co": "",
	} {
		got, err := Email(in)
		var p *wire.Problem
		if got != want || (want == "") != errors.As(err, &p) || p != nil && (p.Field != "email" || p.Hint == "") {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestName(t *testing.T) {
	for in, want := range map[string]string{
		" Ann ": "Ann", "Åsa Öberg": "Åsa Öberg", strings.Repeat("é", wire.MaxPersonName): strings.Repeat("é", wire.MaxPersonName),
		"": "", " \t": "", "a\nb": "", "\xff": "", strings.Repeat("é", wire.MaxPersonName+1): "",
	} {
		if got, err := Name(in); got != want || (want == "") != (err != nil) {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}
