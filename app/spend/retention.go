package spend

import (
	"encoding/json"
	"strconv"
	"strings"

	"screentest/app/figure"
	"screentest/app/session"
	"screentest/shared/wire"
)

// Retention is how long things are kept, its form, and what they take up.
type Retention struct {
	desk *Desk

	Now     *wire.Retention // nil before it came
	Storage *wire.Storage   // nil before it came
	Problem *wire.Problem
	// Wire and Clips are what is typed, in days; nil until touched.
	Wire, Clips *string
	Wrong       map[string]string // by the ids of the fields
	Saving      bool
	Saved       bool

	asked bool
	runs  bool // the person runs the instance, and is told what it holds
}

// Fields of the form, by which Wrong names them.
const (
	FieldWire  = "keep-wire"
	FieldClips = "keep-clips"
)

// Want has it all asked for, unless it is there.
func (k *Retention) Want() {
	if k.asked {
		return
	}
	k.asked = true
	k.desk.Server.Call(wire.OpKeep, struct{}{}, k.answered)
	k.measure()
}

// measure asks again what is taken up, by everybody.
func (k *Retention) measure() {
	if !k.runs {
		k.Storage = nil
		return
	}
	k.desk.Server.Call(wire.OpStorage, struct{}{}, func(data json.RawMessage, p *wire.Problem) {
		var s wire.Storage
		if k.Problem = session.Read(data, p, &s); k.Problem == nil {
			k.Storage = &s
		}
		k.desk.Changed()
	})
}

// renew asks again on a new connection; what is typed stays.
func (k *Retention) renew() {
	if k.asked {
		k.asked = false
		k.Want()
	}
}

func (k *Retention) answered(data json.RawMessage, p *wire.Problem) {
	var now wire.Retention
	k.Saving = false
	if k.Problem = session.Read(data, p, &now); k.Problem == nil {
		k.Now = &now
	}
	k.desk.Changed()
}

// Shown are the two numbers of days as they are to be seen; "" is for ever.
func (k *Retention) Shown() (wireDays, clipDays string) {
	if k.Now != nil {
		wireDays, clipDays = days(k.Now.WireDays), days(k.Now.ClipDays)
	}
	if k.Wire != nil {
		wireDays = *k.Wire
	}
	if k.Clips != nil {
		clipDays = *k.Clips
	}
	return wireDays, clipDays
}

func days(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// TypeWire changes how long wire events are kept.
func (k *Retention) TypeWire(s string) { k.Wire = &s; k.typed() }

// TypeClips changes how long clips are kept.
func (k *Retention) TypeClips(s string) { k.Clips = &s; k.typed() }

func (k *Retention) typed() {
	k.Saved = false
	if len(k.Wrong) > 0 {
		_, k.Wrong = k.settings()
	}
	k.desk.Changed()
}

// Save sends the form, unless something in it is wrong.
func (k *Retention) Save() {
	if k.Saving || k.Now == nil {
		return
	}
	r, wrong := k.settings()
	if k.Wrong = wrong; len(wrong) > 0 {
		k.desk.Changed()
		return
	}
	k.Saving, k.Saved = true, false
	k.desk.Server.Call(wire.OpSetKeep, r, func(data json.RawMessage, p *wire.Problem) {
		k.answered(data, p)
		if k.Problem == nil {
			k.Wire, k.Clips, k.Saved = nil, nil, true
			k.measure()
		}
	})
	k.desk.Changed()
}

func (k *Retention) settings() (r wire.Retention, wrong map[string]string) {
	wrong = map[string]string{}
	number := func(field, text string) int {
		if text = strings.TrimSpace(text); text == "" {
			return 0
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > wire.MaxKeepDays {
			wrong[field] = "Enter days from 1 to " + strconv.Itoa(wire.MaxKeepDays) + ", or nothing to keep them for ever."
		}
		return n
	}
	wireDays, clipDays := k.Shown()
	return wire.Retention{WireDays: number(FieldWire, wireDays), ClipDays: number(FieldClips, clipDays)}, wrong
}

// KindName is what a kind of stored data is called.
func KindName(kind string) string {
	switch kind {
	case wire.StoredMessages:
		return "Conversations"
	case wire.StoredWire:
		return "Wire events and requests"
	case wire.StoredLedger:
		return "Ledger"
	case wire.StoredSearch:
		return "Search index"
	case wire.StoredVideo:
		return "Video tasks"
	case wire.StoredClips:
		return "Archived clips and their pictures"
	case wire.StoredBackups:
		return "Copies before changes of the database"
	case wire.StoredOther:
		return "Other"
	}
	return kind
}

// KindCount says how many of what a kind is made of: "8 messages".
func KindCount(k wire.Stored) string {
	one, many := "", ""
	switch k.Kind {
	case wire.StoredMessages:
		one, many = "message", "messages"
	case wire.StoredWire:
		one, many = "request", "requests"
	case wire.StoredLedger:
		one, many = "entry", "entries"
	case wire.StoredVideo:
		one, many = "task", "tasks"
	case wire.StoredClips:
		one, many = "clip", "clips"
	case wire.StoredBackups:
		one, many = "copy", "copies"
	}
	if k.Count == 0 || one == "" {
		return ""
	}
	return figure.Plural(k.Count, one, many)
}
