package gateway

import (
	"slices"
	"strings"
	"testing"
)

func TestG43WhatAModelCanTake(t *testing.T) {
	c, err := ParseCatalogue([]byte(`{"models":[
		{"id":"v/told","takes":["max_tokens","images","tools"]},
		{"id":"v/string","endpoint":"responses","takes":["images","text"]},
		{"id":"v/items","endpoint":"responses","input_items":true,"takes":["images"]},
		{"id":"v/untold"},{"id":"zeta-1"},{"id":"v/epsilon-5.6-core"},{"id":"v/beta-4.3"},{"id":"gamma-2-720p","seconds":[4]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		id, what string
		want     bool
	}{
		{"v/told", "max_tokens", true}, {"v/told", "images", true}, {"v/told", "tools", true}, {"v/told", "temperature", true}, {"v/told", "seed", false},
		{"v/string", "images", false}, {"v/string", "text", true}, {"v/items", "images", true},
		{"v/untold", "max_tokens", false}, {"v/untold", "images", false}, {"v/untold", "tools", false},
		{"zeta-1", "tools", true}, {"zeta-1", "images", false}, {"zeta-1", "max_tokens", false}, {"zeta-1", "stream_options", false},
		{"v/epsilon-5.6-core", "temperature", false}, {"v/epsilon-5.6-core", "tools", true}, {"v/epsilon-5.6-core", "user", false}, {"v/epsilon-5.6-core", "stream", true},
		{"v/beta-4.3", "tools", false}, {"v/beta-4.3", "user", true},
		{"gamma-2-720p", "images", false}, {"gamma-2-720p", "seconds", false}, {"nobody", "max_tokens", false}, {"nobody", "images", false},
	} {
		m, _ := c.Lookup(x.id)
		if got := m.CanTake(x.what); got != x.want {
			t.Errorf("%s takes %s: %v", x.id, x.what, got)
		}
	}
	// What is put into a model of a contract family by hand changes nothing and
	// isn't written; words that the file doesn't know aren't either.
	by := Catalogue{Models: []Model{
		{ID: "zeta-1", Family: Zeta, Endpoint: Chat, Mode: TextMode, Takes: []string{"images"}},
		{ID: "v/x", Family: Ordinary, Endpoint: Chat, Mode: TextMode, Takes: []string{"seed", "min_p", "seed"}, Name: strings.Repeat("ä", 300), Context: 1 << 40, MaxOutput: -1},
		{ID: "gamma-2-720p", Family: Gamma, Endpoint: Video, Mode: TextToVideo, Seconds: Seconds{Min: 4, Max: 15}, Context: 5, Takes: []string{"seed"}},
	}}
	if by.Models[0].CanTake("images") {
		t.Error("zeta takes images")
	}
	read, err := ParseCatalogue(by.JSON())
	if err == nil && (len([]rune(read.Models[1].Name)) != 200 || read.Models[1].Context != maxTokens || read.Models[1].MaxOutput != 0) {
		t.Errorf("%+v", read.Models[1])
	}
	if err != nil || read.Models[0].Takes != nil || !slices.Equal(read.Models[1].Takes, []string{"seed"}) {
		t.Errorf("%v\n%s", err, by.JSON())
	}
}

func TestG43AbilitiesAreWrittenAsTheyAreRead(t *testing.T) {
	in := `{"models":[{"id":"v/m","name":"Émile 3","context":200000,"max_output":8192,"takes":["stop","images"],"price":{"input":1,"output":2,"per_image":0.0015}}]}`
	c, err := ParseCatalogue([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseCatalogue(c.JSON())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Model{c.Models[0], again.Models[0]} {
		if m.Name != "Émile 3" || m.Context != 200000 || m.MaxOutput != 8192 || !slices.Equal(m.Takes, []string{"stop", "images"}) || m.Price.PerImage != 1_500_000 {
			t.Errorf("%+v", m)
		}
	}
	line := func(rest string) string { return `{"models":[{"id":"v/m",` + rest + `}]}` }
	for _, x := range []struct{ name, in, want string }{
		{"no context", line(`"context":0`), `models[0].context: a number of tokens is an integer from 1 to`},
		{"half a token", line(`"max_output":0.5`), `models[0].max_output: a number of tokens`},
		{"a word that is none", line(`"takes":["image"]`), `models[0].takes: the string "image" is nothing that a model can be told to take; there are: max_tokens, `},
		{"a word twice", line(`"takes":["stop","stop"]`), `models[0].takes: stop is there twice`},
		{"a number", line(`"takes":[1]`), `models[0].takes: the number 1 is nothing`},
		{"zeta told more", `{"models":[{"id":"zeta-1","takes":["images"]}]}`, `models[0].takes: a model of the family zeta takes what its document says`},
		{"a context of a video model", `{"models":[{"id":"gamma-2-720p","seconds":[4],"context":5}]}`, `models[0].context: a video model has no context`},
		{"a price per image of a video", `{"models":[{"id":"gamma-2-720p","seconds":[4],"price":{"per_image":5}}]}`, `models[0].price.per_image: there is no such field`},
		{"a negative price per image", line(`"price":{"input":1,"output":1,"per_image":-1}`), `models[0].price.per_image: a price is not negative`},
	} {
		if _, err := ParseCatalogue([]byte(x.in)); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v", x.name, err)
		}
	}
}

func TestG44ImagesOfATurn(t *testing.T) {
	c, err := ParseCatalogue([]byte(`{"models":[{"id":"v/chat","takes":["images"]},{"id":"v/items","endpoint":"responses","input_items":true,"takes":["images"]},{"id":"v/blind","endpoint":"responses","input_items":true}]}`))
	if err != nil {
		t.Fatal(err)
	}
	turns := []Turn{{Role: "user", Text: "A < B?", Images: []string{pixel, image}}, {Role: "assistant", Text: "Yes."}, {Role: "user", Images: []string{image}}}
	for id, want := range map[string]string{
		"v/chat": `"messages":[{"role":"user","content":[{"type":"text","text":"A < B?"},` + picture(pixel) + `,` + picture(image) + `]},` +
			`{"role":"assistant","content":"Yes."},{"role":"user","content":[` + picture(image) + `]}]`,
		"v/items": `"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"A < B?"},{"type":"input_image","image_url":"` + pixel +
			`"},{"type":"input_image","image_url":"` + image + `"}]},{"type":"message","role":"assistant","content":"Yes."},` +
			`{"type":"message","role":"user","content":[{"type":"input_image","image_url":"` + image + `"}]}]`,
	} {
		m, _ := c.Lookup(id)
		body := m.TextBody(turns, TextParams{})
		if !strings.Contains(string(body), want) {
			t.Errorf("got  %s\nwant %s", body, want)
		}
		if v := c.Validate(m.Endpoint, body, Options{}); !v.OK() || len(v.Warnings) > 0 {
			t.Errorf("%s: %+v", id, v)
		}
	}
	blind, _ := c.Lookup("v/blind")
	v := c.Validate(Responses, blind.TextBody(turns, TextParams{}), Options{})
	if v.OK() || v.Errors[0].Fact != "G43" || v.Errors[0].Field != "input[0].content[1]" {
		t.Errorf("images for a model that isn't known to take them: %+v", v)
	}
	many := []Turn{{Role: "user", Images: slices.Repeat([]string{image}, 9)}, {Role: "user", Images: slices.Repeat([]string{image}, 8)}}
	for _, id := range []string{"v/chat", "v/items"} {
		m, _ := c.Lookup(id)
		if v := c.Validate(m.Endpoint, m.TextBody(many, TextParams{}), Options{}); len(v.Errors) != 1 || v.Errors[0].Fact != "G46" {
			t.Errorf("17 images over two turns with %s: %+v", id, v)
		}
	}
}

func TestG45ImageLink(t *testing.T) {
	for link, good := range map[string]bool{pixel: true, image: true, "ftp://a.b/c": false, "data:image/svg+xml;base64,AAAA": false, "": false, "data:": false, "data:image/gif;base64,": false} {
		if got := ImageLink(link); (got == "") != good {
			t.Errorf("%q: %q", link, got)
		}
	}
}
