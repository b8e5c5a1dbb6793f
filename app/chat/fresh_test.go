package chat

import (
	"testing"

	"screentest/shared/wire"
)

// A reload before the first message once kept its text and lost everything that
// had been set up for it.
func TestWhatANewConversationBeginsWithOutlivesAReload(t *testing.T) {
	b := newBench(t)
	temperature := 0.25
	b.Lane(0).Choose(chatModel)
	b.Lane(0).SetParams(Params{System: "Be brief.", Temperature: &temperature, Functions: []Function{{Name: "weather", Parameters: "{}"}}})
	if !b.Shown().AddLane(responsesModel) {
		t.Fatal("no second lane")
	}
	b.SetBlind(true)

	n := reloaded(t, copied(b.store), wire.ConversationPage{})
	c := n.Shown()
	if len(c.Lanes) != 2 || n.Lane(0).Model() != chatModel || n.Lane(1).Model() != responsesModel || !c.Blind {
		t.Fatalf("%d lanes, blind %v: %+v", len(c.Lanes), c.Blind, c.Lanes)
	}
	for i := range c.Lanes {
		p := n.Lane(i).Params()
		if p.System != "Be brief." || p.Temperature == nil || *p.Temperature != temperature || len(p.Functions) != 1 {
			t.Errorf("lane %d has %+v", i, p)
		}
	}

	n.Lane(1).Close()
	n.Lane(0).SetParams(Params{System: "Be long."})
	if m := reloaded(t, copied(n.store), wire.ConversationPage{}); len(m.Shown().Lanes) != 1 || m.Shown().Blind || m.Lane(0).Params().System != "Be long." {
		t.Errorf("a closed lane is back: %+v", m.Shown().Lanes)
	}

	if !n.Send("a question") {
		t.Fatal(n.Shown().Refusal)
	}
	// The next one begins as this one, in one lane, until that is let go.
	m := reloaded(t, copied(n.store), wire.ConversationPage{})
	if p := m.Lane(0).Params(); len(m.Shown().Lanes) != 1 || p.System != "Be long." || !m.Shown().Kept() {
		t.Errorf("the next conversation begins with %+v", p)
	}
	m.Shown().Reset()
	if kept := m.store.Get(freshName); kept != "" || m.Shown().Kept() {
		t.Errorf("let go, and still kept for the next: %s", kept)
	}
}

func TestNothingChosenIsNotKept(t *testing.T) {
	b := newBench(t)
	b.Shown().AddLane(responsesModel)
	b.SetBlind(true)
	b.SetBlind(false)
	b.Lane(1).Close()
	b.Lane(0).Choose(chatModel)
	b.Lane(0).SetParams(Params{System: "x"})
	b.Lane(0).SetParams(Params{})
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
		c := b.Shown()
		if len(c.Lanes) != 1 || c.Blind || c.Lanes[0].Leaf != "" || b.Lane(0).Params().System != "" || b.Lane(0).Model() == "" {
			t.Errorf("%s: %+v", kept, c.Lanes)
		}
		if !b.Send("a question") {
			t.Errorf("%s: refused: %+v", kept, b.Shown().Refusal)
		}
	}
	two := reloaded(t, memory{freshName: `{"lanes":[{"params":{"lane":9}},{"params":{"lane":9}}]}`}, wire.ConversationPage{})
	if l := two.Shown().Lanes; len(l) != 2 || l[0].Number == l[1].Number || l[1].Number >= wire.MaxLanes {
		t.Errorf("numbers %+v", l)
	}
}
