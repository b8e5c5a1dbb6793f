package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The sample catalogue is table M, line by line.
func TestSampleCatalogueIsTableM(t *testing.T) {
	c := SampleCatalogue()
	var got []string
	for _, m := range c.Models {
		price := m.Price.PerSecond.Rate() + "/s"
		switch {
		case m.Endpoint != Video:
			price = m.Price.Input.Rate() + " " + m.Price.Output.Rate()
		case m.Price.PerClip != 0:
			price = m.Price.PerClip.Rate() + "/clip"
		}
		line := []string{m.ID, string(m.Family), string(m.Endpoint), string(m.Mode)}
		if m.Endpoint == Video {
			line = append(line, m.Seconds.String())
		}
		if m.takesMultiShot() {
			line = append(line, "shots "+m.MultiShotSeconds.String())
		}
		if len(m.Ratios) > 0 {
			line = append(line, strings.Join(m.Ratios, " "))
		}
		got = append(got, strings.Join(append(line, price), "; "))
		if !m.Sample || !m.Price.Known {
			t.Errorf("%s is not marked as a sample", m.ID)
		}
	}
	want := tableM()
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("line %d\ngot  %s\nwant %s", i, g, w)
		}
	}
}

// tableM writes the table out.
func tableM() (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	add("vendor/model-a; ordinary; chat; text; $0.50 $1.50")
	add("vendor/model-b; ordinary; chat; text; $2 $8")
	for _, v := range []string{"lite; epsilon; responses; text; $0.25 $2", "core; epsilon; responses; text; $1.25 $10", "max; epsilon; responses; text; $5 $40"} {
		add("vendor/epsilon-5.6-%s", v)
	}
	for _, v := range []string{"3; beta; responses; text; $1 $4", "5; beta; responses; text; $2 $8", "6; beta; responses; text; $3 $12"} {
		add("vendor/beta-4.%s", v)
	}
	add("zeta-1; zeta; chat; text; $0.60 $2.40")
	tiers := []struct{ name, price string }{{"lite", "$0.05"}, {"fast", "$0.10"}, {"quality", "$0.30"}}
	for _, v := range tiers {
		add("alpha-3.1-%s; alpha; video; text-to-video; 4, 6 or 8; 16:9 9:16; %s/s", v.name, v.price)
	}
	for _, v := range tiers {
		add("alpha-3.1-%s-i2v; alpha; video; image-to-video; 4, 6 or 8; 16:9 9:16; %s/s", v.name, v.price)
	}
	for _, v := range tiers {
		add("alpha-3.1-%s-extend; alpha; video; extend; 8; %s/s", v.name, v.price)
	}
	add("alpha-3.1-1080p-upscale; alpha; video; upscale; 8; $0.02/s")
	add("alpha-3.1-4k-upscale; alpha; video; upscale; 8; $0.06/s")
	sizes := []struct{ name, price string }{{"480p", "$0.03"}, {"720p", "$0.05"}, {"1080p", "$0.08"}}
	for _, v := range sizes {
		add("beta-video-%s; beta-video; video; text-to-video; 6 or 10; 16:9 9:16 1:1; %s/s", v.name, v.price)
	}
	for _, v := range sizes {
		add("beta-video-%s-i2v; beta-video; video; image-to-video; 6 or 10; 16:9 9:16 1:1; %s/s", v.name, v.price)
	}
	for _, v := range sizes {
		add("beta-video-%s-extend; beta-video; video; extend; 6 or 10; %s/s", v.name, v.price)
	}
	add("beta-video-upscale-480p-720p; beta-video; video; upscale; 1; $0.10/clip")
	add("beta-video-upscale-720p-1080p; beta-video; video; upscale; 1; $0.15/clip")
	add("beta-video-upscale-480p-1080p; beta-video; video; upscale; 1; $0.20/clip")
	gamma := "gamma; video; %s; 4 to 15; 16:9 9:16 1:1 4:3 3:4 21:9; %s/s"
	add("gamma-2-480p; "+gamma, "text-to-video", "$0.06")
	add("gamma-2-720p; "+gamma, "text-to-video", "$0.12")
	add("gamma-2-480p-i2v; "+gamma, "first-last-frame", "$0.06")
	add("gamma-2-720p-i2v; "+gamma, "first-last-frame", "$0.12")
	add("gamma-2-fast-720p-i2v; "+gamma, "first-last-frame", "$0.09")
	add("gamma-2-720p-vref; gamma; video; reference-video; 6 to 30; $0.07/s")
	delta := "delta; video; %s; 3 to 15; shots 1 to 60; 16:9 9:16 1:1; %s/s"
	add("delta-3.0-720p; "+delta, "text-to-video", "$0.08")
	add("delta-3.0-1080p; "+delta, "text-to-video", "$0.12")
	add("delta-3.0-720p-i2v; "+delta, "image-to-video", "$0.08")
	add("delta-3.0-1080p-i2v; "+delta, "image-to-video", "$0.12")
	add("delta-3.0-motion-control-720p; delta; video; motion-control; 3 to 30; $0.09/s")
	add("delta-3.0-motion-control-1080p; delta; video; motion-control; 3 to 30; $0.14/s")
	return lines
}

