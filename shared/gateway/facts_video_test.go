package gateway

import (
	"strings"
	"testing"
)

// t2v is a text-to-video request of alpha, whose lengths are 4, 6 and 8.
func t2v(extra string) string { return video("alpha-3.1-lite", extra) }

var videoFacts = []factCase{
	{"F5", "video is an endpoint of its own", Video, t2v(`"seconds":"8"`), "clean", Options{}},
	{"F53", "no model", Video, `{"prompt":"A paper boat","seconds":"8"}`, "error invalid_request model", Options{}},
	{"F53", "a model", Video, t2v(`"seconds":"8"`), "clean", Options{}},
	{"F54", "no prompt", Video, `{"model":"alpha-3.1-lite","seconds":"8"}`, "error invalid_request prompt", Options{}},
	{"F54", "only white space", Video, `{"model":"alpha-3.1-lite","prompt":" \u3000\n","seconds":"8"}`, "error invalid_request prompt", Options{}},
	{"F54", "a number", Video, `{"model":"alpha-3.1-lite","prompt":1,"seconds":"8"}`, "error invalid_request prompt", Options{}},
	{"F54", "an action without a prompt", Video, `{"model":"alpha-3.1-lite-extend","seconds":"8","task_id":"` + uuid + `"}`, "error invalid_request prompt", Options{}},
	{"F54", "a prompt", Video, t2v(`"seconds":"8"`), "clean", Options{}},
	{"F55", "any text for an upscale", Video, action("alpha-3.1-4k-upscale", "8", ""), "clean", Options{}},
	{"F55", "no text for an upscale", Video, `{"model":"alpha-3.1-4k-upscale","seconds":"8","task_id":"` + uuid + `","prompt":""}`, "error invalid_request prompt as F54", Options{}},
	{"F57", "a number", Video, t2v(`"seconds":8`), "error invalid_request seconds", Options{}},
	{"F57", "an array", Video, t2v(`"seconds":["8"]`), "error invalid_request seconds", Options{}},
	{"F57", "a string", Video, t2v(`"seconds":"8"`), "clean", Options{}},
	{"F58", "with a unit", Video, t2v(`"seconds":"8s"`), "error invalid_request seconds", Options{}},
	{"F58", "a space", Video, t2v(`"seconds":" 8"`), "error invalid_request seconds", Options{}},
	{"F58", "a leading zero", Video, t2v(`"seconds":"08"`), "error invalid_request seconds", Options{}},
	{"F58", "a sign", Video, t2v(`"seconds":"+8"`), "error invalid_request seconds", Options{}},
	{"F58", "a point", Video, t2v(`"seconds":"8.0"`), "error invalid_request seconds", Options{}},
	{"F58", "other digits", Video, t2v(`"seconds":"٨"`), "error invalid_request seconds", Options{}},
	{"F58", "full-width digits", Video, t2v(`"seconds":"８"`), "error invalid_request seconds", Options{}},
	{"F58", "empty", Video, t2v(`"seconds":""`), "error invalid_request seconds", Options{}},
	{"F58", "digits", Video, t2v(`"seconds":"4"`), "clean", Options{}},
	{"F59", "outside the set", Video, t2v(`"seconds":"7"`), "error invalid_seconds seconds", Options{}},
	{"F59", "outside the range", Video, video("gamma-2-720p", `"seconds":"16"`), "error invalid_seconds seconds", Options{}},
	{"F59", "zero", Video, t2v(`"seconds":"0"`), "error invalid_seconds seconds", Options{}},
	{"F59", "longer than any number", Video, t2v(`"seconds":"` + strings.Repeat("9", 1000) + `"`), "error invalid_seconds seconds", Options{}},
	{"F59", "the ends of a range", Video, video("gamma-2-720p", `"seconds":"15"`), "clean", Options{}},
	{"F61", "absent", Video, t2v(""), "error invalid_request seconds", Options{}},
	{"F61", "null", Video, t2v(`"seconds":null`), "error invalid_request seconds", Options{}},
	{"F61", "there", Video, t2v(`"seconds":"6"`), "clean", Options{}},
	{"F62", "16:9", Video, t2v(`"seconds":"8","aspect_ratio":"16:9"`), "clean", Options{}},
	{"F62", "large numbers", Video, t2v(`"seconds":"8","aspect_ratio":"16000:9000"`), "warning unlisted aspect_ratio", Options{}},
	{"F62", "more digits than a number has", Video, t2v(`"seconds":"8","aspect_ratio":"16000000000:9"`), "error invalid_request aspect_ratio", Options{}},
	{"F62", "another separator", Video, t2v(`"seconds":"8","aspect_ratio":"16/9"`), "error invalid_request aspect_ratio", Options{}},
	{"F62", "zero", Video, t2v(`"seconds":"8","aspect_ratio":"16:0"`), "error invalid_request aspect_ratio", Options{}},
	{"F62", "negative", Video, t2v(`"seconds":"8","aspect_ratio":"-16:9"`), "error invalid_request aspect_ratio", Options{}},
	{"F62", "a decimal", Video, t2v(`"seconds":"8","aspect_ratio":"1.7:1"`), "error invalid_request aspect_ratio", Options{}},
	{"F62", "one number", Video, t2v(`"seconds":"8","aspect_ratio":"16"`), "error invalid_request aspect_ratio", Options{}},
	{"F62", "a number", Video, t2v(`"seconds":"8","aspect_ratio":1.7`), "error invalid_request aspect_ratio", Options{}},
	{"F62", "one that the catalogue does not list", Video, t2v(`"seconds":"8","aspect_ratio":"5:4"`), "warning unlisted aspect_ratio", Options{}},
	{"F63", "in text-to-video", Video, t2v(`"seconds":"8","aspect_ratio":"9:16"`), "clean", Options{}},
	{"F63", "in image-to-video", Video, video("alpha-3.1-lite-i2v", `"seconds":"8","aspect_ratio":"9:16","image_urls":"`+image+`"`), "warning no_effect aspect_ratio", Options{}},
	{"F63", "in an extend", Video, action("alpha-3.1-lite-extend", "8", `"aspect_ratio":"9:16"`), "warning no_effect aspect_ratio", Options{}},
	{"F63", "of a wrong form where it is not used", Video, action("alpha-3.1-lite-extend", "8", `"aspect_ratio":"wide"`), "error invalid_request aspect_ratio as F62", Options{}},
	{"F63", "in multi-shot from text", Video, shots("delta-3.0-720p", "3", scene(3), `"aspect_ratio":"1:1"`), "clean", Options{}},
	{"F63", "in multi-shot from a frame", Video, shots("delta-3.0-720p", "3", scene(3), `"aspect_ratio":"1:1","image_urls":"`+image+`"`), "warning no_effect aspect_ratio", Options{}},
	{"F66", "an image for a text-to-video model", Video, t2v(`"seconds":"8","image_urls":["` + image + `"]`), "error invalid_request image_urls", Options{}},
	{"F66", "an image for an extend", Video, action("alpha-3.1-lite-extend", "8", `"image_urls":["`+image+`"]`), "error invalid_request image_urls", Options{}},
	{"F66", "an image for an image-to-video model", Video, video("beta-video-720p-i2v", `"seconds":"6","image_urls":["`+image+`"]`), "clean", Options{}},
	{"F139", "last_frame_url", Video, video("gamma-2-720p-i2v", `"seconds":"6","image_urls":["`+image+`"],"last_frame_url":"`+image+`"`), "error invalid_request last_frame_url", Options{}},
	{"F139", "the last frame as the second image", Video, video("gamma-2-720p-i2v", `"seconds":"6","image_urls":["`+image+`","`+image+`"]`), "clean", Options{}},
	{"G11", "a field that is not documented", Video, t2v(`"seconds":"8","cfg_scale":0.5`), "warning undocumented cfg_scale", Options{}},
	{"G11", "one within a scene", Video, shots("delta-3.0-720p", "3", `{"prompt":"A","duration":3,"camera":"pan"}`, ""), "warning undocumented multi_prompt[0].camera", Options{}},
	{"G12", "null where it is optional", Video, t2v(`"seconds":"8","image_urls":null,"seeds":null,"multi_shots":null,"task_id":null,"last_frame_url":null`), "clean", Options{}},
	{"G23", "decimal seconds", Video, t2v(`"seconds":"7.5"`), "error invalid_request seconds as F58", Options{}},
	{"G23", "whole seconds", Video, t2v(`"seconds":"8"`), "clean", Options{}},
	{"G30", "gamma with more in its name", Video, video("gamma-2.5-pro-720p-i2v", `"seconds":"6","image_urls":["`+image+`","`+image+`","`+image+`"]`), "error invalid_request image_urls as F137", Options{}},
	{"G30", "gamma references by the pattern", Video, video("gamma-2-fast-480p-vref", `"seconds":"6"`), "error invalid_request reference_video_urls as F78", Options{}},
	{"G30", "too short for the pattern", Video, video("gamma-2-i2v", `"seconds":"99"`), "ok", Options{}},
	{"G31", "the catalogue first: a listed gamma has its own lengths", Video, video("gamma-2-720p-i2v", `"seconds":"99","image_urls":["`+image+`"]`), "error invalid_seconds seconds as F59", Options{}},
	{"G31", "patterns second: an unlisted one has any", Video, video("gamma-2-4k-i2v", `"seconds":"99","image_urls":["`+image+`"]`), "ok", Options{}},
}

