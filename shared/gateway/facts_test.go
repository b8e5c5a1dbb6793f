package gateway

import (
	"strings"
	"testing"
)

// factCase is a request and what the validator says of it, for the fact or
// decision that it shows.
type factCase struct {
	fact string
	name string
	ep   Endpoint
	body string
	// want is "clean" (nothing to say), "ok" (may go, and nothing is said for
	// this fact), or "error|warning CODE FIELD", with " as F59" where it is
	// said under another number.
	want    string
	options Options
}

const (
	uuid  = "123e4567-e89b-12d3-a456-426614174000"
	image = "https://files.example.com/a.png"
	clip  = "https://files.example.com/a.mp4"
)

// chat, responses and video write a request that is right but for extra, which
// starts with the rest of the fields. A field named twice is the test's fault.
func chat(model, extra string) string {
	return `{"model":"` + model + `","messages":[{"role":"user","content":"Hi"}]` + more(extra) + `}`
}

func responses(model, extra string) string {
	return `{"model":"` + model + `","input":"Hi"` + more(extra) + `}`
}

func streamed(model, extra string) string { return responses(model, `"stream":true`+more(extra)) }

func video(model, extra string) string {
	return `{"model":"` + model + `","prompt":"A paper boat"` + more(extra) + `}`
}

func more(extra string) string {
	if extra == "" {
		return ""
	}
	return "," + extra
}

// vref is a reference-video request with n references.
func vref(n int, seconds, extra string) string {
	return video("gamma-2-720p-vref", `"seconds":"`+seconds+`","reference_video_urls":[`+list(clip, n)+`]`+more(extra))
}

// shots is a multi-shot request.
func shots(model, seconds, scenes, extra string) string {
	return video(model, `"seconds":"`+seconds+`","multi_shots":true,"multi_prompt":[`+scenes+`]`+more(extra))
}

// motion is a motion-control request.
func motion(seconds, extra string) string {
	return video("delta-3.0-motion-control-720p", `"seconds":"`+seconds+`","image_urls":["`+image+`"],"video_url":"`+clip+`"`+more(extra))
}

// action is an extend or an upscale.
func action(model, seconds, extra string) string {
	return video(model, `"seconds":"`+seconds+`","task_id":"`+uuid+`"`+more(extra))
}

// list writes n copies of a link.
func list(link string, n int) string {
	return strings.TrimSuffix(strings.Repeat(`"`+link+`",`, n), ",")
}

// factCases are all tables of cases.
func factCases() []factCase {
	var all []factCase
	for _, table := range [][]factCase{
		textFacts, responsesFacts, videoFacts, imageFacts, extendFacts, sceneFacts, motionFacts,
		referenceFacts, sourceFacts, silentFacts, jsonFacts(), abilityFacts,
	} {
		all = append(all, table...)
	}
	return all
}

func TestFacts(t *testing.T) {
	c := SampleCatalogue()
	for _, f := range factCases() {
		t.Run(f.fact+" "+f.name, func(t *testing.T) {
			v := c.Validate(f.ep, []byte(f.body), f.options)
			if problem := judge(f, v); problem != "" {
				t.Errorf("%s\nbody %s\nerrors %+v\nwarnings %+v", problem, cut(f.body), v.Errors, v.Warnings)
			}
		})
	}
}

// judge holds a verdict against what a case wants.
func judge(f factCase, v Verdict) string {
	want, by, _ := strings.Cut(f.want, " as ")
	if by == "" {
		by = f.fact
	}
	switch want {
	case "clean":
		if len(v.Errors)+len(v.Warnings) > 0 {
			return "want nothing to say"
		}
		return ""
	case "ok":
		for _, w := range v.Warnings {
			if w.Fact == by {
				return "want no warning of " + by
			}
		}
		if !v.OK() {
			return "want it to go"
		}
		return ""
	}
	kind, rest, _ := strings.Cut(want, " ")
	code, field, _ := strings.Cut(rest, " ")
	issues := v.Warnings
	switch {
	case kind == "error":
		// The gateway answers the first.
		issues = v.Errors[:min(1, len(v.Errors))]
	case kind != "warning":
		return "the case's want is not understood: " + f.want
	case !v.OK():
		return "want a warning, and it may go"
	}
	for _, i := range issues {
		if i.Code == code && i.Field == field && i.Fact == by {
			if i.Message == "" || strings.Contains(i.Message, "%!") {
				return "the message is not for people: " + i.Message
			}
			return ""
		}
	}
	return "want " + f.want
}
