package sandbox

import (
	"net/http"
	"strings"
	"testing"

	"screentest/shared/gateway"
)

// What the sandbox answers for each fact and decision about the fields of a
// creation. Sources and measured clips have tests of their own.
func TestVideoFacts(t *testing.T) {
	r := start(t, Config{FetchPrivate: true, Balance: 1 << 50})
	source := r.makeSource(t, "alpha-3.1-lite")
	beta := r.makeSource(t, "beta-video-480p")
	own := r.ownClip(t, 4)
	const image = `"https://example.com/a.png"`
	v := func(model, seconds, more string) string { return clipBody(model, "x", seconds, more) }
	extend := func(more string) string {
		return v("alpha-3.1-lite-extend", "8", `,"task_id":"`+source+`"`+more)
	}
	shots := func(model, seconds, scenes, more string) string {
		return v(model, seconds, `,"multi_shots":true,"multi_prompt":[`+scenes+`]`+more)
	}
	vref := func(refs, more string) string {
		return v("gamma-2-720p-vref", "8", `,"reference_video_urls":`+refs+more)
	}
	motion := func(more string) string {
		return v("delta-3.0-motion-control-720p", "4", `,"video_url":"`+own+`"`+more)
	}
	ref := `["` + own + `"]`
	const bad = "invalid_request"
	scene := `{"prompt":"a","duration":2}`
	for _, c := range []struct{ name, body, want string }{
		{"F53 no model", `{"prompt":"x","seconds":"8"}`, bad},
		{"F53 a model", v("alpha-3.1-lite", "8", ""), ""},
		{"F54 no prompt", `{"model":"alpha-3.1-lite","seconds":"8"}`, bad},
		{"F54 a blank prompt", `{"model":"alpha-3.1-lite","prompt":" \n","seconds":"8"}`, bad},
		{"F54 an extend without a prompt", `{"model":"alpha-3.1-lite-extend","seconds":"8","task_id":"` + source + `"}`, bad},
		{"F55 an upscale takes any text", v("alpha-3.1-1080p-upscale", "8", `,"task_id":"`+source+`"`), ""},
		{"F55 an upscale without text", `{"model":"alpha-3.1-1080p-upscale","prompt":"","seconds":"8","task_id":"` + source + `"}`, bad},
		{"F56 multi-shot with an empty prompt", strings.Replace(shots("delta-3.0-720p", "2", scene, ""), `"prompt":"x"`, `"prompt":""`, 1), bad},
		{"F57 seconds a number", `{"model":"alpha-3.1-lite","prompt":"x","seconds":8}`, bad},
		{"F58 with a unit", v("alpha-3.1-lite", "8s", ""), bad},
		{"F58 with a space", v("alpha-3.1-lite", " 8", ""), bad},
		{"F58 with a leading zero", v("alpha-3.1-lite", "08", ""), bad},
		{"F58 with a sign", v("alpha-3.1-lite", "+8", ""), bad},
		{"G23 with decimals", v("alpha-3.1-lite", "8.0", ""), bad},
		{"F58 other digits", v("alpha-3.1-lite", "８", ""), bad},
		{"F59 outside the list", v("alpha-3.1-lite", "7", ""), "invalid_seconds"},
		{"F59 outside the range", v("gamma-2-480p", "16", ""), "invalid_seconds"},
		{"F61 no seconds", `{"model":"alpha-3.1-lite","prompt":"x"}`, bad},
		{"F62 not W:H", v("alpha-3.1-lite", "8", `,"aspect_ratio":"wide"`), bad},
		{"F62 zero", v("alpha-3.1-lite", "8", `,"aspect_ratio":"0:9"`), bad},
		{"F62 a ratio that the catalogue has not", v("alpha-3.1-lite", "8", `,"aspect_ratio":"5:4"`), ""},
		{"F63 a ratio where it has no effect", extend(`,"aspect_ratio":"16:9"`), ""},
		{"F64 one link", v("alpha-3.1-lite-i2v", "8", `,"image_urls":`+image), ""},
		{"F64 an array", v("alpha-3.1-lite-i2v", "8", `,"image_urls":[`+image+`]`), ""},
		{"F64 an object", v("alpha-3.1-lite-i2v", "8", `,"image_urls":{}`), bad},
		{"F65 not absolute", v("alpha-3.1-lite-i2v", "8", `,"image_urls":"a.png"`), bad},
		{"F65 another scheme", v("alpha-3.1-lite-i2v", "8", `,"image_urls":"file:///a.png"`), bad},
		{"F65 a private host is a warning only", v("alpha-3.1-lite-i2v", "8", `,"image_urls":"http://127.0.0.1/a.png"`), ""},
		{"F66 a model without images", v("alpha-3.1-lite", "8", `,"image_urls":`+image), bad},
		{"G29 an empty array where optional", vref(ref, `,"image_urls":[]`), ""},
		{"G29 an empty array where required", v("alpha-3.1-lite-i2v", "8", `,"image_urls":[]`), bad},
		{"F67 malformed", v("alpha-3.1-lite-extend", "8", `,"task_id":"123"`), bad},
		{"F69 the id for polling", v("alpha-3.1-lite-extend", "8", `,"task_id":"task_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"`), bad},
		{"F70 F120 an action without task_id", v("alpha-3.1-lite-extend", "8", ""), bad},
		{"F71 task_id on a generation", v("alpha-3.1-lite", "8", `,"task_id":"`+source+`"`), bad},
		{"F72 seeds 1e4", extend(`,"seeds":1e4`), bad},
		{"F72 seeds a string", extend(`,"seeds":"12345"`), bad},
		{"F72 seeds with a point", extend(`,"seeds":12345.0`), bad},
		{"F73 the lowest seeds", extend(`,"seeds":10000`), ""},
		{"F73 the highest seeds", extend(`,"seeds":99999`), ""},
		{"F73 below", extend(`,"seeds":9999`), bad},
		{"F73 above", extend(`,"seeds":100000`), bad},
		{"G13 F74 seeds elsewhere", v("alpha-3.1-lite", "8", `,"seeds":12345`), ""},
		{"G13 seeds an array", extend(`,"seeds":[12345]`), bad},
		{"F75 watermark", extend(`,"watermark":false`), ""},
		{"F75 watermark a string", extend(`,"watermark":"no"`), bad},
		{"F76 a bare string", vref(`"`+own+`"`, ""), bad},
		{"F77 another model", v("gamma-2-720p", "8", `,"reference_video_urls":`+ref), bad},
		{"F78 one reference", vref(ref, ""), ""},
		{"F78 none", vref(`[]`, ""), bad},
		{"F78 four", vref(`[`+strings.TrimSuffix(strings.Repeat(`"`+own+`",`, 4), ",")+`]`, ""), bad},
		{"F79 not http", vref(`["ftp://example.com/a.mp4"]`, ""), bad},
		{"F144 nine images", vref(ref, `,"image_urls":[`+strings.TrimSuffix(strings.Repeat(image+",", 9), ",")+`]`), ""},
		{"F144 ten images", vref(ref, `,"image_urls":[`+strings.TrimSuffix(strings.Repeat(image+",", 10), ",")+`]`), bad},
		{"F145 a reference that is not there", strings.Replace(vref(ref, ""), `"x"`, `"@Video2 like @Image1"`, 1), ""},
		{"F80 multi_shots a string", v("delta-3.0-720p", "4", `,"multi_shots":"true"`), bad},
		{"F80 another family", shots("gamma-2-720p", "4", scene, ""), bad},
		{"G25 motion control", motion(`,"image_urls":` + image + `,"multi_shots":true,"multi_prompt":[` + scene + `]`), bad},
		{"F81 no scenes", v("delta-3.0-720p", "4", `,"multi_shots":true`), bad},
		{"F82 five scenes", shots("delta-3.0-720p", "10", strings.TrimSuffix(strings.Repeat(scene+",", 5), ","), ""), ""},
		{"F82 six scenes", shots("delta-3.0-720p", "12", strings.TrimSuffix(strings.Repeat(scene+",", 6), ","), ""), bad},
		{"F82 an empty list", shots("delta-3.0-720p", "4", "", ""), bad},
		{"F83 an empty scene", shots("delta-3.0-720p", "2", `{"prompt":"","duration":2}`, ""), bad},
		{"F84 500 characters", shots("delta-3.0-720p", "2", `{"prompt":"`+strings.Repeat("é", 500)+`","duration":2}`, ""), ""},
		{"F84 501 characters", shots("delta-3.0-720p", "2", `{"prompt":"`+strings.Repeat("é", 501)+`","duration":2}`, ""), bad},
		{"G27 characters are code points", shots("delta-3.0-720p", "2", `{"prompt":"`+strings.Repeat("😀", 500)+`","duration":2}`, ""), ""},
		{"F85 a duration in quotes", shots("delta-3.0-720p", "2", `{"prompt":"a","duration":"2"}`, ""), bad},
		{"F85 a duration with a point", shots("delta-3.0-720p", "2", `{"prompt":"a","duration":2.0}`, ""), bad},
		{"F86 1 second", shots("delta-3.0-720p", "1", `{"prompt":"a","duration":1}`, ""), ""},
		{"F86 12 seconds", shots("delta-3.0-720p", "12", `{"prompt":"a","duration":12}`, ""), ""},
		{"F86 0 seconds", shots("delta-3.0-720p", "1", `{"prompt":"a","duration":0}`, ""), bad},
		{"F86 13 seconds", shots("delta-3.0-720p", "13", `{"prompt":"a","duration":13}`, ""), bad},
		{"F151 not the sum", shots("delta-3.0-720p", "5", scene, ""), bad},
		{"F152 two frames", shots("delta-3.0-720p", "2", scene, `,"image_urls":[`+image+`,`+image+`]`), bad},
		{"G26 scenes without multi_shots", v("delta-3.0-720p", "4", `,"multi_prompt":[`+scene+`]`), bad},
		{"G26 multi_shots false alone", v("delta-3.0-720p", "4", `,"multi_shots":false`), ""},
		{"G28 an i2v model without a frame in multi-shot", shots("delta-3.0-720p-i2v", "2", scene, ""), ""},
		{"F87 no video_url", v("delta-3.0-motion-control-720p", "4", `,"image_urls":`+image), bad},
		{"F87 video_url elsewhere", v("alpha-3.1-lite", "8", `,"video_url":"`+own+`"`), bad},
		{"F88 orientation", motion(`,"image_urls":` + image + `,"character_orientation":"video"`), ""},
		{"F88 another orientation", motion(`,"image_urls":` + image + `,"character_orientation":"left"`), bad},
		{"F89 background", motion(`,"image_urls":` + image + `,"background_source":"input_image"`), ""},
		{"F89 another background", motion(`,"image_urls":` + image + `,"background_source":"none"`), bad},
		{"F90 elsewhere", v("alpha-3.1-lite", "8", `,"character_orientation":"video"`), ""},
		{"F137 one image", v("gamma-2-720p-i2v", "4", `,"image_urls":`+image), ""},
		{"F138 two images", v("gamma-2-720p-i2v", "4", `,"image_urls":[`+image+`,"https://example.com/b.png"]`), ""},
		{"F137 three images", v("gamma-2-720p-i2v", "4", `,"image_urls":[`+image+`,`+image+`,`+image+`]`), bad},
		{"F139 last_frame_url", v("gamma-2-720p-i2v", "4", `,"image_urls":`+image+`,"last_frame_url":`+image), bad},
		{"G30 the pattern of gamma", v("gamma-2-fast-720p-i2v", "4", `,"image_urls":`+image), ""},
		{"F154 two photos", motion(`,"image_urls":[` + image + `,` + image + `]`), bad},
		{"F154 none", motion(""), bad},
		{"F123 beta extend 6", v("beta-video-480p-extend", "6", `,"task_id":"`+beta+`"`), ""},
		{"F123 beta extend 8", v("beta-video-480p-extend", "8", `,"task_id":"`+beta+`"`), "invalid_seconds"},
		{"F124 beta upscale 1", v("beta-video-upscale-480p-720p", "1", `,"task_id":"`+beta+`"`), ""},
		{"F124 beta upscale 6", v("beta-video-upscale-480p-720p", "6", `,"task_id":"`+beta+`"`), "invalid_seconds"},
		{"F121 alpha extend 4", v("alpha-3.1-lite-extend", "4", `,"task_id":"`+source+`"`), "invalid_seconds"},
		{"G3 an unknown model", v("gamma-9", "4", ""), "model_not_found"},
		{"G31 a pattern's model that the catalogue has not", v("alpha-3.1-ultra", "8", ""), "model_not_found"},
		{"G5 a text id on video", v("vendor/model-a", "4", ""), "wrong_endpoint"},
		{"G11 a field nobody knows", v("alpha-3.1-lite", "8", `,"style":"noir"`), ""},
		{"G12 null is as absent", v("alpha-3.1-lite", "8", `,"task_id":null,"image_urls":null,"multi_shots":null`), ""},
		{"G42 SECONDS", strings.Replace(v("alpha-3.1-lite", "8", ""), `"seconds"`, `"SECONDS"`, 1), bad},
		{"G42 twice", v("alpha-3.1-lite", "8", `,"seconds":"8"`), bad},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := r.account().Charged
			a := r.post(gateway.Video, c.body)
			charged := r.account().Charged - before
			if c.want == "" {
				if a.status != http.StatusOK || charged <= 0 {
					t.Errorf("%d %s, charged %d", a.status, a.body, charged)
				}
				return
			}
			p := a.problem(t)
			if p.code != c.want || a.status != gateway.Status(c.want) || charged != 0 {
				t.Errorf("%d %s, charged %d; want %s", a.status, a.body, charged, c.want)
			}
			if p.flat == (c.want == "model_not_found") {
				t.Errorf("the wrong shape: %s", a.body)
			}
		})
	}
}

