package review

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	render "github.com/yuin/goldmark/renderer/html"

	"screentest/shared/wire"
)

var update = flag.Bool("update", false, "write the files that are compared with")

const hostile = "<script>alert(1)</script> **bold** [x](javascript:y) `c` | \"q\" & 'r'\n# heading\n1. list\n- item\r\n    code\n---\nhttps://example.com www.example.com <b"

func some() wire.Review {
	x, y := 1250, 10_000
	const at = 1_700_000_000_000
	return wire.Review{
		ID: "r",
		Versions: []wire.ReviewVersion{
			{Version: 1, Title: hostile, Owner: hostile, Model: "beta-video-480p", State: wire.ReviewChanges, Seconds: 6, CreatedMS: at},
			{Version: 3, Title: "Harbour", Owner: "Ann", Model: "beta-video-480p-extend", State: wire.ReviewApproved, Seconds: 12.04, CreatedMS: at + 60_000},
		},
		Comments: []wire.Comment{
			{ID: "a", Version: 1, Name: hostile, Text: hostile, AtMS: 63_250, X: &x, Y: &y, CreatedMS: at, EditedMS: at + 120_000, ResolvedMS: at + 180_000, Resolver: hostile},
			{ID: "b", Version: 1, Answers: "a", Name: "1. # Ann", Text: "an answer", CreatedMS: at},
			{ID: "c", Version: 1, Name: "Bob", Text: "earlier in the clip", AtMS: 900, CreatedMS: at + 60_000},
			{ID: "d", Version: 3, Name: "Cleo", Deleted: true, AtMS: 5, CreatedMS: at},
			{ID: "e", Version: 3, Answers: "d", Name: "Bob", Text: "to what is gone", CreatedMS: at},
		},
		Steps: []wire.ReviewStep{
			{Version: 1, State: wire.ReviewOpen, By: "Ann", AtMS: at},
			{Version: 1, State: wire.ReviewChanges, By: hostile, Note: hostile, AtMS: at + 60_000},
			{Version: 3, State: wire.ReviewApproved, By: "Lea", AtMS: at + 120_000},
		},
	}
}

func TestExports(t *testing.T) {
	for name, write := range map[string]func(*bytes.Buffer) error{
		"review.md":   func(b *bytes.Buffer) error { return writeMarkdown(b, some()) },
		"review.html": func(b *bytes.Buffer) error { return writeHTML(b, some()) },
	} {
		var got bytes.Buffer
		if err := write(&got); err != nil {
			t.Fatal(err)
		}
		file := "testdata/" + name
		if *update {
			if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("%s is\n%s", name, &got)
		}
		page := got.String()
		if name == "review.md" {
			var drawn bytes.Buffer
			if err := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(render.WithUnsafe())).Convert(got.Bytes(), &drawn); err != nil {
				t.Fatal(err)
			}
			page = drawn.String()
		}
		for live, most := range map[string]int{"<script": 0, "<b": 0, "<a": 0, "<code": 0, "<pre": 0, "<ol": 0, "<hr": 0, "<h1": 1, "<h2": 2, "<h3": 4, "<table": 0, " onload": 0} {
			if n := strings.Count(strings.ReplaceAll(page, "<blockquote", "<quote"), live); n > most && !(live == "<b" && strings.Count(page, "<body")+strings.Count(page, "<br") == n) {
				t.Errorf("%s has %d times %q:\n%s", name, n, live, page)
			}
		}
		if n := strings.Count(page, "alert(1)"); n < 5 {
			t.Errorf("%s has the hostile text %d times", name, n)
		}
	}
	var none bytes.Buffer
	if err := writeHTML(&none, wire.Review{}); err != nil || writeMarkdown(&none, wire.Review{}) != nil {
		t.Error(err)
	}
}
