package chat

import "cmp"

// A text may be sent before the server has answered, or before all older messages of
// its conversation are here. The model is to be given them all, so it waits, and goes
// as soon as they are.

// wait has text sent when the rest of the conversation has come, and fetches
// that now.
func (c *Conversation) wait(text string) {
	c.waiting = cmp.Or(text, " ") // of images alone
	c.Refusal = refuse("", "not_loaded", "Older messages of this conversation are still loading; the model needs them all.",
		"Your message is sent once they’re here.")
	c.hasten()
}

// hasten fetches what a text waits for.
func (c *Conversation) hasten() {
	if c.waiting == "" || !c.chat.session.Greeted || c.Phase == Loading {
		return
	}
	if c.Earlier {
		c.Outline()
		return
	}
	for _, l := range c.Lanes {
		if path := l.Path(); missing(path) {
			c.need(path, nil) // and again with each answer
			return
		}
	}
	text := c.waiting
	c.waiting = ""
	if c == c.chat.Shown() {
		c.Refusal = nil
		c.changed(PartComposer)
		c.chat.o.Resend(text)
	}
}

// giveUp says that what a text waits for did not come.
func (c *Conversation) giveUp() {
	if c.waiting == "" {
		return
	}
	c.waiting = ""
	if c == c.chat.Shown() {
		c.Refusal = refuse("", "not_loaded", "Older messages of this conversation couldn’t be loaded; the model needs them all.", "Send again.")
		c.changed(PartComposer)
	}
}

// missing says whether a text of the path has not come yet.
func missing(path []*Message) bool {
	for _, m := range path {
		if m.Stub {
			return true
		}
	}
	return false
}
