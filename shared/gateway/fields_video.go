package gateway

// The fields of video creation (F53–F90). Modes are the columns.

var (
	actions    = []Mode{Extend, Upscale}
	everyVideo = []Mode{TextToVideo, ImageToVideo, FirstLastFrame, Reference, MultiShot, Motion, Extend, Upscale, AnyVideo}
)

// Names of the fields of a scene.
var sceneNames = []string{"prompt", "duration"}

// Bounds of a scene (F84, F86) and of an extend's seeds (F73).
const (
	MaxScenes         = 5
	MaxScenePrompt    = 500 // characters: Unicode code points (G27)
	MinSceneDuration  = 1   // seconds
	MaxSceneDuration  = 12  // seconds
	MinSeeds          = 10000
	MaxSeeds          = 99999
	MinReferences     = 1
	MaxReferences     = 3
	MaxReferenceImage = 9
)

var videoFields = []spec{
	{name: "model", people: "the model", form: FormText, shape: rModelVideo,
		uses: []use{{in: everyVideo, standing: Required, rule: rModelVideo}}},
	{name: "prompt", people: "the prompt", form: FormText, shape: rPrompt, uses: []use{
		{in: []Mode{MultiShot}, standing: Required, rule: rPrompt,
			note: "must not be empty; the model reads only the shots (F56)"},
		{in: []Mode{Upscale}, standing: Required, rule: rPrompt,
			note: "any text will do; it is not read (F55)"},
		{in: []Mode{Reference}, standing: Required, rule: rPrompt,
			note: "names the references as @Video1, @Image1 (F145)"},
		{in: everyVideo, standing: Required, rule: rPrompt},
	}},
	{name: "seconds", people: "the length", form: FormSeconds, shape: rSecondsType, bounds: rSecondsList, uses: []use{
		{in: []Mode{MultiShot}, standing: Required, rule: rSecondsMissing,
			note: "the sum of the shots (F151)"},
		{in: []Mode{Reference}, standing: Required, rule: rSecondsMissing,
			note: "the clip, 4 to 15 s, and the references together (F147)"},
		{in: []Mode{Motion}, standing: Required, rule: rSecondsMissing,
			note: "the length of the motion clip, which the result has too (F157, F158)"},
		{in: everyVideo, standing: Required, rule: rSecondsMissing},
	}},
	{name: "aspect_ratio", people: "the aspect ratio", form: FormRatio, shape: rRatio, bounds: rRatioUnlisted, uses: []use{
		{in: []Mode{TextToVideo, MultiShot}, standing: Optional},
		{standing: NoEffect, rule: rRatioUnused, note: "used in text-to-video only"},
	}},
	{name: "image_urls", people: "the images", item: "image", form: FormURLOrURLs, shape: rImagesType, uses: []use{
		{in: []Mode{ImageToVideo}, standing: Required, rule: rImagesMissing, lo: 1},
		{in: []Mode{FirstLastFrame}, standing: Required, rule: rImagesGamma, lo: 1, hi: 2,
			note: "the first is the start, the second a guide for the end: an exact match of the last frame is not guaranteed (F138, F140)"},
		{in: []Mode{Reference}, standing: Optional, rule: rImagesReference, hi: MaxReferenceImage},
		{in: []Mode{MultiShot}, standing: Optional, rule: rImagesMultiShot, hi: 1,
			note: "one frame, the first"},
		{in: []Mode{Motion}, standing: Required, rule: rImagesMotion, lo: 1, hi: 1,
			note: "one photo of the character"},
		{standing: Forbidden, rule: rImagesUnsupported},
	}},
	{name: "task_id", people: "the clip to start from", form: FormUUID, shape: rTaskID, uses: []use{
		{in: actions, standing: Required, rule: rTaskIDMissing},
		{standing: Forbidden, rule: rTaskIDUnused},
	}},
	{name: "seeds", people: "the seed", form: FormInteger, shape: rSeeds, bounds: rSeedsRange, lo: MinSeeds, hi: MaxSeeds, uses: []use{
		{in: []Mode{Extend}, standing: Optional, note: "one integer, in spite of its name (G13)"},
		{standing: NoEffect, rule: rSeedsUnused, note: "for extends only"},
	}},
	{name: "watermark", people: "the watermark", form: FormBoolean, shape: rWatermark, uses: []use{
		{in: []Mode{Extend}, standing: Optional},
		{standing: NoEffect, rule: rWatermarkUnused, note: "for extends only"},
	}},
	{name: "reference_video_urls", people: "the reference videos", item: "reference video", form: FormURLs, shape: rReferencesType, uses: []use{
		{in: []Mode{Reference}, standing: Required, rule: rReferencesCount, lo: MinReferences, hi: MaxReferences,
			note: "mp4 files, each 2 to 15 s long, 15 s together at most (F142, F143)"},
		{standing: Forbidden, rule: rReferencesModel},
	}},
	{name: "multi_shots", people: "the shots", form: FormBoolean, shape: rMultiShots, uses: []use{
		{in: []Mode{MultiShot}, standing: Required, rule: rMultiShotsModel, choices: []string{"true"}},
		{in: []Mode{TextToVideo, ImageToVideo}, of: []Family{Delta}, standing: Optional, choices: []string{"false"}},
		{standing: Forbidden, rule: rMultiShotsModel},
	}},
	{name: "multi_prompt", people: "the shots", item: "shot", form: FormScenes, shape: rScenes, lo: 1, hi: MaxScenes, uses: []use{
		{in: []Mode{MultiShot}, standing: Required, rule: rMultiPromptMissing, lo: 1, hi: MaxScenes,
			note: "up to 5 shots, each 1 to 12 s and 500 characters (F82, F84, F86)"},
		{in: []Mode{TextToVideo, ImageToVideo}, of: []Family{Delta}, standing: Forbidden, rule: rMultiPromptAlone},
		{standing: Forbidden, rule: rMultiShotsModel},
	}},
	{name: "video_url", people: "the motion clip", form: FormURL, shape: rVideoURL, uses: []use{
		{in: []Mode{Motion}, standing: Required, rule: rVideoURL,
			note: "the clip whose motion is taken: 3 to 30 s, at most 100 MB (F155, F156)"},
		{standing: Forbidden, rule: rVideoURLUnused},
	}},
	{name: "character_orientation", people: "the character's orientation", form: FormChoice, shape: rOrientation, choices: []string{"video", "image"},
		uses: motionUses},
	{name: "background_source", people: "the background", form: FormChoice, shape: rBackground, choices: []string{"input_video", "input_image"},
		uses: motionUses},
	{name: "last_frame_url", people: "the last frame", form: FormURL, shape: rLastFrame, uses: []use{
		{in: everyVideo, standing: Forbidden, rule: rLastFrame},
	}},
}

var motionUses = []use{
	{in: []Mode{Motion}, standing: Optional},
	{standing: NoEffect, rule: rMotionUnused, note: "for motion control only"},
}
