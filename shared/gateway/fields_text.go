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
}

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
)
