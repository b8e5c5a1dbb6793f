package gatewaytest

import (
	"strings"
	"testing"

	"screentest/shared/gateway"
)

// Whatever the validator finds in a video request has a name in people's words.
func TestEveryPlaceOfAVideoRequestHasAName(t *testing.T) {
	c := gateway.SampleCatalogue()
	model, _ := c.Lookup("delta-3.0-720p")
	named := map[string]string{"": gateway.PlaceName("")}
	for _, f := range model.Fields(gateway.TextToVideo) {
		named[f.Name] = gateway.PlaceName(f.Name)
	}
	documented := len(named)
	for r := range Corpus(c, 3, corpusSize) {
		if r.Endpoint != gateway.Video {
			continue
		}
		v := c.Validate(r.Endpoint, r.Body, r.Options)
		for _, i := range append(v.Errors, v.Warnings...) {
			root := i.Field
			if at := strings.IndexAny(root, "[."); at >= 0 {
				root = root[:at]
			}
			if _, ok := named[root]; ok && root != "" {
				named[i.Field] = gateway.PlaceName(i.Field)
			}
		}
	}
	for place, name := range named {
		if strings.ContainsAny(name, "_[].") || !strings.Contains(name, " ") || name == "the request" && place != "" {
			t.Errorf("%q is called %q", place, name)
		}
	}
	if len(named) < documented+10 {
		t.Errorf("only %d places were met", len(named))
	}
	for place, want := range map[string]string{
		"multi_prompt[2].prompt": "the text of shot 3", "multi_prompt[0].duration": "the length of shot 1", "multi_prompt[1]": "shot 2",
		"image_urls[1]": "image 2", "seconds": "the length", "a_field_of_tomorrow": "the request", "seconds[0]": "the length",
	} {
		if got := gateway.PlaceName(place); got != want {
			t.Errorf("%q is called %q, want %q", place, got, want)
		}
	}
}
