// Package models is what the settings know of the models that can be asked: where
// they come from, and the form that enters what one costs. It is plain Go without
// go-app.
package models

import (
	"encoding/json"
	"slices"
	"strings"

	"screentest/app/figure"
	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Options are what a Desk needs from outside.
type Options struct {
	Server  session.Server
	Session *session.Session
	// Changed says that something is to be drawn again.
	Changed func()
}

// Desk is what the tab knows of the models' prices.
type Desk struct {
	Options

	Now     *wire.Models // nil before it came
	Problem *wire.Problem
	Busy    bool // the gateway is being asked
	Query   string
	Form    Form

	asked bool
}

// Form enters what a model costs, in dollars: of a text model for a million tokens,
// of a clip's for a second or for the clip.
type Form struct {
	Model         string // "": closed
	Video         bool
	Input, Output string
	Second, Clip  string
	Wrong         string // what is wrong with it
	Saving        bool
}

// MaxShown bounds the models that are shown at once.
const MaxShown = 100

// Want has it asked where the models come from, unless that is known.
func (d *Desk) Want() {
	if !d.asked {
		d.asked = true
		d.Server.Call(wire.OpModels, struct{}{}, d.answered)
	}
}

// Renew asks again: the gateway or its models are others.
func (d *Desk) Renew() {
	if d.asked {
		d.asked = false
		d.Want()
	}
}

func (d *Desk) answered(data json.RawMessage, p *wire.Problem) {
	var now wire.Models
	d.Busy = false
	if d.Problem = session.Read(data, p, &now); d.Problem == nil {
		d.Now = &now
	}
	d.Changed()
}

// Refresh has the gateway asked for its models.
func (d *Desk) Refresh() {
	if d.Busy {
		return
	}
	d.Busy = true
	d.Server.Call(wire.OpRefreshModels, struct{}{}, d.answered)
	d.Changed()
}

// Search takes what is looked for.
func (d *Desk) Search(text string) {
	d.Query = text
	d.Changed()
}

// Shown are the models with all words of the query in them, and how many more there
// are. What is none of them can be added by its id.
func (d *Desk) Shown() (list []gateway.Model, more int, add string) {
	words := strings.Fields(strings.ToLower(d.Query))
next:
	for _, m := range d.Session.Catalogue.Models {
		text := strings.ToLower(m.ID + " " + m.Name)
		for _, w := range words {
			if !strings.Contains(text, w) {
				continue next
			}
		}
		if len(list) == MaxShown {
			more++
			continue
		}
		list = append(list, m)
	}
	if id := strings.TrimSpace(d.Query); len(list) == 0 && len(words) == 1 {
		add = id
	}
	return list, more, add
}

// Entered says whether the price of a model was entered here.
func (d *Desk) Entered(id string) bool { return d.Now != nil && slices.Contains(d.Now.Entered, id) }

// Price writes what a model costs: "" where nobody knows.
func Price(m gateway.Model) string {
	p := m.Price
	switch {
	case !p.Known:
		return ""
	case m.Endpoint != gateway.Video:
		return p.Input.Rate() + " in · " + p.Output.Rate() + " out"
	case p.PerClip != 0:
		return p.PerClip.Rate() + " a clip"
	}
	return p.PerSecond.Rate() + " a second"
}

// Edit opens the form for a model.
func (d *Desk) Edit(id string) {
	m := d.Session.Model(id)
	f := Form{Model: id, Video: m.Endpoint == gateway.Video}
	if p := m.Price; p.Known {
		write := func(n money.NanoUSD) string {
			if n == 0 && f.Video {
				return ""
			}
			return n.Decimal()
		}
		f.Input, f.Output, f.Second, f.Clip = write(p.Input), write(p.Output), write(p.PerSecond), write(p.PerClip)
	}
	d.Form = f
	d.Changed()
}

// Close gives the form up.
func (d *Desk) Close() {
	d.Form = Form{}
	d.Changed()
}

// Type takes what is typed.
func (d *Desk) Type(change func(*Form)) {
	change(&d.Form)
	d.Form.Wrong = ""
	d.Changed()
}

// Save enters the price, unless something is wrong with it.
func (d *Desk) Save() {
	f := &d.Form
	price, wrong := f.price()
	if f.Wrong = wrong; wrong != "" || f.Saving {
		d.Changed()
		return
	}
	d.send(price)
}

// Reset takes back what was entered.
func (d *Desk) Reset() {
	if !d.Form.Saving {
		d.send(gateway.Price{})
	}
}

func (d *Desk) send(price gateway.Price) {
	id := d.Form.Model
	d.Form.Saving = true
	d.Server.Call(wire.OpSetPrice, wire.ModelPrice{Model: id, Price: price}, func(data json.RawMessage, p *wire.Problem) {
		if d.Form.Model == id {
			if d.Form.Saving = false; p != nil {
				d.Form.Wrong = p.Message + " " + p.Hint
				d.Changed()
				return
			}
			d.Form = Form{}
		}
		d.answered(data, p)
	})
	d.Changed()
}

// price reads the form. What is left empty is nothing, of a clip's model one of the
// two.
func (f Form) price() (p gateway.Price, wrong string) {
	read := func(text string) (n money.NanoUSD) {
		if text = strings.TrimSpace(text); text == "" {
			return 0
		}
		n, err := money.ParseUSD(text)
		switch {
		case err != nil:
			wrong = "Enter dollars as a number, for example 0.50."
		case n < 0 || n > wire.MaxBudgetNanoUSD:
			wrong = "Enter from $0 to " + figure.Dollars(wire.MaxBudgetNanoUSD) + "."
		}
		return n
	}
	if !f.Video {
		p = gateway.Price{Known: true, Input: read(f.Input), Output: read(f.Output)}
		if wrong == "" && strings.TrimSpace(f.Input+f.Output) == "" {
			wrong = "Enter what a million tokens cost, 0 if they are free."
		}
		return p, wrong
	}
	p = gateway.Price{Known: true, PerSecond: read(f.Second), PerClip: read(f.Clip)}
	if wrong == "" && (p.PerSecond == 0) == (p.PerClip == 0) {
		wrong = "Enter the price of a second or of a clip."
	}
	return p, wrong
}