// F59, F69: the message has what the shape has no other place for: the values
// that would do, and where the right id is.
func TestVideoMessages(t *testing.T) {
	r := start(t, Config{})
	for _, c := range []struct{ name, body, says string }{
		{"F59 a list", clipBody("alpha-3.1-lite", "x", "7", ""), "4, 6"},
		{"F59 a range", clipBody("gamma-2-720p", "x", "3", ""), "15"},
		{"F69 where the id is", clipBody("alpha-3.1-lite-extend", "x", "8", `,"task_id":"task_x"`), "data.data.id"},
		{"F151 the sum", clipBody("delta-3.0-720p", "x", "5", `,"multi_shots":true,"multi_prompt":[{"prompt":"a","duration":4}]`), "4"},
	} {
		if p := r.post(gateway.Video, c.body).problem(t); !strings.Contains(p.message, c.says) {
			t.Errorf("%s: %q does not say %q", c.name, p.message, c.says)
		}
	}
}

// F6, F165, G39: text is charged by the tokens that are reported, at the
// catalogue's prices, rounded half up once.
func TestTextCharge(t *testing.T) {
	r := start(t, Config{})
	for _, c := range []struct {
		model   string
		in, out int64 // nano-dollars for a token
	}{{"vendor/model-a", 500, 1500}, {"vendor/beta-4.6", 3000, 12000}, {"zeta-1", 600, 2400}} {
		before := r.account()
		_, a := r.say(t, c.model, "Explain tides", false)
		number := func(names ...string) int64 {
			for _, n := range names {
				if v, ok := field(t, string(a.body), "usage."+n).(interface{ Int64() (int64, error) }); ok {
					i, err := v.Int64()
					if err != nil {
						t.Fatal(err)
					}
					return i
				}
			}
			t.Fatalf("%s: no usage in %s", c.model, a.body)
			return 0
		}
		in, out := number("prompt_tokens", "input_tokens"), number("completion_tokens", "output_tokens")
		after := r.account()
		if got, want := after.Charged-before.Charged, in*c.in+out*c.out; got != want {
			t.Errorf("F165 %s: charged %d for %d in and %d out, want %d", c.model, got, in, out, want)
		}
		if last := after.Entries[len(after.Entries)-1]; last.Subject != str(field(t, string(a.body), "id")) || last.Kind != "charge" {
			t.Errorf("%s: the charge is for %+v", c.model, last)
		}
	}
}