func TestCatalogueReadsWhatItWrites(t *testing.T) {
	c := SampleCatalogue()
	again, err := ParseCatalogue(c.JSON())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(c, again) || !bytes.Equal(c.JSON(), again.JSON()) {
		t.Error("the catalogue is another after a round")
	}
	byHand := &Catalogue{Models: c.Models}
	if m, known := byHand.Lookup("zeta-1"); !known || m.Family != Zeta {
		t.Errorf("a catalogue made by hand finds %+v, %v", m, known)
	}
	if _, known := byHand.Lookup("zeta-9"); known {
		t.Error("a catalogue made by hand finds what it has not")
	}
}

func TestF9AModelIsALineOfConfiguration(t *testing.T) {
	c, err := ParseCatalogue([]byte(`{"note": "Ours", "models": [
		{"id": "new-clips", "family": "gamma", "mode": "text-to-video", "seconds": {"min": 4, "max": 15}, "price": {"per_second": 0.015}},
		{"id": "gpt", "family": "ordinary", "endpoint": "responses", "price": {"input": 0, "output": 0.000000001}},
		{"id": "vendor/alpha-like", "family": "alpha", "mode": "extend", "tier": "lite", "seconds": [8]},
		{"id": "beta-video-720p", "seconds": [5], "sample": true}
	]}`))
	if err != nil {
		t.Fatal(err)
	}
	if c.Sample || c.Note != "Ours" {
		t.Errorf("%+v", c)
	}
	clips, _ := c.Lookup("new-clips")
	if clips.Endpoint != Video || clips.Price.PerSecond != 15_000_000 || clips.Sample {
		t.Errorf("%+v", clips)
	}
	if v := c.Validate(Video, []byte(video("new-clips", `"seconds":"3"`)), Options{}); v.OK() || v.Errors[0].Code != CodeInvalidSeconds {
		t.Errorf("%+v", v)
	}
	if v := c.Validate(Responses, []byte(responses("gpt", "")), Options{}); !v.OK() || len(v.Warnings) > 0 {
		t.Errorf("an ordinary model that is listed on responses: %+v", v)
	}
	if v := c.Validate(Chat, []byte(chat("gpt", "")), Options{}); v.OK() || v.Errors[0].Fact != "F116" {
		t.Errorf("the same on chat: %+v", v)
	}
	beta, _ := c.Lookup("beta-video-720p")
	if beta.Family != BetaVideo || beta.Mode != TextToVideo || beta.Resolution != "720p" || !beta.Sample || beta.Price.Known {
		t.Errorf("what the id tells may be left out: %+v", beta)
	}
}

func TestF9OnlyTheIDIsNeeded(t *testing.T) {
	for _, id := range []string{"my-local-model", "llama3.2:3b", "gpt-4o", "mistral", "beta-4.5-mini"} {
		c, err := ParseCatalogue([]byte(`{"models": [{"id": "` + id + `"}]}`))
		if err != nil {
			t.Error(err)
			continue
		}
		if m, known := c.Lookup(id); !known || m.Family != Ordinary || m.Endpoint != Chat || m.Mode != TextMode || m.Price.Known {
			t.Errorf("%s: %+v, want an ordinary model on chat with no known price", id, m)
		}
		if v := c.Validate(Chat, []byte(chat(id, `"temperature":0.5`)), Options{}); !v.OK() || len(v.Warnings) > 0 {
			t.Errorf("%s is in the catalogue, but: %+v", id, v)
		}
	}
}

