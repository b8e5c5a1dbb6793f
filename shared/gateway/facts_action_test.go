package gateway

import "time"

var extendFacts = []factCase{
	{"F67", "a UUID", Video, action("alpha-3.1-lite-extend", "8", ""), "clean", Options{}},
	{"F67", "in capitals", Video, video("alpha-3.1-lite-extend", `"seconds":"8","task_id":"123E4567-E89B-12D3-A456-426614174ABC"`), "clean", Options{}},
	{"F67", "malformed", Video, video("alpha-3.1-lite-extend", `"seconds":"8","task_id":"123e4567e89b12d3a456426614174000"`), "error invalid_request task_id", Options{}},
	{"F67", "with a letter that is no digit", Video, video("alpha-3.1-lite-extend", `"seconds":"8","task_id":"123e4567-e89b-12d3-a456-42661417400g"`), "error invalid_request task_id", Options{}},
	{"F67", "a number", Video, video("alpha-3.1-lite-extend", `"seconds":"8","task_id":5`), "error invalid_request task_id", Options{}},
	{"F69", "the id for polling", Video, video("alpha-3.1-lite-extend", `"seconds":"8","task_id":"task_abc"`), "error invalid_request task_id", Options{}},
	{"F69", "task_ and a UUID", Video, video("alpha-3.1-lite-extend", `"seconds":"8","task_id":"task_`+uuid+`"`), "error invalid_request task_id", Options{}},
	{"F69", "the internal id", Video, action("alpha-3.1-lite-extend", "8", ""), "clean", Options{}},
	{"F70", "an extend without it", Video, video("beta-video-720p-extend", `"seconds":"6"`), "error invalid_request task_id", Options{}},
	{"F70", "an upscale without it", Video, video("alpha-3.1-4k-upscale", `"seconds":"8"`), "error invalid_request task_id", Options{}},
	{"F70", "an upscale with it", Video, action("alpha-3.1-4k-upscale", "8", ""), "clean", Options{}},
	{"F71", "with a generation", Video, action("alpha-3.1-lite", "8", ""), "error invalid_request task_id", Options{}},
	{"F71", "with an extend", Video, action("alpha-3.1-lite-extend", "8", ""), "clean", Options{}},
	{"F72", "an integer", Video, action("alpha-3.1-lite-extend", "8", `"seeds":12345`), "clean", Options{}},
	{"F72", "an exponent", Video, action("alpha-3.1-lite-extend", "8", `"seeds":1e4`), "error invalid_request seeds", Options{}},
	{"F72", "a string", Video, action("alpha-3.1-lite-extend", "8", `"seeds":"12345"`), "error invalid_request seeds", Options{}},
	{"F72", "a decimal", Video, action("alpha-3.1-lite-extend", "8", `"seeds":12345.0`), "error invalid_request seeds", Options{}},
	{"F73", "10000", Video, action("alpha-3.1-lite-extend", "8", `"seeds":10000`), "clean", Options{}},
	{"F73", "99999", Video, action("alpha-3.1-lite-extend", "8", `"seeds":99999`), "clean", Options{}},
	{"F73", "9999", Video, action("alpha-3.1-lite-extend", "8", `"seeds":9999`), "error invalid_request seeds", Options{}},
	{"F73", "100000", Video, action("alpha-3.1-lite-extend", "8", `"seeds":100000`), "error invalid_request seeds", Options{}},
	{"F73", "more than any integer", Video, action("alpha-3.1-lite-extend", "8", `"seeds":99999999999999999999999`), "error invalid_request seeds", Options{}},
	{"F74", "with an extend", Video, action("beta-video-480p-extend", "6", `"seeds":12345`), "clean", Options{}},
	{"F74", "with an upscale", Video, action("alpha-3.1-4k-upscale", "8", `"seeds":12345`), "warning no_effect seeds", Options{}},
	{"F74", "with a generation", Video, t2v(`"seconds":"8","seeds":12345`), "warning no_effect seeds", Options{}},
	{"F75", "true", Video, action("alpha-3.1-lite-extend", "8", `"watermark":true`), "clean", Options{}},
	{"F75", "a string", Video, action("alpha-3.1-lite-extend", "8", `"watermark":"true"`), "error invalid_request watermark", Options{}},
	{"F75", "with a generation", Video, t2v(`"seconds":"8","watermark":false`), "warning no_effect watermark", Options{}},
	{"F120", "an extend is a model of its own", Video, action("alpha-3.1-fast-extend", "8", ""), "clean", Options{}},
	{"F120", "the generating model takes no task_id", Video, action("alpha-3.1-fast", "8", ""), "error invalid_request task_id as F71", Options{}},
	{"F121", `"8"`, Video, action("alpha-3.1-quality-extend", "8", ""), "clean", Options{}},
	{"F121", `"6"`, Video, action("alpha-3.1-quality-extend", "6", ""), "error invalid_seconds seconds as F59", Options{}},
	{"F122", `"8"`, Video, action("alpha-3.1-1080p-upscale", "8", ""), "clean", Options{}},
	{"F122", `"4"`, Video, action("alpha-3.1-4k-upscale", "4", ""), "error invalid_seconds seconds as F59", Options{}},
	{"F123", `"6"`, Video, action("beta-video-480p-extend", "6", ""), "clean", Options{}},
	{"F123", `"10"`, Video, action("beta-video-1080p-extend", "10", ""), "clean", Options{}},
	{"F123", `"8"`, Video, action("beta-video-720p-extend", "8", ""), "error invalid_seconds seconds as F59", Options{}},
	{"F124", `"1"`, Video, action("beta-video-upscale-480p-720p", "1", ""), "clean", Options{}},
	{"F124", `"6"`, Video, action("beta-video-upscale-720p-1080p", "6", ""), "error invalid_seconds seconds as F59", Options{}},
	{"G13", "an array", Video, action("alpha-3.1-lite-extend", "8", `"seeds":[12345]`), "error invalid_request seeds as F72", Options{}},
	{"G13", "a scalar", Video, action("alpha-3.1-lite-extend", "8", `"seeds":12345`), "clean", Options{}},
	{"G13", "elsewhere", Video, motion("9", `"seeds":12345`), "warning no_effect seeds as F74", Options{}},
}

