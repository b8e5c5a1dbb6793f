package gatewaytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"screentest/shared/gateway"
)

// corpusSize is how many requests the tests here look at.
const corpusSize = 40_000

// requests is the generator as rapid sees it.
func requests(c *gateway.Catalogue) *rapid.Generator[Request] {
	return rapid.Custom(func(t *rapid.T) Request {
		return Generate(c, func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "choice") })
	})
}

// The generator reaches every rule of the validator, and every model and mode.
func TestEveryRuleIsReached(t *testing.T) {
	c := gateway.SampleCatalogue()
	reached := map[gateway.Rule]int{}
	models := map[string]int{}
	clean := 0
	count := func(r Request) {
		v := c.Validate(r.Endpoint, r.Body, r.Options)
		if v.OK() {
			clean++
		}
		for _, i := range append(v.Errors, v.Warnings...) {
			if rule, known := i.Rule(); known {
				reached[rule]++
			} else if i.Code != gateway.CodeMoreIssues {
				t.Fatalf("an issue of no rule: %+v", i)
			}
		}
		models[r.Model]++
	}
	for r := range Corpus(c, 1, corpusSize) {
		count(r)
	}
	for _, r := range Extremes() {
		count(r)
	}
	// Some rules need a catalogue of other models than the sample's.
	other, err := gateway.ParseCatalogue([]byte(`{"models": [
		{"id": "vendor/odd", "family": "ordinary", "endpoint": "responses"},
		{"id": "vendor/small", "context": 20, "max_output": 9, "takes": ["max_tokens"]},
		{"id": "vendor/items", "endpoint": "responses", "input_items": true},
		{"id": "alpha-3.1-lite", "seconds": [8], "resolution": "1080p"},
		{"id": "alpha-3.1-1080p-upscale"}, {"id": "vendor/plain"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	sample := c
	c = other
	for r := range Corpus(other, 2, corpusSize/20) {
		count(r)
	}
	c = sample

	var table strings.Builder
	for _, rule := range gateway.Rules() {
		kind := "error"
		if rule.Warning {
			kind = "warning"
		}
		fmt.Fprintf(&table, "%8d  %-5s %-7s %-24s %s\n", reached[rule], rule.Fact, kind, rule.Code, rule.Text)
		if reached[rule] == 0 {
			t.Errorf("no request breaks %s: %s", rule.Fact, rule.Text)
		}
	}
	for _, m := range c.Models {
		if models[m.ID] < 50 {
			t.Errorf("only %d requests are for %s", models[m.ID], m.ID)
		}
	}
	t.Logf("%d requests, %d may go; how often each rule is broken:\n%s", corpusSize, clean, &table)
}

// A request that nothing was done to is right, of every model and mode.
func TestWhatIsNotBrokenMayGo(t *testing.T) {
	c := gateway.SampleCatalogue()
	for r := range Corpus(c, 3, 20_000) {
		if len(r.Broken) > 0 {
			continue
		}
		if v := c.Validate(r.Endpoint, r.Body, gateway.Options{}); !v.OK() {
			t.Fatalf("%s %s\n%+v", r.Endpoint, r.Body, v.Errors)
		}
	}
}

// A verdict is the same each time, its JSON reads back, and every error of it
// can be shown: it has a code with a status, a fact, and a sentence.
func TestVerdictsCanBeShown(t *testing.T) {
	c := gateway.SampleCatalogue()
	all := requests(c)
	rapid.Check(t, func(t *rapid.T) {
		r := all.Draw(t, "request")
		v := c.Validate(r.Endpoint, r.Body, r.Options)
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(c.Validate(r.Endpoint, r.Body, r.Options))
		if err != nil || !bytes.Equal(text, again) {
			t.Fatalf("another verdict the second time:\n%s\n%s", text, again)
		}
		var read gateway.Verdict
		if err := json.Unmarshal(text, &read); err != nil || read.OK() != v.OK() {
			t.Fatalf("%s reads back as %+v, %v", text, read, err)
		}
		for _, i := range v.Errors {
			if i.Code == "" || i.Fact == "" && i.Code != gateway.CodeMoreIssues || i.Message == "" || gateway.Status(i.Code) < 400 {
				t.Fatalf("can't be shown: %+v", i)
			}
			if strings.Contains(i.Message, "%!") || strings.Contains(i.Message, "  ") {
				t.Fatalf("not a sentence: %s", i.Message)
			}
		}
		if v.Price != nil && !v.Price.Known {
			t.Fatalf("an unknown price is quoted: %+v", v.Price)
		}
	})
}

// What has no seed in common is not the same, and what has is, byte for byte.
func TestCorpusFollowsFromItsSeed(t *testing.T) {
	c := gateway.SampleCatalogue()
	write := func(seed uint64) string {
		var b strings.Builder
		for r := range Corpus(c, seed, 200) {
			fmt.Fprintf(&b, "%s %s %v\n", r.Endpoint, r.Body, r.Broken)
		}
		return b.String()
	}
	first, again, other := write(7), write(7), write(8)
	if first != again {
		t.Error("the same seed gives another corpus")
	}
	if first == other {
		t.Error("another seed gives the same corpus")
	}
	n := 0
	for range Corpus(c, 7, 1000) {
		if n++; n == 3 {
			break
		}
	}
}
