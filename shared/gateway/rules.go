package gateway

// Rule is one thing that Validate checks: an entry of [Rules].
type Rule struct {
	Fact    string // number of the fact or the decision it comes from
	Code    string
	Warning bool   // the request may go all the same
	Text    string // the rule in a sentence
}

// Rules lists everything that Validate can say, in the order of its checks.
func Rules() []Rule { return append([]Rule(nil), rules[:]...) }

// ruleID is an entry of rules.
type ruleID uint8

const (
	rBodySize ruleID = iota
	rJSONLimits
	rJSON
	rObject
	rDuplicate
	rCase

	rModelChat
	rModelResponses
	rModelVideo
	rUnknownModel
	rPrefix
	rBetaVersion
	rEpsilonOnChat
	rBetaOnChat
	rResponsesOnly
	rWrongEndpoint

	rMessages
	rRole
	rRoleOther
	rContent
	rContentNull
	rContentArray
	rParts
	rImagesTold
	rImageLink
	rImageCount
	rToolCalls
	rTemperature
	rTemperatureRange
	rTopP
	rTopPRange
	rNoSampling
	rStreamChat
	rStreamResponses
	rStreamRequired
	rUserChat
	rUserResponses
	rUserEpsilon
	rToolsChat
	rToolsFamily
	rToolsResponses
	rToolsBeta
	rToolOther
	rInput
	rMessagesOnResponses
	rStreamOptions
	rMaxTokens
	rMaxOutput
	rStop
	rFormat
	rEffort
	rEffortOther
	rSeed
	rPenalty
	rPenaltyRange
	rTopK
	rContext
	rUndocumented

	rPrompt
	rSecondsType
	rSecondsForm
	rSecondsMissing
	rSecondsList
	rRatio
	rRatioUnused
	rRatioUnlisted
	rImagesType
	rImageURL
	rPrivateURL
	rImagesUnsupported
	rImagesMissing
	rImagesGamma
	rImagesReference
	rImagesMultiShot
	rImagesMotion
	rTaskID
	rTaskIDGateway
	rTaskIDMissing
	rTaskIDUnused
	rSeeds
	rSeedsRange
	rSeedsUnused
	rWatermark
	rWatermarkUnused
	rReferencesType
	rReferencesModel
	rReferencesCount
	rReferenceURL
	rReferenceMP4
	rMultiShots
	rMultiShotsModel
	rMultiPromptMissing
	rScenes
	rScenePrompt
	rScenePromptLength
	rScenePromptUTF16
	rSceneDuration
	rSceneDurationRange
	rMultiPromptAlone
	rVideoURL
	rVideoURLUnused
	rOrientation
	rBackground
	rMotionUnused
	rLastFrame
	rMentions

	rSceneSum
	rReferenceLength
	rReferenceTotal
	rReferenceSeconds
	rReferenceUnmeasured
	rReferenceRounding
	rMotionLength
	rMotionSeconds

	rSourceNotReady
	rSourceExpired
	rAlphaExtendTier
	rAlphaExtendFamily
	rAlphaUpscaleOriginal
	rAlphaUpscaleAction
	rAlphaUpscaleFamily
	rAlphaUpscaleTarget
	rBetaExtend
	rBetaUpscale
	rBetaUpscaleOriginal
	rBetaFamily

	ruleCount
)

// refused is a rule with the usual code, warned one that lets the request go.
func refused(fact, text string) Rule { return Rule{fact, CodeInvalidRequest, false, text} }
func refusedAs(code, fact, text string) Rule {
	return Rule{fact, code, false, text}
}
func warned(code, fact, text string) Rule { return Rule{fact, code, true, text} }

