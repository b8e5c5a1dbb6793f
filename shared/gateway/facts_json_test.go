package gateway

import "strings"

// silentFacts are facts that show in a request which nothing is said of.
var silentFacts = []factCase{
	{"G41", "the model before its fields", Video, `{"seconds":8}`, "error invalid_request model as F53", Options{}},
	{"G41", "the endpoint before the fields", Chat, `{"model":"` + epsilon + `","messages":5,"user":1}`, "error wrong_endpoint model as F13", Options{}},
	{"G41", "JSON before the model", Video, `{"seconds":8,"seconds":8}`, "error invalid_request seconds as G42", Options{}},
	{"G41", "fields before the source", Video, action("alpha-3.1-fast-extend", "9", ""), "error invalid_seconds seconds as F59", from(alphaLite)},
	{"G41", "nothing wrong anywhere", Video, action("alpha-3.1-lite-extend", "8", ""), "clean", from(alphaLite)},
}

// jsonFacts are of the body as JSON.
func jsonFacts() []factCase {
	return []factCase{
		{"F115", "an object", Chat, chat(plain, ""), "clean", Options{}},
		{"F115", "nothing", Chat, "", "error invalid_request ", Options{}},
		{"F115", "not JSON", Chat, `model=x`, "error invalid_request ", Options{}},
		{"F115", "cut short", Chat, strings.TrimSuffix(chat(plain, ""), "}"), "error invalid_request ", Options{}},
		{"F115", "an array", Chat, `[` + chat(plain, "") + `]`, "error invalid_request ", Options{}},
		{"F115", "not UTF-8", Chat, says("[{\"role\":\"user\",\"content\":\"\xff\"}]"), "error invalid_request messages[0].content", Options{}},
		{"F115", "half a character", Chat, says(`[{"role":"user","content":"\ud83d"}]`), "error invalid_request messages[0].content", Options{}},
		{"F115", "more than 4 MiB", Chat, strings.Repeat(" ", MaxBody+1), "error request_too_large ", Options{}},
		{"F115", "nested too deep", Chat, chat(plain, `"x":`+strings.Repeat("[", 100)+strings.Repeat("]", 100)), "error invalid_request x" + strings.Repeat("[0]", 63), Options{}},
		{"F115", "too many values", Chat, chat(plain, `"x":[`+strings.Repeat("0,", 200_000)+`0]`), "error invalid_request x[199988]", Options{}},
		{"F115", "a number too long", Chat, chat(plain, `"temperature":0.`+strings.Repeat("1", 100)), "error invalid_request temperature", Options{}},
		{"G42", "a key once", Video, t2v(`"seconds":"8"`), "clean", Options{}},
		{"G42", "a duplicate key", Video, t2v(`"seconds":"8","seconds":"8"`), "error invalid_request seconds", Options{}},
		{"G42", "a duplicate key written otherwise", Video, t2v(`"seconds":"8","\u0073econds":"8"`), "error invalid_request seconds", Options{}},
		{"G42", "a duplicate key within", Video, one(`{"prompt":"A","prompt":"B","duration":5}`), "error invalid_request multi_prompt[0].prompt", Options{}},
		{"G42", "a duplicate key in a function's schema", Chat, chat("zeta-1", `"tools":[{"type":"function","function":{"name":"f","parameters":{"a":1,"a":2}}}]`), "error invalid_request tools[0].function.parameters.a", Options{}},
		{"G42", "other letters", Video, t2v(`"SECONDS":"8"`), "error invalid_request SECONDS", Options{}},
		{"G42", "other letters beside the right ones", Video, t2v(`"seconds":"8","Seconds":"4"`), "error invalid_request Seconds", Options{}},
		{"G42", "other letters beyond ASCII", Video, t2v(`"ſeconds":"8"`), "error invalid_request ſeconds", Options{}},
		{"G42", "other letters in a message", Chat, says(`[{"Role":"user","content":"Hi"}]`), "error invalid_request messages[0].Role", Options{}},
		{"G42", "other letters in a scene", Video, one(`{"prompt":"A","Duration":5}`), "error invalid_request multi_prompt[0].Duration", Options{}},
		{"G42", "undocumented keys that differ only in case", Chat, chat(plain, `"x":1,"X":2`), "error invalid_request X", Options{}},
		{"G42", "a duplicate key after many names of a person's own", Chat, ownNames(`"user":"a","user":"b"`), "error invalid_request user", Options{}},
		{"G42", "other letters after many names of a person's own", Chat, ownNames(`"x":1,"X":2`), "error invalid_request X", Options{}},
		{"G42", "many names in a function's schema that differ only in case", Chat, ownNames(`"user":"a"`), "clean", Options{}},
		{"G42", "names in a function's schema are a person's own", Chat, chat("zeta-1", `"tools":[`+chatFunction+`]`), "clean", Options{}},
	}
}

// ownNames is a request whose function has more names that differ only in case
// than the reader keeps clashes, and then extra.
func ownNames(extra string) string {
	var names strings.Builder
	for c := 'a'; c <= 'z'; c++ {
		names.WriteString(`"` + string(c) + `":{},"` + strings.ToUpper(string(c)) + `":{},`)
	}
	return chat("zeta-1", `"tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{`+
		strings.TrimSuffix(names.String(), ",")+`}}}}],`+extra)
}
