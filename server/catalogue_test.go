package main

import (
	"testing"

	"screentest/shared/gateway"
)

// What a person has written of a model counts; what they left out, and the models
// that they left out, come from the list. The sample is of the sandbox alone.
func TestTheCatalogueAndTheList(t *testing.T) {
	c, err := gateway.ParseCatalogue([]byte(`{"models": [
		{"id": "a/one", "price": {"input": 1, "output": 2}, "takes": []}, {"id": "a/two"}, {"id": "beta-video-720p", "seconds": [6], "price": {"per_second": 0.05}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	listed := gateway.Price{Known: true, Input: 7, Output: 8}
	of := func(id string) gateway.Model {
		return gateway.Model{ID: id, Name: "Listed", Family: gateway.Ordinary, Endpoint: gateway.Chat, Mode: gateway.TextMode, Context: 1000, Takes: []string{"seed"}, Price: listed}
	}
	m := &models{file: "x", read: c}
	m.at(false, []gateway.Model{of("a/two"), of("a/one"), of("a/three"), of("beta-video-720p")}, map[string]gateway.Price{"a/four": {Known: true, Input: 5, Output: 6}, "a/three": {Known: true}, "gamma-2-of-tomorrow": {Known: true, PerSecond: 1}, "beta-video-720p": {Known: true, PerSecond: 9, Input: 3}})
	now := m.current()
	if len(now.Models) != 5 {
		t.Fatalf("%+v", now.Models)
	}
	one, _ := now.Lookup("a/one")
	two, _ := now.Lookup("a/two")
	three, known := now.Lookup("a/three")
	clip, _ := now.Lookup("beta-video-720p")
	if one.Price.Input != 1_000_000_000 || one.Context != 1000 || one.Name != "Listed" {
		t.Errorf("what is in both: %+v", one)
	}
	if two.Price != listed || !two.CanTake("seed") || !known || three.Price != (gateway.Price{Known: true}) {
		t.Errorf("what the file leaves out: %+v, %+v", two, three)
	}
	if clip.Price != (gateway.Price{Known: true, PerSecond: 9}) || clip.Context != 0 {
		t.Errorf("a clip's model: %+v", clip)
	}
	if four, known := now.Lookup("a/four"); !known || four.Price.Output != 6 {
		t.Errorf("one that only a price was entered for: %+v", four)
	}
	if sandbox := m.sandbox(); len(sandbox.Models) != 3 {
		t.Errorf("the sandbox has %d models", len(sandbox.Models))
	}

	alone, err := readModels("")
	if err != nil {
		t.Fatal(err)
	}
	if len(alone.current().Models) == 0 || !alone.current().Sample {
		t.Error("the sandbox has no sample")
	}
	alone.at(false, nil, nil)
	if c, err := gateway.ReadCatalogue(alone.json()); err != nil || len(c.Models) != 0 {
		t.Errorf("a gateway that lists nothing has %d models, %v", len(c.Models), err)
	}
	alone.at(true, nil, nil)
	if len(alone.current().Models) == 0 {
		t.Error("back at the sandbox there is no sample")
	}
}