// i2v is an image-to-video request of alpha with this image_urls.
func i2v(images string) string {
	return video("alpha-3.1-lite-i2v", `"seconds":"8","image_urls":`+images)
}

var imageFacts = []factCase{
	{"F64", "one string", Video, i2v(`"` + image + `"`), "clean", Options{}},
	{"F64", "an array", Video, i2v(`["` + image + `"]`), "clean", Options{}},
	{"F64", "a number", Video, i2v(`1`), "error invalid_request image_urls", Options{}},
	{"F64", "an object", Video, i2v(`{"url":"` + image + `"}`), "error invalid_request image_urls", Options{}},
	{"F64", "an array with a number", Video, i2v(`["` + image + `",1]`), "error invalid_request image_urls[1]", Options{}},
	{"F64", "an array with null", Video, i2v(`[null]`), "error invalid_request image_urls[0]", Options{}},
	{"F65", "https", Video, i2v(`["HTTPS://files.example.com:8443/a.png?x=1"]`), "clean", Options{}},
	{"F65", "a public address", Video, i2v(`["http://[2606:4700::1111]/a.png"]`), "clean", Options{}},
	{"F65", "a path", Video, i2v(`["/a.png"]`), "error invalid_request image_urls[0]", Options{}},
	{"F65", "no host", Video, i2v(`["https:///a.png"]`), "error invalid_request image_urls[0]", Options{}},
	{"F65", "another scheme", Video, i2v(`"ftp://files.example.com/a.png"`), "error invalid_request image_urls", Options{}},
	{"F65", "data", Video, i2v(`["data:image/png;base64,AAAA"]`), "error invalid_request image_urls[0]", Options{}},
	{"F65", "spaces before", Video, i2v(`[" ` + image + `"]`), "error invalid_request image_urls[0]", Options{}},
	{"F65", "empty", Video, i2v(`[""]`), "error invalid_request image_urls[0]", Options{}},
	{"F65", "a port", Video, i2v(`["https://files.example.com:65535/a.png"]`), "clean", Options{}},
	{"F65", "a port that there is not", Video, i2v(`["https://files.example.com:65536/a.png"]`), "error invalid_request image_urls[0]", Options{}},
	{"F65", "port 0", Video, i2v(`["https://files.example.com:0/a.png"]`), "error invalid_request image_urls[0]", Options{}},
	{"F65", "localhost", Video, i2v(`["http://LocalHost:8080/a.png"]`), "warning private_address image_urls[0]", Options{}},
	{"F65", "loopback", Video, i2v(`["http://127.0.0.1/a.png"]`), "warning private_address image_urls[0]", Options{}},
	{"F65", "loopback in IPv6", Video, i2v(`["http://[::1]/a.png"]`), "warning private_address image_urls[0]", Options{}},
	{"F65", "IPv4 within IPv6", Video, i2v(`["http://[::ffff:10.0.0.1]/a.png"]`), "warning private_address image_urls[0]", Options{}},
	{"F65", "a private address", Video, i2v(`["http://192.168.1.2/a.png"]`), "warning private_address image_urls[0]", Options{}},
	{"F65", "a link-local address", Video, i2v(`["http://169.254.169.254/a.png"]`), "warning private_address image_urls[0]", Options{}},
	{"F65", "a shared address", Video, i2v(`["http://100.64.1.1/a.png"]`), "warning private_address image_urls[0]", Options{}},
	{"F65", "loopback in another notation", Video, i2v(`["http://0x7f.1/a.png"]`), "warning private_address image_urls[0]", Options{}},
	{"F65", "a name without a dot", Video, i2v(`["http://nas/a.png"]`), "warning private_address image_urls[0]", Options{}},
	{"F65", "a local name", Video, i2v(`["http://nas.local./a.png"]`), "warning private_address image_urls[0]", Options{}},
	{"F137", "one image", Video, video("gamma-2-720p-i2v", `"seconds":"6","image_urls":"`+image+`"`), "clean", Options{}},
	{"F137", "two", Video, video("gamma-2-fast-720p-i2v", `"seconds":"6","image_urls":[`+list(image, 2)+`]`), "clean", Options{}},
	{"F137", "three", Video, video("gamma-2-720p-i2v", `"seconds":"6","image_urls":[`+list(image, 3)+`]`), "error invalid_request image_urls", Options{}},
	{"F137", "none", Video, video("gamma-2-720p-i2v", `"seconds":"6"`), "error invalid_request image_urls", Options{}},
	{"G29", "empty where it is required", Video, i2v(`[]`), "error invalid_request image_urls", Options{}},
	{"G29", "absent where it is required", Video, video("alpha-3.1-lite-i2v", `"seconds":"8"`), "error invalid_request image_urls", Options{}},
	{"G29", "empty where it is optional", Video, vref(1, "8", `"image_urls":[]`), "clean", Options{}},
	{"G29", "empty where there are none", Video, t2v(`"seconds":"8","image_urls":[]`), "clean", Options{}},
	{"G29", "a string counts as one", Video, motionWith(`"` + image + `"`), "clean", Options{}},
}

