package model

import "strings"

// Storage is the browser's own store for a person's drafts and choices. A key
// never goes into it.
type Storage interface {
	Get(name string) string // "" where there is none
	Set(name, value string)
	Remove(name string)
}

// Names in the Storage. A draft's is followed by its conversation's id.
const (
	draftName = "screentest.draft."
	modelName = "screentest.model"
	// ThemeName holds "dark" or "light"; without it the system decides.
	ThemeName = "screentest.theme"
)

// Draft returns what was typed for a conversation and not sent; "" is the one
// that does not exist yet.
func (d *Desk) Draft() string { return d.storage.Get(draftName + d.currentID()) }

// SetDraft keeps what is typed for the conversation that is shown.
func (d *Desk) SetDraft(text string) {
	name := draftName + d.currentID()
	if text == "" {
		d.storage.Remove(name)
	} else {
		d.storage.Set(name, text)
	}
	d.held = nil
	if d.Refusal != nil {
		d.Refusal = nil
		d.changed(PartComposer)
	}
}

// Carry joins a kept draft with what was typed before the program could show it.
// A browser that fills in fields again may have put the draft there itself.
func Carry(draft, typed string) string {
	if draft == "" || strings.HasPrefix(typed, draft) {
		return typed
	}
	return draft + "\n\n" + typed
}

// Theme returns "dark", "light" or, for the system's, "".
func (d *Desk) Theme() string { return d.storage.Get(ThemeName) }

// SetTheme keeps the person's choice; "" leaves it to the system.
func (d *Desk) SetTheme(theme string) {
	if theme == "" {
		d.storage.Remove(ThemeName)
	} else {
		d.storage.Set(ThemeName, theme)
	}
	d.changed(PartSettings)
}
