package gatewaytest

import (
	"fmt"
	"strconv"
	"strings"

	"screentest/shared/gateway"
)

// set puts a field in, or gives it another value.
func (g *generator) set(name, value string) {
	for i := range g.fields {
		if g.fields[i].name == name {
			g.fields[i].value = value
			return
		}
	}
	g.fields = append(g.fields, field{name, value})
}

// breakOne does one thing to the request that may be wrong, and says what.
func (g *generator) breakOne() string {
	switch g.weighted(3, 10, 3, 3, 6, 2, 2, 1, 1) {
	case 0:
		return g.drop()
	case 1:
		return g.revalue(g.anyField())
	case 2:
		return g.reseconds()
	case 3:
		return g.addUndocumented()
	case 4:
		return g.breakWithin()
	case 5:
		return g.breakKeys()
	case 6:
		return g.moveEndpoint()
	case 7:
		return g.renameModel()
	}
	return g.breakJSON()
}

// drop leaves a field out.
func (g *generator) drop() string {
	if len(g.fields) == 0 {
		return "nothing to leave out"
	}
	i := g.choose(len(g.fields))
	name := g.fields[i].name
	g.fields = append(g.fields[:i:i], g.fields[i+1:]...)
	return "no " + name
}

// anyField picks a field of the endpoint, whether the model takes it or not.
func (g *generator) anyField() gateway.Field {
	m := g.m
	m.Endpoint = g.endpoint
	fields := m.Fields(g.mode)
	return fields[1+g.choose(len(fields)-1)] // the model apart
}

// values are what people and programs put into fields, right or wrong.
var values = []string{
	`null`, `true`, `false`, `"true"`, `0`, `1`, `-1`, `5`, `5.0`, `5e0`, `2.5`, `1e4`, `1e999`, `12345`, `12345.0`, `9999`, `10000`, `99999`, `100000`, `99999999999999999999`,
	`""`, `" "`, `"8"`, `"6"`, `"1"`, `"8s"`, `" 8"`, `"08"`, `"+8"`, `"8.0"`, `"\u0668"`, `"7.4"`, `"12345"`, `"60"`, `"99999999999999999999"`,
	`[]`, `{}`, `[1]`, `[null]`, `["x"]`, `[{}]`, `"x"`, `"16:9"`, `"5:4"`, `"16/9"`, `"0:1"`, `"video"`, `"image"`, `"input_video"`, `"Video"`,
	`"task_abc"`, `"123e4567-e89b-12d3-a456-426614174000"`, `"123e4567e89b12d3a456426614174000"`,
	`"https://files.example.com/a.png"`, `"/a.png"`, `"ftp://files.example.com/a.png"`, `"http://localhost/a.png"`, `"http://10.0.0.1/a.mp4"`,
	`["https://files.example.com/a.png"]`, `["https://files.example.com/a.png","https://files.example.com/b.png"]`,
	`["https://files.example.com/a.mp4","https://files.example.com/b.mov"]`, `["http://[::1]/a.mp4"]`, `["/a.mp4"]`,
	`[{"role":"user","content":"Hi"}]`, `[{"type":"web_search"}]`, `[{"type":"file_search"}]`,
	`[{"type":"function","name":"add"}]`, `[{"type":"function","function":{"name":"add"}}]`, `[{"type":"function","function":{}}]`, `[{"type":"function"}]`,
	`[{"prompt":"A lamp","duration":5}]`, `[{"prompt":"A lamp","duration":13}]`,
}

