package chat

import (
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestQuestionOfABody(t *testing.T) {
	for _, c := range []struct{ body, model, text string }{
		{`{"model":"m","messages":[{"role":"user","content":"one"},{"role":"assistant","content":"x"},{"role":"user","content":"two"},{"role":"tool","content":"t"}]}`, "m", "two"},
		{`{"model":"m","input":"Hello"}`, "m", "Hello"},
		{`{"model":"m","input":"User: one\n\nAssistant: x\n\nUser: two\n\nwith a paragraph"}`, "m", "two\n\nwith a paragraph"},
		{`{"model":"m","input":[{"role":"user","content":"item"}]}`, "m", "item"},
		{`{"model":"m","messages":[{"role":"system","content":"s"}]}`, "m", "A request written as JSON."},
		{`no json`, "", "A request written as JSON."},
	} {
		if m, text, images := question([]byte(c.body)); m != c.model || text != c.text || images != nil {
			t.Errorf("%s: %q %q %v", c.body, m, text, images)
		}
	}
}

// What a person writes as JSON goes out as it stands, as a turn of the lane.
func TestSendRaw(t *testing.T) {
	b := newBench(t)
	b.Shown().SetRawDraft("kept")
	body := "{\n \"model\": \"" + responsesModel + "\",\n \"input\": \"<Hello>\",\n \"stream\": true\n}"
	if r := b.Lane(0).SendRaw(gateway.Chat, []byte(body)); r == nil || r.Issues[0].Code != "wrong_endpoint" || b.Shown().RawDraft() != "kept" {
		t.Fatalf("%+v, draft %q", r, b.Shown().RawDraft())
	}
	if r := b.Lane(0).SendRaw(gateway.Responses, []byte(body)); r != nil {
		t.Fatalf("%+v", r)
	}
	b.pass(0)
	c := b.Current
	path := c.Lane(0).Path()
	if len(path) != 2 || path[0].Text != "<Hello>" || path[1].Run.Model != responsesModel {
		t.Fatalf("%+v", path)
	}
	if got := string(path[1].unsent.Body); got != body || path[1].unsent.Endpoint != "responses" {
		t.Errorf("%s", got)
	}
	b.far.take(t, wire.OpStart)
	if b.storeHas("kept") {
		t.Error("the draft is kept though it was sent")
	}
	if r := b.Lane(0).SendRaw(gateway.Responses, []byte(body)); r == nil || r.Issues[0].Code != "running" {
		t.Errorf("%+v", r)
	}
}

func (b *bench) storeHas(value string) bool {
	for _, v := range b.store {
		if v == value {
			return true
		}
	}
	return false
}
