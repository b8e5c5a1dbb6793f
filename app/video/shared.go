package video

import (
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// After says of whose clip the settings of a Draft are.
type After struct {
	Copied wire.Copied `json:"copied"`
	From   string      `json:"from"` // VideoCreate.CopiedFrom
}

// ReuseShared fills the form with the settings of a clip that somebody shares. What
// only they can reach is named among what was left out. It returns false for a
// model or mode that is not in the catalogue.
func (d *Desk) ReuseShared(r wire.Reuse) bool {
	if !d.Reuse(wire.VideoTask{Mode: r.Create.Mode, Body: r.Create.Body}) {
		return false
	}
	f := d.Form
	title := r.Copied.Title
	if title == "" {
		title = ModeName(gateway.Mode(r.Create.Mode))
	}
	f.Fitted.What = "The form has the settings of “" + title + "” by " + r.Copied.Owner + " now."
	for _, field := range r.Missing {
		f.Fitted.Dropped = append(f.Fitted.Dropped, Dropped{Field: field, Was: "(only " + r.Copied.Owner + " can reach it)"})
	}
	f.draft.After = &After{Copied: r.Copied, From: r.Create.CopiedFrom}
	f.changed()
	return true
}

// After says of whose clip the settings are; nil where they are one's own.
func (f *Form) After() *wire.Copied {
	if f.draft.After == nil {
		return nil
	}
	return &f.draft.After.Copied
}

// ForgetAfter makes the settings one's own.
func (f *Form) ForgetAfter() {
	f.draft.After = nil
	f.changed()
}

// copiedFrom is the share whose clip's settings the draft has; "" none.
func (d *Draft) copiedFrom() string {
	if d.After == nil {
		return ""
	}
	return d.After.From
}
