package gateway

import (
	"fmt"
	"strings"
)

// scene is a scene of so many seconds.
func scene(duration int) string { return fmt.Sprintf(`{"prompt":"A lamp","duration":%d}`, duration) }

// scenes is n scenes of a second.
func scenes(n int) string { return strings.TrimSuffix(strings.Repeat(scene(1)+",", n), ",") }

// one is a multi-shot request with one scene.
func one(scene string) string { return shots("delta-3.0-720p", "5", scene, "") }

var sceneFacts = []factCase{
	{"F56", "a general prompt", Video, one(scene(5)), "clean", Options{}},
	{"F56", "a blank general prompt", Video, `{"model":"delta-3.0-720p","prompt":" ","seconds":"5","multi_shots":true,"multi_prompt":[` + scene(5) + `]}`, "error invalid_request prompt as F54", Options{}},
	{"F80", "true", Video, one(scene(5)), "clean", Options{}},
	{"F80", "false", Video, video("delta-3.0-720p", `"seconds":"5","multi_shots":false`), "clean", Options{}},
	{"F80", "a string", Video, video("delta-3.0-720p", `"seconds":"5","multi_shots":"true"`), "error invalid_request multi_shots", Options{}},
	{"F80", "with another family", Video, shots("gamma-2-720p", "5", scene(5), ""), "error invalid_request multi_shots", Options{}},
	{"F80", "false with another family", Video, t2v(`"seconds":"8","multi_shots":false`), "error invalid_request multi_shots", Options{}},
	{"F81", "true without multi_prompt", Video, video("delta-3.0-720p", `"seconds":"5","multi_shots":true`), "error invalid_request multi_prompt", Options{}},
	{"F81", "true with it", Video, one(scene(5)), "clean", Options{}},
	{"F82", "five scenes", Video, shots("delta-3.0-720p", "5", scenes(5), ""), "clean", Options{}},
	{"F82", "six scenes", Video, shots("delta-3.0-720p", "6", scenes(6), ""), "error invalid_request multi_prompt", Options{}},
	{"F82", "none", Video, shots("delta-3.0-720p", "6", "", ""), "error invalid_request multi_prompt", Options{}},
	{"F82", "an object", Video, video("delta-3.0-720p", `"seconds":"5","multi_shots":true,"multi_prompt":`+scene(5)), "error invalid_request multi_prompt", Options{}},
	{"F82", "a scene that is a string", Video, one(`"A lamp"`), "error invalid_request multi_prompt[0]", Options{}},
	{"F83", "no prompt", Video, one(`{"duration":5}`), "error invalid_request multi_prompt[0].prompt", Options{}},
	{"F83", "an empty prompt", Video, one(`{"prompt":"","duration":5}`), "error invalid_request multi_prompt[0].prompt", Options{}},
	{"F83", "a number", Video, one(`{"prompt":5,"duration":5}`), "error invalid_request multi_prompt[0].prompt", Options{}},
	{"F83", "a string", Video, one(scene(5)), "clean", Options{}},
	{"F84", "500 characters", Video, one(`{"prompt":"` + strings.Repeat("é", 500) + `","duration":5}`), "clean", Options{}},
	{"F84", "501 characters", Video, one(`{"prompt":"` + strings.Repeat("é", 501) + `","duration":5}`), "error invalid_request multi_prompt[0].prompt", Options{}},
	{"G27", "500 characters that are 1000 in UTF-16", Video, one(`{"prompt":"` + strings.Repeat("😀", 500) + `","duration":5}`), "warning out_of_range multi_prompt[0].prompt", Options{}},
	{"G27", "250 that are 500", Video, one(`{"prompt":"` + strings.Repeat("😀", 250) + `","duration":5}`), "clean", Options{}},
	{"G27", "escaped characters count as one each", Video, one(`{"prompt":"` + strings.Repeat(`\ud83d\ude00`, 250) + `","duration":5}`), "clean", Options{}},
	{"F85", "an integer", Video, one(scene(5)), "clean", Options{}},
	{"F85", "a string", Video, one(`{"prompt":"A lamp","duration":"5"}`), "error invalid_request multi_prompt[0].duration", Options{}},
	{"F85", "a decimal", Video, one(`{"prompt":"A lamp","duration":5.0}`), "error invalid_request multi_prompt[0].duration", Options{}},
	{"F85", "none", Video, one(`{"prompt":"A lamp"}`), "error invalid_request multi_prompt[0].duration", Options{}},
	{"F86", "1 and 12", Video, shots("delta-3.0-720p", "13", scene(1)+","+scene(12), ""), "clean", Options{}},
	{"F86", "0", Video, one(scene(0)), "error invalid_request multi_prompt[0].duration", Options{}},
	{"F86", "13", Video, one(scene(13)), "error invalid_request multi_prompt[0].duration", Options{}},
	{"F86", "negative", Video, one(scene(-5)), "error invalid_request multi_prompt[0].duration", Options{}},
	{"F86", "more than any integer", Video, one(`{"prompt":"A lamp","duration":99999999999999999999}`), "error invalid_request multi_prompt[0].duration", Options{}},
	{"F150", "multi_shots and multi_prompt", Video, shots("delta-3.0-1080p", "7", scene(3)+","+scene(4), ""), "clean", Options{}},
	{"F150", "on an id that is in no line", Video, shots("delta-3.0-4k", "7", scene(3)+","+scene(4), ""), "ok", Options{}},
	{"F150", "on another family's model", Video, shots("beta-video-720p", "6", scene(6), ""), "error invalid_request multi_shots as F80", Options{}},
	{"F151", "the sum", Video, shots("delta-3.0-720p", "9", scene(4)+","+scene(5), ""), "clean", Options{}},
	{"F151", "one more", Video, shots("delta-3.0-720p", "10", scene(4)+","+scene(5), ""), "error invalid_request seconds", Options{}},
	{"F152", "one frame", Video, shots("delta-3.0-720p", "5", scene(5), `"image_urls":["`+image+`"]`), "clean", Options{}},
	{"F152", "two frames", Video, shots("delta-3.0-720p-i2v", "5", scene(5), `"image_urls":[`+list(image, 2)+`]`), "error invalid_request image_urls", Options{}},
	{"G24", "a sum beyond the model's own list", Video, shots("delta-3.0-720p", "60", strings.TrimSuffix(strings.Repeat(scene(12)+",", 5), ","), ""), "clean", Options{}},
	{"G24", "a sum below it", Video, shots("delta-3.0-720p", "1", scene(1), ""), "clean", Options{}},
	{"G24", "beyond multi_shot_seconds", Video, shots("delta-3.0-720p", "61", scene(12), ""), "error invalid_seconds seconds as F59", Options{}},
	{"G26", "multi_prompt alone", Video, video("delta-3.0-720p", `"seconds":"5","multi_prompt":[`+scene(5)+`]`), "error invalid_request multi_prompt", Options{}},
	{"G26", "multi_prompt with false", Video, video("delta-3.0-720p", `"seconds":"5","multi_shots":false,"multi_prompt":[`+scene(5)+`]`), "error invalid_request multi_prompt", Options{}},
	{"G26", "false alone", Video, video("delta-3.0-720p", `"seconds":"5","multi_shots":false`), "clean", Options{}},
	{"G28", "no image on an image-to-video id", Video, shots("delta-3.0-720p-i2v", "5", scene(5), ""), "clean", Options{}},
	{"G28", "one on a text-to-video id", Video, shots("delta-3.0-720p", "5", scene(5), `"image_urls":"`+image+`"`), "clean", Options{}},
	{"G28", "outside multi-shot a text-to-video id takes none", Video, video("delta-3.0-720p", `"seconds":"5","image_urls":"`+image+`"`), "error invalid_request image_urls as F66", Options{}},
}

