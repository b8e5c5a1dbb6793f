package video

import (
	"net/url"

	"screentest/shared/wire"
)

// Address is the query of the gallery's address that says what it shows: "" for
// all clips, else with its question mark. [FilterOf] reads it.
func (f Filter) Address() string {
	q := url.Values{}
	for _, p := range f.parts() {
		if *p.value != "" {
			q.Set(p.name, *p.value)
		}
	}
	if f.Favourite {
		q.Set("favourites", "1")
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// FilterOf is the filter of an address. What it doesn't know says nothing.
func FilterOf(q url.Values) (f Filter) {
	for _, p := range f.parts() {
		*p.value = q.Get(p.name)
	}
	if _, known := standings[f.Standing]; !known && f.Standing != Trashed {
		f.Standing = AnyStanding
	}
	switch f.Sort {
	case wire.ClipsOldest, wire.ClipsCost, wire.ClipsLength, wire.ClipsName:
	default:
		f.Sort = wire.ClipsNewest
	}
	f.Favourite = q.Get("favourites") == "1"
	return f.clean()
}

type part struct {
	name  string
	value *string
}

// parts are the words of a filter by their names in the address.
func (f *Filter) parts() []part {
	return []part{
		{"show", (*string)(&f.Standing)}, {"kind", &f.Mode}, {"model", &f.Model}, {"tag", &f.Tag}, {"q", &f.Text}, {"sort", (*string)(&f.Sort)},
	}
}