// from says what is known of the source.
func from(p Provenance) Options {
	p.TaskID, p.Status = uuid, "success"
	return Options{Source: &p}
}

var (
	alphaLite     = Provenance{Family: Alpha, Tier: "lite", Resolution: "720p", Mode: TextToVideo}
	alphaExtended = Provenance{Family: Alpha, Tier: "lite", Resolution: "720p", Mode: Extend, Root: uuid}
	alpha4K       = Provenance{Family: Alpha, Tier: "lite", Resolution: "4k", Mode: Upscale, Root: uuid}
	beta480       = Provenance{Family: BetaVideo, Resolution: "480p", Mode: TextToVideo}
	beta720       = Provenance{Family: BetaVideo, Resolution: "720p", Mode: ImageToVideo}
	betaExtended  = Provenance{Family: BetaVideo, Resolution: "480p", Mode: Extend, Root: uuid}
	betaUpscaled  = Provenance{Family: BetaVideo, Resolution: "720p", Mode: Upscale, Root: uuid}
	gammaClip     = Provenance{Family: Gamma, Resolution: "720p", Mode: FirstLastFrame}
	deltaMotion   = Provenance{Family: Delta, Resolution: "720p", Mode: Motion}
)

var sourceFacts = []factCase{
	{"F127", "4K can be extended", Video, action("alpha-3.1-lite-extend", "8", ""), "clean", from(alpha4K)},
	{"F127", "by its root's tier only", Video, action("alpha-3.1-fast-extend", "8", ""), "error source_mode_mismatch task_id as F128", from(alpha4K)},
	{"F128", "the source's tier", Video, action("alpha-3.1-lite-extend", "8", ""), "clean", from(alphaLite)},
	{"F128", "another tier", Video, action("alpha-3.1-quality-extend", "8", ""), "error source_mode_mismatch task_id", from(alphaLite)},
	{"F129", "an original generation", Video, action("alpha-3.1-1080p-upscale", "8", ""), "clean", from(alphaLite)},
	{"F129", "not an original", Video, action("alpha-3.1-1080p-upscale", "8", ""), "error upstream_rejected task_id as G17", from(alphaExtended)},
	{"F130", "4K of an extend", Video, action("alpha-3.1-4k-upscale", "8", ""), "error upstream_rejected task_id", from(alphaExtended)},
	{"F130", "4K of an original", Video, action("alpha-3.1-4k-upscale", "8", ""), "clean", from(alphaLite)},
	{"F131", "the source's resolution", Video, action("beta-video-480p-extend", "6", ""), "clean", from(beta480)},
	{"F131", "another resolution", Video, action("beta-video-720p-extend", "6", ""), "error source_mismatch task_id", from(beta480)},
	{"F132", "image-to-video of 720p needs the 720p extend", Video, action("beta-video-720p-extend", "6", ""), "clean", from(beta720)},
	{"F132", "and no other", Video, action("beta-video-1080p-extend", "6", ""), "error source_mismatch task_id as F131", from(beta720)},
	{"F134", "by source and target", Video, action("beta-video-upscale-480p-1080p", "1", ""), "clean", from(beta480)},
	{"F134", "from another resolution", Video, action("beta-video-upscale-720p-1080p", "1", ""), "error source_mismatch task_id", from(beta480)},
	{"F135", "a generation", Video, action("beta-video-upscale-720p-1080p", "1", ""), "clean", from(beta720)},
	{"F135", "an extend", Video, action("beta-video-upscale-480p-720p", "1", ""), "error source_mismatch task_id", from(betaExtended)},
	{"F135", "an upscale", Video, action("beta-video-upscale-720p-1080p", "1", ""), "error source_mismatch task_id", from(betaUpscaled)},
	{"F136", "a mismatch", Video, action("beta-video-upscale-720p-1080p", "1", ""), "error source_mismatch task_id as F134", from(beta480)},
	{"F136", "a match", Video, action("beta-video-upscale-480p-720p", "1", ""), "clean", from(beta480)},
	{"G14", "alpha: an extend of an extend, tier of the root", Video, action("alpha-3.1-lite-extend", "8", ""), "clean", from(alphaExtended)},
	{"G14", "alpha: another tier", Video, action("alpha-3.1-fast-extend", "8", ""), "error source_mode_mismatch task_id as F128", from(alphaExtended)},
	{"G14", "beta: at the same resolution", Video, action("beta-video-480p-extend", "6", ""), "clean", from(betaExtended)},
	{"G14", "beta: at another", Video, action("beta-video-720p-extend", "6", ""), "error source_mismatch task_id as F131", from(betaExtended)},
	{"G15", "alpha: an extend of an upscale, tier of the root", Video, action("alpha-3.1-lite-extend", "8", ""), "clean", from(alpha4K)},
	{"G15", "beta: at the upscaled resolution", Video, action("beta-video-720p-extend", "10", ""), "clean", from(betaUpscaled)},
	{"G15", "beta: at the resolution before", Video, action("beta-video-480p-extend", "10", ""), "error source_mismatch task_id as F131", from(betaUpscaled)},
	{"G17", "1080p of an extend", Video, action("alpha-3.1-1080p-upscale", "8", ""), "error upstream_rejected task_id", from(alphaExtended)},
	{"G17", "an upscale of an upscale", Video, action("alpha-3.1-4k-upscale", "8", ""), "error upstream_rejected task_id", from(alpha4K)},
	{"G17", "an upscale of an original", Video, action("alpha-3.1-4k-upscale", "8", ""), "clean", from(alphaLite)},
	{"F122", "an upscale to what the source has already", Video, action("alpha-3.1-1080p-upscale", "8", ""), "error upstream_rejected task_id",
		from(Provenance{Family: Alpha, Tier: "lite", Resolution: "1080p", Mode: TextToVideo})},
	{"G18", "alpha extend of a beta clip", Video, action("alpha-3.1-lite-extend", "8", ""), "error source_mode_mismatch task_id", from(beta480)},
	{"G18", "alpha upscale of a gamma clip", Video, action("alpha-3.1-1080p-upscale", "8", ""), "error upstream_rejected task_id", from(gammaClip)},
	{"G18", "beta extend of an alpha clip", Video, action("beta-video-720p-extend", "6", ""), "error source_mismatch task_id", from(alphaLite)},
	{"G18", "beta upscale of a motion clip", Video, action("beta-video-upscale-720p-1080p", "1", ""), "error source_mismatch task_id", from(deltaMotion)},
	{"G18", "beta extend of a beta clip", Video, action("beta-video-720p-extend", "6", ""), "clean", from(beta720)},
	{"G19", "unfinished", Video, action("alpha-3.1-lite-extend", "8", ""), "error source_not_ready task_id",
		Options{Source: &Provenance{TaskID: uuid, Family: Alpha, Tier: "lite", Status: "IN_PROGRESS"}}},
	{"G19", "failed", Video, action("alpha-3.1-lite-extend", "8", ""), "error source_not_ready task_id",
		Options{Source: &Provenance{TaskID: uuid, Family: Alpha, Tier: "lite", Status: "FAILURE"}}},
	{"G19", "expired", Video, action("alpha-3.1-lite-extend", "8", ""), "error result_expired task_id",
		Options{Source: &Provenance{TaskID: uuid, Family: Alpha, Tier: "lite", Status: "SUCCESS", FinishedAt: noon}, Now: noon.Add(15 * 24 * time.Hour)}},
	{"G19", "expired, the gateway says", Video, action("alpha-3.1-lite-extend", "8", ""), "error result_expired task_id",
		Options{Source: &Provenance{TaskID: uuid, Family: Alpha, Tier: "lite", Status: "SUCCESS", Expired: true}}},
	{"G19", "finished 13 days ago", Video, action("alpha-3.1-lite-extend", "8", ""), "clean",
		Options{Source: &Provenance{TaskID: uuid, Family: Alpha, Tier: "lite", Status: "SUCCESS", FinishedAt: noon}, Now: noon.Add(13 * 24 * time.Hour)}},
	{"G19", "what is known is of another clip", Video, action("alpha-3.1-lite-extend", "8", ""), "clean",
		Options{Source: &Provenance{TaskID: "00000000-0000-0000-0000-000000000000", Family: BetaVideo, Status: "SUCCESS"}}},
	{"G19", "nothing is known of a pasted id", Video, action("alpha-3.1-lite-extend", "8", ""), "clean",
		Options{Source: &Provenance{TaskID: uuid, Pasted: true}}},
}

var noon = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
