package gatewaytest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"screentest/shared/gateway"
)

// quote writes a string as JSON.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic("gatewaytest: " + err.Error()) // a string always encodes
	}
	return string(b)
}

// fill makes a right request: every field that is required, and some that may
// be sent.
func (g *generator) fill() {
	scenes, references := []int{}, 0
	for _, f := range g.m.Fields(g.mode) {
		if g.m.Family == gateway.Unknown {
			break
		}
		sent := f.Standing == gateway.Required || f.Standing == gateway.Optional && g.choose(3) == 2
		if !sent {
			continue
		}
		value := ""
		switch {
		case f.Name == "model":
			value = quote(g.m.ID)
		case f.Form == gateway.FormScenes:
			value, scenes = g.scenes(f.Min, f.Max)
		case f.Name == "reference_video_urls":
			references = f.Min + g.choose(f.Max-f.Min+1)
			value = links(clips, references)
		default:
			value = g.value(f)
		}
		g.set(f.Name, value)
	}
	switch {
	case g.m.Family == gateway.Unknown:
		g.fillUnknown()
	case g.mode == gateway.MultiShot:
		sum := 0
		for _, s := range scenes {
			sum += s
		}
		g.set("seconds", quote(strconv.Itoa(sum)))
	case g.mode == gateway.Reference:
		for range references {
			g.lengths = append(g.lengths, float64(15+g.choose(61))/10)
		}
		fits := gateway.ReferenceRange(references, nil)
		g.set("seconds", quote(strconv.Itoa(fits.Min+g.choose(fits.Max-fits.Min+1))))
	}
}

// fillUnknown makes a request for a model of which nothing is known.
func (g *generator) fillUnknown() {
	g.set("model", quote(g.m.ID))
	switch g.endpoint {
	case gateway.Chat:
		g.set("messages", g.messages())
	case gateway.Responses:
		g.set("input", quote(one(g, prompts)))
	default:
		g.set("prompt", quote(one(g, prompts)))
		g.set("seconds", quote(strconv.Itoa(1+g.choose(30))))
	}
}

var (
	prompts = []string{"A paper boat", "A lamp & <b>a moth</b>", "Ein Müller – 😀", "@Video1 dances like @Image1", "@Video3 and @Image9"}
	images  = []string{"https://files.example.com/a.png", "http://files.example.com/b.jpg?size=1", "https://[2606:4700::1111]/c.webp"}
	clips   = []string{"https://files.example.com/a.mp4", "https://files.example.com/b.MP4?token=1", "http://files.example.org:8080/c.mp4"}
	uuids   = []string{"123e4567-e89b-12d3-a456-426614174000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"}
)

// pixel is an image within a request.
const pixel = "data:image/png;base64,iVBORw=="

// image writes a part of a message with an image.
func image(link string) string {
	return `{"type":"image_url","image_url":{"url":"` + link + `"}}`
}