// motionWith is a motion-control request with this image_urls.
func motionWith(images string) string {
	return video("delta-3.0-motion-control-1080p", `"seconds":"9","video_url":"`+clip+`","image_urls":`+images)
}

var motionFacts = []factCase{
	{"F87", "no video_url", Video, video("delta-3.0-motion-control-720p", `"seconds":"9","image_urls":"`+image+`"`), "error invalid_request video_url", Options{}},
	{"F87", "a number", Video, video("delta-3.0-motion-control-720p", `"seconds":"9","image_urls":"`+image+`","video_url":9`), "error invalid_request video_url", Options{}},
	{"F87", "not a link", Video, video("delta-3.0-motion-control-720p", `"seconds":"9","image_urls":"`+image+`","video_url":"a.mp4"`), "error invalid_request video_url", Options{}},
	{"F87", "with another model", Video, t2v(`"seconds":"8","video_url":"` + clip + `"`), "error invalid_request video_url", Options{}},
	{"F87", "a link", Video, motion("9", ""), "clean", Options{}},
	{"F88", "video and image", Video, motion("9", `"character_orientation":"video"`), "clean", Options{}},
	{"F88", "another word", Video, motion("9", `"character_orientation":"Video"`), "error invalid_request character_orientation", Options{}},
	{"F89", "input_video and input_image", Video, motion("9", `"background_source":"input_image"`), "clean", Options{}},
	{"F89", "another word", Video, motion("9", `"background_source":"video"`), "error invalid_request background_source", Options{}},
	{"F89", "a boolean", Video, motion("9", `"background_source":true`), "error invalid_request background_source", Options{}},
	{"F90", "neither", Video, motion("9", ""), "clean", Options{}},
	{"F90", "with another model", Video, t2v(`"seconds":"8","character_orientation":"video"`), "warning no_effect character_orientation", Options{}},
	{"F90", "the other one with another model", Video, t2v(`"seconds":"8","background_source":"input_video"`), "warning no_effect background_source", Options{}},
	{"F153", "720p", Video, motion("9", ""), "clean", Options{}},
	{"F153", "1080p", Video, motionWith(`["` + image + `"]`), "clean", Options{}},
	{"F153", "another resolution by its name", Video, video("delta-3.0-motion-control-4k", `"seconds":"9","image_urls":"`+image+`"`), "error invalid_request video_url as F87", Options{}},
	{"F154", "one image", Video, motion("9", ""), "clean", Options{}},
	{"F154", "one as a string", Video, motionWith(`"` + image + `"`), "clean", Options{}},
	{"F154", "two", Video, motionWith(`[` + list(image, 2) + `]`), "error invalid_request image_urls", Options{}},
	{"F154", "none", Video, motionWith(`[]`), "error invalid_request image_urls", Options{}},
	{"F155", "3 to 30 s", Video, motion("30", ""), "clean", Options{}},
	{"F155", "2 s", Video, motion("2", ""), "error invalid_seconds seconds as F59", Options{}},
	{"F155", "31 s", Video, motion("31", ""), "error invalid_seconds seconds as F59", Options{}},
	{"F155", "a clip measured at 2.9 s", Video, motion("3", ""), "error invalid_request video_url", Options{MotionSeconds: 2.9}},
	{"F155", "a clip measured at 30.1 s", Video, motion("30", ""), "error invalid_request video_url", Options{MotionSeconds: 30.1}},
	{"F158", "seconds as long as the clip", Video, motion("12", ""), "clean", Options{MotionSeconds: 12}},
	{"F158", "seconds shorter than the clip", Video, motion("9", ""), "error invalid_seconds seconds as G22", Options{MotionSeconds: 12}},
	{"G22", "7.4 s as 7", Video, motion("7", ""), "clean", Options{MotionSeconds: 7.4}},
	{"G22", "7.4 s as 8", Video, motion("8", ""), "clean", Options{MotionSeconds: 7.4}},
	{"G22", "7.4 s as 6", Video, motion("6", ""), "error invalid_seconds seconds", Options{MotionSeconds: 7.4}},
	{"G22", "7 s as 8: a whole second is too far", Video, motion("8", ""), "error invalid_seconds seconds", Options{MotionSeconds: 7}},
	{"G22", "3 to 30 is of the raw length", Video, motion("3", ""), "error invalid_request video_url as F155", Options{MotionSeconds: 2.99}},
	{"G25", "multi-shot with a motion-control model", Video, motion("9", `"multi_shots":true`), "error invalid_request multi_shots as F80", Options{}},
	{"G25", "multi-shot with any other delta", Video, shots("delta-3.0-1080p-i2v", "3", scene(3), ""), "clean", Options{}},
}

func TestF59AllowedValuesAreListed(t *testing.T) {
	c := SampleCatalogue()
	for model, want := range map[string]string{
		"alpha-3.1-lite":                  "4 6 8",
		"alpha-3.1-quality-extend":        "8",
		"alpha-3.1-4k-upscale":            "8",
		"beta-video-480p-extend":          "6 10",
		"beta-video-upscale-480p-1080p":   "1",
		"gamma-2-480p":                    "4 5 6 7 8 9 10 11 12 13 14 15",
		"delta-3.0-motion-control-1080p":  "3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30",
		"alpha-3.1-unlisted-extend-model": "",
	} {
		v := c.Validate(Video, []byte(video(model, `"seconds":"2"`)), Options{})
		got := ""
		for _, e := range v.Errors {
			if e.Field == "seconds" {
				got = strings.Join(e.Allowed, " ")
			}
		}
		if got != want {
			t.Errorf("%s: allowed %q, want %q", model, got, want)
		}
	}
}
