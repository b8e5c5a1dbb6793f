package video

import (
	"strconv"

	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Offer is a button of a card: something that can be made of its clip, or with
// a Reason what can't.
type Offer struct {
	Kind    gateway.Mode // Extend or Upscale
	Model   string
	Label   string // "Extend", "1080p"
	Full    string // "Extend with beta-video-720p-extend, from $0.30"
	Enabled bool
	Reason  string // why it can't be
}

// Offers are the buttons of a clip (table A). What can't be for one reason is
// one button.
func (g *Tasks) Offers(t *wire.VideoTask) []Offer {
	if t.Deleted {
		return []Offer{{Kind: gateway.Extend, Label: verb(gateway.Extend), Full: verb(gateway.Extend), Reason: NotDeleted},
			{Kind: gateway.Upscale, Label: verb(gateway.Upscale), Full: verb(gateway.Upscale), Reason: NotDeleted}}
	}
	var offers []Offer
	refused := map[gateway.Mode]bool{}
	for _, a := range gateway.Actions(t.Provenance(), g.o.Now(), g.o.Cat()) {
		if !a.Enabled {
			if !refused[a.Kind] {
				refused[a.Kind] = true
				offers = append(offers, Offer{Kind: a.Kind, Label: verb(a.Kind), Full: verb(a.Kind), Reason: a.Reason})
			}
			continue
		}
		o := Offer{Kind: a.Kind, Model: a.Model, Label: verb(a.Kind), Full: verb(a.Kind) + " with " + a.Model, Enabled: true}
		if a.Kind == gateway.Upscale && a.Target != "" {
			o.Label = a.Target
			if a.Target == "4k" {
				o.Label = "4K"
			}
			o.Full = "Upscale to " + o.Label + " with " + a.Model
		}
		if m, _ := g.o.Cat().Lookup(a.Model); len(a.Seconds) > 0 {
			least, _ := strconv.Atoi(a.Seconds[0])
			if q := m.VideoPrice(least); q.Known {
				from := ", "
				if len(a.Seconds) > 1 {
					from = ", from "
				}
				o.Full += from + q.Cost.String()
			}
		}
		if a.Warning != "" {
			o.Full += ". " + a.Warning
		}
		offers = append(offers, o)
	}
	return offers
}

func verb(kind gateway.Mode) string {
	if kind == gateway.Upscale {
		return "Upscale"
	}
	return "Extend"
}

// CanRetry says whether the same request may be sent again: what failed or was
// refused cost nothing in the end.
func CanRetry(t *wire.VideoTask) bool {
	return t.State == wire.VideoFailed || t.State == wire.VideoRefused || t.State == wire.VideoLost
}

// RetryLabel says what a retry is and costs.
func RetryLabel(t *wire.VideoTask) string {
	if t.PriceNanoUSD == 0 {
		return "Retry"
	}
	return "Retry · " + money.NanoUSD(t.PriceNanoUSD).String()
}

// Retry sends the same request as a new task, with the id that is given.
func (g *Tasks) Retry(id, newID string) {
	t := g.tasks[id]
	if t == nil || !CanRetry(t) {
		return
	}
	c := wire.VideoCreate{
		ID: newID, Body: t.Body, Title: t.Title, Tags: t.Tags, Mode: t.Mode, Source: t.Source, SourceIndex: t.SourceIndex, VersionOf: t.ID,
	}
	g.ask(id, wire.OpVideoCreate, c, func(problem *wire.Problem) {
		if problem != nil {
			g.Notices.refused(id, problem)
		}
	})
}