// valuesOf are values that look right for a form, and mostly are not.
var valuesOf = map[gateway.Form][]string{
	gateway.FormNumber:    {`-0.1`, `1.1`, `2.1`, `"1"`},
	gateway.FormInteger:   {`16385`, `9007199254740993`, `9999`, `100000`, `1e4`, `12345.0`, `"12345"`, `[12345]`},
	gateway.FormRatio:     {`"5:4"`, `"16/9"`, `"16:0"`, `"016:9"`, `"1.5:1"`},
	gateway.FormUUID:      {`"task_abc"`, `"TASK_123e4567-e89b-12d3-a456-426614174000"`, `"123"`},
	gateway.FormURL:       {`"http://localhost/a.mp4"`, `"http://192.168.0.1/a.mp4"`, `"a.mp4"`},
	gateway.FormURLs:      {`["http://localhost/a.mp4"]`, `["http://nas/a.mov"]`, `"https://files.example.com/a.mp4"`},
	gateway.FormURLOrURLs: {`"http://localhost/a.png"`, `["http://169.254.169.254/a.png"]`, `"data:image/png;base64,AA"`, `[1]`},
	gateway.FormTools:     {`[{"type":"file_search"}]`, `[{"type":"web_search"}]`, `[{"type":"function"}]`, `["x"]`, `[{}]`},
	gateway.FormBoolean:   {`"true"`, `1`, `false`},
	gateway.FormStrings:   {`""`, `[]`, `["a","b","c","d","e"]`, `["a",1]`},
	gateway.FormChoice:    {`"xhigh"`, `"Low"`},
	gateway.FormEffort:    {`{"effort":"none"}`, `{"effort":1}`, `{"effort":"low","depth":1}`},
	gateway.FormFormat:    {`{"type":"xml"}`, `{"type":"json_schema"}`, `{"type":"json_schema","json_schema":{"name":"a b","schema":1,"strict":1}}`},
	gateway.FormAnswer:    {`{"format":{"type":"json_schema"}}`, `{"format":"text"}`, `{"verbosity":"low"}`},
}

// revalue gives a field one of the values, or many images.
func (g *generator) revalue(f gateway.Field) string {
	value := ""
	switch g.choose(8) {
	case 7:
		value = links(images, g.choose(12))
	case 6:
		value = g.value(f)
	case 5, 4:
		value = one(g, values)
		if fitting := valuesOf[f.Form]; len(fitting) > 0 {
			value = one(g, fitting)
		}
	default:
		value = one(g, values)
	}
	g.set(f.Name, value)
	return fmt.Sprintf("%s: %.60s", f.Name, value)
}

// reseconds gives the length another number.
func (g *generator) reseconds() string {
	if g.endpoint != gateway.Video {
		return g.revalue(g.anyField())
	}
	n := strconv.Itoa(g.choose(70))
	g.set("seconds", quote(n))
	return "seconds " + n
}

func (g *generator) addUndocumented() string {
	name := one(g, []string{"max_tokens", "cfg_scale", "negative_prompt", "last_frame_url", "input", "messages", "stream_options"})
	g.set(name, one(g, []string{"1", `"x"`, `{"a":1}`, `[]`}))
	return "also " + name
}

