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
}

func pictures(n int) string {
	return strings.TrimSuffix(strings.Repeat(picture(pixel)+",", n), ",")
}
