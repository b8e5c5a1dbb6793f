package gateway

import (
	"math"
	"testing"

	"screentest/shared/money"
)

// model returns a model of the sample catalogue.
func model(t testing.TB, id string) Model {
	t.Helper()
	m, known := SampleCatalogue().Lookup(id)
	if !known {
		t.Fatalf("the sample catalogue has no %s", id)
	}
	return m
}

func TestTextPrices(t *testing.T) {
	for _, c := range []struct {
		name, model string
		usage       Usage
		cost, basis string
		estimated   bool
	}{
		{"F6 F165 tokens × price per million", "vendor/epsilon-5.6-core", Usage{31, 2204, true}, "$0.02207875", "31 in × $1.25/M + 2 204 out × $10/M", false},
		{"F8 an estimate says so", "vendor/epsilon-5.6-core", Usage{31, 2204, false}, "$0.02207875", "31 in × $1.25/M + 2 204 out × $10/M", true},
		{"F166 a search adds nothing: tokens are all there is", "vendor/epsilon-5.6-lite", Usage{1_000_000, 1_000_000, true}, "$2.25", "1 000 000 in × $0.25/M + 1 000 000 out × $2/M", false},
		{"G39 rounded half up once", "vendor/model-a", Usage{1, 0, true}, "$0.0000005", "1 in × $0.50/M + 0 out × $1.50/M", false},
		{"no tokens", "zeta-1", Usage{0, 0, true}, "$0.00", "0 in × $0.60/M + 0 out × $2.40/M", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := model(t, c.model).TextPrice(c.usage)
			if !q.Known || q.Cost.String() != c.cost || q.Basis != c.basis || q.Estimated != c.estimated {
				t.Errorf("got %v, %+v", q.Cost, q)
			}
			if !q.Sample {
				t.Error("a sample price is not marked as one")
			}
		})
	}
	for name, u := range map[string]Usage{
		"more than any amount": {math.MaxInt64, math.MaxInt64, true},
		"a negative count":     {-1, 5, true},
	} {
		if q := model(t, "vendor/beta-4.6").TextPrice(u); q.Known || q.Cost != 0 || q.Basis == "" {
			t.Errorf("%s is priced: %+v", name, q)
		}
	}
}

func TestVideoPrices(t *testing.T) {
	for _, c := range []struct {
		name, model string
		seconds     int
		cost, basis string
	}{
		{"F7 F167 rate × seconds", "beta-video-720p", 6, "$0.30", "6 s × $0.05"},
		{"F60 the price follows from seconds", "beta-video-720p", 10, "$0.50", "10 s × $0.05"},
		{"F133 an extend at that resolution's rate", "beta-video-1080p-extend", 10, "$0.80", "10 s × $0.08"},
		{"F141 first and last frame at the ordinary price", "gamma-2-720p-i2v", 5, "$0.60", "5 s × $0.12"},
		{"F141 the same without frames", "gamma-2-720p", 5, "$0.60", "5 s × $0.12"},
		{"F148 references: the lower rate × the whole sum", "gamma-2-720p-vref", 14, "$0.98", "14 s × $0.07"},
		{"F158 motion control by the clip's length", "delta-3.0-motion-control-720p", 7, "$0.63", "7 s × $0.09"},
		{"F168 a beta upscale is fixed per clip", "beta-video-upscale-480p-1080p", 1, "$0.20", "1 clip × $0.20"},
		{"G34 an alpha upscale by its seconds", "alpha-3.1-4k-upscale", 8, "$0.48", "8 s × $0.06"},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := model(t, c.model).VideoPrice(c.seconds)
			if !q.Known || q.Cost.String() != c.cost || q.Basis != c.basis || !q.Sample || q.Estimated {
				t.Errorf("got %v, %+v", q.Cost, q)
			}
		})
	}
}

func TestWhatHasNoPriceSaysSo(t *testing.T) {
	unlisted, _ := SampleCatalogue().Lookup("beta-video-240p")
	for name, q := range map[string]Quote{
		"an unlisted clip":     unlisted.VideoPrice(6),
		"a clip of no length":  model(t, "beta-video-720p").VideoPrice(0),
		"text of a clip model": model(t, "beta-video-720p").TextPrice(Usage{1, 1, true}),
		"a clip of text":       model(t, "zeta-1").VideoPrice(6),
		"more than any amount": {Basis: Model{Endpoint: Video, Price: Price{Known: true, PerSecond: math.MaxInt64}}.VideoPrice(2).Basis},
	} {
		if q.Known || q.Cost != 0 || q.Basis == "" {
			t.Errorf("%s: %+v", name, q)
		}
	}
	if v := SampleCatalogue().Validate(Video, []byte(video("beta-video-240p", `"seconds":"6"`)), Options{}); v.Price != nil {
		t.Errorf("an unlisted model is quoted %+v", v.Price)
	}
}

func TestTheVerdictQuotesThePrice(t *testing.T) {
	c := SampleCatalogue()
	v := c.Validate(Video, []byte(video("beta-video-720p", `"seconds":"6"`)), Options{})
	if v.Price == nil || v.Price.Cost != 300_000_000 || v.Price.Basis != "6 s × $0.05" || !v.Price.Sample {
		t.Errorf("price %+v", v.Price)
	}
	v = c.Validate(Video, []byte(`{"model":"beta-video-720p","seconds":"6"}`), Options{})
	if v.OK() || v.Price == nil || v.Price.Cost != 300*money.USD/1000 {
		t.Errorf("while something else is missing the price stands: %+v", v)
	}
	if v = c.Validate(Video, []byte(video("beta-video-720p", `"seconds":"7"`)), Options{}); v.Price != nil {
		t.Errorf("seconds that can't be are quoted %+v", v.Price)
	}
	for fact, c2 := range map[string]struct {
		body string
		o    Options
	}{
		"F151": {shots("delta-3.0-720p", "7", `{"prompt":"A","duration":5}`, ""), Options{}},
		"F149": {vref(1, "6", ""), Options{ReferenceSeconds: []float64{9}}},
		"G20":  {vref(2, "6", ""), Options{}},
		"G22":  {motion("9", ""), Options{MotionSeconds: 5}},
	} {
		v = c.Validate(Video, []byte(c2.body), c2.o)
		if v.OK() || v.Errors[0].Fact != fact || v.Price != nil {
			t.Errorf("%s: seconds that must be others are quoted: %+v", fact, v)
		}
	}
	if v = c.Validate(Chat, []byte(chat(plain, "")), Options{}); v.Price != nil {
		t.Errorf("text is quoted before it is known: %+v", v.Price)
	}
}