// breakWithin breaks what is within messages, scenes, tools, prompts or links.
func (g *generator) breakWithin() string {
	switch {
	case g.endpoint == gateway.Chat && g.choose(5) == 0:
		content := one(g, []string{`[]`, `["Hi"]`, `[{"type":"text"}]`, `[{"type":"text","text":"Hi"},` + image(pixel) + `]`, `[` + image("ftp://a.b/c.png") + `]`,
			`[{"type":"image_url","image_url":"` + pixel + `"}]`, `[` + image("http://localhost/a.png") + `]`, `[` + image("data:image/svg+xml;base64,AAAA") + `]`,
			`[` + strings.Repeat(image(pixel)+",", gateway.MaxImages) + image(pixel) + `]`})
		g.set("messages", `[{"role":`+one(g, []string{`"user"`, `"user"`, `"system"`})+`,"content":`+content+`}]`)
		return fmt.Sprintf("parts %.60s", content)
	case g.endpoint == gateway.Responses && g.choose(4) == 0:
		g.set("input", `[{"role":"user","content":[{"type":"input_image","image_url":"`+one(g, []string{pixel, "a.png"})+`"}]}]`)
		return "an image among items"
	case g.endpoint == gateway.Chat && g.choose(4) > 0:
		m := one(g, []string{
			`"Hi"`, `null`, `{}`, `{"role":"user"}`, `{"content":"Hi"}`, `{"role":1,"content":"Hi"}`, `{"role":"user","content":1}`,
			`{"role":"user","content":null}`, `{"role":"user","content":[{"type":"text","text":"Hi"}]}`, `{"role":"developer","content":"Hi"}`,
			`{"role":"assistant","content":null}`, `{"role":"assistant","content":null,"tool_calls":[]}`, `{"role":"assistant","content":null,"tool_calls":[{}]}`,
			`{"role":"assistant","content":"","tool_calls":{}}`, `{"role":"user","content":"Hi","mood":1}`, `{"Role":"user","content":"Hi"}`,
			`{"role":"user","content":"Hi","content":"Ho"}`, `{"role":"user","content":"\ud83d"}`,
		})
		g.set("messages", `[{"role":"user","content":"Hi"},`+m+`]`)
		return "message " + m
	case g.mode == gateway.MultiShot && g.choose(4) == 0:
		g.set("image_urls", links(images, 1+g.choose(2)))
		return "frames beside the scenes"
	case g.mode == gateway.MultiShot:
		s := one(g, []string{
			`"A lamp"`, `{}`, `{"prompt":"","duration":5}`, `{"prompt":5,"duration":5}`, `{"prompt":"A lamp"}`, `{"prompt":"A lamp","duration":"5"}`,
			`{"prompt":"A lamp","duration":5.0}`, `{"prompt":"A lamp","duration":0}`, `{"prompt":"A lamp","duration":13}`, `{"prompt":"A lamp","duration":5,"camera":"pan"}`,
			`{"prompt":"A lamp","Duration":5}`, `{"prompt":"` + strings.Repeat("é", 501) + `","duration":5}`, `{"prompt":"` + strings.Repeat("😀", 251) + `","duration":5}`,
			`{"prompt":"A lamp","duration":5}`, `{"prompt":"A lamp","duration":5},{"prompt":"A moth","duration":6}`,
			strings.TrimSuffix(strings.Repeat(`{"prompt":"A lamp","duration":1},`, 6), ","),
		})
		g.set("multi_prompt", "["+s+"]")
		if g.choose(2) == 1 {
			g.set("seconds", `"5"`)
		}
		return fmt.Sprintf("scene %.60s", s)
	case g.mode == gateway.Reference && g.choose(3) == 0:
		g.set("image_urls", links(images, 9+g.choose(3)))
		return "many images"
	case g.mode == gateway.Reference && g.choose(2) == 0:
		lengths := g.lengths
		if g.choose(2) == 0 {
			lengths = nil
		}
		fits := gateway.ReferenceRange(len(g.lengths), lengths)
		n := strconv.Itoa(one(g, []int{fits.Min, fits.Max}) - 2 + g.choose(5))
		g.set("seconds", quote(n))
		return "seconds " + n + ", near a bound"
	case g.mode == gateway.Reference:
		n := g.choose(5)
		g.set("reference_video_urls", one(g, []string{links(clips, n), links([]string{"https://files.example.com/a.mov"}, n), links([]string{"a.mp4"}, n)}))
		return strconv.Itoa(n) + " references"
	}
	return g.revalue(g.anyField())
}

// breakKeys writes a key twice, or in other letters.
func (g *generator) breakKeys() string {
	if len(g.fields) == 0 {
		return "no key to break"
	}
	f := one(g, g.fields)
	switch g.choose(3) {
	case 0:
		g.fields = append(g.fields, f)
		return f.name + " twice"
	case 1:
		g.fields = append(g.fields, field{strings.ToUpper(f.name), f.value})
		return f.name + " in capitals too"
	}
	for i := range g.fields {
		if g.fields[i].name == f.name {
			g.fields[i].name = strings.ToUpper(f.name[:1]) + f.name[1:]
		}
	}
	return f.name + " with a capital"
}

func (g *generator) moveEndpoint() string {
	g.endpoint = one(g, []gateway.Endpoint{gateway.Chat, gateway.Responses, gateway.Video})
	return "to " + string(g.endpoint)
}

func (g *generator) renameModel() string {
	value := one(g, []string{`null`, `""`, `5`, `["x"]`, quote(one(g, unlisted)), quote(one(g, g.catalogue.Models).ID)})
	g.set("model", value)
	return "model " + value
}

// breakJSON makes the body something else than one object.
func (g *generator) breakJSON() string {
	body := string(g.body())
	switch g.choose(7) {
	case 0:
		g.raw = body[:1+g.choose(len(body)-1)]
		return "cut short"
	case 1:
		g.raw = "[" + body + "]"
		return "within an array"
	case 2:
		g.raw = "\ufeff" + body
		return "with a byte order mark"
	case 3:
		g.raw = body + body
		return "twice"
	case 4:
		g.raw = strings.TrimSuffix(body, "}") + `,"x":"` + "\xff" + `"}`
		return "with a byte that is not UTF-8"
	case 5:
		g.raw = strings.TrimSuffix(body, "}") + `,"x":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + "}"
		return "nested deep"
	}
	g.raw = `"x"`
	return "a string"
}
