package video

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// MostModels is how many models one click sends a draft to at most.
const MostModels = 4

// Lane is what one model makes of the draft: a request of its own, with what the
// model can't take fitted or left out.
type Lane struct {
	Model   gateway.Model
	Check   Check
	Dropped []Dropped
	takes   int
}

// Price is that of the takes that the button makes with the model, 0 where none
// is known.
func (l Lane) Price() (cost money.NanoUSD, known bool) {
	p, n := l.Check.Price, money.NanoUSD(max(l.takes, 1))
	if !p.Known || p.Cost > math.MaxInt64/n {
		return 0, false
	}
	return p.Cost * n, true
}

// Made says that the last click has made all that it was to make with the model,
// and not with another.
func (l Lane) Made() bool { return l.takes == 0 }

// Why says why a model can't be sent the draft; "" if it can.
func (f *Form) Why(l Lane) string {
	switch c := l.Check; {
	case len(c.Missing) > 0:
		return c.Missing[0].Text + "."
	case len(c.Errors) > 0:
		return f.Say(c.Errors[0])
	}
	return ""
}

// Others are the models that may be chosen beside those that are.
func (f *Form) Others() []gateway.Model {
	if len(f.Lanes)+1 >= MostModels {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(f.Models()), func(m gateway.Model) bool {
		return m.ID == f.draft.Model || slices.ContainsFunc(f.Lanes, func(l Lane) bool { return l.Model.ID == m.ID })
	})
}

// AddModel has the button make clips with one model more.
func (f *Form) AddModel(id string) {
	if slices.ContainsFunc(f.Others(), func(m gateway.Model) bool { return m.ID == id }) {
		f.draft.Also = append(f.draft.Also, id)
		f.changed()
	}
}

// DropModel takes it away again.
func (f *Form) DropModel(id string) {
	f.draft.Also = slices.DeleteFunc(f.draft.Also, func(have string) bool { return have == id })
	f.changed()
}

// Gone are the further models that can't be had at present: the catalogue has
// them no more, or not for what the draft is to start from.
func (f *Form) Gone() (list []string) {
	models := f.Models()
	for _, id := range f.draft.Also {
		if !slices.ContainsFunc(models, func(m gateway.Model) bool { return m.ID == id }) {
			list = append(list, id)
		}
	}
	return list
}

// lanes works out what the other models make of the draft. One that the list of
// models does not have at present is left alone.
func (f *Form) lanes() {
	f.Lanes = nil
	models := f.Models()
	for _, id := range f.draft.Also {
		at := slices.IndexFunc(models, func(m gateway.Model) bool { return m.ID == id })
		if at < 0 || id == f.draft.Model || len(f.Lanes)+1 >= MostModels {
			continue
		}
		d := f.draft.clone()
		d.Model = id
		l := Lane{Model: models[at], Dropped: f.fit(d, f.Mode)}
		l.Check = f.checkOf(d)
		for _, small := range []struct{ field, was string }{
			{"seeds", d.Seeds}, {"watermark", d.Watermark}, {"character_orientation", d.Orientation}, {"background_source", d.Background},
		} {
			if small.was != "" && !slices.ContainsFunc(l.Check.Fields, func(have gateway.Field) bool { return have.Name == small.field }) {
				if _, drawn := f.Field(small.field); drawn {
					l.Dropped = append(l.Dropped, Dropped{Field: small.field, Was: small.was})
				}
			}
		}
		f.Lanes = append(f.Lanes, l)
	}
	for i := range f.Lanes {
		f.Lanes[i].takes = f.takesOf(f.Lanes[i].Model.ID)
	}
}

// takesOf is how many clips the button makes with a model: after some of a click
// were made, only those that were not.
func (f *Form) takesOf(model string) int {
	if f.rest != nil {
		return f.rest[model]
	}
	return f.Takes()
}

// goes are the models that the button sends the draft to. What they all lack has
// yet to be given; what one alone does not take leaves that one out.
func (f *Form) goes() []Lane {
	list := append([]Lane{{Model: f.Model(), Check: f.Check, takes: f.takesOf(f.draft.Model)}}, f.Lanes...)
	return slices.DeleteFunc(list, func(l Lane) bool {
		return l.takes == 0 || f.Check.Ready() && !l.Check.Ready()
	})
}

// Clips is how many clips the button makes.
func (f *Form) Clips() (n int) {
	for _, l := range f.goes() {
		n += l.takes
	}
	return n
}

// Total is what the button costs, and how that adds up.
func (f *Form) Total() (price, basis string) {
	list := f.goes()
	var sum money.NanoUSD
	var parts []string
	unknown := 0
	for _, l := range list {
		cost, known := l.Price()
		if !known || sum > math.MaxInt64-cost {
			unknown++
			parts = append(parts, "no price known for "+l.Model.ID)
			continue
		}
		sum += cost
		part := l.Check.Price.Cost.String()
		if len(list) == 1 {
			part = l.Check.Price.Basis
		}
		if l.takes > 1 {
			if part = strconv.Itoa(l.takes) + " × " + part; len(list) == 1 {
				part = strconv.Itoa(l.takes) + " takes × " + l.Check.Price.Basis
			}
		}
		parts = append(parts, part)
	}
	switch {
	case len(list) == 0:
		return "–", ""
	case !f.Check.Price.Known && f.Model().Price.Known:
		return "–", "The price follows from the length."
	case unknown == len(list):
		return NoPrice, "Your gateway decides what it costs."
	}
	price = sum.String()
	if unknown > 0 {
		price = "At least " + price
	}
	return price, strings.Join(parts, " + ") + " · charged when the task is created, returned if it fails"
}

// NoPrice is what is said where the catalogue has none.
const NoPrice = "No price known"

// Sample says that a price of the Total is one of the sample's.
func (f *Form) Sample() bool {
	return slices.ContainsFunc(f.goes(), func(l Lane) bool { return l.Check.Price.Sample })
}

// named is a problem of one of several models, which it names.
func (f *Form) named(model string, p *wire.Problem) *wire.Problem {
	if len(f.Lanes) == 0 || model == "" {
		return p
	}
	told := *p
	told.Message = model + ": " + told.Message
	return &told
}
