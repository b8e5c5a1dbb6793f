package model

import (
	"testing"

	"screentest/shared/wire"
)

// A reload before the first message once kept its text and lost everything that
// had been set up for it.
func TestWhatANewConversationBeginsWithOutlivesAReload(t *testing.T) {
	b := newBench(t)
	temperature := 0.25
	b.Choose(0, chatModel)
	b.SetParams(0, Params{System: "Be brief.", Temperature: &temperature, Functions: []Function{{Name: "weather", Parameters: "{}"}}})
	if !b.AddLane(responsesModel) {
		t.Fatal("no second lane")
	}
	b.SetBlind(true)

	n := reloaded(t, copied(b.store), wire.ConversationPage{})
	c := n.On()
	if len(c.Lanes) != 2 || n.LaneModel(0) != chatModel || n.LaneModel(1) != responsesModel || !c.Blind {
		t.Fatalf("%d lanes, blind %v: %+v", len(c.Lanes), c.Blind, c.Lanes)
	}
	for i := range c.Lanes {
		p := n.Params(i)
		if p.System != "Be brief." || p.Temperature == nil || *p.Temperature != temperature || len(p.Functions) != 1 {
			t.Errorf("lane %d has %+v", i, p)
		}
	}

	n.RemoveLane(1)
	n.SetParams(0, Params{System: "Be long."})
	if m := reloaded(t, copied(n.store), wire.ConversationPage{}); len(m.On().Lanes) != 1 || m.On().Blind || m.Params(0).System != "Be long." {
		t.Errorf("a closed lane is back: %+v", m.On().Lanes)
	}

	if !n.Send("a question") {
		t.Fatal(n.Refusal)
	}
	if kept := n.store.Get(freshName); kept != "" {
		t.Errorf("begun, and still kept for the next: %s", kept)
	}
	if m := reloaded(t, copied(n.store), wire.ConversationPage{}); m.Params(0).System != "" {
		t.Errorf("the next conversation begins with %+v", m.Params(0))
	}
}

func TestNothingChosenIsNotKept(t *testing.T) {
	b := newBench(t)
	b.AddLane(responsesModel)
	b.SetBlind(true)
	b.SetBlind(false)
	b.RemoveLane(1)
	b.Choose(0, chatModel)
	b.SetParams(0, Params{System: "x"})
	b.SetParams(0, Params{})
	if kept := b.store.Get(freshName); kept != "" {
		t.Errorf("kept %s", kept)
	}
}

func TestBrokenLanesOfANewConversationAreIgnored(t *testing.T) {
	for _, kept := range []string{
		"", "{", "null", "[]", `"x"`, `{"lanes":[]}`, `{"lanes":{}}`, `{"lanes":[{},{},{},{},{},{},{}]}`,
		`{"lanes":[{"leaf":"m","params":{"system":1}}],"blind":true}`,
	} {
		b := reloaded(t, memory{freshName: kept}, wire.ConversationPage{})
		c := b.On()
		if len(c.Lanes) != 1 || c.Blind || c.Lanes[0].Leaf != "" || b.Params(0).System != "" || b.LaneModel(0) == "" {
			t.Errorf("%s: %+v", kept, c.Lanes)
		}
		if !b.Send("a question") {
			t.Errorf("%s: refused: %+v", kept, b.Refusal)
		}
	}
	two := reloaded(t, memory{freshName: `{"lanes":[{"params":{"lane":9}},{"params":{"lane":9}}]}`}, wire.ConversationPage{})
	if l := two.On().Lanes; len(l) != 2 || l[0].Number == l[1].Number || l[1].Number >= wire.MaxLanes {
		t.Errorf("numbers %+v", l)
	}
}
