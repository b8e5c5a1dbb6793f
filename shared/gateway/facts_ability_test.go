package gateway

import "strings"

// takesAll is a model of the sample catalogue that is told to take what there is.
const takesAll = "vendor/model-b"

// pixel is the smallest thing that reads as an image's address.
const pixel = "data:image/png;base64,iVBORw=="

// sees is a chat request whose only message has these parts.
func sees(model, parts string) string {
	return `{"model":"` + model + `","messages":[{"role":"user","content":[` + parts + `]}]}`
}

// picture is a part with an image.
func picture(link string) string {
	return `{"type":"image_url","image_url":{"url":"` + link + `"}}`
}

var abilityFacts = []factCase{
	{"G43", "parts where the model isn't known to take images", Chat, sees(plain, picture(pixel)), "error invalid_request messages[0].content as G6", Options{}},
	{"G43", "parts with zeta", Chat, sees("zeta-1", picture(pixel)), "error invalid_request messages[0].content as G6", Options{}},
	{"G43", "parts where it is", Chat, sees(takesAll, `{"type":"text","text":"What is this?"},`+picture(pixel)), "clean", Options{}},
	{"G44", "parts that are none", Chat, sees(takesAll, ``), "error invalid_request messages[0].content", Options{}},
	{"G44", "a part of another type", Chat, sees(takesAll, `{"type":"video_url","text":"Hi"}`), "error invalid_request messages[0].content[0].type", Options{}},
	{"G44", "a part that is a string", Chat, sees(takesAll, `"Hi"`), "error invalid_request messages[0].content[0].type", Options{}},
	{"G44", "a text part with no text", Chat, sees(takesAll, `{"type":"text"}`), "error invalid_request messages[0].content[0].text", Options{}},
	{"G44", "image_url a string", Chat, sees(takesAll, `{"type":"image_url","image_url":"`+pixel+`"}`), "error invalid_request messages[0].content[0].image_url", Options{}},
	{"G44", "an image in a system message", Chat, `{"model":"` + takesAll + `","messages":[{"role":"system","content":[` + picture(pixel) + `]}]}`, "error invalid_request messages[0].content[0].type", Options{}},
	{"G44", "a key of a part that isn't documented", Chat, sees(takesAll, `{"type":"text","text":"Hi","size":1}`), "warning undocumented messages[0].content[0].size as G11", Options{}},
	{"G44", "text alone in parts", Chat, sees(takesAll, `{"type":"text","text":"Hi"}`), "clean", Options{}},
	{"G45", "a link", Chat, sees(takesAll, picture(image)), "clean", Options{}},
	{"G45", "an image in other letters", Chat, sees(takesAll, picture("Data:Image/PNG;Base64,iVBORw==")), "clean", Options{}},
	{"G45", "no url", Chat, sees(takesAll, `{"type":"image_url","image_url":{}}`), "error invalid_request messages[0].content[0].image_url.url", Options{}},
	{"G45", "a PDF", Chat, sees(takesAll, picture("data:application/pdf;base64,iVBORw==")), "error invalid_request messages[0].content[0].image_url.url", Options{}},
	{"G45", "an image that isn't base64", Chat, sees(takesAll, picture("data:image/png,iVBORw")), "error invalid_request messages[0].content[0].image_url.url", Options{}},
	{"G45", "base64 cut off", Chat, sees(takesAll, picture("data:image/png;base64,iVBOR")), "error invalid_request messages[0].content[0].image_url.url", Options{}},
	{"G45", "base64 with a space", Chat, sees(takesAll, picture("data:image/png;base64,iV ORw==")), "error invalid_request messages[0].content[0].image_url.url", Options{}},
	{"G45", "a file", Chat, sees(takesAll, picture("file:///a.png")), "error invalid_request messages[0].content[0].image_url.url", Options{}},
	{"G45", "a link to this machine", Chat, sees(takesAll, picture("http://localhost/a.png")), "warning private_address messages[0].content[0].image_url.url as F65", Options{}},
	{"G46", "16 images", Chat, sees(takesAll, pictures(16)), "clean", Options{}},
	{"G46", "17 images", Chat, sees(takesAll, pictures(17)), "error invalid_request messages[0].content[16].image_url.url", Options{}},
	{"G43", "a field that is told", Chat, chat(takesAll, `"tools":[`+chatFunction+`]`), "clean", Options{}},
	{"G47", "max_tokens where it is told", Chat, chat(takesAll, `"max_tokens":1`), "clean", Options{}},
	{"G47", "max_tokens where it isn't", Chat, chat(plain, `"max_tokens":1`), "warning undocumented max_tokens as G11", Options{}},
	{"G47", "max_tokens with zeta", Chat, chat("zeta-1", `"max_tokens":"many"`), "warning undocumented max_tokens as G11", Options{}},
	{"G47", "max_tokens with a model in no line", Chat, chat("nobody", `"max_tokens":5`), "warning undocumented max_tokens as G11", Options{}},
	{"G47", "max_completion_tokens where it isn't told", Chat, chat(plain, `"max_completion_tokens":1`), "warning undocumented max_completion_tokens as G11", Options{}},
	{"G47", "max_output_tokens on responses", Responses, responses(beta, `"max_output_tokens":5`), "warning undocumented max_output_tokens as G11", Options{}},
	{"G47", "none", Chat, chat(takesAll, `"max_tokens":0`), "error invalid_request max_tokens", Options{}},
	{"G47", "half a token", Chat, chat(takesAll, `"max_tokens":0.5`), "error invalid_request max_tokens", Options{}},
	{"G47", "a string where it isn't told", Chat, chat(plain, `"max_tokens":"10"`), "error invalid_request max_tokens", Options{}},
	{"G47", "more than any number", Chat, chat(takesAll, `"max_tokens":99999999999999999999`), "error invalid_request max_tokens", Options{}},
	{"G47", "more than the model writes", Chat, chat(takesAll, `"max_tokens":16385`), "warning out_of_range max_tokens", Options{}},
	{"G47", "other letters", Chat, chat(takesAll, `"Max_Tokens":5`), "error invalid_request Max_Tokens as G42", Options{}},
	{"G48", "a string", Chat, chat(takesAll, `"stop":"END"`), "clean", Options{}},
	{"G48", "four", Chat, chat(takesAll, `"stop":["a","b","c"," "]`), "clean", Options{}},
	{"G48", "five", Chat, chat(takesAll, `"stop":["a","b","c","d","e"]`), "error invalid_request stop", Options{}},
	{"G48", "no string in it", Chat, chat(takesAll, `"stop":[]`), "error invalid_request stop", Options{}},
	{"G48", "an empty one", Chat, chat(takesAll, `"stop":["a",""]`), "error invalid_request stop", Options{}},
	{"G48", "a number", Chat, chat(takesAll, `"stop":1`), "error invalid_request stop", Options{}},
	{"G49", "json_object", Chat, chat(takesAll, `"response_format":{"type":"json_object"}`), "clean", Options{}},
	{"G49", "a schema with keys of one's own", Chat, chat(takesAll, `"response_format":{"type":"json_schema","json_schema":{"name":"a","strict":true,"schema":{"type":"object","properties":{"A":{},"a":{}}}}}`), "clean", Options{}},
	{"G49", "a string", Chat, chat(takesAll, `"response_format":"json"`), "error invalid_request response_format", Options{}},
	{"G49", "another type", Chat, chat(takesAll, `"response_format":{"type":"xml"}`), "error invalid_request response_format.type", Options{}},
	{"G49", "no schema", Chat, chat(takesAll, `"response_format":{"type":"json_schema"}`), "error invalid_request response_format.json_schema", Options{}},
	{"G49", "no name", Chat, chat(takesAll, `"response_format":{"type":"json_schema","json_schema":{"schema":{}}}`), "error invalid_request response_format.json_schema.name", Options{}},
	{"G49", "a name with a space", Chat, chat(takesAll, `"response_format":{"type":"json_schema","json_schema":{"name":"a b","schema":{}}}`), "error invalid_request response_format.json_schema.name", Options{}},
	{"G49", "a schema half typed", Chat, chat(takesAll, `"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":"{"}}`), "error invalid_request response_format.json_schema.schema", Options{}},
	{"G49", "strict a string", Chat, chat(takesAll, `"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{},"strict":"yes"}}`), "error invalid_request response_format.json_schema.strict", Options{}},
	{"G49", "flat on responses", Responses, responses("nobody", `"text":{"format":{"type":"json_schema","name":"a","schema":{"B":1,"b":2}}}`), "warning undocumented text as G11", Options{}},
	{"G49", "nested on responses", Responses, responses("nobody", `"text":{"format":{"type":"json_schema","json_schema":{"name":"a","schema":{}}}}`), "error invalid_request text.format.name", Options{}},
	{"G50", "low", Chat, chat(takesAll, `"reasoning_effort":"low"`), "clean", Options{}},
	{"G50", "an unusual one", Chat, chat(takesAll, `"reasoning_effort":"xhigh"`), "warning undocumented reasoning_effort", Options{}},
	{"G50", "a number", Chat, chat(takesAll, `"reasoning_effort":3`), "error invalid_request reasoning_effort", Options{}},
	{"G50", "an object on responses", Responses, responses("nobody", `"reasoning":{"effort":3}`), "error invalid_request reasoning.effort", Options{}},
	{"G50", "a string on responses", Responses, responses("nobody", `"reasoning":"low"`), "error invalid_request reasoning", Options{}},
	{"G51", "an integer", Chat, chat(takesAll, `"seed":-7`), "clean", Options{}},
	{"G51", "an exponent", Chat, chat(takesAll, `"seed":1e3`), "error invalid_request seed", Options{}},
	{"G51", "one that JSON's readers would round", Chat, chat(takesAll, `"seed":9007199254740993`), "error invalid_request seed", Options{}},
	{"G52", "-2", Chat, chat(takesAll, `"presence_penalty":-2,"frequency_penalty":2`), "clean", Options{}},
	{"G52", "beyond", Chat, chat(takesAll, `"presence_penalty":-2.1`), "warning out_of_range presence_penalty", Options{}},
	{"G52", "a string", Chat, chat(takesAll, `"frequency_penalty":"1"`), "error invalid_request frequency_penalty", Options{}},
	{"G53", "0", Chat, chat(takesAll, `"top_k":0`), "clean", Options{}},
	{"G53", "-1", Chat, chat(takesAll, `"top_k":-1`), "error invalid_request top_k", Options{}},
	{"G54", "a request that fits", Chat, chat(takesAll, `"user":"`+strings.Repeat("u", 400_000)+`"`), "clean", Options{}},
	{"G54", "a request that doesn't", Chat, chat(takesAll, `"user":"`+strings.Repeat("u", 520_000)+`"`), "warning out_of_range messages", Options{}},
	{"G54", "an answer that doesn't", Chat, chat(takesAll, `"max_tokens":16000,"user":"`+strings.Repeat("u", 480_000)+`"`), "warning out_of_range messages", Options{}},
	{"G54", "an image's bytes don't count", Chat, sees(takesAll, picture("data:image/png;base64,"+strings.Repeat("AAAA", 200_000))), "clean", Options{}},
}

func pictures(n int) string {
	return strings.TrimSuffix(strings.Repeat(picture(pixel)+",", n), ",")
}