var rules = [ruleCount]Rule{
	rBodySize:   refusedAs(CodeRequestTooLarge, "F115", "the body is at most 4 MiB"),
	rJSONLimits: refused("F115", "depth, number of values and length of numbers are limited"),
	rJSON:       refused("F115", "the body is JSON in UTF-8"),
	rObject:     refused("F115", "the body is one object"),
	rDuplicate:  refused("G42", "a key appears once in its object"),
	rCase:       refused("G42", "a key is written as documented, and differs from others in more than case"),

	rModelChat:      refused("F21", "model is a required string"),
	rModelResponses: refused("F32", "model is a required string"),
	rModelVideo:     refused("F53", "model is a required string"),
	rUnknownModel:   warned(CodeUnknownModel, "G3", "the model is in the catalogue"),
	rPrefix:         warned(CodeUnlisted, "F10", "an ordinary text model's id is <prefix>/<model>"),
	rBetaVersion:    warned(CodeUnlisted, "F17", "beta text models are 4.3, 4.5 and 4.6"),
	rEpsilonOnChat:  refusedAs(CodeWrongEndpoint, "F13", "epsilon is served on responses only"),
	rBetaOnChat:     refusedAs(CodeWrongEndpoint, "F18", "beta text models are served on responses only"),
	rResponsesOnly:  refusedAs(CodeWrongEndpoint, "F116", "a responses-only model is not called on chat"),
	rWrongEndpoint:  refusedAs(CodeWrongEndpoint, "G5", "a model is called on its own endpoint"),

	rMessages:            refused("F22", "messages is a required, non-empty array of objects"),
	rRole:                refused("F23", "role is a string"),
	rRoleOther:           warned(CodeUndocumented, "G6", "roles are system, user, assistant and tool"),
	rContent:             refused("F24", "content is a string"),
	rContentNull:         refused("G6", "an assistant's content is null only beside tool_calls"),
	rContentArray:        refused("G6", "content is not an array"),
	rParts:               refused("G44", "a content array holds parts: text, and image_url in a user's message"),
	rImagesTold:          refused("G43", "images are sent to a model that takes them"),
	rImageLink:           refused("G45", "an image is a data: URL of a PNG, JPEG, WebP or GIF, or a public link"),
	rImageCount:          refused("G46", "a request has at most 16 images"),
	rToolCalls:           refused("F31", "tool_calls is an array of objects"),
	rTemperature:         refused("F25", "temperature is a number"),
	rTemperatureRange:    warned(CodeOutOfRange, "F25", "temperature is 0 to 2"),
	rTopP:                refused("F26", "top_p is a number"),
	rTopPRange:           warned(CodeOutOfRange, "F26", "top_p is 0 to 1"),
	rNoSampling:          warned(CodeNoEffect, "F16", "temperature and top_p have no effect on epsilon"),
	rStreamChat:          refused("F27", "stream is a boolean"),
	rStreamResponses:     refused("F35", "stream is a boolean"),
	rStreamRequired:      refusedAs(CodeStreamRequired, "F14", "epsilon needs stream: true"),
	rUserChat:            refused("F29", "user is a string"),
	rUserResponses:       refused("F36", "user is a string"),
	rUserEpsilon:         refusedAs(CodeUnsupportedParameter, "F15", "user is not sent to epsilon, not even empty or null"),
	rToolsChat:           refused("F30", "tools is an array in chat format"),
	rToolsFamily:         warned(CodeUndocumented, "F30", "tools on chat are documented for zeta"),
	rToolsResponses:      refused("F37", "tools is an array in the flat format of responses"),
	rToolsBeta:           warned(CodeUndocumented, "F39", "tools on responses are documented for epsilon"),
	rToolOther:           warned(CodeUndocumented, "F38", "tools are functions, and on responses web_search"),
	rInput:               refused("F33", "input is a required, non-empty string"),
	rMessagesOnResponses: refused("F34", "messages is not sent to responses"),
	rStreamOptions:       warned(CodeUndocumented, "G9", "stream_options is for gateways set to take it"),
	rMaxTokens:           refused("G47", "max_tokens, max_completion_tokens and max_output_tokens are integers from 1 up"),
	rMaxOutput:           warned(CodeOutOfRange, "G47", "the bound of an answer is no more than the model writes"),
	rStop:                refused("G48", "stop is a string or 1 to 4 of them, none of them empty"),
	rFormat:              refused("G49", "a format is text, json_object, or json_schema with a name and a schema"),
	rEffort:              refused("G50", "a reasoning effort is a string"),
	rEffortOther:         warned(CodeUndocumented, "G50", "a reasoning effort is minimal, low, medium or high"),
	rSeed:                refused("G51", "seed is an integer"),
	rPenalty:             refused("G52", "a penalty is a number"),
	rPenaltyRange:        warned(CodeOutOfRange, "G52", "a penalty is -2 to 2"),
	rTopK:                refused("G53", "top_k is an integer from 0 up"),
	rContext:             warned(CodeOutOfRange, "G54", "a request and its answer fit into what the model reads"),
	rUndocumented:        warned(CodeUndocumented, "G11", "fields are those of the document"),

	rPrompt:             refused("F54", "prompt is required on every request and not blank"),
	rSecondsType:        refused("F57", "seconds is a string"),
	rSecondsForm:        refused("F58", "seconds is decimal digits only, with no leading zero"),
	rSecondsMissing:     refused("F61", "seconds is required"),
	rSecondsList:        refusedAs(CodeInvalidSeconds, "F59", "seconds is one of the model's values"),
	rRatio:              refused("F62", "aspect_ratio is W:H, both positive integers"),
	rRatioUnused:        warned(CodeNoEffect, "F63", "aspect_ratio is used in text-to-video"),
	rRatioUnlisted:      warned(CodeUnlisted, "F62", "aspect_ratio is one of the catalogue's for the model"),
	rImagesType:         refused("F64", "image_urls is a string or an array of strings"),
	rImageURL:           refused("F65", "a link is an absolute http or https URL"),
	rPrivateURL:         warned(CodePrivateAddress, "F65", "a link is public"),
	rImagesUnsupported:  refused("F66", "image_urls is sent to models that take images"),
	rImagesMissing:      refused("G29", "an image-to-video model needs an image"),
	rImagesGamma:        refused("F137", "gamma image-to-video takes 1 or 2 images"),
	rImagesReference:    refused("F144", "a reference-video model takes up to 9 images"),
	rImagesMultiShot:    refused("F152", "multi-shot takes at most one frame"),
	rImagesMotion:       refused("F154", "motion control takes exactly one image"),
	rTaskID:             refused("F67", "task_id is a UUID"),
	rTaskIDGateway:      refused("F69", "task_id is the internal id, not the one that starts with task_"),
	rTaskIDMissing:      refused("F70", "an action needs task_id"),
	rTaskIDUnused:       refused("F71", "task_id is not sent with a generation"),
	rSeeds:              refused("F72", "seeds is an integer"),
	rSeedsRange:         refused("F73", "seeds is 10000 to 99999"),
	rSeedsUnused:        warned(CodeNoEffect, "F74", "seeds is for extends"),
	rWatermark:          refused("F75", "watermark is a boolean"),
	rWatermarkUnused:    warned(CodeNoEffect, "F75", "watermark is for extends"),
	rReferencesType:     refused("F76", "reference_video_urls is an array of strings"),
	rReferencesModel:    refused("F77", "reference_video_urls is for reference-video models"),
	rReferencesCount:    refused("F78", "a reference-video model needs 1 to 3 reference videos"),
	rReferenceURL:       refused("F79", "a reference video is an absolute http or https URL"),
	rReferenceMP4:       warned(CodeNotMP4, "F79", "a reference video is an mp4 file"),
	rMultiShots:         refused("F80", "multi_shots is a boolean"),
	rMultiShotsModel:    refused("F80", "multi-shot is for delta's generating models"),
	rMultiPromptMissing: refused("F81", "multi_shots: true needs multi_prompt"),
	rScenes:             refused("F82", "multi_prompt is an array of 1 to 5 scenes"),
	rScenePrompt:        refused("F83", "a scene's prompt is a non-empty string"),
	rScenePromptLength:  refused("F84", "a scene's prompt has at most 500 characters"),
	rScenePromptUTF16:   warned(CodeOutOfRange, "G27", "a scene's prompt has at most 500 characters in UTF-16 too"),
	rSceneDuration:      refused("F85", "a scene's duration is an integer"),
	rSceneDurationRange: refused("F86", "a scene's duration is 1 to 12 seconds"),
	rMultiPromptAlone:   refused("G26", "multi_prompt goes with multi_shots: true"),
	rVideoURL:           refused("F87", "motion control needs video_url, an absolute http or https URL"),
	rVideoURLUnused:     refused("F87", "video_url is for motion control"),
	rOrientation:        refused("F88", "character_orientation is video or image"),
	rBackground:         refused("F89", "background_source is input_video or input_image"),
	rMotionUnused:       warned(CodeNoEffect, "F90", "character_orientation and background_source are for motion control"),
	rLastFrame:          refused("F139", "last_frame_url is the model's own field"),
	rMentions:           warned(CodeNoSuchFile, "F145", "the prompt names references that are there"),

	rSceneSum:            refused("F151", "seconds is the sum of the scenes' durations"),
	rReferenceLength:     refused("F142", "a reference video is 2 to 15 s long"),
	rReferenceTotal:      refused("F143", "the reference videos are 15 s long together at most"),
	rReferenceSeconds:    refusedAs(CodeReferenceSeconds, "F149", "seconds is the clip, 4 to 15 s, and the references together"),
	rReferenceUnmeasured: refusedAs(CodeReferenceSeconds, "G20", "seconds fits the number of references"),
	rReferenceRounding:   warned(CodeRounding, "G21", "seconds fits the measured references without the rounding"),
	rMotionLength:        refused("F155", "the motion clip is 3 to 30 s long"),
	rMotionSeconds:       refusedAs(CodeInvalidSeconds, "G22", "seconds is the motion clip's length"),

	rSourceNotReady:       refusedAs(CodeSourceNotReady, "G19", "the source has finished well"),
	rSourceExpired:        refusedAs(CodeResultExpired, "G19", "the source has not expired"),
	rAlphaExtendTier:      refusedAs(CodeSourceModeMismatch, "F128", "an alpha extend has its source's tier"),
	rAlphaExtendFamily:    refusedAs(CodeSourceModeMismatch, "G18", "an alpha extend needs an alpha clip"),
	rAlphaUpscaleOriginal: refusedAs(CodeUpstreamRejected, "F130", "a 4K upscale needs an original generation, not an extend"),
	rAlphaUpscaleAction:   refusedAs(CodeUpstreamRejected, "G17", "no upscale takes the result of an action"),
	rAlphaUpscaleFamily:   refusedAs(CodeUpstreamRejected, "G18", "an alpha upscale needs an alpha clip"),
	rAlphaUpscaleTarget:   refusedAs(CodeUpstreamRejected, "F122", "an alpha upscale makes the clip larger"),
	rBetaExtend:           refusedAs(CodeSourceMismatch, "F131", "a beta extend has its source's resolution"),
	rBetaUpscale:          refusedAs(CodeSourceMismatch, "F134", "a beta upscale starts at its source's resolution"),
	rBetaUpscaleOriginal:  refusedAs(CodeSourceMismatch, "F135", "a beta upscale needs an original generation"),
	rBetaFamily:           refusedAs(CodeSourceMismatch, "G18", "a beta action needs a beta clip"),
}