// links writes n links, the list over and over.
func links(list []string, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = quote(list[i%len(list)])
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// value writes a value that fits a field.
func (g *generator) value(f gateway.Field) string {
	switch f.Form {
	case gateway.FormNumber:
		return one(g, []string{"0", "0.5", "1", "1e-1"})
	case gateway.FormInteger:
		if f.Max-f.Min > 1<<20 || f.Max == 0 {
			return strconv.Itoa(max(1, f.Min) + g.choose(4000))
		}
		return strconv.Itoa(f.Min + g.choose(f.Max-f.Min+1))
	case gateway.FormBoolean:
		if len(f.Choices) > 0 {
			return one(g, f.Choices)
		}
		return one(g, []string{"false", "true"})
	case gateway.FormChoice:
		return quote(one(g, f.Choices))
	case gateway.FormSeconds:
		if f.Seconds.Any() {
			return quote(strconv.Itoa(1 + g.choose(30)))
		}
		return quote(one(g, f.Seconds.List()))
	case gateway.FormRatio:
		if len(f.Choices) == 0 {
			return quote("16:9")
		}
		return quote(one(g, f.Choices))
	case gateway.FormUUID:
		return quote(one(g, uuids))
	case gateway.FormURL:
		return quote(one(g, clips))
	case gateway.FormURLOrURLs:
		most := f.Max
		if most == 0 {
			most = 3
		}
		if g.choose(3) == 2 {
			return quote(one(g, images))
		}
		return links(images, f.Min+g.choose(most-f.Min+1))
	case gateway.FormMessages:
		return g.messages()
	case gateway.FormTools:
		return g.tools()
	case gateway.FormStrings:
		return one(g, []string{`"END"`, `["END"," "]`})
	case gateway.FormFormat:
		return one(g, []string{`{"type":"json_object"}`, `{"type":"json_schema","json_schema":{"name":"answer","schema":{"a":1,"A":2}}}`})
	case gateway.FormEffort:
		return `{"effort":` + quote(one(g, f.Choices)) + `}`
	case gateway.FormAnswer:
		return one(g, []string{`{}`, `{"format":{"type":"json_object"}}`, `{"format":{"type":"json_schema","name":"answer","schema":{},"strict":true}}`})
	case gateway.FormObject:
		return `{"include_usage":true}`
	}
	return quote(one(g, prompts))
}

// scenes writes some scenes and returns how long each is.
func (g *generator) scenes(least, most int) (value string, durations []int) {
	parts := []string{}
	for range least + g.choose(most-least+1) {
		d := gateway.MinSceneDuration + g.choose(gateway.MaxSceneDuration)
		prompt := one(g, []string{"A lamp", strings.Repeat("é", 500), strings.Repeat("😀", 250), "x"})
		parts = append(parts, fmt.Sprintf(`{"prompt":%s,"duration":%d}`, quote(prompt), d))
		durations = append(durations, d)
	}
	return "[" + strings.Join(parts, ",") + "]", durations
}

// messages writes a conversation.
func (g *generator) messages() string {
	parts := []string{}
	if g.choose(3) == 2 {
		parts = append(parts, `{"role":"system","content":"Be brief"}`)
	}
	for range g.choose(3) {
		parts = append(parts, `{"role":"user","content":`+quote(one(g, prompts))+`}`)
		if g.choose(2) == 1 {
			parts = append(parts, `{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"add","arguments":"{}"}}]}`,
				`{"role":"tool","content":"3","tool_call_id":"c"}`)
		}
		parts = append(parts, `{"role":"assistant","content":"Yes."}`)
	}
	parts = append(parts, `{"role":"user","content":`+quote(one(g, prompts))+`}`)
	return "[" + strings.Join(parts, ",") + "]"
}

// tools writes tools in the endpoint's format.
func (g *generator) tools() string {
	if g.endpoint == gateway.Responses {
		return one(g, []string{`[{"type":"web_search"}]`, `[{"type":"function","name":"add","parameters":{"type":"object"}}]`, `[]`})
	}
	return one(g, []string{`[{"type":"function","function":{"name":"add","description":"Adds","parameters":{"a":1,"A":2}}}]`, `[]`})
}

// options makes up what might be known besides the body: about half of the
// time nothing.
func (g *generator) options() gateway.Options {
	var o gateway.Options
	o.StreamOptions = g.choose(4) == 3
	if g.choose(2) == 0 {
		return o
	}
	o.Exact = g.choose(2) == 1
	tenth := func(least, most int) float64 { return float64(least+g.choose(most-least+1)) / 10 }
	switch g.mode {
	case gateway.Reference:
		o.ReferenceSeconds = g.lengths
	case gateway.Motion:
		o.MotionSeconds = tenth(20, 310)
	case gateway.Extend, gateway.Upscale:
		o.Source = g.source()
	}
	return o
}

// source makes up the clip that an action starts from.
func (g *generator) source() *gateway.Provenance {
	var generating, acting []gateway.Model
	for _, m := range g.catalogue.Models {
		switch {
		case m.Endpoint != gateway.Video:
		case m.Mode.Generates():
			generating = append(generating, m)
		case m.Family == g.m.Family:
			acting = append(acting, m)
		}
	}
	if len(generating) == 0 {
		return nil
	}
	m := one(g, generating)
	p := gateway.NewProvenance(m, m.Mode, nil)
	for range g.weighted(5, 2, 1) {
		if len(acting) > 0 && p.Family == g.m.Family {
			next := one(g, acting)
			p = gateway.NewProvenance(next, next.Mode, &p)
		}
	}
	p.Status = one(g, []string{"SUCCESS", "success", "SUCCESS", "SUCCESS", "IN_PROGRESS", "FAILURE"})
	p.Expired = g.choose(12) == 11
	return &p
}