func TestCatalogueMistakes(t *testing.T) {
	// line puts a model on line 3.
	line := func(model string) string { return "{\"models\": [\n{\"id\": \"zeta-1\"},\n" + model + "\n]}" }
	for _, c := range []struct {
		name, in, want string
	}{
		{"not JSON", "{\n\"models\": [\n{\"id\": x}]}", `catalogue, line 3, models[0].id: a value should be here, not 'x'`},
		{"empty", "", `catalogue, line 1: there is no JSON here`},
		{"an array", "[]", `catalogue, line 1: an object should be here, not an array`},
		{"no models", "{}", `catalogue, line 1, models: a catalogue needs an array of at least one model`},
		{"models empty", `{"models":[]}`, `catalogue, line 1, models: a catalogue needs`},
		{"models an object", "{\n\"models\": {}}", `catalogue, line 2, models: an array should be here, not an object`},
		{"a model that is a string", line(`"zeta-2"`), `catalogue, line 3, models[1]: an object should be here, not a string`},
		{"no id", line(`{}`), `catalogue, line 3, models[1].id: a model needs an id`},
		{"an id with a space", line(`{"id": "a b"}`), `catalogue, line 3, models[1].id: a model needs an id of 1 to 200 characters without spaces`},
		{"an id too long", line(`{"id": "` + strings.Repeat("x", 201) + `"}`), `catalogue, line 3, models[1].id: 201 characters; at most 200 are read`},
		{"an id twice", line(`{"id": "zeta-1"}`), `catalogue, line 3, models[1].id: "zeta-1" is models[0] already`},
		{"a field that does not exist", line(`{"id": "zeta-2", "second": [4]}`), `catalogue, line 3, models[1].second: there is no such field, perhaps seconds is meant; there are: id, family`},
		{"a key twice", line(`{"id": "zeta-2", "id": "zeta-3"}`), `catalogue, line 3, models[1].id: this key is there already as "id"`},
		{"a key in other letters", line(`{"id": "zeta-2", "ID": "zeta-3"}`), `catalogue, line 3, models[1].ID: this key is there already as "id"`},
		{"a family that does not exist", line(`{"id": "zeta-2", "family": "eta"}`), `catalogue, line 3, models[1].family: "eta" is none of the values that fit here: ordinary, epsilon`},
		{"an unknown id with seconds", line(`{"id": "clips", "seconds": [4]}`), `catalogue, line 3, models[1].seconds: the id "clips" fits no pattern, so it is taken for a text model, which has no seconds; name its family: ordinary, epsilon`},
		{"an unknown id with a mode", line(`{"id": "clips", "mode": "extend"}`), `catalogue, line 3, models[1].mode: the id "clips" fits no pattern`},
		{"an unknown id with a price per clip", line(`{"id": "clips", "price": {"per_clip": 1}}`), `catalogue, line 3, models[1].price.per_clip: the id "clips" fits no pattern`},
		{"a mode of another family", line(`{"id": "alpha-3.1-lite", "mode": "motion-control"}`), `catalogue, line 3, models[1].mode: "motion-control" is none`},
		{"a video model with no mode", line(`{"id": "x", "family": "delta"}`), `catalogue, line 3, models[1].mode: a model of the family delta needs one of: text-to-video, image-to-video or motion-control`},
		{"epsilon on chat", line(`{"id": "v/epsilon-5.6-x", "endpoint": "chat"}`), `catalogue, line 3, models[1].endpoint: "chat" is none of the values that fit here: responses`},
		{"no seconds", line(`{"id": "gamma-2-720p"}`), `catalogue, line 3, models[1].seconds: a video model needs its values of seconds`},
		{"seconds a string", line(`{"id": "gamma-2-720p", "seconds": "4-15"}`), `catalogue, line 3, models[1].seconds: a list such as [6, 10] or a range`},
		{"seconds that fall", line(`{"id": "gamma-2-720p", "seconds": [6, 4]}`), `catalogue, line 3, models[1].seconds: seconds are integers from 1 to 600, rising`},
		{"seconds with a point", line(`{"id": "gamma-2-720p", "seconds": [6.0]}`), `catalogue, line 3, models[1].seconds: seconds are integers`},
		{"no seconds in the list", line(`{"id": "gamma-2-720p", "seconds": []}`), `catalogue, line 3, models[1].seconds: the list of seconds is empty`},
		{"a range that ends before it starts", line("{\"id\": \"gamma-2-720p\", \"seconds\":\n{\"min\": 9, \"max\": 4}}"), `catalogue, line 4, models[1].seconds.max: the range ends at 4, before it starts at 9`},
		{"half a range", line(`{"id": "gamma-2-720p", "seconds": {"min": 9}}`), `catalogue, line 3, models[1].seconds.max: a range of seconds needs min and max`},
		{"a range beyond the bound", line(`{"id": "gamma-2-720p", "seconds": {"min": 1, "max": 601}}`), `catalogue, line 3, models[1].seconds.max: seconds are integers from 1 to 600`},
		{"multi-shot with another family", line(`{"id": "gamma-2-720p", "seconds": [4], "multi_shot_seconds": [4]}`), `catalogue, line 3, models[1].multi_shot_seconds: only delta's generating models`},
		{"seconds with text", line(`{"id": "zeta-2", "seconds": [4]}`), `catalogue, line 3, models[1].seconds: a text model has no seconds`},
		{"a ratio that is none", line(`{"id": "gamma-2-720p", "seconds": [4], "aspect_ratios": ["16x9"]}`), `catalogue, line 3, models[1].aspect_ratios: "16x9" is no ratio`},
		{"a ratio twice", line(`{"id": "gamma-2-720p", "seconds": [4], "aspect_ratios": ["16:9", "16:9"]}`), `catalogue, line 3, models[1].aspect_ratios: 16:9 is there twice`},
		{"a resolution that is none", line(`{"id": "gamma-2-720p", "seconds": [4], "resolution": "big"}`), `catalogue, line 3, models[1].resolution: "big" is no resolution`},
		{"alpha with no tier", line(`{"id": "x", "family": "alpha", "mode": "extend", "seconds": [8]}`), `catalogue, line 3, models[1].tier: an alpha model needs its tier`},
		{"beta with no resolution", line(`{"id": "x", "family": "beta-video", "mode": "extend", "seconds": [8]}`), `catalogue, line 3, models[1].resolution: this model needs its resolution`},
		{"a beta upscale from nowhere", line(`{"id": "x", "family": "beta-video", "mode": "upscale", "resolution": "720p", "seconds": [1]}`), `catalogue, line 3, models[1].from: a beta upscale needs the resolution it starts from`},
		{"an upscale that makes smaller", line(`{"id": "beta-video-upscale-1080p-720p"}`), `catalogue, line 3, models[1].from: an upscale from 1080p to 720p makes nothing larger`},
		{"items on chat", line(`{"id": "zeta-2", "input_items": true}`), `catalogue, line 3, models[1].input_items: only models on responses`},
		{"a price a string", line(`{"id": "zeta-2", "price": "1"}`), `catalogue, line 3, models[1].price: an object should be here, not a string`},
		{"half a price", line(`{"id": "zeta-2", "price": {"input": 1}}`), `catalogue, line 3, models[1].price.output: a price in US dollars is missing`},
		{"a price per second for text", line(`{"id": "zeta-2", "price": {"per_second": 1}}`), `catalogue, line 3, models[1].price.per_second: there is no such field`},
		{"both prices", line(`{"id": "gamma-2-720p", "seconds": [4], "price": {"per_second": 1, "per_clip": 1}}`), `catalogue, line 3, models[1].price.per_clip: a model has a price per second or per clip`},
		{"a negative price", line(`{"id": "gamma-2-720p", "seconds": [4], "price": {"per_second": -1}}`), `catalogue, line 3, models[1].price.per_second: a price is not negative`},
		{"a price finer than a nano-dollar", line(`{"id": "gamma-2-720p", "seconds": [4], "price": {"per_second": 0.0000000001}}`), `catalogue, line 3, models[1].price.per_second: amount "0.0000000001": at most 9 decimals`},
		{"sample a string", line(`{"id": "zeta-2", "sample": "yes"}`), `catalogue, line 3, models[1].sample: a boolean should be here, not a string`},
		{"a note too long", "{\"note\": \"" + strings.Repeat("x", 1001) + "\"}", `catalogue, line 1, note: 1001 characters; at most 1000`},
		{"too many models", `{"models": [` + strings.Repeat("0,", maxModels) + `0]}`, `catalogue, line 1, models: 5001 models; at most 5000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := ParseCatalogue([]byte(c.in))
			var e *CatalogueError
			if got != nil || !errors.As(err, &e) || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got  %v, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct{ fact, id, want string }{
		{"F10", "acme/model", "ordinary chat text  "},
		{"F12", "acme/epsilon-5.6-nano", "epsilon responses text  "},
		{"F17", "acme/beta-4.9", "beta responses text  "},
		{"F20", "zeta-2", "zeta chat text  "},
		{"F121", "alpha-3.1-ultra-extend", "alpha video extend ultra 720p"},
		{"F122", "alpha-3.1-2k-upscale", "alpha video upscale  2k"},
		{"F123", "beta-video-1440p-extend", "beta-video video extend  1440p"},
		{"F124", "beta-video-upscale-720p-4k", "beta-video video upscale  4k"},
		{"F137", "gamma-2-pro-1080p-i2v", "gamma video first-last-frame  1080p"},
		{"F142", "gamma-2.1-x-vref", "gamma video reference-video  "},
		{"F153", "delta-3.0-motion-control-480p", "delta video motion-control  480p"},
		{"G25", "delta-3.0-480p-i2v", "delta video image-to-video  480p"},
		{"G30", "gamma-2-vref", "unknown chat text  "},
		{"G30", "gamma-2.5-pro", "gamma video text-to-video  "},
		{"G31", "alpha-3.1-lite-hd", "unknown chat text  "},
		{"G31", "beta-video-large", "unknown chat text  "},
		{"G31", "alpha-3.1-", "unknown chat text  "},
		{"G31", "delta-3.0-", "unknown chat text  "},
		{"G31", "vendor/alpha-3.1-lite", "ordinary chat text  "},
		{"G3", "nobody", "unknown chat text  "},
		{"G3", "", "unknown chat text  "},
	} {
		m, known := SampleCatalogue().Lookup(c.id)
		got := fmt.Sprintf("%s %s %s %s %s", m.Family, m.Endpoint, m.Mode, m.Tier, m.Resolution)
		if known || got != c.want || m.ID != c.id || m.Price.Known {
			t.Errorf("%s %q: %s (known %v), want %s", c.fact, c.id, got, known, c.want)
		}
	}
}

// Written without a regular expression, and the same as the one of G30.
func TestG30Pattern(t *testing.T) {
	pattern := regexp.MustCompile(`^gamma-2[^/]*-.+-(i2v|vref)$`)
	part := rapid.SampledFrom([]string{"gamma-2", "-", "/", "i2v", "vref", "720p", "-i2v", "-vref", "x", ".5"})
	rapid.Check(t, func(t *rapid.T) {
		id := "gamma-2" + strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"), "")
		want := ""
		if m := pattern.FindStringSubmatch(id); m != nil {
			want = m[1]
		}
		if got := gammaKind(id); got != want {
			t.Fatalf("%s: %q, the pattern says %q", id, got, want)
		}
	})
}

// Every line of the sample catalogue is also what its id tells: the patterns
// and the table can't drift apart.
func TestPatternsTellWhatTheSampleSays(t *testing.T) {
	for _, m := range SampleCatalogue().Models {
		d := describe(m.ID)
		if d.Family != m.Family || d.Endpoint != m.Endpoint || d.Mode != m.Mode || d.Tier != m.Tier || d.Resolution != m.Resolution || d.From != m.From {
			t.Errorf("%s: %+v", m.ID, d)
		}
	}
}

// What lists, prices and catalogues take for the id of a model is the same.
func TestIDsOfModels(t *testing.T) {
	for id, want := range map[string]bool{
		"a": true, "vendor/model-a:free@2": true, strings.Repeat("é", MaxModelID): true,
		"": false, "two words": false, "a\n": false, "a\x00": false, "\xff": false, strings.Repeat("é", MaxModelID+1): false,
	} {
		if IsModelID(id) != want {
			t.Errorf("%q: %v", id, !want)
		}
	}
}
