package gateway

// The fields of the two text endpoints (F21–F39). Families are the columns.

var chatFields = []spec{
	{name: "model", form: FormText, shape: rModelChat,
		uses: []use{{standing: Required, rule: rModelChat}}},
	{name: "messages", form: FormMessages, shape: rMessages, lo: 1,
		uses: []use{{standing: Required, rule: rMessages}}},
	{name: "temperature", form: FormNumber, shape: rTemperature, bounds: rTemperatureRange, lo: 0, hi: 2},
	{name: "top_p", form: FormNumber, shape: rTopP, bounds: rTopPRange, lo: 0, hi: 1},
	{name: "stream", form: FormBoolean, shape: rStreamChat},
	{name: "user", form: FormText, shape: rUserChat},
	{name: "tools", form: FormTools, shape: rToolsChat, uses: []use{
		{of: []Family{Zeta}, standing: Optional},
		{standing: Undocumented, rule: rToolsFamily, note: "documented for zeta models only"},
	}},
	{name: "stream_options", form: FormObject, shape: rStreamOptions, uses: []use{
		{of: []Family{Ordinary, Zeta, Unknown}, standing: Undocumented, rule: rStreamOptions,
			note: "for gateways that are set to take it"},
	}},
	{name: "max_tokens", form: FormInteger, shape: rMaxTokens, bounds: rMaxTokens, lo: 1, uses: toldUses},
	{name: "max_completion_tokens", form: FormInteger, shape: rMaxTokens, bounds: rMaxTokens, lo: 1, uses: onlyToldUses},
	{name: "stop", form: FormStrings, shape: rStop, bounds: rStop, lo: 1, hi: MaxStops, uses: toldUses},
	{name: "response_format", form: FormFormat, shape: rFormat, choices: formats, uses: toldUses},
	{name: "reasoning_effort", form: FormChoice, shape: rEffort, bounds: rEffortOther, choices: efforts, uses: toldUses},
	{name: "seed", form: FormInteger, shape: rSeed, bounds: rSeed, lo: -maxWhole, hi: maxWhole, uses: toldUses},
	{name: "presence_penalty", form: FormNumber, shape: rPenalty, bounds: rPenaltyRange, lo: -2, hi: 2, uses: toldUses},
	{name: "frequency_penalty", form: FormNumber, shape: rPenalty, bounds: rPenaltyRange, lo: -2, hi: 2, uses: toldUses},
	{name: "top_k", form: FormInteger, shape: rTopK, bounds: rTopK, uses: toldUses},
}

// What no document has and a catalogue may tell (G43). Where it doesn't, it is a
// warning, and a form may offer the usual fields of a model of which nothing is
// told. The families with a contract know none of them.
var (
	toldUses = []use{
		{of: []Family{Ordinary, Unknown}, standing: Undocumented, rule: rUndocumented, note: "this model isn't known to take it"},
		{standing: Foreign, rule: rUndocumented},
	}
	onlyToldUses = []use{
		{of: []Family{Ordinary, Epsilon, Beta, Zeta, Unknown}, standing: Foreign, rule: rUndocumented},
	}
)

// Bounds of the fields that a catalogue may tell.
const (
	MaxStops = 4       // strings of stop (G48)
	maxWhole = 1 << 53 // of an integer, either way: JSON's readers keep no more
	maxName  = 64      // of a JSON Schema (G49)
)

var (
	efforts = []string{"minimal", "low", "medium", "high"}
	formats = []string{"text", "json_object", "json_schema"}
)

var responsesFields = []spec{
	{name: "model", form: FormText, shape: rModelResponses,
		uses: []use{{standing: Required, rule: rModelResponses}}},
	{name: "input", form: FormInput, shape: rInput,
		uses: []use{{standing: Required, rule: rInput}}},
	{name: "messages", form: FormMessages, shape: rMessagesOnResponses, uses: []use{
		{of: []Family{Epsilon, Beta, Ordinary, Unknown}, standing: Forbidden, rule: rMessagesOnResponses},
	}},
	{name: "temperature", form: FormNumber, shape: rTemperature, bounds: rTemperatureRange, lo: 0, hi: 2,
		uses: samplingUses},
	{name: "top_p", form: FormNumber, shape: rTopP, bounds: rTopPRange, lo: 0, hi: 1,
		uses: samplingUses},
	{name: "stream", form: FormBoolean, shape: rStreamResponses, uses: []use{
		{of: []Family{Epsilon}, standing: Required, rule: rStreamRequired, choices: []string{"true"}, note: "epsilon answers as a stream only"},
	}},
	{name: "user", form: FormText, shape: rUserResponses, uses: []use{
		{of: []Family{Epsilon}, standing: Forbidden, rule: rUserEpsilon, null: true},
	}},
	{name: "tools", form: FormTools, shape: rToolsResponses, uses: []use{
		{of: []Family{Beta}, standing: Undocumented, rule: rToolsBeta, note: "documented for epsilon models only"},
	}},
	{name: "max_output_tokens", form: FormInteger, shape: rMaxTokens, bounds: rMaxTokens, lo: 1, uses: toldUses},
	{name: "text", form: FormAnswer, shape: rFormat, choices: formats, uses: toldUses},
	{name: "reasoning", form: FormEffort, shape: rEffort, bounds: rEffortOther, choices: efforts, uses: toldUses},
	{name: "stop", form: FormStrings, shape: rStop, bounds: rStop, lo: 1, hi: MaxStops, uses: onlyToldUses},
	{name: "seed", form: FormInteger, shape: rSeed, bounds: rSeed, lo: -maxWhole, hi: maxWhole, uses: onlyToldUses},
	{name: "presence_penalty", form: FormNumber, shape: rPenalty, bounds: rPenaltyRange, lo: -2, hi: 2, uses: onlyToldUses},
	{name: "frequency_penalty", form: FormNumber, shape: rPenalty, bounds: rPenaltyRange, lo: -2, hi: 2, uses: onlyToldUses},
	{name: "top_k", form: FormInteger, shape: rTopK, bounds: rTopK, uses: onlyToldUses},
}

var samplingUses = []use{
	{of: []Family{Epsilon}, standing: NoEffect, rule: rNoSampling, note: "ignored by epsilon models"},
}

// Names of the fields within the text fields, for the check of their case and
// for what is undocumented.
var (
	messageNames       = []string{"role", "content", "name", "tool_calls", "tool_call_id"}
	partNames          = []string{"type", "text", "image_url"}
	imageURLNames      = []string{"url", "detail"}
	toolCallNames      = []string{"id", "type", "index", "function"}
	calledNames        = []string{"name", "arguments"}
	chatToolNames      = []string{"type", "function"}
	functionNames      = []string{"name", "description", "parameters", "strict"}
	responsesToolNames = []string{"type", "name", "description", "parameters", "strict"}
	streamOptionNames  = []string{"include_usage"}
	formatNames        = []string{"type", "json_schema"}
	schemaNames        = []string{"name", "description", "schema", "strict"}
	answerNames        = []string{"format", "verbosity"}
	flatFormatNames    = []string{"type", "name", "description", "schema", "strict"}
	reasoningNames     = []string{"effort", "summary"}
)
