package video

import (
	"net/url"
	"testing"

	"screentest/shared/wire"
)

func TestAddressOfAFilter(t *testing.T) {
	for address, f := range map[string]Filter{
		"":                                   {},
		"?show=failed":                       {Standing: Failed},
		"?favourites=1&q=a+%26+b":            {Favourite: true, Text: "a & b"},
		"?kind=upscale&model=m&tag=sea+side": {Mode: "upscale", Model: "m", Tag: "sea side"},
		"?q=sea&sort=name":                   {Text: "sea", Sort: wire.ClipsName},
		"?show=deleted":                      {Standing: Trashed},
	} {
		if got := f.Address(); got != address {
			t.Errorf("%+v is at %q, want %q", f, got, address)
		}
		u, err := url.Parse("/video" + address)
		if err != nil {
			t.Fatal(err)
		}
		if got := FilterOf(u.Query()); got != f {
			t.Errorf("%q is %+v, want %+v", address, got, f)
		}
	}
	if f := FilterOf(url.Values{"show": {"everything"}, "favourites": {"2"}, "sort": {"luck"}, "q": {"  two   words "}}); f != (Filter{Text: "two words"}) {
		t.Errorf("of an address that nobody made: %+v", f)
	}
}
