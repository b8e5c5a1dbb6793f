package chat

import "strings"

// Storage is the browser's own store for a person's drafts and choices. A key
// never goes into it.
type Storage interface {
	Get(name string) string // "" where there is none
	Set(name, value string)
	Remove(name string)
}

// Names in the Storage. A draft's, and that of a request written as JSON, is
// followed by its conversation's id.
const (
	draftName = "screentest.draft."
	rawName   = "screentest.raw."
	modelName = "screentest.model"
	tagsName  = "screentest.votetags"
)

func store(s Storage, name, value string) {
	if value == "" {
		s.Remove(name)
	} else {
		s.Set(name, value)
	}
}

// Draft returns what was typed for the conversation and not sent.
func (c *Conversation) Draft() string { return c.draft }

// readDraft takes up the draft that was stored, by this tab or another.
func (c *Conversation) readDraft() {
	c.draft = c.chat.o.Storage.Get(draftName + c.ID)
	c.readAttached()
}

// SetDraft stores what is typed for the conversation.
func (c *Conversation) SetDraft(text string) {
	c.draft = text
	store(c.chat.o.Storage, draftName+c.ID, text)
	c.waiting = ""
	if c.Refusal != nil {
		c.Refusal = nil
		c.changed(PartComposer)
	}
}

// RawDraft returns the request that the person writes as JSON, as SetRawDraft
// has stored it.
func (c *Conversation) RawDraft() string { return c.chat.o.Storage.Get(rawName + c.ID) }

// SetRawDraft stores a request that is written as JSON; "" forgets it.
func (c *Conversation) SetRawDraft(text string) { store(c.chat.o.Storage, rawName+c.ID, text) }

// Carry joins a stored draft with what was typed before the program could show
// it. A browser that fills in fields again may have put the draft there itself.
func Carry(draft, typed string) string {
	if draft == "" || strings.HasPrefix(typed, draft) {
		return typed
	}
	return draft + "\n\n" + typed
}

// TakeOver makes what was typed before the program had come the draft, joined with a
// stored one that was not seen then. It returns whether that leaves it as it was.
func (c *Conversation) TakeOver(typed, seen string) bool {
	text := typed
	if c.draft != seen {
		text = Carry(c.draft, typed)
	}
	if text != c.draft {
		c.SetDraft(text)
	}
	return text == typed
}

// TrimDraft returns a draft as it is sent.
func TrimDraft(text string) string { return strings.TrimSpace(text) }
