package run_test

import (
	"strings"
	"testing"

	"screentest/server/run"
	"screentest/shared/gateway"
)

// words is a Tokenizer that counts words.
type words struct{}

func (words) Name() string { return "counting words" }

func (words) Count(text string) int64 { return int64(len(strings.Fields(text))) }

func TestTokensAreCountedByTheTokenizer(t *testing.T) {
	w := newWorld(t, func(c *run.Config) { c.Tokenizer = words{} })
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	c.send(t, "%s", chunk("An answer of five words")+finish+done)
	c.pipe.Close()
	if r := w.wait(s.Run); r.InputTokens != 2 || r.OutputTokens != 5 || r.CostSource != "estimated" || !strings.Contains(r.Basis, "counting words") {
		t.Errorf("%d in, %d out (%s, %s)", r.InputTokens, r.OutputTokens, r.CostSource, r.Basis)
	}
}

func TestUsageThatIsNotReportedIsEstimatedAndSaysSo(t *testing.T) {
	w := newWorld(t, nil)
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	c.send(t, "%s", chunk("Twelve chars")+finish+done)
	c.pipe.Close()
	r := w.wait(s.Run)
	// "Hello there" is 11 characters, the answer 12: 3 tokens each.
	if r.InputTokens != 3 || r.OutputTokens != 3 || r.CostSource != "estimated" || !strings.Contains(r.Basis, "estimated") || r.CostNanoUSD != 6000 {
		t.Errorf("%d in, %d out, %d by %q (%s)", r.InputTokens, r.OutputTokens, r.CostNanoUSD, r.Basis, r.CostSource)
	}
	sum, err := w.db.Conversation(t.Context(), w.owner, s.Conversation)
	if err != nil || !sum.Estimated || sum.CostNanoUSD != 6000 {
		t.Errorf("the list shows %+v, %v", sum, err)
	}
}

func TestTokensThatAreEstimatedSaySoWithoutAPriceToo(t *testing.T) {
	free, err := gateway.ParseCatalogue([]byte(`{"models":[{"id":"vendor/model-a"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, reported := range []bool{false, true} {
		w := newWorld(t, func(c *run.Config) { c.Catalogue = func() *gateway.Catalogue { return free } })
		s := turn()
		w.start(s)
		c := w.call()
		c.stream(events)
		c.send(t, "%s", chunk("Twelve chars")+finish)
		if reported {
			c.send(t, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":2}}\n\n")
		}
		c.send(t, "%s", done)
		c.pipe.Close()
		if r := w.wait(s.Run); r.OutputTokens == 0 || r.CostSource != "" || r.Estimated() == reported {
			t.Errorf("reported %v: %d out, %q (%q)", reported, r.OutputTokens, r.Basis, r.CostSource)
		}
	}
}