// measured says how long the references are.
func measured(lengths ...float64) Options { return Options{ReferenceSeconds: lengths} }

func exactly(lengths ...float64) Options {
	return Options{ReferenceSeconds: lengths, Exact: true}
}

var referenceFacts = []factCase{
	{"F76", "an array", Video, vref(1, "8", ""), "clean", Options{}},
	{"F76", "a bare string", Video, video("gamma-2-720p-vref", `"seconds":"8","reference_video_urls":"`+clip+`"`), "error invalid_request reference_video_urls", Options{}},
	{"F76", "an array with a number", Video, video("gamma-2-720p-vref", `"seconds":"8","reference_video_urls":[5]`), "error invalid_request reference_video_urls[0]", Options{}},
	{"F77", "with another model", Video, video("gamma-2-720p", `"seconds":"8","reference_video_urls":["`+clip+`"]`), "error invalid_request reference_video_urls", Options{}},
	{"F77", "with a reference-video model", Video, vref(1, "8", ""), "clean", Options{}},
	{"F78", "three", Video, vref(3, "15", ""), "clean", Options{}},
	{"F78", "four", Video, vref(4, "15", ""), "error invalid_request reference_video_urls", Options{}},
	{"F78", "none", Video, vref(0, "15", ""), "error invalid_request reference_video_urls", Options{}},
	{"F78", "absent", Video, video("gamma-2-720p-vref", `"seconds":"8"`), "error invalid_request reference_video_urls", Options{}},
	{"F79", "mp4", Video, video("gamma-2-720p-vref", `"seconds":"8","reference_video_urls":["https://files.example.com/A.MP4?token=1"]`), "clean", Options{}},
	{"F79", "not a link", Video, video("gamma-2-720p-vref", `"seconds":"8","reference_video_urls":["a.mp4"]`), "error invalid_request reference_video_urls[0]", Options{}},
	{"F79", "another ending", Video, video("gamma-2-720p-vref", `"seconds":"8","reference_video_urls":["https://files.example.com/a.mov"]`), "warning not_mp4 reference_video_urls[0]", Options{}},
	{"F142", "2 s and 13 s", Video, vref(2, "19", ""), "clean", measured(2, 13)},
	{"F142", "shorter than 2 s", Video, vref(1, "8", ""), "error invalid_request reference_video_urls[0]", measured(1.9)},
	{"F142", "longer than 15 s", Video, vref(1, "20", ""), "error invalid_request reference_video_urls[0]", measured(15.1)},
	{"F143", "15 s together", Video, vref(3, "20", ""), "clean", measured(5, 5, 5)},
	{"F143", "more", Video, vref(3, "20", ""), "error invalid_request reference_video_urls", measured(5, 5, 5.01)},
	{"F144", "nine images", Video, vref(1, "8", `"image_urls":[`+list(image, 9)+`]`), "clean", Options{}},
	{"F144", "ten images", Video, vref(1, "8", `"image_urls":[`+list(image, 10)+`]`), "error invalid_request image_urls", Options{}},
	{"F145", "references that are there", Video, `{"model":"gamma-2-720p-vref","prompt":"@Video1 then @Video2 with @Image1","seconds":"10","reference_video_urls":[` + list(clip, 2) + `],"image_urls":["` + image + `"]}`, "clean", Options{}},
	{"F145", "a video that is not", Video, `{"model":"gamma-2-720p-vref","prompt":"@Video1 then @Video2","seconds":"10","reference_video_urls":["` + clip + `"]}`, "warning no_such_reference prompt", Options{}},
	{"F145", "an image that is not", Video, `{"model":"gamma-2-720p-vref","prompt":"@Image1","seconds":"10","reference_video_urls":["` + clip + `"]}`, "warning no_such_reference prompt", Options{}},
	{"F145", "number 0", Video, `{"model":"gamma-2-720p-vref","prompt":"@Video0","seconds":"10","reference_video_urls":["` + clip + `"]}`, "warning no_such_reference prompt", Options{}},
	{"F145", "a number beyond any", Video, `{"model":"gamma-2-720p-vref","prompt":"@Video99999999999999999999","seconds":"10","reference_video_urls":["` + clip + `"]}`, "warning no_such_reference prompt", Options{}},
	{"F145", "a word and no number", Video, `{"model":"gamma-2-720p-vref","prompt":"@Videos of @Image","seconds":"10","reference_video_urls":["` + clip + `"]}`, "clean", Options{}},
	{"F145", "with another model it is text", Video, `{"model":"gamma-2-720p","prompt":"@Video9","seconds":"10"}`, "clean", Options{}},
	{"F146", "a clip of 4 s", Video, vref(1, "12", ""), "clean", measured(8)},
	{"F146", "a clip of 15 s", Video, vref(1, "23", ""), "clean", measured(8)},
	{"F146", "a clip of 2 s", Video, vref(1, "10", ""), "error reference_video_seconds seconds as F149", measured(8)},
	{"F147", "clip and rounded total", Video, vref(2, "14", ""), "clean", measured(4.4, 5.3)},
	{"F147", "clip alone", Video, vref(2, "7", ""), "error reference_video_seconds seconds as G20", measured()},
	{"F149", "within the range", Video, vref(1, "12", ""), "clean", measured(8)},
	{"F149", "a mismatch", Video, vref(1, "9", ""), "error reference_video_seconds seconds", measured(8)},
	{"F149", "a mismatch above", Video, vref(1, "25", ""), "error reference_video_seconds seconds", measured(8)},
	{"G20", "the least for one reference", Video, vref(1, "6", ""), "clean", Options{}},
	{"G20", "less than three references leave", Video, vref(3, "9", ""), "error reference_video_seconds seconds", Options{}},
	{"G20", "the least for three", Video, vref(3, "10", ""), "clean", Options{}},
	{"G20", "the most", Video, vref(3, "30", ""), "clean", Options{}},
	{"G20", "more than the most", Video, vref(3, "31", ""), "error invalid_seconds seconds as F59", Options{}},
	{"G20", "lengths for another number of references are not used", Video, vref(2, "8", ""), "clean", measured(15)},
	{"G20", "lengths that can't be are not used", Video, vref(1, "8", ""), "clean", measured(-1)},
	{"G21", "the total is rounded, not each", Video, vref(2, "9", ""), "clean", exactly(2.4, 2.4)},
	{"G21", "half up", Video, vref(1, "9", ""), "clean", exactly(4.5)},
	{"G21", "half up, so one less is too little", Video, vref(1, "8", ""), "error reference_video_seconds seconds as F149", exactly(4.5)},
	{"G21", "one off is a warning to the validator", Video, vref(1, "8", ""), "warning rounding seconds", measured(4.5)},
	{"G21", "one off above too", Video, vref(1, "21", ""), "warning rounding seconds", measured(4.5)},
	{"G21", "two off is not", Video, vref(1, "7", ""), "error reference_video_seconds seconds as F149", measured(4.5)},
	{"G21", "the cap is tested before rounding", Video, vref(2, "20", ""), "error invalid_request reference_video_urls as F143", measured(7.5, 7.6)},
}
