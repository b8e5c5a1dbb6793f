package chat

import (
	"strconv"
	"strings"

	"screentest/app/figure"
	"screentest/shared/gateway"
	"screentest/shared/money"
)

// Answers are expected to be this long, in tokens, where a conversation has
// none to go by.
const (
	shortAnswer = 50
	longAnswer  = 1000
)

// Estimate is what sending a draft would take, in words, and how that was
// worked out.
type Estimate struct {
	Text, Basis string
	// Over says which model reads less than what would be sent, "" for none.
	Over string
}

// Estimate says what sending a draft of n bytes would take in all lanes: the
// tokens in, and what it costs from a short answer to a long one.
func (c *Conversation) Estimate(n int) Estimate {
	if n == 0 && len(c.attached) == 0 || !c.chat.session.Greeted {
		return Estimate{}
	}
	var low, high, most int64
	short, long := int64(0), int64(0)
	unpriced, imagesUnpriced := 0, 0
	sample := false
	over := ""
	for _, l := range c.Lanes {
		m := c.chat.session.Model(l.Model())
		in := Tokens(n + l.carried(m))
		most = max(most, in)
		if m.Context > 0 && in > int64(m.Context) && over == "" && !c.Hidden() {
			over = "This is about " + figure.Count(in) + " tokens, and " + m.ID + " reads " + figure.Count(int64(m.Context)) +
				" at most. The gateway may refuse it."
		}
		least, longest := l.usual()
		if short == 0 || least < short {
			short = least
		}
		long = max(long, longest)
		a := m.TextPrice(gateway.Usage{InputTokens: in, OutputTokens: least})
		b := m.TextPrice(gateway.Usage{InputTokens: in, OutputTokens: longest})
		if !a.Known || !b.Known {
			unpriced++
			continue
		}
		images := money.NanoUSD(l.imagesSent()) * m.Price.PerImage
		if a.Cost, b.Cost = a.Cost+images, b.Cost+images; images == 0 {
			imagesUnpriced += l.imagesSent()
		}
		low, high, sample = low+int64(a.Cost), high+int64(b.Cost), sample || a.Sample
	}
	e := Estimate{
		Text:  figure.Count(most) + " tokens in",
		Basis: "Estimated at 4 bytes per token, including the conversation so far",
		Over:  over,
	}
	lanes := len(c.Lanes)
	if lanes > 1 {
		e.Text = strconv.Itoa(lanes) + " × " + e.Text
	}
	if unpriced == lanes {
		e.Text = "no price known · " + e.Text
		e.Basis += ". No price is known, so budgets can’t count it"
		return e
	}
	price := dollarRange(low, high)
	if imagesUnpriced > 0 {
		price += " plus the images"
	}
	e.Text = price + " · " + e.Text // the price first: little room cuts the end
	e.Basis += ", and answers of " + figure.Count(short) + " to " + figure.Count(long) + " tokens: " +
		money.NanoUSD(low).String() + " to " + money.NanoUSD(high).String()
	if lanes > 1 {
		e.Basis += " in all lanes together"
	}
	if imagesUnpriced > 0 {
		e.Basis += ", and what the images cost, which the catalogue doesn’t tell"
	}
	if unpriced > 0 {
		e.Basis += ", without the lanes whose models have no price"
	}
	if sample {
		e.Basis += "; sample prices"
	}
	e.Basis += ". A longer answer costs more."
	return e
}

// carried is what goes with a draft, in bytes: the conversation, the system
// prompt, the functions.
func (l *Lane) carried(m gateway.Model) int {
	n := len(l.params.System) + len(l.params.Extra)
	for _, o := range l.Path() {
		n += o.Size()
	}
	if o, shown := l.Offers("tools"); shown && o.Sent {
		for _, t := range tools(m, l.params) {
			n += len(t.Name) + len(t.Description) + len(t.Parameters)
		}
	}
	return n
}

// usual is how long the lane's shortest and longest answer so far was, in tokens.
func (l *Lane) usual() (short, long int64) {
	short, long = shortAnswer, longAnswer
	first := true
	for _, m := range l.Path() {
		if m.Run == nil || m.Run.OutputTokens == 0 {
			continue
		}
		if n := m.Run.OutputTokens; first {
			short, long, first = n, n, false
		} else {
			short, long = min(short, n), max(long, n)
		}
	}
	if short == long { // one answer says little
		short, long = min(short, shortAnswer), max(long, longAnswer)
	}
	if most := l.bound(); most > 0 {
		short, long = min(short, most), min(long, most)
	}
	return short, long
}

// dollarRange writes an estimate from low to high.
func dollarRange(low, high int64) string {
	a, b := figure.Dollars(low), figure.Dollars(high)
	if a == b {
		return "≈ " + a
	}
	return "≈ " + a + "–" + strings.TrimPrefix(b, "$")
}
